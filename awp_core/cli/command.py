"""What a command of `awp` is."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from awp_core.app import App


@dataclass(frozen=True, slots=True)
class Command:
    """One sub-command. A module under `commands/` imports only this, so that `awp --help` stays quick.

    Attributes:
        name: What is typed.
        summary: One line for `awp --help`.
        configure: Adds its arguments.
        run: Does it and returns the exit code.
    """

    name: str
    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[App, argparse.Namespace], int]
