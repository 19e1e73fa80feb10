"""Questions to people: how one is asked, answered, expires, and how the run waits (spec 02, Pause and resume)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awp_core.errors import NodeError, NotFoundError, ReplyError
from awp_core.expressions.replies import Reply, coerce_reply
from awp_core.nodes.base import Ask
from awp_core.values import ValueProblem, check_json

if TYPE_CHECKING:
    from awp_core.engine.plan import PlannedNode
    from awp_core.engine.scheduler import Scheduler
    from awp_core.events.fold import Question, RunState

# Node types that send an envelope: an attempt that has sent it is never repeated (spec 02, Failure rule).
SENDERS: Final = frozenset({"answer", "ask_human", "deliver"})
OWNER: Final = "owner"  # the local user, who may always answer


def ask(scheduler: Scheduler, node: PlannedNode, question: Ask) -> None:
    """Record an open question whose envelope is out; use a reply given in advance if there is one."""
    data: dict[str, Any] = {
        "prompt": question.prompt, "expect": dict(question.expect), "channel": question.envelope.channel,
        "chat_id": question.envelope.chat_id, "approver": question.approver,
    }  # fmt: skip
    if question.timeout_s is not None:
        with suppress(OverflowError):  # beyond the end of the calendar there is no deadline
            deadline = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=question.timeout_s)
            data["deadline"] = deadline.isoformat(timespec="milliseconds")
    if question.on_timeout is not None:
        data["on_timeout"] = question.on_timeout
    if question.again:
        data["again"] = True
    if question.nested is not None:
        data["nested"] = question.nested
    scheduler.bus.emit("human.asked", node.id, data)
    _watch(scheduler)
    if scheduler.replies.get(node.id):
        try:
            _use_prepared(scheduler, node.id)
        except ReplyError as error:  # the question stays open, and the run waits for a better answer
            scheduler.bus.log(node.id, f"the reply given in advance does not fit: {error.message}\n")


class PreparedReply(NamedTuple):
    """What somebody answered: the reply as given, and who gave it (None is the local owner).

    With `expired`, nobody answered in time; that is how a replay repeats it.
    """

    raw: Any
    replier: str | None = None
    expired: bool = False


def _use_prepared(scheduler: Scheduler, node: str) -> None:
    given = scheduler.replies[node].popleft()
    if given.expired:
        _expire(scheduler, scheduler.state.questions[node])
    else:
        scheduler.reply(node, given)


def answer(scheduler: Scheduler, node: str, given: PreparedReply) -> None:
    """Check and record a reply; the node ends with it, or starts again if it asked for that.

    Raises:
        NotFoundError: The node has no open question.
        ReplyError: The reply does not fit, or the replier may not answer; nothing is recorded.
    """
    reply = check(scheduler.state.questions, node, given)
    again = scheduler.state.questions[node].again
    scheduler.bus.emit("human.replied", node, {
        "value": reply.value, "raw": given.raw, "replier": given.replier or OWNER, "recognised": reply.recognised,
    })  # fmt: skip
    if again:
        scheduler.rerun(node)
    else:
        scheduler.answered(node, _output(scheduler, node))


def _output(scheduler: Scheduler, node: str) -> dict[str, Any]:
    """The output of an answered question, from the record, so that it is the same after a crash."""
    value, raw, _ = scheduler.state.nodes[node].reply or (None, None, OWNER)
    name = scheduler.state.questions[node].expect.get("field")
    return {name: value, "raw_reply": raw} if name else {"reply": value}


def check(open_questions: dict[str, Question], node: str, given: PreparedReply) -> Reply:
    """Return the reply coerced to what the question expects; changes nothing.

    Raises:
        NotFoundError: The node has no open question.
        ReplyError: The reply does not fit, or the replier may not answer.
    """
    question = find(open_questions, node)
    check_replier(question, given.replier)
    expect = question.expect
    try:
        check_json(given.raw, "the reply")
    except ValueProblem as problem:
        raise ReplyError(problem.message, hint=problem.hint) from problem
    return coerce_reply(expect.get("type", "text"), given.raw, expect.get("options") or (), expect.get("schema"))


def find(open_questions: dict[str, Question], node: str | None) -> Question:
    """Return the open question of `node`, or the only one when `node` is None.

    Raises:
        NotFoundError: There is no such question.
        ReplyError: Several are open and none was named.
    """
    if node is None:
        if len(open_questions) > 1:
            raise ReplyError(
                f"{len(open_questions)} questions are open: {', '.join(open_questions)}",
                hint="say which one: --node NODE",
            )
        if not open_questions:
            raise NotFoundError("no question is open", hint="see `awp runs --paused`")
        return next(iter(open_questions.values()))
    if node not in open_questions:
        raise NotFoundError.for_name("open question", node, open_questions)
    return open_questions[node]


def check_replier(question: Question, replier: str | None) -> None:
    """Refuse a replier who is not the addressed approver; the local owner (None) may always answer."""
    if replier is not None and question.approver and replier != question.approver:
        raise ReplyError(
            f"{replier!r} may not answer {question.node!r}; it was asked of {question.approver!r}",
            hint="the question stays open",
        )


def settle(scheduler: Scheduler) -> None:
    """Use recorded replies that a crash cut off, then those given in advance, then end overdue questions."""
    for name in [name for name in scheduler.state.questions if scheduler.state.nodes[name].reply is not None]:
        scheduler.answered(name, _output(scheduler, name))
    for name in [name for name in scheduler.state.questions if scheduler.replies.get(name)]:
        _use_prepared(scheduler, name)
    expire(scheduler)


def expire(scheduler: Scheduler) -> None:
    """End every question whose time is up."""
    for question in list(scheduler.state.questions.values()):
        if question.deadline is not None and seconds_left(question.deadline) <= 0:
            _expire(scheduler, question)
    _watch(scheduler)


def _watch(scheduler: Scheduler) -> None:
    """Have the scheduler look again when the next question is overdue."""
    scheduler.look_again_in(next_deadline(scheduler.state.questions.values()))


def _expire(scheduler: Scheduler, question: Question) -> None:
    node = scheduler.plan.nodes[question.node]
    if question.again:  # the node, or the run nested in it, knows what to do
        scheduler.rerun(node.id)
    elif question.on_timeout is not None:
        scheduler.expired(node, {"expired": True, "reply": None}, question.on_timeout)
    else:
        scheduler.failed(node, NodeError(node.id, "nobody answered in time", hint="give it `on_timeout: {branch: …}`"))


def next_deadline(open_questions: Iterable[Question]) -> float | None:
    """Return the seconds until the first of some questions is overdue; None if none ever is."""
    deadlines = [question.deadline for question in open_questions if question.deadline is not None]
    return min(map(seconds_left, deadlines), default=None)


def seconds_left(deadline: str) -> float:
    """Return the seconds until a deadline, by the wall clock, which goes on while nobody works."""
    return (dt.datetime.fromisoformat(deadline) - dt.datetime.now(dt.UTC)).total_seconds()


def park(scheduler: Scheduler) -> None:
    """Pause the run: the checkpoint is on disk before the run says so."""
    state = scheduler.state
    scheduler.storage.write_checkpoint(checkpoint(state, state.seq))
    data = {"questions": list(state.questions), "active_s": scheduler.active_s}
    scheduler.bus.emit("run.paused", None, data)


def checkpoint(state: RunState, seq: int) -> dict[str, Any]:
    """Return what `checkpoint.json` holds: the open questions after the event numbered `seq`."""
    listed = [
        {"node": q.node, "prompt": q.prompt, "expect": q.expect, "channel": q.channel, "chat_id": q.chat_id,
         "approver": q.approver, "asked": q.asked, "deadline": q.deadline}
        for q in state.questions.values()
    ]  # fmt: skip
    return {"run_id": state.run_id, "seq": seq, "digest": state.digest, "questions": listed}
