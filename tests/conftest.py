"""What holds for every test: in CI a skip is a failure, and the person's own settings stay out."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

CI = os.environ.get("AWP_CI") == "1"

# Skips that CI accepts: a pattern of the reason, and why no CI machine can run that test.
ALLOWED_SKIPS = {
    r"needs Windows|needs macOS": "CI is Linux",
    r"built without libyaml": "the pure loader is what the project uses; the other is there to compare",
}

OURS = re.compile(r"AWP_(?!CI$|SCREENSHOTS$)|.*_API_KEY$|GRAPHVIZ_DOT$")

settings.register_profile("awp", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("awp")


def pytest_configure() -> None:
    """Forget settings and keys of the person who runs the tests."""
    for name in [name for name in os.environ if OURS.match(name)]:
        del os.environ[name]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Turn a skipped test into a failed one where nothing may be missing."""
    return fail_when_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Do the same for a module that skips itself."""
    return fail_when_skipped((yield))


def fail_when_skipped(report: Any) -> Any:
    """Return the report, as a failure if it is a skip that CI should not have."""
    if not CI or not report.skipped or hasattr(report, "wasxfail"):
        return report
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not any(re.search(pattern, reason) for pattern in ALLOWED_SKIPS):
        report.outcome = "failed"
        report.longrepr = (
            f"{reason}\n\nNothing may be skipped in CI: install what is missing, or allow it in tests/conftest.py."
        )
    return report
