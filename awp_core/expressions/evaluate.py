"""Safe expressions for `when`, `enabled`, loops and checks (spec 02, Graph entries: Expressions).

Safety rests on two whitelists. Parsing refuses every construct that is not listed, before anything runs
(module `syntax`). Evaluation gives simpleeval handlers and operators of our own: a dot is only ever a
mapping lookup, a name only ever `state`, `inputs`, `env`, an input or a node, and every result has a bounded
size. State holds JSON values, so no object with behaviour is within reach.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from awp_core.errors import AwpError
from awp_core.expressions.arithmetic import BINARY, FUNCTIONS, UNARY, compare_by
from awp_core.expressions.conditions import describe
from awp_core.expressions.syntax import LITERALS, ExpressionError, parse_expression, paths_of
from awp_core.values import shorten

JSON = Any
# Handlers of simpleeval that are kept; names, lookups and lists get our own.
_KEPT: Final = (ast.BinOp, ast.BoolOp, ast.Call, ast.Compare, ast.Constant, ast.UnaryOp)


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression.

    Attributes:
        text: As written.
        names: The root names it uses, each once, in order: `state`, `inputs`, `env`, or a bare input or node.
        paths: The dotted paths it reads, such as `("state", "triage", "category")`, each once, in order. A
            path ends before the first index that is computed.
    """

    text: str
    names: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]
    _tree: ast.expr = field(repr=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Compile an expression.

        Raises:
            ExpressionError: It is no expression, too long or too deep, or uses something that is not allowed;
                names the column.
        """
        tree = parse_expression(text)
        paths = paths_of(tree)
        return cls(text, tuple(dict.fromkeys(path[0] for path in paths)), paths, tree)

    def evaluate(self, state: Mapping[str, JSON], inputs: Mapping[str, JSON], env: Mapping[str, JSON]) -> JSON:
        """Return the value.

        A missing path is null. `and` and `or` return the deciding value, so `state.a.score or 0` works.

        Args:
            state: Outputs by node.
            inputs: The workflow's inputs.
            env: Declared environment variables that are not sensitive.

        Raises:
            ExpressionError: Values that cannot be compared or calculated with, or a result that is too large.
        """
        try:
            return _Evaluation(state, inputs, env).value(self._tree)
        except AwpError as exc:
            raise ExpressionError(f"{shorten(self.text.strip(), 200)!r}: {exc.message}", hint=exc.hint) from exc


class _Evaluation:
    """One evaluation: simpleeval with our whitelist, bound to the values of one moment."""

    def __init__(self, state: Mapping[str, JSON], inputs: Mapping[str, JSON], env: Mapping[str, JSON]) -> None:
        from simpleeval import SimpleEval

        self._roots = {"state": state, "inputs": inputs, "env": env}
        self._engine = SimpleEval(operators=_OPERATORS, functions=FUNCTIONS, names={})
        self._engine.nodes = {kind: self._engine.nodes[kind] for kind in _KEPT} | {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.List: self._list,
            ast.Tuple: self._list,
        }
        # It would walk every value looking for functions, at each step. JSON holds none.
        self._engine._check_disallowed_items = _accept  # noqa: SLF001 - without it only slower

    def value(self, node: ast.expr) -> JSON:
        """Return the value of a part of the expression."""
        return self._engine.eval("", node)

    def _name(self, node: ast.Name) -> JSON:
        name = node.id
        if name in LITERALS:
            return LITERALS[name]
        if name in self._roots:
            return self._roots[name]
        inputs, state = self._roots["inputs"], self._roots["state"]
        return inputs[name] if name in inputs else state.get(name)

    def _attribute(self, node: ast.Attribute) -> JSON:
        return _entry(self.value(node.value), node.attr)

    def _subscript(self, node: ast.Subscript) -> JSON:
        container, key = self.value(node.value), self.value(node.slice)
        if not isinstance(container, list | str):
            return _entry(container, key)
        if isinstance(key, bool) or not isinstance(key, int):
            raise ExpressionError(f"{describe(container)} has no index {describe(key)}", hint="use a whole number")
        return container[key] if -len(container) <= key < len(container) else None

    def _list(self, node: ast.List | ast.Tuple) -> list[JSON]:
        return [self.value(element) for element in node.elts]


_COMPARISONS: Final[dict[type[ast.AST], Callable[..., JSON]]] = {
    ast.Eq: compare_by("=="),
    ast.NotEq: compare_by("!="),
    ast.Is: compare_by("=="),
    ast.IsNot: compare_by("!="),
    ast.Gt: compare_by(">"),
    ast.GtE: compare_by(">="),
    ast.Lt: compare_by("<"),
    ast.LtE: compare_by("<="),
    ast.In: compare_by("in"),
    ast.NotIn: compare_by("in", negate=True),
}
_OPERATORS: Final[dict[type[ast.AST], Callable[..., JSON]]] = {**BINARY, **UNARY, **_COMPARISONS}


def _entry(container: JSON, key: JSON) -> JSON:
    """Look a key up; null has no keys and gives null, as does a missing key."""
    if container is None:
        return None
    if not isinstance(container, Mapping):
        raise ExpressionError(
            f"{describe(container)} has no fields, so {shorten(str(key), 60)!r} cannot be read",
            hint="only mappings have fields; a list takes an index: rows[0]",
        )
    if not isinstance(key, str):
        raise ExpressionError(f"a mapping has no key {describe(key)}", hint="keys are text")
    return container.get(key)


def _accept(_item: JSON) -> None:
    """Accept any value."""
