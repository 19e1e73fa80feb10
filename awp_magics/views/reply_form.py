"""The form that answers a question: made for the type it expects, sent once, and static when nobody can click."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from awp_core.diagnostics.render import visible
from awp_core.errors import AwpError
from awp_core.events.fold import Question
from awp_core.values import shorten
from awp_magics.views.html import LIMIT, MONO, card, esc, markdown, quiet, row

if TYPE_CHECKING:
    from ipywidgets import Widget


@dataclass(frozen=True, slots=True)
class FormModel:
    """What is shown of a question.

    Attributes:
        node: Who asks.
        kind: `boolean`, `text`, `string`, `choice`, `number`, `integer` or `form`.
        prompt: The question, Markdown from outside.
        options: What a choice may be.
        asked_of: Who is asked, and until when.
        expects: The kind in words.
        command: How to answer without a form.
    """

    node: str
    kind: str
    prompt: str
    options: tuple[str, ...]
    asked_of: str
    expects: str
    command: str


def view_model(question: Question, run_id: str, *, several: bool = False) -> FormModel:
    """Return what to show of a question; `several` says that others of the run are open too."""
    kind = str(question.expect.get("type", "text"))
    options = tuple(map(str, question.expect.get("options") or ()))
    to_whom = question.approver or question.chat_id
    asked_of = f"asked of {to_whom}" if to_whom else "asked"
    if question.deadline:
        asked_of += f", open until {question.deadline}"
    command = f"awp reply {run_id} VALUE" + (f" --node {shlex.quote(question.node)}" if several else "")
    return FormModel(question.node, kind, question.prompt, options, asked_of, _in_words(kind, options), command)


def _in_words(kind: str, options: tuple[str, ...]) -> str:
    if kind == "choice":
        return f"one of {', '.join(options)}"
    words = {"boolean": "yes or no", "number": "a number", "integer": "a whole number", "form": "a JSON object"}
    return words.get(kind, "text")


def head_html(model: FormModel) -> str:
    """Return the question itself as HTML."""
    return row(f"<strong>? {esc(model.node)}</strong>", quiet(model.asked_of)) + markdown(model.prompt)


def to_html(models: Sequence[FormModel], answered: Sequence[tuple[str, str]] = ()) -> str:
    """Return questions and answers without anything to click on."""
    parts = [answered_html(answered)] if answered else []
    for model in models:
        how = f'Answer ({esc(model.expects)}): <code style="{MONO}">{esc(model.command)}</code>'
        parts.append(card(head_html(model), f"<div>{how}</div>", tone="waiting"))
    return "".join(parts)


def answered_html(answered: Sequence[tuple[str, str]]) -> str:
    """Return questions that are over as HTML."""
    lines = (f"<div>✓ {esc(node)} answered: <strong>{esc(value)}</strong></div>" for node, value in answered)
    return card(*lines, tone="finished")


def to_text(models: Sequence[FormModel], answered: Sequence[tuple[str, str]] = ()) -> str:
    """Return questions and answers as text."""
    lines = [visible(f"✓ {node} answered: {value}") for node, value in answered]
    for model in models:
        prompt = "\n".join(map(visible, shorten(model.prompt.strip(), LIMIT).split("\n")))
        lines.append(f"? {visible(model.node)} ({visible(model.asked_of)}): {prompt}")
        lines.append(visible(f"  answer with {model.expects}: {model.command}"))
    return "\n".join(lines)


class ReplyForm:
    """The widgets of one question.

    Args:
        model: The question.
        send: Sends a reply; raises an `AwpError` if it is refused. It may be called on any thread.
    """

    def __init__(self, model: FormModel, send: Callable[[Any], None]) -> None:
        import ipywidgets as widgets

        self._send = send
        self._once = Lock()
        self._sent = False
        self._status = widgets.HTML("")
        self._controls: list[Any] = []
        body = self._buttons(model) if model.kind == "boolean" else self._field(model)
        frame = widgets.Layout(border="1px solid var(--jp-border-color2, gray)", padding="4px 12px", max_width="960px")
        self.widget = widgets.VBox([widgets.HTML(head_html(model)), body, self._status], layout=frame)

    def submit(self, value: Any) -> None:
        """Send a reply, once: front ends deliver some clicks twice."""
        with self._once:
            if self._sent:
                return
            self._sent = True
        self._enable(on=False)
        self._say("sending …")
        try:
            self._send(value)
        except AwpError as error:
            self._say(str(error))
            self._enable(on=True)
            self._sent = False

    def close(self) -> None:
        """Take the widgets away, also from what is saved with the notebook."""
        for widget in _descendants(self.widget):
            widget.close()

    @property
    def status(self) -> str:
        """What the form says about its reply, as HTML."""
        return str(self._status.value)

    @property
    def controls(self) -> list[Any]:
        """The buttons and fields, in order."""
        return list(self._controls)

    def _buttons(self, model: FormModel) -> Widget:
        import ipywidgets as widgets

        for label, style in (("Yes", "success"), ("No", "")):
            about = f"{label}, as the answer to {visible(model.node)}"
            button = widgets.Button(description=label, button_style=style, tooltip=about)
            button.on_click(lambda _, value=label == "Yes": self.submit(value))
            self._controls.append(button)
        return widgets.HBox(self._controls)

    def _field(self, model: FormModel) -> Widget:
        import ipywidgets as widgets

        # The description is the field's label, so a screen reader says which question it answers.
        about = {
            "description": f"Answer to {shorten(visible(model.node), 60)}",
            "style": {"description_width": "initial"},
        }
        wide = widgets.Layout(width="100%")
        if model.kind == "choice":
            field = widgets.Dropdown(options=[("choose …", None), *((o, o) for o in model.options)], **about)
        elif model.kind in {"number", "integer"}:
            # A text field, because a number field is never empty: its 0 would be sent by mistake.
            field = widgets.Text(placeholder=model.expects, **about)
        else:
            field = widgets.Textarea(placeholder=model.expects, layout=wide, rows=3, **about)
        button = widgets.Button(description="Submit", button_style="primary", tooltip=f"answer {visible(model.node)}")
        button.on_click(lambda _: self._submit_field(field.value, model))
        self._controls = [field, button]
        return widgets.VBox(self._controls)

    def _submit_field(self, value: Any, model: FormModel) -> None:
        if value is None or (value == "" and model.kind not in {"text", "string"}):
            self._say(f"{model.expects} is needed")
            return
        self.submit(value)

    def _say(self, text: str) -> None:
        self._status.value = f'<span role="status">{esc(shorten(text, 600))}</span>'

    def _enable(self, *, on: bool) -> None:
        for control in self._controls:
            control.disabled = not on


def _descendants(widget: Any) -> list[Any]:
    found = [widget]
    for child in getattr(widget, "children", ()):
        found += _descendants(child)
    return found
