"""The lock of a run: one owner at a time, free the moment it is given back."""

from __future__ import annotations

import os

import pytest

from awp_core.errors import RunLockedError
from awp_core.runs.lock import RunLock, is_locked


def test_a_second_owner_is_refused_and_told_who_has_it(tmp_path):
    with RunLock(tmp_path / "run.lock"):
        assert is_locked(tmp_path / "run.lock")
        with pytest.raises(RunLockedError, match=f"by process {os.getpid()} on "):
            RunLock(tmp_path / "run.lock")
    assert not is_locked(tmp_path / "run.lock")


@pytest.mark.skipif(os.name != "posix", reason="needs Linux or macOS: descriptors are shared by a fork")
def test_a_copy_of_the_descriptor_in_a_process_being_started_does_not_keep_it(tmp_path):
    file = tmp_path / "run.lock"
    lock = RunLock(file)
    own = next(number for number in range(3, 4096) if is_file(number, file))
    copy = os.dup(own)  # what a fork does with every descriptor
    try:
        lock.release()
        assert not is_locked(tmp_path / "run.lock")
        RunLock(tmp_path / "run.lock").release()
    finally:
        os.close(copy)


def is_file(descriptor: int, path) -> bool:
    try:
        return os.fstat(descriptor).st_ino == path.stat().st_ino
    except OSError:
        return False
