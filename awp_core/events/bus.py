"""One delivery rule for facts: recorders first, who may stop the run; observers last, who can never hurt it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from awp_core.events.fold import RunState, apply
from awp_core.events.model import STRUCTURE, Clock, Event
from awp_core.events.redact import Redactor

logger = logging.getLogger(__name__)
Observer = Callable[[Event], None]
_NO_NAMES: frozenset[str] = frozenset()
_NOTHING: Mapping[str, Any] = {}


class Recorder(Protocol):
    """Keeps facts; raises if it cannot, which stops the run."""

    def record(self, event: Event, *, hold: bool) -> None:
        """Keep an event. With `hold` it may wait in memory until the next event or `flush`."""

    def log(self, node: str, text: str) -> None:
        """Keep text that a node printed."""


class EventBus:
    """Number, redact, record and fold facts, then show them to observers.

    Attributes:
        state: The fold over every event so far.
    """

    def __init__(self, recorder: Recorder, state: RunState, redactor: Redactor, clock: Clock) -> None:
        self.state = state
        self._recorder = recorder
        self._redactor = redactor
        self._secretive = redactor.enabled
        self._clock = clock
        self._observers: list[Observer] = []

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Add an observer and return a function that removes it; one that raises is logged and removed."""
        self._observers.append(observer)
        return lambda: self._detach(observer)

    def emit(
        self, kind: str, node: str | None = None, data: Mapping[str, Any] = _NOTHING, *, hold: bool = False
    ) -> Event:
        """Record a fact and apply it to the state.

        Args:
            kind: A key of `EVENT_TYPES`.
            node: The node it is about.
            data: JSON values; secrets are replaced here, before anything can see them.
            hold: Let it wait for the next event; only for facts whose loss in a crash changes nothing.
        """
        if self._secretive and data:
            # Value by value: a secret that happens to be called `output` must not rename our own fields.
            kept = STRUCTURE.get(kind, _NO_NAMES)
            data = {name: value if name in kept else self._redactor.clean(value) for name, value in data.items()}
        ts, t = self._clock()
        event = Event(self.state.seq + 1, ts, t, kind, node, data)
        self._recorder.record(event, hold=hold)
        apply(self.state, event)
        if self._observers:
            self._show(event)
        return event

    def redacted(self, value: Any) -> Any:
        """Return a JSON value without secrets; for what is kept beside the events."""
        return self._redactor.clean(value) if self._redactor.enabled else value

    def log(self, node: str, text: str) -> None:
        """Keep and show text that a node printed."""
        text = self._redactor.text(text)
        self._recorder.log(node, text)
        stamp = self._clock()
        self._show(Event(0, stamp.ts, stamp.t, "node.log", node, {"text": text}))

    def _show(self, event: Event) -> None:
        for observer in tuple(self._observers):
            try:
                observer(event)
            except Exception:
                logger.exception("an observer failed and was removed; the run goes on")
                self._detach(observer)

    def _detach(self, observer: Observer) -> None:
        if observer in self._observers:
            self._observers.remove(observer)
