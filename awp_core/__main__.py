"""`python -m awp_core`: the `awp` command, and the set-up tasks on a bare Python."""

from __future__ import annotations

import importlib.util
import sys

_TASKS = frozenset({"setup", "test", "lint", "bench", "demo"})


def main(argv: list[str]) -> int:
    """Run a set-up task where the dependencies are missing, else the `awp` command."""
    bare = importlib.util.find_spec("pydantic") is None or importlib.util.find_spec("yaml") is None
    if argv and argv[0] in _TASKS and (bare or argv[0] != "demo"):
        from awp_core.cli.tasks import main as tasks

        return tasks(argv)
    from awp_core.cli.main import main as awp

    return awp(argv)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
