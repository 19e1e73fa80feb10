"""A plain subprocess with limits and an empty environment: only for those who opted in.

It contains accidents, not attackers: the code sees the user's files, the network and the other processes.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from awp_core.errors import SandboxError
from awp_core.sandbox import inside
from awp_core.sandbox.backends.base import BackendReport, Outcome
from awp_core.sandbox.backends.mounts import interpreter, package_folders
from awp_core.sandbox.backends.process import PROGRAM, SupervisedProcess, request_for, run_supervised, started
from awp_core.sandbox.check import EntryPoint
from awp_core.sandbox.policy import CodeJob, SandboxPolicy


class SubprocessBackend:
    """Runs each call in a process group of its own, in a temporary folder."""

    name = "subprocess"

    def report(self) -> BackendReport:
        """It works wherever processes can be forked and limited."""
        usable = os.name == "posix" and bool(interpreter())
        return BackendReport(
            self.name, usable, "not a sandbox" if usable else f"cannot limit processes on {sys.platform}"
        )

    def refusal(self, policy: SandboxPolicy) -> str:
        """Nothing is refused: nothing is guaranteed."""
        del policy
        return ""

    async def run(self, job: CodeJob, policy: SandboxPolicy, entry: EntryPoint) -> Outcome:
        """Run one call."""
        folder = str(Path(inside.__file__).parent.parent)
        path = package_folders() if policy.packages else []
        request = request_for(job, policy, entry, path=path, own_process_count=False)

        with tempfile.TemporaryDirectory(prefix="awp-code-", ignore_cleanup_errors=True) as work:
            if policy.input_dir is not None:
                _link_input(Path(work), policy.input_dir)
            environment = {"PATH": os.defpath, "HOME": work, "TMPDIR": work, "LANG": "C.UTF-8"}

            async def start(*fds: int) -> SupervisedProcess:
                command = [
                    interpreter(),
                    "-I",
                    "-S",
                    "-B",
                    "-X",
                    "utf8",
                    "-c",
                    PROGRAM,
                    folder,
                    *map(str, fds),
                ]
                return await SupervisedProcess.start(command, fds, environment, cwd=work)

            outcome, _ = await run_supervised(start, job, policy, request)
            return started(outcome)

    async def aclose(self) -> None:
        """Nothing is kept."""


def _link_input(work: Path, input_dir: Path) -> None:
    if not input_dir.is_dir():
        raise SandboxError(f"the input folder {str(input_dir)!r} does not exist")
    (work / "data").mkdir()
    (work / "data" / "input").symlink_to(input_dir.resolve(), target_is_directory=True)
