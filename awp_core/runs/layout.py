"""Where everything of a run lies (spec 08, Folder). No other module spells these names."""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from awp_core.errors import RunFolderError

RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}")
RUNS = "runs"
OUTBOX = "outbox"
UNSENT = "unsent"  # the outbox of a replay: what was sent once must not be picked up by a bridge again


def new_run_id(now: float | None = None) -> str:
    """Return an id that sorts by time and is safe as a file name.

    The first half of the part after the dash is the fraction of the second, so that two runs of one second sort too.

    >>> new_run_id(0.5)[:20]
    '19700101T000000Z-800'
    """
    now = time.time() if now is None else now
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    return f"{stamp}-{int(now % 1 * 0x1000):03x}{secrets.randbelow(0x1000):03x}"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The paths of one run below `root`, which is `runs/<run_id>`."""

    root: Path

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.root.name

    @property
    def manifest(self) -> Path:
        """The workflow as run, byte for byte."""
        return self.root / "workflow.awp.yaml"

    @property
    def about(self) -> Path:
        """What ran: name, version, digest, inputs, provider, versions."""
        return self.root / "run_manifest.json"

    @property
    def events(self) -> Path:
        """The record."""
        return self.root / "events.jsonl"

    @property
    def audit(self) -> Path:
        """The hash chain of the audit entries."""
        return self.root / "audit.jsonl"

    @property
    def checkpoint(self) -> Path:
        """The open questions; exists only while the run is paused."""
        return self.root / "checkpoint.json"

    @property
    def lock(self) -> Path:
        """Held by the process that works on the run."""
        return self.root / "run.lock"

    @property
    def cancel_request(self) -> Path:
        """Exists once somebody in another process asked to cancel the run."""
        return self.root / "cancel.request"

    @property
    def artifacts(self) -> Path:
        """Large values by digest."""
        return self.root / "artifacts"

    @property
    def outbox(self) -> Path:
        """Envelopes, one file each."""
        return self.root / OUTBOX

    @property
    def completion(self) -> Path:
        """Status, reason, result, timings; written when the run ends."""
        return self.root / "run_completion.json"

    @property
    def summary(self) -> Path:
        """The run in Markdown, for people."""
        return self.root / "RUN_SUMMARY.md"

    @property
    def picture(self) -> Path:
        """The graph with the final states."""
        return self.root / "graph.svg"

    def artifact(self, sha256: str) -> Path:
        """Return the path of a large value."""
        return self._within(self.artifacts / f"{sha256}.json")

    def envelope(self, node: str, turn: int = 0, box: str = OUTBOX) -> Path:
        """Return the path of the envelope of a node; a loop that asks has one for each turn, from 1."""
        return self._within(self.root / box / (f"{node}.{turn}.json" if turn else f"{node}.json"))

    def receipt(self, node: str, turn: int = 0) -> Path:
        """Return the path of the receipt for an envelope; not in the outbox, where a bridge would take it for one."""
        return self.node(node, f"receipt.{turn}.json" if turn else "receipt.json")

    def nested(self, node: str, run_id: str) -> Path:
        """Return the folder of a run nested in a node."""
        return self._within(self.root / "nodes" / node / RUNS / run_id)

    def all_nested(self) -> list[RunFolder]:
        """Return the folders of every run nested in this one, at any depth; none that a link leads out to."""
        found = sorted(self.root.glob(f"nodes/*/{RUNS}/*/"))
        inside = [RunFolder(path) for path in found if path.resolve().is_relative_to(self.root.resolve())]
        return [each for folder in inside for each in (folder, *folder.all_nested())]

    def node(self, node: str, file: str) -> Path:
        """Return the path of a file of a node, such as `log.txt`."""
        return self._within(self.root / "nodes" / node / file)

    def _within(self, path: Path) -> Path:
        # Ids are checked by rule R2; this holds even for a record that somebody edited.
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise RunFolderError(
                f"{path.name!r} leaves the run folder", hint="the record of this run was tampered with"
            )
        return path
