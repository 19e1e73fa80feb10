"""The harness itself, with a form of plain ipywidgets: what it reports is what a person would see."""

from __future__ import annotations

from playwright.sync_api import expect

FORM = """
import ipywidgets
from IPython.display import HTML, display, update_display

name = ipywidgets.Text(description="Name")
button = ipywidgets.Button(description="Greet")

def greet(_button):
    update_display(HTML(f"<b>answered: {name.value}</b>"), display_id="form")

button.on_click(greet)
display(ipywidgets.VBox([name, button]), display_id="form")
"""


def test_a_person_types_clicks_saves_and_finds_the_answer_again(page, lab):
    page.open_notebook(lab.write_notebook("form.ipynb", FORM, "print(6 * 7)"))
    page.run_all()
    page.wait_for_text("42")
    field = page.notebook.locator("input[type=text]")
    field.fill("Ada")
    field.press("Tab")  # a text widget sends its value when it is left
    page.notebook.get_by_role("button", name="Greet").click()
    page.wait_for_text("answered: Ada")
    assert page.screenshot("form").stat().st_size > 0

    saved = page.save()
    assert "answered: Ada" in str(saved["cells"][0]["outputs"])

    page.reopen()
    page.wait_for_text("answered: Ada")
    expect(page.notebook.get_by_role("button", name="Greet")).to_have_count(0)


def test_a_cell_that_fails_shows_its_error(page, lab):
    page.open_notebook(lab.write_notebook("fails.ipynb", "raise ValueError('too bad')", "print('never')"))
    page.run_all()
    page.wait_for_text("too bad")
    expect(page.outputs.filter(has_text="never")).to_have_count(0)
