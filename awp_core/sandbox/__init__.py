"""User Python outside the kernel: what may run (`policy`), whether it can (`check`), running it (`runner`)."""
