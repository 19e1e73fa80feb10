"""Write files so that a crash leaves the old or the new content, never half of one."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from awp_core.errors import RunFolderError


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into a RunFolderError that says what to do.

    Raises:
        RunFolderError: The disk is full, the folder is read-only or gone, and so on.
    """
    try:
        yield
    except OSError as exc:
        raise RunFolderError(f"cannot write {str(path)!r}: {exc.strerror or exc}", hint=advice(exc)) from exc


def advice(error: OSError) -> str:
    """Say what to do about a disk that refuses."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "free some space, then `awp resume` goes on from the last finished node"
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return "choose a runs folder that can be written: awp --runs-dir DIR"
    return "what the record holds so far is intact; `awp resume` goes on from the last finished node"


def replace(path: Path, data: bytes, *, sync: bool = False) -> None:
    """Write `data` to `path` atomically; with `sync` it is on disk when this returns."""
    with disk_errors(path):
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            _write(temporary, data, sync=sync)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        if sync:
            sync_folder(path.parent)


def create_once(path: Path, data: bytes) -> bool:
    """Write `data` to `path` durably if nothing is there yet; return whether this call wrote it.

    The file appears whole or not at all, and of two callers exactly one gets True.
    """
    with disk_errors(path):
        path.parent.mkdir(exist_ok=True)
        if path.exists():
            return False
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            _write(temporary, data, sync=True)
            _link(temporary, path, data)
        except FileExistsError:
            return False
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
    return True


def _link(temporary: Path, path: Path, data: bytes) -> None:
    """Give the file its name if that is free; on a file system without hard links write it under the name itself."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError as exc:
        if exc.errno not in {errno.EPERM, errno.ENOTSUP, errno.ENOSYS}:
            raise
        _write(path, data, sync=True, flags=os.O_EXCL)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable, where the system allows it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; `os.write` may write fewer."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, data[written:])


def _write(path: Path, data: bytes, *, sync: bool, flags: int = os.O_TRUNC) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o644)
    try:
        write_all(descriptor, data)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
