"""What a person's reply means for the type a question expects (spec 02, Pause and resume).

`boolean` fails closed: whole words, negatives first, and what is not recognised is no. The other types reject
a bad reply with a message, so that the run stays paused and the person can answer again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from awp_core.errors import ReplyError, nearest
from awp_core.expressions.conditions import describe, is_number
from awp_core.values import ValueProblem, check_json, dump_json, load_json, shorten

JSON = Any
MAX_LENGTH: Final = 100_000  # characters of a reply
NO_WORDS: Final = frozenset({
    "no", "n", "nope", "not", "never", "false", "0", "cancel", "stop", "abort", "reject", "rejected", "deny",
    "denied", "decline", "declined", "dont", "cant", "cannot", "wont", "wouldnt",
    "nein", "nicht", "nie", "niemals", "kein", "keine",
})  # fmt: skip
YES_WORDS: Final = frozenset({
    "yes", "y", "yep", "yup", "true", "1", "ok", "okay", "sure", "confirm", "confirmed", "ja",
})  # fmt: skip
_APOSTROPHES: Final = dict.fromkeys(map(ord, "'\u2019\u2018\u02bc\u2032\u00b4`"))
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,4})?", re.ASCII)
_COMMA: Final = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_LISTED: Final = 10  # errors of a form that are shown


class Reply(NamedTuple):
    """A reply that was understood, or a boolean that was not and is therefore false.

    Attributes:
        value: The value of the expected type.
        recognised: False only for a boolean that matches neither list of words.
        note: What to tell the person about an unrecognised reply; otherwise "".
    """

    value: JSON
    recognised: bool = True
    note: str = ""


def coerce_reply(kind: str, raw: JSON, options: Sequence[JSON] = (), schema: Mapping[str, JSON] | None = None) -> Reply:
    """Turn a raw reply into the value a question expects.

    Args:
        kind: A key of `TYPES`.
        raw: The reply as it came: text, or a value from a widget or a program.
        options: What a `choice` may be.
        schema: The JSON Schema of a `form`; for all other types but `boolean` a further limit (`minimum`).

    Raises:
        ReplyError: The reply does not fit; says what is expected.
    """
    _check_raw(raw)
    if kind not in TYPES:
        close = nearest(str(kind), TYPES)
        raise ReplyError(
            f"the question expects the unknown type {kind!r:.60}",
            hint=f"did you mean {close!r}?" if close else f"types: {', '.join(TYPES)}",
        )
    reply = TYPES[kind](raw, options)
    if schema is not None and kind != "boolean":
        _validate(reply.value, schema)
    return reply


def _check_raw(raw: JSON) -> None:
    try:
        check_json(raw, "the reply")
        length = len(raw) if isinstance(raw, str) else len(dump_json(raw))
    except ValueProblem as exc:
        raise ReplyError(exc.message, hint=exc.hint) from exc
    if length > MAX_LENGTH:
        raise ReplyError(
            f"the reply has {length:,} characters; {MAX_LENGTH:,} are allowed",
            hint="put it in a file and name that",
        )


def _text(raw: JSON, _options: Sequence[JSON]) -> Reply:
    if raw is None:
        raise ReplyError("there is no reply", hint="a text is expected; it may be empty")
    return Reply(_shown(raw))


def _boolean(raw: JSON, _options: Sequence[JSON]) -> Reply:
    if isinstance(raw, bool):
        return Reply(raw)
    if is_number(raw) and raw in (0, 1):
        return Reply(raw == 1)
    if isinstance(raw, str):
        # Apostrophes go before and after: normalising turns some into a space and others into a plain one.
        plain = unicodedata.normalize("NFKC", raw.translate(_APOSTROPHES)).lower().translate(_APOSTROPHES)
        words = frozenset(_WORD.findall(plain))
        if words & NO_WORDS:
            return Reply(False)
        if words & YES_WORDS:
            return Reply(True)
    return Reply(False, False, f"{describe(raw)} is neither a yes nor a no, and counts as no")


def _number(raw: JSON, _options: Sequence[JSON]) -> Reply:
    return Reply(_to_number(raw, "a number"))


def _integer(raw: JSON, _options: Sequence[JSON]) -> Reply:
    number = _to_number(raw, "a whole number")
    if isinstance(number, float):
        if not number.is_integer():
            raise ReplyError(f"{describe(raw)} is not a whole number", hint="a whole number is expected, such as 3")
        number = int(number)
    return Reply(number)


def _to_number(raw: JSON, wanted: str) -> int | float:
    if is_number(raw):
        number: int | float = raw
        return number
    text = raw.strip() if isinstance(raw, str) else ""
    if _COMMA.fullmatch(text):
        raise ReplyError(f"{describe(raw)} is not {wanted}", hint=f"write a dot: {text.replace(',', '.'):.60}")
    if not _NUMBER.fullmatch(text):
        raise ReplyError(f"{describe(raw)} is not {wanted}", hint=f"{wanted} is expected, such as 3")
    if text.lstrip("+-").isdigit():
        return int(text)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ReplyError(f"{describe(raw)} is too large", hint=f"{wanted} is expected, such as 3")
    return value


def _choice(raw: JSON, options: Sequence[JSON]) -> Reply:
    if not options:
        raise ReplyError("the question has no options to choose from", hint="give `expect.options` in the manifest")
    text = "" if raw is None else _shown(raw).strip()
    for same in (str, str.casefold):
        fitting = [option for option in options if same(_shown(option).strip()) == same(text)]
        if len(fitting) == 1:
            return Reply(fitting[0])
        if fitting:
            break
    listed = ", ".join(_shown(option) for option in options)
    raise ReplyError(f"{describe(raw)} is not one of the options", hint=f"choose one of: {shorten(listed, 500)}")


def _form(raw: JSON, _options: Sequence[JSON]) -> Reply:
    value = raw
    if isinstance(raw, str):
        try:
            value = load_json(raw)
        except ValueProblem as exc:
            raise ReplyError(f"the form is {exc.message}", hint="a JSON object is expected") from exc
    if not isinstance(value, dict):
        raise ReplyError(f"the form is {describe(value)}", hint='a JSON object is expected, such as {"name": "value"}')
    return Reply(value)


TYPES: Final[Mapping[str, Callable[[JSON, Sequence[JSON]], Reply]]] = {
    "text": _text,
    "string": _text,
    "boolean": _boolean,
    "number": _number,
    "integer": _integer,
    "choice": _choice,
    "form": _form,
}


def _shown(value: JSON) -> str:
    return value if isinstance(value, str) else dump_json(value).decode()


def _validate(value: JSON, schema: Mapping[str, JSON]) -> None:
    """Check a value against a JSON Schema; references outside the schema are never fetched."""
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    draft = validator_for(schema, default=Draft202012Validator)
    try:
        draft.check_schema(dict(schema))
        checker = draft(schema, registry=Registry(), format_checker=draft.FORMAT_CHECKER)
        errors = sorted(checker.iter_errors(value), key=lambda error: list(map(str, error.absolute_path)))
    except (SchemaError, Unresolvable, RecursionError, re.error) as exc:
        raise ReplyError(
            f"the question's own schema is wrong: {shorten(_first_line(exc), 300)}",
            hint="correct `expect.schema`",
        ) from exc
    if errors:
        lines = [f"{_place(error.absolute_path)}: {shorten(error.message, 200)}" for error in errors[:_LISTED]]
        more = f"\n… and {len(errors) - _LISTED} more" if len(errors) > _LISTED else ""
        raise ReplyError("the reply does not fit:\n" + "\n".join(lines) + more, hint="correct this and answer again")


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _place(path: Iterable[str | int]) -> str:
    return ".".join(map(str, path)) or "the reply"
