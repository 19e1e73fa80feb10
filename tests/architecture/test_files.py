"""Rules about the files themselves: length, line ends, words, notebooks, version."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

LONGEST = 400
# Files that may stay longer, each with the reason.
LONGER: dict[str, str] = {
    "tests/attacks/test_sandbox_bwrap.py": "one attack after the other, on shared fixtures",
    "tests/core/manifest/test_source.py": "tables of YAML and what it means",
}
# Written apart so that this file does not hold them.
HOSTS = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "npmjs" + ".",
    "ana" + "conda.org",
    "conda" + "-forge.org",
    "unp" + "kg.com",
]
PLACES = ["/" + "work/", "/" + "root/", "/home/" + "[a-z]", r"C:\\" + "Users"]
MAY_NAME_PLACES = {
    "tests/attacks": "attacks look for other people's files",
    "tests/core/events": "paths are among what is taken out of events",
    "awp_core/sandbox": "the sandbox has folders of its own",
}


def test_no_file_is_longer_than_the_budget(texts):
    lengths = {name: text.count("\n") for name, text in texts.items() if name.endswith((".py", ".js", ".css"))}
    assert {name: n for name, n in lengths.items() if n > LONGEST and name not in LONGER} == {}


def test_files_that_may_be_longer_still_exist_and_are(texts):
    assert {name for name in LONGER if texts[name].count("\n") <= LONGEST} == set()


def test_files_end_with_one_line_end_and_no_line_ends_with_a_blank(texts):
    source = {name: text for name, text in texts.items() if not name.endswith((".ipynb", ".svg")) and text}
    assert [name for name, text in source.items() if not text.endswith("\n") or text.endswith("\n\n")] == []
    assert [name for name, text in source.items() if "\r\n" in text] == []


def test_toml_files_can_be_read(texts):
    for name, text in texts.items():
        if name.endswith(".toml"):
            tomllib.loads(text)


@pytest.mark.parametrize("word", HOSTS)
def test_names_no_package_registry(texts, word):
    assert [name for name, text in texts.items() if word in text.lower()] == []


@pytest.mark.parametrize("word", PLACES)
def test_names_no_folder_of_one_machine(texts, word):
    named = [name for name, text in texts.items() if re.search(rf"(?<![\w.{{}}]){word}", text)]
    assert [name for name in named if not name.startswith(tuple(MAY_NAME_PLACES))] == []


def test_the_newest_version_of_the_changelog_is_that_of_the_package(texts):
    headings = re.findall(r"^## \[([^\]]+)\]", texts["CHANGELOG.md"], re.MULTILINE)
    assert headings[0] == tomllib.loads(texts["pyproject.toml"])["project"]["version"]


def test_notebooks_are_valid_and_hold_no_outputs(files):
    nbformat = pytest.importorskip("nbformat")
    for path in files:
        if path.suffix != ".ipynb":
            continue
        raw = json.loads(path.read_text(encoding="utf-8"))
        nbformat.validate(raw)
        code = [cell for cell in raw["cells"] if cell["cell_type"] == "code"]
        assert [cell["outputs"] for cell in code if cell["outputs"]] == [], path
        assert {cell["execution_count"] for cell in code} <= {None}, path


def test_the_lock_file_pins_every_line_and_names_no_place(texts):
    lines = [line for line in texts["requirements/dev.txt"].splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9.-]+==[a-z0-9.]+( ; .+)?", line)] == []
