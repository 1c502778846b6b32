"""One set of symbols: what the table says is what pictures and pages draw, also for a symbol that is defined here."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.model.forces import FORCES
from dalembert.model.glyphs import GLYPHS, Glyph, Solid, Stroke, glyph
from dalembert.model.joints import JOINTS
from dalembert.pictures.space import PAINTS
from dalembert.viewer.fittings import fittings
from dalembert.viewer.page import page_data

DRAWN = {"line", "area", "disk", "bar", "hatch", "turn"}
FRAMES = {"last", "each", "ground", "root", "between", "guide", "rider"}
SOLIDS = {"cylinder", "box", "ball", "ring", "coil", "cone", "spiral", "plate", "foot"}


@pytest.mark.parametrize("name", GLYPHS)
def test_only_what_renderers_know(name):
    for stroke in GLYPHS[name].strokes:
        assert stroke.draw in DRAWN and stroke.frame in FRAMES and stroke.layer in ("under", "body", "over", "top")
        assert {stroke.ink, stroke.fill} <= {"", "ink", "ground", "paper", "body", "soft"}
        assert len(stroke.points) >= {"line": 2, "area": 3, "bar": 2, "hatch": 2}.get(stroke.draw, 1)
    for solid in GLYPHS[name].solids:
        assert solid.kind in SOLIDS and set(solid.paint.split(" or ")) <= {*PAINTS, "glass"}
        # what stands between two places has no height of its own
        assert solid.span is None or GLYPHS[name].between


@pytest.mark.parametrize("cls", [*JOINTS.values(), *FORCES.values()], ids=lambda cls: cls.tag)
def test_every_part_names_a_symbol_of_the_table(cls):
    assert cls.glyph in GLYPHS


def test_a_name_without_a_symbol_is_a_dot():
    assert glyph("nothing of that name") is GLYPHS["dot"]


def test_sizes_in_metres():
    """A pin between two plates as wide as 0.3 m comes out of them; a rail is as long as the travel and three sizes more on both sides."""
    mark = {"kind": "joint", "glyph": "pin", "places": [[0, np.zeros(3)], [1, np.zeros(3)]], "frames": [np.eye(3)] * 2}
    shaft = fittings({**mark, "half": 0.15}, 0.01, 2)[0]
    assert shaft["size"] == [pytest.approx(0.0072)] and shaft["z"] == pytest.approx([-0.157, 0.157])
    travel = {"travel": [np.array([0, 0, -0.5]), np.array([0, 0, 1.0])], "shaped": True}
    rail, *others = fittings({**mark, "glyph": "slider", **travel}, 0.01, 2)
    assert rail["z"] == pytest.approx([-0.53, 1.03]) and rail["paint"] == "joint" and not others


@pytest.fixture
def claw(monkeypatch):
    """A symbol of one's own, for the time of a test."""
    strokes = (Stroke("line", "last", ((0, 0, 0), (0, 20, 0), (0, 20, 10)), name="claw"),)
    monkeypatch.setitem(GLYPHS, "claw", Glyph(strokes, (Solid("box", (3.0, 3.0), (("", 0.0), ("", 5.0))),)))
    monkeypatch.setattr(JOINTS["revolute"], "glyph", "claw")


def test_a_symbol_of_ones_own_in_the_plane(claw, tmp_path):
    m = da.Mechanism("door", plane=True)
    m.revolute("A", m.ground, m.body("rod", da.rod(length=1.0, mass=1.0), at=(0.5, 0)), at=(0, 0))
    run = da.simulate(m, until=0.1)
    figure = run.draw(tmp_path / "door.svg", names=False)
    (line,) = [x for x in figure.axes[0].lines if x.get_gid() == "claw:A"]
    # the corner lies 20 points to the right of the pin and 10 above it, whatever the scale
    (x, y) = np.diff(figure.axes[0].transData.transform(line.get_xydata())[[0, 2]], axis=0)[0] * 72.0 / figure.dpi
    assert (x, y) == pytest.approx((20.0, 10.0), rel=1e-9)
    assert 'id="claw:A"' in (tmp_path / "door.svg").read_text(encoding="utf-8")
    data = page_data(run)["scene"]
    assert data["marks"][0]["glyph"] == "claw" and data["glyphs"]["claw"]["strokes"][0]["points"][1] == (0, 20, 0)


def test_a_symbol_of_ones_own_in_space(claw):
    m = da.Mechanism("door", plane=False)
    m.revolute(
        "A", m.ground, m.body("rod", da.box(1, 0.1, 0.1, mass=1.0), at=(0.5, 0, 0)), at=(0, 0, 0), axis=(0, 1, 0)
    )
    run = da.simulate(m, until=0.1)
    scene = page_data(run)["scene"]
    (box,) = scene["marks"][0]["fittings"]
    assert (box["solid"], box["end"]) == ("box", 1) and box["z"] == pytest.approx([0.0, 5.0 * scene["unit"]])
    assert run.draw() is not None
