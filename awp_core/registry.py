"""One shape for every extension point: a folder `builtin/` with one file per thing, plus entry points.

Rules, node types, providers, channels (and later tools, adapters, executors) are all found this way. Adding one
means adding a file; there is no list to extend. A built-in that does not import stops start-up, and so does a
name used twice, because a silently missing rule or node type is worse than no start at all.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import Generic, Protocol, TypeVar

from awp_core.errors import AwpError, NotFoundError


class Named(Protocol):
    """Anything a registry can hold: it knows its own name."""

    @property
    def name(self) -> str:
        """The name it is found by."""


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T], Generic[T]):
    """An immutable mapping from name to thing, with a helpful error for an unknown name."""

    def __init__(self, kind: str, things: Iterator[T] | list[T]) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}
        for thing in things:
            if thing.name in self._things:
                raise AwpError(f"two {kind}s are named {thing.name!r}", hint="rename or uninstall one of them")
            self._things[thing.name] = thing

    def __getitem__(self, name: str) -> T:
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def find(self, name: str) -> T:
        """Return the thing called `name`.

        Raises:
            NotFoundError: There is none; names the nearest.
        """
        if name not in self._things:
            raise NotFoundError.for_name(self.kind, name, self._things)
        return self._things[name]


def collect(kind: str, package: str, attribute: str, expected: type[T], *, group: str = "") -> Registry[T]:
    """Import every module of `package` in sorted order and gather its `attribute`.

    Args:
        kind: The word used in messages, such as "node type".
        package: Dotted name of the `builtin` package.
        attribute: The one constant each module exports, such as `NODE`.
        expected: The class every constant must have.
        group: Entry point group of third parties, such as `awp.nodes`; empty for none.

    Raises:
        AwpError: A module lacks the constant, a plug-in is broken, or a name is used twice.
    """
    folder = importlib.import_module(package)
    names = sorted(info.name for info in pkgutil.iter_modules(folder.__path__))
    things = [_read(kind, f"{package}.{name}", attribute, expected) for name in names]
    if group:
        points = sorted(entry_points(group=group), key=lambda point: point.name)
        things += [_checked(kind, f"entry point {point.value}", point.load(), expected) for point in points]
    return Registry(kind, things)


def _read(kind: str, module: str, attribute: str, expected: type[T]) -> T:
    found = getattr(importlib.import_module(module), attribute, None)
    return _checked(kind, f"{module}.{attribute}", found, expected)


def _checked(kind: str, where: str, found: object, expected: type[T]) -> T:
    if not isinstance(found, expected):
        raise AwpError(f"{where} is no {kind}: expected {expected.__name__}, got {type(found).__name__}")
    return found
