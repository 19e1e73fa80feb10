"""The `awp` commands, one file each; every file exports `COMMAND`."""
