"""User Python outside the kernel: what may run (`policy`), whether it can (`check`), and running it (`runner`)."""
