"""Which texts are expressions: a whitelist over Python's own parser. Nothing is evaluated here.

Python normalises identifiers while it parses (NFKC), and the checks look at the parsed names. So a name in
look-alike characters is judged by what it becomes.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Iterator
from typing import Any, Final

from awp_core.errors import AwpError, nearest
from awp_core.values import shorten

JSON = Any
MAX_LENGTH: Final = 2_000  # characters
MAX_NESTING: Final = 100  # levels of the parsed tree
LITERALS: Final[dict[str, JSON]] = {"true": True, "false": False, "null": None}
# Name -> least and most number of arguments.
CALLS: Final[dict[str, tuple[int, int]]] = {
    "len": (1, 1), "min": (1, 50), "max": (1, 50), "abs": (1, 1), "round": (1, 2),
    "any": (1, 1), "all": (1, 1), "sum": (1, 1),
}  # fmt: skip
_ALLOWED: Final = (
    ast.BoolOp, ast.And, ast.Or,
    ast.UnaryOp, ast.Not, ast.USub, ast.UAdd,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
    ast.Compare, ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
    ast.Name, ast.Attribute, ast.Subscript, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Call,
)  # fmt: skip
_EXAMPLE: Final = "state.triage.urgent == true"
_INSTEAD: Final = {"&&": "and", "||": "or", "===": "==", "<>": "!=", "!": "not"}


class ExpressionError(AwpError):
    """An expression that is not allowed, or that cannot be evaluated; quotes it and says why."""


def parse_expression(text: str) -> ast.expr:
    """Return the parsed form of an expression that passed the whitelist.

    Raises:
        ExpressionError: It is empty, too long, too deep, not an expression, or uses something not allowed.
    """
    if not isinstance(text, str):
        raise ExpressionError(f"an expression must be text, not {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression has {len(text):,} characters; {MAX_LENGTH:,} are allowed")
    if not text.strip():
        raise ExpressionError("the expression is empty", hint=f"such as {_EXAMPLE}")
    tree = _parse(text)
    for node, depth in _walk(tree):
        if depth > MAX_NESTING:
            raise _refusal(text, node, f"it is nested more than {MAX_NESTING} levels deep")
        problem = _problem(node)
        if problem:
            raise _refusal(text, node, problem)
    return tree


def paths_of(tree: ast.expr) -> tuple[tuple[str, ...], ...]:
    """Return the dotted paths an expression reads, each once, in the order they stand."""
    found: dict[tuple[str, ...], None] = {}
    _collect(tree, found)
    return tuple(found)


def _parse(text: str) -> ast.expr:
    # A line break inside a YAML block is a space. Not so with a comment, which would swallow the next line.
    source = text if "#" in text else text.replace("\n", " ")
    indent = len(source) - len(source.lstrip())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            return ast.parse(source.strip(), mode="eval").body
    except SyntaxError as exc:
        offset = exc.offset if exc.lineno == 1 else None
        column = indent + (offset or len(source.strip()) + 1)  # without one, the end is what is wrong
        raise ExpressionError(
            f"{_quoted(text)} is not an expression: {exc.msg} at column {column}", hint=_spelling_hint(text)
        ) from exc
    except (ValueError, MemoryError, RecursionError) as exc:
        raise ExpressionError(f"{_quoted(text)} cannot be read: {type(exc).__name__}", hint="make it simpler") from exc


def _walk(tree: ast.expr) -> Iterator[tuple[ast.AST, int]]:
    """Yield every node with its depth, without recursion."""
    stack: list[tuple[ast.AST, int]] = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def _problem(node: ast.AST) -> str:
    """Return why a node is not allowed, or ""."""
    if isinstance(node, ast.Call):
        return _call_problem(node)
    if isinstance(node, ast.Constant):
        return _constant_problem(node.value)
    if isinstance(node, ast.Name) and node.id.startswith("__"):
        return f"the name {node.id!r} is not allowed"
    if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
        return f"the field {node.attr!r} is not allowed"
    return "" if isinstance(node, _ALLOWED) else f"{_title(node)} is not allowed"


def _call_problem(node: ast.Call) -> str:
    if not isinstance(node.func, ast.Name) or node.func.id not in CALLS:
        called = node.func.id if isinstance(node.func, ast.Name) else "this"
        close = nearest(called, CALLS)
        meant = f"; did you mean {close}?" if close else f"; only {', '.join(CALLS)} can be called"
        return f"a call of {shorten(called, 40)!r} is not allowed{meant}"
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        return f"{node.func.id} takes plain arguments only"
    least, most = CALLS[node.func.id]
    if not least <= len(node.args) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        return f"{node.func.id} takes {wanted} argument{'s' if most > 1 else ''}, not {len(node.args)}"
    return ""


def _constant_problem(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "a number without end is not allowed"
    if isinstance(value, str) and not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        return "text with half a character is not allowed"
    return (
        "" if value is None or isinstance(value, str | bool | int | float) else f"{type(value).__name__} is not allowed"
    )


def _title(node: ast.AST) -> str:
    titles = {
        "IfExp": "`a if b else c`", "Lambda": "a lambda", "NamedExpr": "an assignment",
        "JoinedStr": "an f-string",
        "ListComp": "a comprehension", "SetComp": "a comprehension", "DictComp": "a comprehension",
        "GeneratorExp": "a comprehension", "Slice": "a slice", "Starred": "a star", "Dict": "a mapping",
        "Set": "a set",
        "Await": "await", "Yield": "yield", "YieldFrom": "yield",
    }  # fmt: skip
    name = type(node).__name__
    return titles.get(name, f"the operator {name}" if isinstance(node, ast.operator | ast.unaryop) else name)


def _refusal(text: str, node: ast.AST, problem: str) -> ExpressionError:
    column = getattr(node, "col_offset", None)
    # Offsets count bytes of the stripped text; people count characters.
    stripped = text.strip()
    where = ""
    if column is not None and "\n" not in stripped:
        before = stripped.encode("utf-8", "replace")[:column].decode("utf-8", "replace")
        where = f" at column {len(text) - len(text.lstrip()) + len(before) + 1}"
    return ExpressionError(
        f"{_quoted(text)}: {problem}{where}",
        hint="comparisons, and/or/not, in, arithmetic, [index] and " + ", ".join(CALLS),
    )


def _spelling_hint(text: str) -> str:
    for wrong, right in _INSTEAD.items():
        if wrong in text.replace("!=", "").replace("==", "") or (wrong == "===" and wrong in text):
            return f"write {right!r} instead of {wrong!r}"
    if "=" in text.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", ""):
        return "to compare write '==', not '='"
    return f"an expression looks like {_EXAMPLE}"


def _quoted(text: str) -> str:
    return repr(shorten(text.strip(), 200))


def _collect(node: ast.AST, found: dict[tuple[str, ...], None]) -> None:
    links: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        if isinstance(inner, ast.Attribute):
            links.append(inner.attr)
        else:
            key = inner.slice.value if isinstance(inner.slice, ast.Constant) else None
            if isinstance(key, str | int) and not isinstance(key, bool):
                links.append(str(key))
            else:
                links.clear()  # computed: what stands behind it is not known
                _collect(inner.slice, found)
        inner = inner.value
    if isinstance(inner, ast.Name):
        if inner.id not in LITERALS:
            found[inner.id, *reversed(links)] = None
        return
    called = inner.func if isinstance(inner, ast.Call) else None
    for child in ast.iter_child_nodes(inner):
        if child is not called:
            _collect(child, found)
