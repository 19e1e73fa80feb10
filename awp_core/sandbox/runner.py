"""The sandbox as others use it: choose a backend that works, hand over a call, give back its result.

A backend that does not work is never replaced by a weaker one without the user's word: bwrap, then monty,
then nothing, unless `AWP_ALLOW_UNSANDBOXED_CODE=1` was set (spec 02, "code"; docs/adr/0005).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from awp_core.errors import CodeError, SandboxUnavailableError
from awp_core.sandbox.backends.base import Backend, BackendReport
from awp_core.sandbox.backends.bwrap import BubblewrapBackend
from awp_core.sandbox.backends.monty import MontyBackend
from awp_core.sandbox.backends.plain import SubprocessBackend
from awp_core.sandbox.check import EntryPoint, Parameter, check_source
from awp_core.sandbox.inside.values import NotJsonError, to_json_value
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy

__all__ = ["BackendReport", "EntryPoint", "Parameter", "Sandbox", "backend_reports", "check_source"]

CHOICE = "AWP_SANDBOX"
OPT_IN = ("AWP_ALLOW_UNSANDBOXED_CODE", "CORVIN_ALLOW_UNSANDBOXED_CODE")


class Sandbox:
    """Runs code nodes; one for each application, closed with `aclose`.

    Args:
        environ: Where the settings are read; the process's own environment if omitted. None of it is passed
            to the code.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = dict(os.environ if environ is None else environ)
        self._backends: dict[str, Backend] = {
            "bwrap": BubblewrapBackend(self._environ),
            "monty": MontyBackend(),
        }
        self._plain = SubprocessBackend()

    async def run(self, job: CodeJob, policy: SandboxPolicy) -> CodeResult:
        """Run one call.

        Raises:
            CodeError: The code does not parse, has no `main`, raised, or did not return what is declared.
            SandboxError: A limit was reached, or the code ended its process.
            SandboxUnavailableError: Nothing that works here may run it; it was not run.
        """
        entry = check_source(job.source, job.filename, job.first_line)
        job = await asyncio.to_thread(_with_plain_arguments, job)
        backend = await asyncio.to_thread(self._choose, policy)
        started = time.perf_counter()
        outcome = await backend.run(job, policy, entry)
        return CodeResult(outcome.value, outcome.prints, backend.name, time.perf_counter() - started)

    def choose(self, policy: SandboxPolicy) -> str:
        """Return the name of the backend that would run, probing it if that has not happened yet.

        Raises:
            SandboxUnavailableError: None would.
        """
        return self._choose(policy).name

    def reports(self) -> list[BackendReport]:
        """Return what works here, in the order of preference; the plain subprocess only if allowed."""
        backends = [*self._backends.values(), *([self._plain] if self._allowed() else [])]
        return [backend.report() for backend in backends]

    async def aclose(self) -> None:
        """End whatever was kept warm; calls still under way fail."""
        for backend in self._backends.values():
            await backend.aclose()

    def _choose(self, policy: SandboxPolicy) -> Backend:
        wanted = self._environ.get(CHOICE, "")
        if wanted and wanted not in self._backends:
            raise SandboxUnavailableError(
                f"{CHOICE} is {wanted!r}, which is no sandbox; the code was not run",
                hint=f"set it to {' or '.join(self._backends)}, or leave it unset",
            )
        reasons = []
        for name, backend in self._backends.items():
            if wanted and name != wanted:
                reasons.append(f"{name}: not tried, because {CHOICE}={wanted}")
                continue
            report = backend.report()
            problem = backend.refusal(policy) if report.usable else report.reason
            if not problem:
                return backend
            reasons.append(f"{name}: {problem}")
        if not wanted and self._allowed() and self._plain.report().usable:
            return self._plain
        raise SandboxUnavailableError(
            f"no sandbox works here, so the code was not run ({'; '.join(reasons)})",
            hint=f"install one of them, or set {OPT_IN[0]}=1 to run code unsandboxed, with all your rights",
        )

    def _allowed(self) -> bool:
        return any(self._environ.get(name) == "1" for name in OPT_IN)


def backend_reports(environ: Mapping[str, str] | None = None) -> list[BackendReport]:
    """Return for each backend whether it works here, and its version or why not (for `awp doctor`)."""
    return Sandbox(environ).reports()


def _with_plain_arguments(job: CodeJob) -> CodeJob:
    try:
        arguments: dict[str, Any] = to_json_value(dict(job.arguments), "arguments")
    except NotJsonError as exc:
        raise CodeError(f"{job.filename}: {exc.problem}", hint=exc.hint) from exc
    return replace(job, arguments=arguments)
