"""What can be said about code without running it: its syntax, its one `main`, and the parameters of that."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

from awp_core.errors import CodeError

MAX_SOURCE = 1024 * 1024
MAX_LINE = 1_000_000


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of `main` that takes a value by name."""

    name: str
    has_default: bool


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """The top-level `def main(...)`: where it stands and what it takes; `takes_any` means `**kwargs`."""

    line: int
    parameters: tuple[Parameter, ...]
    takes_any: bool

    def missing(self, given: frozenset[str]) -> list[str]:
        """Names that have no default and are not given."""
        return [item.name for item in self.parameters if not item.has_default and item.name not in given]

    def unknown(self, given: frozenset[str]) -> list[str]:
        """Given names that `main` does not take."""
        names = {item.name for item in self.parameters}
        return [] if self.takes_any else sorted(given - names)


def check_source(source: str, filename: str = "<code>", first_line: int = 1) -> EntryPoint:
    """Parse the source and find its `main`; nothing of it is run.

    Args:
        source: The Python text.
        filename: How errors call it.
        first_line: Where its line 1 stands in the cell or manifest.

    Raises:
        CodeError: A syntax error, no top-level `def main`, several, or one that cannot be called by name.
    """
    tree = _parse(source, filename, first_line)
    shift = first_line - 1
    found = [
        node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "main"
    ]
    if not found:
        raise CodeError(
            f"{filename}: the code has no top-level `def main(...)`",
            hint="define main and return a dict from it",
        )
    first, *others = found
    if others:
        lines = " and ".join(str(node.lineno + shift) for node in found)
        raise CodeError(
            f"{filename}: main is defined more than once, on lines {lines}",
            hint="keep one",
            line=others[0].lineno + shift,
        )
    line = first.lineno + shift
    if isinstance(first, ast.AsyncFunctionDef):
        raise CodeError(f"{filename}:{line}: main is async", hint="write `def main(...)`", line=line)
    if first.args.posonlyargs:
        raise CodeError(
            f"{filename}:{line}: main has positional-only parameters, but its inputs come by name",
            hint="remove the `/`",
            line=line,
        )
    return EntryPoint(line, _parameters(first.args), first.args.kwarg is not None)


def _parameters(args: ast.arguments) -> tuple[Parameter, ...]:
    required = len(args.args) - len(args.defaults)
    usual = [Parameter(arg.arg, index >= required) for index, arg in enumerate(args.args)]
    by_name = [
        Parameter(arg.arg, default is not None) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    return (*usual, *by_name)


def _parse(source: str, filename: str, first_line: int) -> ast.Module:
    if len(source) > MAX_SOURCE:
        raise CodeError(f"{filename}: the code is longer than {MAX_SOURCE} characters")
    if not 1 <= first_line <= MAX_LINE:
        raise CodeError(f"{filename}: the first line is {first_line}, outside 1 to {MAX_LINE}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, filename)
            compile(tree, filename, "exec", dont_inherit=True)  # `return` outside a function shows only here
            return tree
    except SyntaxError as exc:
        raise _syntax_error(exc, filename, first_line) from exc
    except (ValueError, RecursionError, MemoryError) as exc:
        raise CodeError(f"{filename}: Python cannot parse the code: {str(exc) or type(exc).__name__}") from exc


def _syntax_error(exc: SyntaxError, filename: str, first_line: int) -> CodeError:
    line = (exc.lineno or 1) + first_line - 1
    text = f'  File "{filename}", line {line}\n'
    quoted = (exc.text or "").rstrip("\n")
    if quoted:
        indent = len(quoted) - len(quoted.lstrip())
        text += f"    {quoted.strip()}\n"
        if exc.offset:
            text += f"    {' ' * max(exc.offset - 1 - indent, 0)}^\n"
    message = f"{type(exc).__name__}: {exc.msg}"
    return CodeError(message, traceback=f"{text}{message}\n", line=line)
