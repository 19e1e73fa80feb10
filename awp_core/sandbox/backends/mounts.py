"""What of the file system a sandboxed interpreter needs, as arguments of bubblewrap."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

SYSTEM_FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libx32", "/lib", "/lib64", "/lib32")
"""Shared libraries and the dynamic loader; no programs, no configuration, nothing private."""

STORES = ("/nix/store", "/gnu/store")
"""Where some systems keep every library under a path of its own."""

PRIVATE_FOLDERS = ("/tmp", "/dev/shm")  # noqa: S108 - what every call has for itself
"""Empty and writable in every call, whatever the system keeps there."""


def interpreter() -> str:
    """Return the real path of the interpreter below any virtual environment, or an empty string."""
    executable = getattr(sys, "_base_executable", None) or sys.executable
    return os.path.realpath(executable) if executable else ""


def package_folders() -> list[str]:
    """Return the site-packages folders of the running environment, in the order of `sys.path`."""
    names = {"site-packages", "dist-packages"}
    return [path for path in dict.fromkeys(sys.path) if Path(path).name in names and Path(path).is_dir()]


def interpreter_mounts(packages: bool) -> list[str]:
    """Mount the interpreter, its standard library and the system's shared libraries read-only.

    Args:
        packages: Mount the site-packages as well; otherwise those inside the standard library are hidden.
    """
    mounts = [*_system_folders()]
    covered = [folder for folder in SYSTEM_FOLDERS if Path(folder).is_dir()]
    for path in _python_paths():
        if not _is_below(path, covered):
            mounts += read_only(path)
            covered.append(path)
    shown = package_folders() if packages else []
    for folder in _packages_of_the_base():
        if folder not in shown and _is_below(folder, covered):
            mounts += ["--tmpfs", folder, "--remount-ro", folder]
    for folder in shown:
        mounts += read_only(folder)
    return mounts


def hidden_by_tmp(packages: bool) -> list[str]:
    """Return what of the interpreter lies where a call gets a folder of its own, and must be shown there again.

    A project cloned below `/tmp` has its virtual environment there.
    """
    needed = [*_python_paths(), *(package_folders() if packages else [])]
    return [path for path in dict.fromkeys(needed) if _is_below(path, PRIVATE_FOLDERS)]


def read_only(path: str) -> list[str]:
    """Mount one path read-only under its own name, and under its real one if that differs."""
    real = os.path.realpath(path)
    return ["--ro-bind", real, path, *(["--ro-bind", real, real] if real != path else [])]


def _system_folders() -> Iterator[str]:
    for folder in SYSTEM_FOLDERS:
        if Path(folder).is_symlink():
            yield from ("--symlink", str(Path(folder).readlink()), folder)
        elif Path(folder).is_dir():
            yield from ("--ro-bind", folder, folder)
    for store in STORES:
        if Path(store).is_dir():
            yield from ("--ro-bind", store, store)
    for extra in ("/etc/ld.so.cache", "/usr/share/zoneinfo"):
        yield from ("--ro-bind-try", extra, extra)


def _python_paths() -> Iterator[str]:
    yield interpreter()
    for base in dict.fromkeys((sys.base_prefix, sys.base_exec_prefix, os.path.realpath(sys.base_prefix))):
        yield from (str(Path(base, name)) for name in ("lib", "lib64") if Path(base, name).is_dir())
    for name in ("stdlib", "platstdlib"):
        # With `base` the folders are those of the interpreter, not of a virtual environment on top of it.
        folder = sysconfig.get_path(name, vars={"base": sys.base_prefix, "platbase": sys.base_exec_prefix})
        if folder and Path(folder).is_dir():
            yield folder


def _packages_of_the_base() -> Iterator[str]:
    stdlib = Path(sysconfig.get_path("stdlib"))
    for folder in (
        stdlib / "site-packages",
        stdlib / "dist-packages",
        stdlib.parent / "python3" / "dist-packages",
    ):
        if folder.is_dir():
            yield str(folder)


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)
