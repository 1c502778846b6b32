"""The notebook of the examples: kept without outputs, and executed as a reader would."""

import json
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "examples" / "notebook.ipynb"


def test_it_is_kept_without_outputs():
    for cell in json.loads(FILE.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_it_runs_and_shows_the_page(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(FILE, as_version=4)
    nbformat.validate(notebook)
    # a busy machine may be slow; waiting longer than needed costs nothing
    patience = {"timeout": 1200, "startup_timeout": 600, "iopub_timeout": 60}
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}, **patience).execute()

    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in shown if output.output_type == "error"]
    pages = [output.data["text/html"] for output in shown if "<iframe" in output.get("data", {}).get("text/html", "")]
    (page,) = pages
    # the whole page inside a frame that can reach nothing around it
    assert page.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts' in page and "allow-same-origin" not in page
    assert "slider-crank" in page and "&lt;script" in page and "http-equiv" in page
    assert any("image/png" in output.get("data", {}) for output in shown), "the plot"
    text = "".join(output.get("text", "") for output in shown)
    assert "pin A:" in text
    (table,) = [
        html for o in shown if "sweep of" in (html := o.get("data", {}).get("text/html", "")) and "<pre>" in html
    ]
    assert "9 cases" in table and "failed" not in table
