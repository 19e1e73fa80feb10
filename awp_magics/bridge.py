"""Bring the events of a run, which works on a thread of its own, into the cells that show it."""

from __future__ import annotations

import contextvars
import logging
import queue
import threading
import time
from typing import TYPE_CHECKING

from awp_core.errors import AwpError, RunCancelledError
from awp_core.events.model import Event

if TYPE_CHECKING:
    from awp_magics.area import Area
    from awp_magics.session import Session

logger = logging.getLogger(__name__)

_LOOK = 0.1  # seconds between two looks at the queue
_CANCEL = 0.8  # seconds a cancelled run gets before the cell ends


class Leg:
    """The events of one stretch of work, from start or resume to the next pause or the end."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def put(self, event: Event) -> None:
        """Take an event from the run's thread; this is the observer."""
        self._queue.put(event)

    def pour(self, area: Area, timeout: float = 0.0) -> None:
        """Give everything that is here to an area; wait up to `timeout` seconds for the first event."""
        try:
            event = self._queue.get(timeout=timeout) if timeout else self._queue.get_nowait()
            while True:
                area.apply(event)
                event = self._queue.get_nowait()
        except queue.Empty:
            return


def follow(session: Session, area: Area, leg: Leg) -> None:
    """Open the area of a run in the present cell and show it until the run ends or waits for a person.

    Raises:
        RunCancelledError: The kernel was interrupted; the run is cancelled.
        RunFolderError: The record could not be written.
    """
    interrupted = False
    area.begin()
    try:
        leg.pour(area)
        area.show()
        _drain(area, leg, in_cell=True)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        area.end()
    if interrupted:
        _cancel(session, area, leg)


def watch(area: Area, leg: Leg) -> None:
    """Show a run in the cells whose area is open, by a thread; returns at once."""
    area.begin()
    # With the context of this cell or click, so that the kernel knows which output the messages belong to.
    context = contextvars.copy_context()
    name = f"awp-watch-{area.run.id}"
    threading.Thread(target=lambda: context.run(_watch, area, leg), name=name, daemon=True).start()


def wait_until_idle(area: Area) -> None:
    """Wait, interruptibly, until nobody here works on the run any more."""
    while not area.idle.wait(_LOOK):
        pass  # the thread that watches it redraws


def _watch(area: Area, leg: Leg) -> None:
    try:
        _drain(area, leg, in_cell=False)
    except AwpError:
        logger.exception("run %s stopped", area.run.id)  # no cell is there to raise it in
    finally:
        area.end()


def _drain(area: Area, leg: Leg, *, in_cell: bool) -> None:
    run = area.run
    while run.execution is not None:
        leg.pour(area, _LOOK)
        area.redraw(in_cell=in_cell)
    run.wait()
    leg.pour(area)
    area.redraw(rest=True, in_cell=in_cell)


def _cancel(session: Session, area: Area, leg: Leg) -> None:
    """Cancel a run because the kernel was interrupted; the cell ends within a second, come what may."""
    run = area.run
    stop = threading.Thread(target=_stop, args=(session, area), name=f"awp-cancel-{run.id}", daemon=True)
    stop.start()
    end = time.monotonic() + _CANCEL
    while stop.is_alive() and time.monotonic() < end:
        stop.join(_LOOK)
    leg.pour(area)
    area.redraw(rest=True)
    raise RunCancelledError(
        f"run {run.id} was cancelled: the kernel was interrupted", hint="what ended is in its folder"
    )


def _stop(session: Session, area: Area) -> None:
    try:
        session.app.cancel(area.run, "the kernel was interrupted")
    except AwpError as error:
        logger.info("run %s: %s", area.run.id, error)
