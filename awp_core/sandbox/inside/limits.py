"""Limits that the kernel enforces on the worker, and the watch over what it does not."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

MIB = 1024 * 1024
PAGE = os.sysconf("SC_PAGE_SIZE")


def apply(limits: dict[str, Any]) -> None:
    """Limit this process and everything it starts.

    `RLIMIT_NPROC` is set only where a user namespace keeps a count of its own (Linux 5.14); elsewhere it
    would count the processes of the same user outside. It never binds root, hence the watch below.
    """
    import resource

    def limit(kind: int, amount: int, slack: int = 0) -> None:
        hard = resource.getrlimit(kind)[1]
        ceiling = amount + slack if hard == resource.RLIM_INFINITY else min(hard, amount + slack)
        resource.setrlimit(kind, (min(amount, ceiling), ceiling))

    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_AS, limits["memory_mb"] * MIB)
    limit(resource.RLIMIT_FSIZE, limits["file_size_mb"] * MIB)
    limit(resource.RLIMIT_NOFILE, 256)
    if limits["cpu_s"] is not None:
        limit(resource.RLIMIT_CPU, limits["cpu_s"], slack=1)
    if limits["own_process_count"]:
        limit(resource.RLIMIT_NPROC, limits["max_processes"] + 2)  # the processes around the worker count


class Usage(NamedTuple):
    """What the processes below this one use: their number and their resident bytes."""

    pids: list[int]
    resident: int


def count_processes() -> int:
    """Count the processes of this pid namespace."""
    try:
        return sum(name.isdigit() for name in os.listdir("/proc"))  # noqa: PTH208 - pathlib is slow to import
    except OSError:
        return 0


def descendants() -> Usage:
    """Look at all processes that stem from this one; nothing where there is no /proc."""
    parents: dict[int, tuple[int, int]] = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - pathlib is slow to import
    except OSError:
        return Usage([], 0)
    for name in names:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                fields = file.read().rpartition(b")")[2].split()
            parents[int(name)] = int(fields[1]), int(fields[21]) * PAGE
        except (OSError, IndexError, ValueError):
            continue  # ended while we looked
    found: list[int] = []
    resident = 0
    frontier = {os.getpid()}
    while frontier:
        frontier = {pid for pid, (parent, _) in parents.items() if parent in frontier}
        found.extend(frontier)
        resident += sum(parents[pid][1] for pid in frontier)
    return Usage(found, resident)


def proportional(pids: list[int]) -> int:
    """Bytes used with shared pages counted once; slower, so asked only when the cheap sum is too high."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", "rb") as file:  # noqa: PTH123
                total += sum(int(line.split()[1]) * 1024 for line in file if line.startswith(b"Pss:"))
        except (OSError, IndexError, ValueError):
            continue
    return total
