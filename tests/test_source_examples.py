"""Every worked example of the sources has a script that runs from an empty folder, asserts its numbers and draws a picture."""

import re
import runpy
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "examples" / "sources").glob("*.py"))
# L4 and L5 are one machine, without and with a torque
IDS = {*(f"p{k}" for k in range(1, 11)), *(f"l{k}" for k in (1, 2, 3, 4, 6, 7)), "s1", "b1", "b2", "b3", *(f"k{k}" for k in range(1, 9))}  # fmt: skip


def test_every_worked_example_is_there():
    assert {script.stem.partition("_")[0] for script in SCRIPTS} == IDS


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_source_example(script, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    pytest.importorskip("sympy")
    text = script.read_text(encoding="utf-8")
    assert len(re.findall(r"^ *assert ", text, re.MULTILINE)) >= 1
    assert re.search(r'^"""[^"]*\((PLANAR|SPATIAL|BASICS|LAGRANGE|PRINCIPLES)', text), "it says where it comes from"
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script), run_name="__main__")
    assert names["run"].status == "ok"
    assert "audit: passed" in capsys.readouterr().out
    assert (tmp_path / "out" / f"{script.stem}.png").stat().st_size > 10_000, "a picture with something in it"
