"""What a cell shows of one run: a card that is redrawn, and below it the forms of open questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event as Signal
from threading import RLock
from typing import TYPE_CHECKING, Any

from awp_core.events.fold import NodeState, Question, RunState, apply
from awp_core.events.model import Event
from awp_magics.display import publish
from awp_magics.views import progress, reply_form
from awp_magics.views.graph import GraphView

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_core.manifest.load import Workflow
    from awp_magics.session import Session

TICK = 0.5  # seconds between two redraws
TERMINAL_TICK = 1.0  # seconds between two lines in a terminal
WIDGET = "application/vnd.jupyter.widget-view+json"


class Area:
    """The output of one run, in one cell or several. Threads take turns by a lock.

    Args:
        session: The shell's state.
        run: The run.
        workflow: What it runs, to draw it.
        state: What is known of it already.
        answer: Called with node and reply when somebody answers by the form.

    Attributes:
        idle: Set while nobody here works on the run.
    """

    def __init__(
        self, session: Session, run: Run, workflow: Workflow, state: RunState, answer: Callable[[str, Any], None]
    ) -> None:
        self.run = run
        self.state = state
        self.idle = Signal()
        self.idle.set()
        self._session = session
        self._answer = answer
        self._graph = GraphView(workflow)
        self._picture = ""
        self._lock = RLock()
        self._forms: dict[tuple[str, str], reply_form.ReplyForm] = {}
        self._asked: dict[str, None] = {}
        self._box: Any = None
        self._form_here = False  # whether the present cell has a place for forms
        self._form_before = False  # whether an earlier cell has one
        self._legs = 0
        self._drawn = 0.0
        self._heard = time.monotonic()

    def begin(self) -> None:
        """Note that somebody here follows the run; a click may begin before the leg it answers has ended."""
        with self._lock:
            self._legs += 1
            self.idle.clear()

    def end(self) -> None:
        """Note that a follower is done."""
        with self._lock:
            self._legs -= 1
            if not self._legs:
                self.idle.set()

    # --- facts -----------------------------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Take in one event."""
        with self._lock:
            if event.seq > self.state.seq:
                apply(self.state, event)
                self._heard = time.monotonic()

    @property
    def clock(self) -> float:
        """The run's clock now."""
        since = time.monotonic() - self._heard if self.state.status == "running" else 0.0
        return self.state.t + since

    def model(self, status: str = "") -> progress.RunModel:
        """Return what to show of the run."""
        return progress.view_model(self.state, self.clock, status)

    # --- pictures of them ------------------------------------------------------------------------------------------

    def show(self, *, with_form: bool = False) -> None:
        """Open the area in the present cell; `with_form` also makes room for questions that come later."""
        with self._lock:
            self._form_before = self._form_before or self._form_here
            self._form_here = False
            self._drawn = 0.0
            if not self._session.has_front_end:
                return
            self._publish_card(update=False, rest=False)
            if with_form or self.state.questions:
                self._publish_forms()

    def redraw(self, *, rest: bool = False, in_cell: bool = True) -> None:
        """Show the present state, at most twice a second unless the run rests.

        Args:
            rest: Whether it ended or waits.
            in_cell: Whether a cell is running that new output belongs to.
        """
        with self._lock:
            now = time.monotonic()
            if not self._session.has_front_end:
                self._print(now, rest=rest, in_cell=in_cell)
                return
            if not rest and now - self._drawn < TICK:
                return
            self._drawn = now
            self._publish_card(update=True, rest=rest)
            if self._questions_changed() and (in_cell or self._form_here or self._form_before):
                self._publish_forms()

    def _publish_card(self, *, update: bool, rest: bool) -> None:
        model = self.model(self.run.status if rest else "")
        states = {name: node.status for name, node in self.state.nodes.items()}
        if rest or not self._picture or not self._graph.heavy:
            self._picture = self._graph.html(states)
        text = progress.to_text(model)
        if rest:
            text = f"{text}\n\n{self._graph.text(states)}"
        bundle = {"text/html": progress.to_html(model, self._picture), "text/plain": text}
        publish(self._session.shell, bundle, f"awp-{self.run.id}", update=update)

    def _print(self, now: float, *, rest: bool, in_cell: bool) -> None:
        """Write to a terminal: a line a second, in the end everything; never from a thread of ours."""
        if not in_cell or (not rest and now - self._drawn < TERMINAL_TICK):
            return
        first, self._drawn = self._drawn == 0.0, now
        if rest:
            self._say(progress.to_text(self.model(self.run.status)))
            if self.state.questions:
                self._say(reply_form.to_text(self._models()))
        elif not first:
            self._say(progress.one_line(self.model()))

    def _say(self, text: str) -> None:
        publish(self._session.shell, {"text/plain": text})

    # --- questions -------------------------------------------------------------------------------------------------

    def _models(self) -> list[reply_form.FormModel]:
        questions = self.state.questions.values()
        return [reply_form.view_model(q, self.run.id, several=len(questions) > 1) for q in questions]

    def _questions_changed(self) -> bool:
        return {_key(question) for question in self.state.questions.values()} != set(self._forms)

    def _publish_forms(self) -> None:
        models = self._models()
        answered = self._answers()
        done = self._replace_forms(models)
        bundle: dict[str, Any] = {
            "text/html": reply_form.to_html(models, answered) if models or answered else "<div></div>",
            "text/plain": reply_form.to_text(models, answered),
        }
        if self._forms:
            bundle[WIDGET] = self._view(answered)
        display_id = f"awp-{self.run.id}-form"
        if self._form_here or self._form_before:
            publish(self._session.shell, bundle, display_id, update=True)
        if not self._form_here and (models or not self._form_before):
            publish(self._session.shell, bundle, display_id)
            self._form_here = True
        for form in done:
            form.close()
        if not self._forms and self._box is not None:
            self._box.close()
            self._box = None

    def _replace_forms(self, models: list[reply_form.FormModel]) -> list[reply_form.ReplyForm]:
        """Keep the forms of questions that are still open, make new ones, and return those that are done."""
        before, self._forms = self._forms, {}
        for question, model in zip(self.state.questions.values(), models, strict=True):
            self._asked[question.node] = None
            kept = before.pop(_key(question), None)
            self._forms[_key(question)] = kept or reply_form.ReplyForm(model, self._sender(question.node))
        return list(before.values())

    def _view(self, answered: list[tuple[str, str]]) -> dict[str, Any]:
        import ipywidgets as widgets

        children = [form.widget for form in self._forms.values()]
        if answered:
            children.insert(0, widgets.HTML(reply_form.answered_html(answered)))
        if self._box is None:
            self._box = widgets.VBox(children)
        else:
            self._box.children = children
        return {"version_major": 2, "version_minor": 0, "model_id": self._box.model_id}

    def _sender(self, node: str) -> Callable[[Any], None]:
        return lambda value: self._answer(node, value)

    def _answers(self) -> list[tuple[str, str]]:
        """The questions asked here that are over, and what became of them."""
        over = [node for node in self._asked if node not in self.state.questions]
        return [(node, _answer_of(self.state.node(node))) for node in over]


def _key(question: Question) -> tuple[str, str]:
    return question.node, question.asked


def _answer_of(node: NodeState) -> str:
    if node.reply is None:
        return "nobody answered in time" if node.expired else f"not any more, the node was {node.status}"
    value = node.reply[0]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return progress.as_text(value)[:300]
