"""What works on this machine: sandbox, drawing, providers, runs folder; each with what to do if it does not."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from awp_core.app import App


class Check(NamedTuple):
    """One thing looked at; `needed` is false for what one can do without."""

    name: str
    ok: bool
    detail: str
    needed: bool = True


def examine(app: App) -> list[Check]:
    """Look at everything and return what was found."""
    return [*_basics(), *_sandbox(app), *_drawing(app), *_extension_points(app), _runs_folder(app)]


def _basics() -> Iterator[Check]:
    yield Check("python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.system()}")
    yield Check("awp-magics", True, _version("awp-magics"))
    for name in ("ipython", "ipywidgets", "ipykernel", "jupyterlab"):
        found = _version(name)
        yield Check(name, bool(found), found or f"not installed: pip install {name}", needed=False)


def _sandbox(app: App) -> Iterator[Check]:
    from awp_core.sandbox.runner import backend_reports

    reports = backend_reports(app.environ)
    for report in reports:
        yield Check(f"sandbox {report.name}", report.usable, report.reason, needed=False)
    usable = [report.name for report in reports if report.usable]
    yield Check("code nodes", bool(usable), f"run in {usable[0]}" if usable else "cannot run: no sandbox works")


def _drawing(app: App) -> Iterator[Check]:
    from awp_core.graph.dotlayout import find_graphviz

    found = find_graphviz(app.environ)
    detail = " at ".join(found) if found else "our own; install the extra `dot` for Graphviz layouts"
    yield Check("graph layout", True, detail, needed=False)


def _extension_points(app: App) -> Iterator[Check]:
    yield Check("node types", bool(app.node_types), ", ".join(sorted(app.node_types)))
    yield Check("channels", bool(app.channels), ", ".join(sorted(app.channels)))
    for channel in app.channels.values():
        unset = channel.missing(app.environ)
        if unset or channel.confirms:
            yield Check(f"channel {channel.name}", not unset, unset or channel.summary, needed=False)
    from awp_core.providers import load_providers

    for provider in load_providers().values():
        missing = provider.missing(app.environ)
        yield Check(f"provider {provider.name}", not missing, missing or provider.summary, needed=False)


def _runs_folder(app: App) -> Check:
    root = app.runs_root()
    nearest = next(path for path in (root, *root.parents) if path.exists())
    ok = os.access(nearest, os.W_OK)
    return Check("runs folder", ok, str(root) if ok else f"{root} cannot be written")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
