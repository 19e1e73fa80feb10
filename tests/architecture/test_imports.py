"""What may import what, and what an import costs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ["IPython", "ipywidgets", "httpx", "graphviz", "jsonschema", "nbformat", "pandas", "pydantic", "yaml"]

# The front door. A name comes or goes here and in awp_core/__init__.py together, with a line in the changelog.
PUBLIC = [
    "App", "AwpError", "CodeError", "EngineUnavailableError", "Event", "Finding", "Findings", "InputError",
    "Location", "ManifestChangedError", "ManifestError", "NodeError", "NotFoundError", "ProviderError",
    "ReplyError", "Run", "RunCancelledError", "RunError", "RunFolderError", "RunLockedError", "RunPausedError",
    "RunResult", "SandboxError", "SandboxUnavailableError", "Severity", "UsageError", "Workflow", "__version__",
    "agent", "arun", "default_app", "list_runs", "load", "load_text", "open_run", "reply", "resume",
    "resume_workflow", "run", "validate",
]  # fmt: skip


def loaded_after(code: str) -> set[str]:
    """Run `code` in a fresh process and return the top-level modules it has loaded."""
    code += "\nimport json, sys\nprint(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_the_core_loads_nothing_heavy():
    assert sorted(loaded_after("import awp_core") & set(HEAVY)) == []


def test_using_the_core_loads_no_notebook_library():
    used = "import awp_core\nfor name in awp_core.__all__: getattr(awp_core, name)"
    assert sorted(loaded_after(used) & {"IPython", "ipywidgets", "awp_magics"}) == []


def test_loading_the_front_door_loads_no_heavy_library_before_it_is_needed():
    used = "import awp_core.app, awp_core.cli.main\nawp_core.cli.main.build_parser()"
    assert sorted(loaded_after(used) & {"httpx", "graphviz", "jsonschema", "nbformat", "pandas"}) == []


def test_importing_the_notebook_face_loads_nothing_heavy():
    assert (
        sorted(loaded_after("import awp_magics") & {"ipywidgets", "httpx", "graphviz", "jsonschema", "nbformat"}) == []
    )


def test_set_up_needs_the_standard_library_only(root):
    code = "import sys; sys.path[0] = '.'; import awp_core.__main__, awp_core.cli.tasks as tasks; tasks.main(['help'])"
    bare = [sys.executable, "-S", "-c", code]  # -S hides every installed package
    done = subprocess.run(bare, capture_output=True, text=True, check=False, cwd=root)
    assert (done.returncode, done.stderr[:34]) == (0, "usage: python3 -m awp_core TASK [A"), done.stderr


def test_the_front_door_is_sorted_and_pinned():
    import awp_core

    assert list(awp_core.__all__) == sorted(awp_core.__all__)
    assert list(awp_core.__all__) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_of_the_front_door_is_there(name):
    import awp_core

    assert getattr(awp_core, name) is not None
    assert name in dir(awp_core)


def test_an_unknown_name_is_an_attribute_error():
    import awp_core

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = awp_core.nothing


def test_the_import_contracts_hold(root):
    lint = "from importlinter.cli import lint_imports_command as lint; lint()"
    done = subprocess.run([sys.executable, "-c", lint, "--no-cache"], check=False, cwd=root)
    assert done.returncode == 0, "lint-imports: see the captured output"
