"""Nothing else knows about a joint: two joints and a force element that are defined here go through everything the package has.

Numbers: a plate of 2 kg on a table with two slides, a bar hung on it, a magnet that pulls with strength / l^2.  Statics by hand, motion
against Lagrange's equations in the coordinates that the joints state.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.shared.doctor import examine
from dalembert.model.expression import Name
from dalembert.model.forces import FORCES, Law, TwoPointForce
from dalembert.model.joints import JOINTS, AxisJoint, PairJoint, Relaxation, orientation_rows
from dalembert.model.measure import Measure
from dalembert.viewer.page import page_data

SOURCE = Path(da.__file__).parent
G = 9.81


@pytest.fixture(autouse=True)
def newcomers():
    """A hinge, a table with two slides and a magnet, for the time of a test."""
    before = dict(JOINTS), dict(FORCES)

    @dataclass(frozen=True, eq=False, repr=False)
    class Hook(AxisJoint, tag="test_hook"):
        """Hinge of its own making: the point of j stays where the point of i is, told in axes of i."""

        planes = (True,)
        glyph = "pin"
        freedom = ("turn_z",)
        relaxations = (Relaxation("an open hook, free {}", "fx fy", 1),)

        def rows(self) -> list[Measure]:
            """No distance along x and y of i."""
            return [self.measure(f"off_{a}", "along_body", direction=a) for a in ("x", "y")]

        def coordinates(self) -> dict[str, Measure]:
            """The angle."""
            return {"angle": self.angle_measure()}

    @dataclass(frozen=True, eq=False, repr=False)
    class Table(AxisJoint, tag="test_table"):
        """Table with two slides: j moves along x and y of i and does not turn."""

        freedom = ("x", "y")

        def symbol(self, number: Any) -> dict[str, Any]:
            """A plate on a plane, in the plane a dot."""
            return {"glyph": "dot" if self.model.plane else "plane"}

        def rows(self) -> list[Measure]:
            """No turn; in space no lift either."""
            lift = [] if self.model.plane else [self.measure("lift", "along_body", direction="z")]
            return [*lift, *orientation_rows(self)]

        def coordinates(self) -> dict[str, Measure]:
            """Displacements."""
            return {a: self.measure(a, "along_body", direction=a) for a in ("x", "y")}

    @dataclass(frozen=True, eq=False, repr=False)
    class Magnet(TwoPointForce, tag="test_magnet"):
        """Attraction of two points, strength / l**2."""

        strength: Any = None

        glyph = "actuator"
        fields_are = {"strength": ("number", "N m^2")}

        def __post_init__(self) -> None:
            super().__post_init__()
            self.set(strength=self.model.read_number(self.asked, "strength", self.strength, "positive"))

        def elements(self) -> list[tuple[Measure, Law]]:
            """Positive f pulls the points together."""
            length = self.length_measure()
            return [(length, self.law(length, self.strength / Name("l") ** 2, "l", "v"))]

    yield
    for registry, old in zip((JOINTS, FORCES), before):
        for tag in set(registry) - set(old):
            del registry[tag]
            if tag in vars(da.Mechanism):
                delattr(da.Mechanism, tag)


def crane(plane: bool, moving: bool = True) -> da.Mechanism:
    """A bar hung on a plate that slides on a table; in space the table is level and gravity along -z."""
    m = da.Mechanism("crane", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    at = (lambda x, y: (x, y)) if plane else (lambda x, y: (x, 0.0, y))
    plate = m.body("plate", mass=2.0, inertia=0.1 if plane else (0.1, 0.1, 0.1), at=at(0, 0))
    if plane:
        bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0, -0.5), angle=-np.pi / 2)
        m.test_table("T", m.ground, plate, at=(0, 0))
        m.test_hook("H", plate, bar, at=(0, 0))
        m.spring("carry", m.ground.point(0, 2), plate.point(0, 0), stiffness=100.0, free_length=2.0 - 3 * G / 100.0)
    else:
        bar = m.body("bar", da.box(0.1, 0.1, 1.0, mass=1.0), at=at(0, -0.5))
        m.test_table("T", m.ground, plate, at=(0, 0, 0), axis=(0, 0, 1))
        m.revolute("H", plate, bar, at=(0, 0, 0), axis=(0, 1, 0))
    m.test_magnet("pull", m.ground.point(*at(2.0, 0.0)), plate.point(*at(0, 0)), strength=4.0)
    if moving:
        m.start(m["H"].angle, rate=1.0)
    return m


BOTH = pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])


@BOTH
def test_statics_by_hand(plane):
    m = crane(plane, moving=False)
    # the magnet pulls with 4 / 2^2 = 1 N, which the table does not hold: 1 N = (2 kg + share of the bar) a; a bar with inertia J that
    # hangs at c = 1/2 from its centre resists with m J / (J + m c^2), a slender one with m/4
    J = (1.0 if plane else 1.01) / 12.0
    a = 1.0 / (2.0 + J / (J + 0.25))
    e = da.equations(m)
    assert e.a[0] == pytest.approx(a, rel=1e-12)
    # the table carries the moment that keeps the plate upright, in space also the weight
    T = da.reactions(m)["T"]
    assert T.force == pytest.approx([0.0, 0.0] if plane else [0.0, 0.0, 3 * G], abs=1e-10)
    sheet = da.free_body(m, "plate")
    assert {"T", "H", "pull"} <= {load.name for load in sheet.loads}
    assert sheet["pull"].force[0] == pytest.approx(1.0, rel=1e-12)
    total = sum(np.asarray(load.force) for load in sheet.loads)
    assert total[0] == pytest.approx(2.0 * a, rel=1e-10)


@BOTH
def test_motion_doctor_and_symbols(plane):
    m = crane(plane)
    done = examine(m)
    assert done.code == 0 and "3 degrees of freedom" in done.text
    assert da.mobility(m).dof == 3
    run = da.simulate(m, until=1.0, rtol=1e-10)
    # joint coordinates as the newcomers state them, and no row is left
    system = da.lagrangian_of(m)
    assert sorted(system.q) == ["theta_H", "x_T", "y_T"] and not system.holonomic
    same = da.simulate(system, until=1.0, rtol=1e-10)
    assert same["x_T"][-1] == pytest.approx(run["T"].x[-1], abs=1e-8)
    assert same["theta_H"][-1] == pytest.approx(run["H"].angle[-1], abs=1e-8)
    # and an independent evaluation of rows and laws
    assert da.verify(m).agree


@BOTH
def test_picture_and_page(plane, tmp_path):
    run = da.simulate(crane(plane), until=0.2)
    marks = {mark["name"]: mark for mark in page_data(run)["scene"]["marks"]}
    assert (marks["T"]["glyph"], marks["T"]["type"]) == ("dot" if plane else "plane", "test table")
    assert (marks["pull"]["glyph"], marks["H"]["glyph"]) == ("actuator", "pin")
    sheet = next(s for s in page_data(run)["sheets"] if s["name"] == "plate")
    assert {"T", "H", "pull"} <= {load["name"] for load in sheet["loads"]}
    figure = run.draw(tmp_path / "crane.svg")
    assert figure is not None and ("T" in (tmp_path / "crane.svg").read_text(encoding="utf-8"))
    da.show(run, tmp_path / "crane.html")
    assert "test table" in (tmp_path / "crane.html").read_text(encoding="utf-8")


@BOTH
def test_file_there_and_back(plane, tmp_path):
    m = crane(plane)
    da.write_model(m, tmp_path / "crane.toml")
    text = (tmp_path / "crane.toml").read_text(encoding="utf-8")
    assert 'type = "test_table"' in text and "strength = 4" in text
    again = da.read_model(tmp_path / "crane.toml")
    assert np.array_equal(da.equations(again).a, da.equations(m).a)
    # units are those that the element says its field has
    other = tmp_path / "other.toml"
    other.write_text(text.replace("strength = 4", 'strength = "4e6 N mm^2"'), encoding="utf-8")
    assert da.read_model(other)["pull"].strength == pytest.approx(4.0)
    other.write_text(text.replace("strength = 4", 'strength = "4 kg"'), encoding="utf-8")
    with pytest.raises(da.ModelFileError, match="strength"):
        da.read_model(other)


def test_words_of_dependent_rows():
    """Two hooks between the same bodies: the force along their line is not determined, and an open hook would end that."""
    m = da.Mechanism("beam", plane=True)
    beam = m.body("beam", da.rod(length=2.0, mass=1.0), at=(1, 0))
    for name, x in (("A", 0.0), ("B", 2.0)):
        m.test_hook(name, m.ground, beam, at=(x, 0))
    (found,) = da.mobility(m).dependent
    assert found.directions["A"] == ("force towards 'B'",)
    assert "make A an open hook, free towards 'B'" in found.proposals
    assert json.dumps(examine(m).data).count("too many") == 1


def test_loops_of_newcomers_have_branches():
    """A four-bar of hooks is understood as one of hinges: both ways to assemble it, open and crossed."""

    def four_bar(tag: str) -> da.Mechanism:
        m = da.Mechanism("four-bar", plane=True)
        crank = m.body("crank", da.rod(length=1.0, mass=1.0), at=(0, 0.5), angle=np.pi / 2)
        rod = m.body("rod", da.rod(length=3.0, mass=1.0), at=(1.4, 1.5), angle=0.3)
        rocker = m.body("rocker", da.rod(length=2.0, mass=1.0), at=(3.0, 1.0), angle=np.pi / 2)
        joint = getattr(m, tag)
        joint("O", m.ground, crank, at=(m.ground.point(0, 0), crank.start))
        joint("A", crank, rod, at=(crank.end, rod.start))
        joint("B", rod, rocker, at=(rod.end, rocker.end))
        joint("C", m.ground, rocker, at=(m.ground.point(3, 0), rocker.start))
        m.start(m["O"].angle, value=np.pi / 2)
        return m

    kinds = []
    for tag in ("revolute", "test_hook"):
        found = da.assemble(four_bar(tag), branches=True)
        kinds.append(sorted(x.branch.kind for x in (found, *found.alternatives)))
    assert kinds == [["crossed", "open"]] * 2


@pytest.mark.parametrize("freedom", [("turn_x",), ("x", "x"), ("z",), ("turn_z", "turn_x")])
def test_a_freedom_that_gives_no_pose_is_refused(freedom):
    made = type("Odd", (PairJoint,), {"__module__": __name__, "freedom": freedom}, tag="test_odd")
    m = da.Mechanism("odd", plane=True)
    body = m.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(da.ModelError, match="freedom = "):
        made(m, "J", m.ground, body, at=(0, 0))


def test_no_tag_is_tested_outside_the_model():
    """What a part can do is asked of the part: no source file above the model compares its tag with a name."""
    compared = re.compile(r"\.tag\s*(==|!=|in\b|not in\b)|get\(\w+\.tag")
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in SOURCE.rglob("*.py")
        if "model" not in path.relative_to(SOURCE).parts[:1]
        for line in path.read_text(encoding="utf-8").splitlines()
        if compared.search(line)
    ]
    assert found == []
