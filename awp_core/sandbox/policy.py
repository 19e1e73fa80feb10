"""What code is to be run, within which limits, and what comes back (spec 02, "code")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """The limits of one call; each is enforced by the operating system or by the interpreter jail.

    Args:
        timeout_s: Wall-clock seconds, from the start of the sandbox to its result.
        memory_mb: MiB of address space for each process, and of memory used by all of them together.
        cpu_s: Seconds of processor time for each process; None leaves that to `timeout_s`.
        max_processes: Processes that may exist at once, threads included where the kernel counts them.
        file_size_mb: MiB of the largest file, and of all files in `/tmp` and the working directory
            together; the result is written as a file and obeys it as well.
        packages: Mount the current environment's site-packages read-only, so that numpy and pandas work.
        input_dir: Folder mounted read-only as `data/input` of the working directory.
        readable: Further files or folders that may be read, visible at their own absolute path.
    """

    timeout_s: float = 30.0
    memory_mb: int = 1024
    cpu_s: int | None = None
    max_processes: int = 64
    file_size_mb: int = 64
    packages: bool = False
    input_dir: Path | None = None
    readable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeJob:
    """One call of a top-level `def main(...)`.

    Args:
        source: The Python text.
        arguments: JSON values, passed by name.
        outputs: Fields of the result; empty keeps whatever `main` returns.
        filename: How tracebacks call the text.
        first_line: Where line 1 of `source` stands in the cell or manifest, from 1.
    """

    source: str
    arguments: Mapping[str, Any]
    outputs: tuple[str, ...]
    filename: str = "<code>"
    first_line: int = 1


@dataclass(frozen=True, slots=True)
class CodeResult:
    """What came back: the dictionary, what was printed, which backend ran it and for how long."""

    value: dict[str, Any]
    prints: str
    backend: str
    duration_s: float
