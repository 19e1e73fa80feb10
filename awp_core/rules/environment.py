"""What a workflow needs from the machine, and what of it is missing (rule M5; spec 01, Processing order 6)."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from awp_core.diagnostics.model import Findings, Severity
from awp_core.manifest.load import Workflow
from awp_core.manifest.models import WorkflowMeta
from awp_core.manifest.source import Path

AWP_VERSION: Final = "1.0.0"
CAPABILITIES: Final = frozenset({
    "tool_calling", "vision", "streaming", "structured_output", "code_execution", "human_in_the_loop", "delegation",
    "memory", "mcp",
})  # fmt: skip
Missing = tuple[Path, str, str]


def check_environment(workflow: Workflow, environ: Mapping[str, str], severity: Severity = Severity.ERROR) -> Findings:
    """Return one finding for everything that is missing; before a run these are errors."""
    if workflow.manifest is None:
        return Findings()
    meta = workflow.manifest.workflow
    missing = [*_variables(meta, environ), *_runtime(meta), *_packages(meta)]
    return Findings(workflow.document.finding("M5", severity, path, text, hint=hint) for path, text, hint in missing)


def _variables(meta: WorkflowMeta, environ: Mapping[str, str]) -> Iterator[Missing]:
    for index, variable in enumerate(meta.env):
        if variable.required and variable.default is None and variable.name not in environ:
            about = f" ({variable.description})" if variable.description else ""
            path = ("workflow", "env", index)
            yield (
                path,
                f"the environment variable {variable.name} is not set{about}",
                f"set it: export {variable.name}=…",
            )


def _runtime(meta: WorkflowMeta) -> Iterator[Missing]:
    runtime = meta.runtime
    base: Path = ("workflow", "runtime")
    if runtime.min_awp_version is not None and _release(runtime.min_awp_version) > _release(AWP_VERSION):
        text = f"it needs AWP {runtime.min_awp_version}, this is {AWP_VERSION}"
        yield (*base, "min_awp_version"), text, "update awp-magics: pip install -U awp-magics"
    if runtime.python is not None:
        try:
            fits = platform.python_version() in SpecifierSet(runtime.python)
        except InvalidSpecifier:
            yield (*base, "python"), f"{runtime.python!r} is no version range", 'write one such as ">=3.11"'
        else:
            if not fits:
                text = f"it needs Python {runtime.python}, this is {platform.python_version()}"
                yield (*base, "python"), text, "run it with another Python"
    for index, name in enumerate(runtime.required_capabilities):
        if name not in CAPABILITIES:
            known = f"known are {', '.join(sorted(CAPABILITIES))}"
            yield (*base, "required_capabilities", index), f"there is no capability {name!r}", known


def _release(semver: str) -> Version:
    return Version(semver.split("+")[0].split("-")[0])


def _packages(meta: WorkflowMeta) -> Iterator[Missing]:
    for index, text in enumerate(meta.dependencies.python):
        path = ("workflow", "dependencies", "python", index)
        try:
            wanted = Requirement(text)
        except InvalidRequirement:
            yield path, f"{text!r} is no package requirement", 'write one such as "numpy>=1.24"'
            continue
        if wanted.marker is not None and not wanted.marker.evaluate():
            continue
        try:
            found = version(wanted.name)
        except PackageNotFoundError:
            yield path, f"the package {wanted.name} is not installed", f"install it: pip install '{text}'"
            continue
        if found not in wanted.specifier:
            yield path, f"{wanted.name} {found} is installed, it needs {wanted.specifier}", f"pip install '{text}'"
