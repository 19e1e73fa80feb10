"""Where the functions of `compute` nodes run: on this machine, or elsewhere."""
