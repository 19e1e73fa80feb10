"""The main job as a person does it: real JupyterLab, run the cells, see the graph, answer the form, save, reopen."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
FLOW = """%%awp bodies
inputs: {minimum: {type: integer, default: 3}}
graph:
  - {id: load, type: code, outputs: [rows, count]}
  - {id: approve, type: ask_human, depends_on: [load], prompt: "Drop **{{load.count}}** rows?",
     expect: {field: drop, type: boolean}}
  - {id: limit, type: ask_human, depends_on: [load], prompt: "Smallest mass in kg?",
     expect: {field: kg, type: number}}
  - {id: keep, type: code, depends_on: [approve, limit],
     inputs: {rows: load.rows, drop: approve.drop, kg: limit.kg}, outputs: [text]}
  - {id: report, type: answer, depends_on: [keep], text_from: keep.text}
"""
LOAD = """%%awp_code load
def main():
    return {"rows": [3.7, 5.1, 4.2], "count": 3}
"""
KEEP = """%%awp_code keep
def main(rows, drop, kg):
    return {"text": f"kept {[row for row in rows if row >= kg]}, drop={drop}"}
"""


def test_a_person_answers_two_forms_and_the_run_ends(page, lab):
    name = lab.write_notebook(
        "bodies.ipynb", "%load_ext awp_magics", FLOW, LOAD, KEEP, "%awp run bodies --set run", "6 * 7", "run.result"
    )
    page.open_notebook(name)
    page.run_all()

    # The graph is a picture with words for those who cannot see it, and the kernel is free while the run waits.
    graph = page.notebook.locator("img[alt*='Graph of bodies']").first
    expect(graph).to_be_visible()
    assert graph.evaluate("image => image.naturalWidth") > 200
    page.wait_for_text("42")
    page.wait_for_text("waits for an answer to 'approve'")
    page.notebook.get_by_role("button", name="Yes").first.scroll_into_view_if_needed()
    page.screenshot("waiting")

    field = page.notebook.locator("input[type=text], input[type=number]").first
    field.fill("4")
    field.press("Tab")
    page.notebook.get_by_role("button", name=re.compile("Send|Submit|Answer", re.IGNORECASE)).first.click()
    page.wait_for_text("answered: 4")
    page.notebook.get_by_role("button", name="Yes").dblclick()
    page.wait_for_text("kept [5.1, 4.2], drop=True")
    page.screenshot("complete")

    page.save()
    page.reopen()
    # A fresh kernel and nothing run: what the file holds is what there is to see.
    page.wait_for_text("kept [5.1, 4.2], drop=True")
    page.wait_for_text("answered: 4")
    expect(page.notebook.locator("img[alt*='Graph of bodies']").first).to_be_visible()
    expect(page.notebook.get_by_role("button", name="Yes")).to_have_count(0)
    expect(page.notebook.get_by_text("model not found")).to_have_count(0)
    page.screenshot("reopened")

    records = [file.read_text() for file in (lab.notebooks / "runs").glob("*/events.jsonl")]
    (record,) = [text for text in records if '"workflow":"bodies"' in text]  # a double click answers once
    assert record.count('"human.replied"') == 2
    assert record.count('"envelope.written"') == 3


def test_the_quickstart_runs_by_click(page, lab):
    (lab.notebooks / "quickstart.ipynb").write_bytes((ROOT / "notebooks" / "quickstart.ipynb").read_bytes())
    page.open_notebook("quickstart.ipynb")
    page.run_all()
    page.wait_for_text("waits for an answer to 'approve'")
    page.notebook.get_by_role("button", name="Yes").first.click()
    page.wait_for_text("Mean body mass of 333 penguins")
    page.screenshot("quickstart")
