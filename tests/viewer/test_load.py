"""Other data in an open page: the drawing, plots and tables follow, what was chosen stays.  Skipped where there is no Chromium."""

import json

import pytest

import dalembert as da
from dalembert.viewer.packing import safe_json
from dalembert.viewer.page import page_data, written

from .machines import door, engine, symbols

TRIAL = """
const seen = {}, chips = () => [...document.querySelectorAll(".chip")].map((c) => c.textContent.split("=")[0].trim());
const picture = () => id("drawing").toDataURL();
try {
  id("forces").click();
  id("larger").click();
  plots[0].shown = [D.quantities.findIndex((q) => q.name === "crank.velocity")];
  plots[0].fill();
  player.go(10);
  seen.time = T[player.k];
  seen.chips = chips();
  const before = picture(), zoom = stage.zoom, others = OTHERS;
  load(others[0]);
  seen.changed = picture() !== before;
  seen.kept = [T[player.k], stage.zoom === zoom, stage.on.forces && id("forces").checked, chips()];
  seen.rows = document.querySelectorAll("#reactions tbody tr").length;
  seen.parameter = id("parameters").textContent;
  seen.rest = others.slice(1).map((data) => {
    load(data);
    return [D.name, chips().length > 0, document.querySelectorAll("#reactions tbody tr").length, document.querySelector("main").className];
  });
} catch (error) { seen.failed = String(error.stack); }
document.title = JSON.stringify(seen);
"""


def test_page_takes_other_data(opened):
    first, second = engine(), engine()
    second.set_parameter("r", 0.12)
    plain = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2", name="spring")
    plain.start("x", 1.0)
    runs = [da.simulate(m, until=0.5, output=0.02) for m in (first, second, symbols(), door(), plain)]
    data = [page_data(run) for run in runs]
    tab = opened(written(data[0], script=TRIAL.replace("OTHERS", safe_json(data[1:]))))
    seen = json.loads(tab.title())
    assert seen.get("failed") is None
    assert seen["time"] == pytest.approx(0.2)
    assert seen["chips"][:2] == ["crank.velocity x", "crank.velocity y"]
    assert seen["changed"] and seen["kept"] == [seen["time"], True, True, seen["chips"]]
    assert seen["rows"] == 4 and seen["parameter"] == "r0.12 m"
    # joints and drivers of each machine; the last one has no drawing
    assert seen["rest"] == [["symbols", True, 8, ""], ["door", True, 2, ""], ["spring", True, 0, "plots-only"]]
