"""The ways to run code apart from the kernel, one file each; `runner` chooses among them."""
