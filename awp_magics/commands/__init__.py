"""The sub-commands of `%awp`: one file each, exporting `COMMAND`; adding a file adds a command."""
