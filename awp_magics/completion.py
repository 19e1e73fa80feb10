"""Tab completion: sub-commands, options, names and ids on a `%awp` line; keys, types and ids in a `%%awp` cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from awp_core.errors import AwpError
from awp_magics.command import commands

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from awp_magics.session import Session

_MAGICS = ("%awp", "%%awp", "%%awp_code")
_ID = re.compile(r"\bid:\s*['\"]?([\w-]+)")
_REFERENCE = re.compile(r"\b(depends_on|branch|inputs|selector|text_from|prompt_from|agent)\b")
_MOST = 100  # runs that are offered
_ATTRIBUTE = "awp_body_matcher"


def install_completion(shell: InteractiveShell, session: Session) -> None:
    """Complete our lines and cells in a shell."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    def on_line(_: object, event: Any) -> list[str]:
        words = event.text_until_cursor.split()
        if not event.text_until_cursor or event.text_until_cursor[-1].isspace():
            words.append("")
        return quietly(lambda: complete_line(session, words[0], words[1:-1], words[-1]))

    @context_matcher(identifier=_ATTRIBUTE)  # type: ignore[untyped-decorator, unused-ignore]
    def on_body(context: Any) -> Any:
        if not context.full_text.startswith("%%awp") or context.full_text.startswith("%%awp_code"):
            return {"completions": []}
        if context.cursor_line == 0:
            return {"completions": []}
        found = quietly(
            lambda: complete_body(session, context.full_text, context.line_with_cursor, context.cursor_position)
        )
        return {"completions": [SimpleCompletion(text=text, type="awp") for text in found], "suppress": bool(found)}

    for name in _MAGICS:
        shell.set_hook("complete_command", on_line, str_key=name)  # type: ignore[no-untyped-call]
    completer = shell.Completer
    if completer is not None:
        completer.custom_matchers.append(on_body)


def remove_completion(shell: InteractiveShell) -> None:
    """Take the completion away again."""
    dispatch = shell.strdispatchers.get("complete_command")
    for name in _MAGICS:
        getattr(dispatch, "strs", {}).pop(name, None)
    completer = shell.Completer
    if completer is not None:
        kept = [m for m in completer.custom_matchers if getattr(m, "matcher_identifier", "") != _ATTRIBUTE]
        completer.custom_matchers[:] = kept


def quietly(work: Callable[[], list[str]]) -> list[str]:
    """Return the completions, or none if they cannot be found: a Tab never shows an error."""
    try:
        return work()
    except AwpError:
        return []


def complete_line(session: Session, magic: str, before: list[str], word: str) -> list[str]:
    """Return what `word` may become.

    Args:
        session: The shell's state.
        magic: `%awp`, `%%awp` or `%%awp_code`.
        before: The words between the magic and `word`.
        word: The word at the cursor, perhaps empty.
    """
    if magic == "%awp" and not before:
        return _fitting(word, [*commands(), "help"])
    if magic == "%awp":
        return _fitting(word, _arguments(session, before[0], before[1:], word))
    from awp_magics.cells import code_parser, workflow_parser

    options = workflow_parser().options if magic == "%%awp" else code_parser().options
    if word.startswith("-"):
        return _fitting(word, options)
    if magic == "%%awp_code" and before[-1:] == ["--workflow"]:
        return _fitting(word, session.app.library.session)
    if magic == "%%awp_code" and not before and session.current:
        nodes = session.load(None).nodes
        return _fitting(word, (node.id for node in nodes if node.type == "code"))
    return _fitting(word, session.app.library.session) if not before else []


def _arguments(session: Session, name: str, before: list[str], word: str) -> Iterable[str]:
    command = commands().get(name)
    if command is None:
        return commands() if name == "help" else ()
    last = before[-1] if before else ""
    if word.startswith("-"):
        return (*command.parser().options, "--help")
    if last in {"--provider", "--engine"}:
        from awp_core.providers import load_providers

        return load_providers()
    positional = [text for text in before if not text.startswith("-")]
    if last in {"--node", "--reply"} and positional:
        return _questions(session, name, positional[0], last)
    if command.completes == "run" and not positional:
        return _runs(session)
    if command.completes == "workflow" and not positional:
        return (entry.name for entry in session.app.library.entries())
    if name == "run" and positional and "=" not in word:
        return _inputs(session, positional[0])
    return ()


def _questions(session: Session, command: str, target: str, option: str) -> list[str]:
    if command == "run":
        asking = [node.id for node in session.app.load(target).nodes if node.type == "ask_human"]
        return [f"{node}=" for node in asking] if option == "--reply" else asking
    return [question.node for question in session.find_run(target).questions]


def _runs(session: Session) -> list[str]:
    runs = session.app.runs()[:_MOST]
    return [*dict.fromkeys(run.snapshot.workflow for run in runs), *(run.id for run in runs)]


def _inputs(session: Session, target: str) -> list[str]:
    manifest = session.app.load(target).manifest
    return [f"{name}=" for name in manifest.inputs] if manifest is not None else []


def complete_body(session: Session, cell: str, line: str, column: int) -> list[str]:
    """Return what the word at the cursor of a `%%awp` cell may become: a type, a node id, or a key.

    Args:
        session: The shell's state.
        cell: The whole cell.
        line: The line with the cursor.
        column: The cursor's column, from 0.
    """
    left = line[:column]
    match = re.search(r"[\w.-]*$", left)
    word = match[0] if match else ""
    head = left[: len(left) - len(word)]
    if re.search(r"\btype:\s*$", head):
        inside_expect = re.search(r"expect:\s*\{[^}]*$", head)
        kinds = ("text", "boolean", "number", "integer", "choice", "form")
        return _fitting(word, kinds if inside_expect else session.app.node_types)
    key = re.search(r"(\w+):\s*(\[[^\]]*|[^,{\[]*)$", head)
    if key is not None and _REFERENCE.fullmatch(key[1]):
        return _fitting(word, _ID.findall(cell))
    if re.fullmatch(r"\s*(-\s*)?(\{.*[,{]\s*|\{)?", head):
        return _fitting(word, (f"{name}: " for name in _keys(session, line)))
    return []


def _keys(session: Session, line: str) -> list[str]:
    """The keys of a node, those of its own type first if the line names it; at the margin those of a manifest."""
    from awp_core.manifest.models import COMMON_FIELDS

    if line[:1].strip() and not line.startswith("-"):
        return ["workflow", "inputs", "graph", "orchestration", "agents", "settings", "state"]
    named = re.search(r"\btype:\s*(\w+)", line)
    types = [named[1]] if named and named[1] in session.app.node_types else list(session.app.node_types)
    own = (name.rstrip("_") for kind in types for name in session.app.node_types[kind].config.model_fields)
    return list(dict.fromkeys([*own, *sorted(COMMON_FIELDS)]))


def _fitting(word: str, candidates: Iterable[str]) -> list[str]:
    return [text for text in candidates if text.startswith(word)]
