"""The shipped notebooks run from top to bottom in a real kernel, and what they export runs without them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from awp_core.app import App
from awp_core.notebooks.demo import NAME, execute

pytest.importorskip("nbclient", reason="nbclient is not installed (extra demo)")
pytest.importorskip("palmerpenguins", reason="palmerpenguins is not installed (extra demo)")
QUICKSTART = Path(__file__).parents[2] / "notebooks" / "quickstart.ipynb"
# 344 penguins, 11 of them incomplete (9 without a sex, 2 without any measurement), so 333 are left when they are
# dropped. Filling puts one median in per species that lacks a mass: Gentoo (123 * 5,076.0 + 5,000) / 124 = 5,075.4.
DROPPED = "Mean body mass of 333 penguins\nAdelie: 3,706.2 g\nChinstrap: 3,733.1 g\nGentoo: 5,092.4 g"
FILLED = "Mean body mass of 344 penguins\nAdelie: 3,700.7 g\nChinstrap: 3,733.1 g\nGentoo: 5,075.4 g"


@pytest.mark.parametrize(
    ("reply", "result", "ran", "skipped"), [("yes", DROPPED, "drop", "fill"), ("no", FILLED, "fill", "drop")]
)
def test_the_quickstart_asks_goes_on_with_the_reply_and_exports(tmp_path, reply, result, ran, skipped):
    executed = tmp_path / "quickstart.ipynb"
    execute(QUICKSTART, executed, tmp_path, reply)

    app = App(environ={}, directory=tmp_path)
    run = app.open(NAME)
    assert (run.status, run.result) == ("complete", result)
    assert (run.nodes[ran].status, run.nodes[skipped].status) == ("finished", "skipped")
    assert run.nodes["load"].output["total"] == 344
    assert run.nodes["load"].output["incomplete"] == 11

    saved = json.loads(executed.read_text())
    asked = next(cell for cell in saved["cells"] if "awp-asks" in cell["metadata"].get("tags", ()))
    text = json.dumps(asked["outputs"])
    assert "answered: " in text
    assert "application/vnd.jupyter.widget-view+json" not in text, "a reopened notebook would say: model not found"

    again = app.start(app.load(NAME), replies={"approve": reply}).wait()
    assert again.result == result
    assert app.validate(app.load(NAME)).ok


def test_the_notebooks_are_committed_without_outputs():
    for file in QUICKSTART.parent.glob("*.ipynb"):
        for cell in json.loads(file.read_text())["cells"]:
            assert not cell.get("outputs"), file.name
            assert cell.get("execution_count") is None, file.name
