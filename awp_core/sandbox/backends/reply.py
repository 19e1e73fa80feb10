"""From what a sandboxed process left behind to a result or an error; all of it is hostile until checked."""

from __future__ import annotations

import signal
from typing import Any

from awp_core.errors import AwpError, CodeError, SandboxError
from awp_core.sandbox.inside import supervise
from awp_core.sandbox.inside.values import NotJsonError, parse, select_outputs
from awp_core.sandbox.policy import CodeJob, SandboxPolicy

MIB = 1024 * 1024


def read_reply(code: int, data: bytes, token: str, prints: str, job: CodeJob, policy: SandboxPolicy) -> dict[str, Any]:
    """Return the result of a call that ended with exit code `code` of its supervisor.

    Args:
        code: The one thing user code cannot forge.
        data: The reply file, already bounded.
        token: What a reply of this call carries.
        prints: What was printed, for the errors.
        job: The call.
        policy: Its limits, for the messages.

    Raises:
        CodeError: The user's exception, or a result that is not what was declared.
        SandboxError: A limit, a crash, or no reply.
    """
    if code != 0:
        raise SandboxError(_ending(code, prints, policy), hint=_printed(prints))
    try:
        reply = parse(data)
    except NotJsonError:
        reply = None
    if not isinstance(reply, dict) or reply.get("token") != token:
        raise SandboxError(
            "the code ended its process before main returned",
            hint="do not call os._exit or os.exec in a code node" if not prints else _printed(prints),
        )
    if reply.get("kind") == "value":
        return checked(reply.get("value"), job, prints)
    raise _failure(reply, prints, policy)


def checked(value: object, job: CodeJob, prints: str) -> dict[str, Any]:
    """Return the declared outputs of a value that is plain JSON."""
    try:
        return select_outputs(value, job.outputs)
    except NotJsonError as exc:
        raise CodeError(exc.problem, hint=exc.hint, prints=prints) from exc


def out_of_memory(policy: SandboxPolicy, line: int) -> SandboxError:
    """Build the error for code that needed more memory than it may have."""
    where = f", on line {line}" if line else ""
    return SandboxError(f"the code needed more memory than {policy.memory_mb} MiB{where}")


def timed_out(policy: SandboxPolicy, prints: str) -> SandboxError:
    """Build the error for code that was stopped because its time was over."""
    return SandboxError(f"the code ran longer than {policy.timeout_s:g} s and was stopped", hint=_printed(prints))


def too_large(policy: SandboxPolicy) -> SandboxError:
    """Build the error for a result that is larger than a file may be."""
    return SandboxError(
        f"the result is larger than {policy.file_size_mb} MiB", hint="return less, or write an artifact"
    )


def _failure(reply: dict[str, Any], prints: str, policy: SandboxPolicy) -> AwpError:
    kind, line = reply.get("kind"), reply.get("line", 0)
    line = line if isinstance(line, int) and 0 <= line <= 10_000_000 else 0
    if kind == "memory":
        return out_of_memory(policy, line)
    if kind == "too_large":
        return too_large(policy)
    message = _bounded(reply.get("message"), 4_000)
    if kind not in ("raised", "not_json") or not message:
        return SandboxError("the sandbox sent a reply that makes no sense")
    text = _bounded(reply.get("traceback"), 40_000)
    return CodeError(message, hint=_bounded(reply.get("hint"), 1_000), traceback=text, line=line, prints=prints)


def _bounded(value: object, limit: int) -> str:
    return value[:limit] if isinstance(value, str) else ""


def _ending(code: int, prints: str, policy: SandboxPolicy) -> str:
    if code == supervise.TOO_MANY_PROCESSES:
        return f"the code started more than {policy.max_processes} processes and was stopped"
    if code == supervise.TOO_MUCH_MEMORY:
        return f"the code used more memory than {policy.memory_mb} MiB, with all its processes, and was stopped"
    if code == supervise.LIFELINE_CLOSED:
        return "the code was stopped from outside"
    if code > supervise.SIGNALLED:
        return _signal(code - supervise.SIGNALLED, policy)
    return f"the sandbox did not start (exit code {code}): {prints.strip()[:500] or 'it said nothing'}"


def _signal(number: int, policy: SandboxPolicy) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    if name == "SIGXCPU":
        return f"the code used more than {policy.cpu_s} s of processor time and was stopped"
    if name == "SIGKILL":
        return "the code was killed (SIGKILL): by the system for want of memory or of time, or by itself"
    return f"the code's process was ended by {name}, which usually means that it crashed the interpreter"


def _printed(prints: str) -> str:
    lines = prints.strip().splitlines()
    return f"the last it printed: {lines[-1][:200]}" if lines else ""
