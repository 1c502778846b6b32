"""Load, save, load: the same model, to the last bit of what is compiled from it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.io import parse_text, read_file, to_data
from dalembert.io.text import write_json, write_toml
from dalembert.model.frame import Marker
from dalembert.model.joints._base import PairJoint
from dalembert.model.registry import JOINTS
from tests.contracts.samples import case_id, force_cases, joint_cases, sample
from tests.io.machines import SLIDER, cart, everything, in_space

FORMS = {".toml": write_toml, ".json": write_json}


def read_back(model, suffix):
    return parse_text(FORMS[suffix](to_data(model)), suffix, "model" + suffix).model


def assert_same_system(a, b):
    """The compiled arrays (topology I, all numbers P, configuration) are the whole mechanics of a mechanism."""
    one, two = da.compile(a), da.compile(b)
    assert one.row_names == two.row_names and one.body_names == two.body_names
    np.testing.assert_array_equal(one.numbering.I, two.numbering.I)
    np.testing.assert_array_equal(one.numbering.P, two.numbering.P)
    np.testing.assert_array_equal(one.q0, two.q0)


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize(("tag", "plane"), [*joint_cases(), *force_cases()], ids=case_id)
def test_every_joint_and_force(tag, plane, suffix):
    for options in ({}, {"ground": True, "swap": True}):
        m = sample(tag, plane, **options).model
        again = read_back(m, suffix)
        assert to_data(again) == to_data(m)
        assert_same_system(m, again)


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize("make", [everything, in_space])
def test_every_section(make, suffix):
    m = make()
    again = read_back(m, suffix)
    assert to_data(again) == to_data(m)
    assert_same_system(m, again)
    assert again.parameters == m.parameters
    assert [(p.name, p.unit) for p in again.parts("parameter")] == [(p.name, p.unit) for p in m.parts("parameter")]


@pytest.mark.parametrize("suffix", FORMS)
def test_starts_and_poses_survive(suffix):
    m = everything()
    again = read_back(m, suffix)
    for old, new in zip(m.starts, again.starts, strict=True):
        assert (old.value, old.rate) == (new.value, new.rate)
    assert [b.velocity for b in again.bodies] == [b.velocity for b in m.bodies]
    assert [b.spin for b in again.bodies] == [b.spin for b in m.bodies]


@pytest.mark.parametrize("suffix", FORMS)
def test_lagrangian(suffix):
    m = cart()
    again = read_back(m, suffix)
    assert to_data(again) == to_data(m)
    # the energies and forces are the whole mechanics of a Lagrangian system; expressions compare as trees
    assert (again.kinetic, again.potential, again.dissipation) == (m.kinetic, m.potential, m.dissipation)
    assert again.forces == m.forces and again.holonomic == m.holonomic and again.nonholonomic == m.nonholonomic
    assert again.starts == m.starts and again.guesses == m.guesses and again.parameters == m.parameters


def test_file_gives_the_python_model(tmp_path):
    file = tmp_path / "slider.toml"
    file.write_text(SLIDER, encoding="utf-8")
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -9.81))
    r = m.parameter("r", 0.2, "m")
    m.parameter("n", 1500 * 2 * np.pi / 60, "rad/s")
    crank = m.body("crank", da.rod(length=r, mass=1.0), at=(r / 2, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(r + 0.3, 0))
    piston = m.body("piston", da.rectangle(0.1, 0.1, mass=0.5), at=(r + 0.6, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along="x")
    m.drive("motor", "O.angle", "n*t")
    assert_same_system(m, da.read_model(file))
    assert read_file(file).analyses == {"simulate": {"until": 0.05}}


def test_written_file_is_read(tmp_path):
    for name in ("machine.toml", "machine.json", "Ünïcode name.TOML"):
        file = tmp_path / name
        da.write_model(everything(), file, analyses={"simulate": {"until": 2.0, "output": [1, 2]}})
        found = read_file(file)
        assert to_data(found.model) == to_data(everything())
        assert found.analyses == {"simulate": {"until": 2.0, "output": [1, 2]}}
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["Ünïcode name.TOML", "machine.json", "machine.toml"])


def test_file_gives_its_name(tmp_path):
    for stem, name in (("crank", "crank"), ("my.crank (2)", "my_crank _2_"), ("x" * 100, "x" * 80)):
        file = tmp_path / f"{stem}.toml"
        file.write_text("bodies.b = { mass = 1 }", encoding="utf-8")
        assert da.read_model(file).name == name


@pytest.fixture
def hook():
    """A joint of one's own, with fields that no other joint has."""

    @dataclass(frozen=True, eq=False, repr=False)
    class Hook(PairJoint, tag="hook"):
        hand: Any = "left"
        reach: Any = None
        depth: Any = 0.0

        def __post_init__(self):
            super().__post_init__()
            self.set(depth=self.model.read_number(self.asked, "depth", self.depth))

        @property
        def markers(self):
            return Marker(self.i, self.at[0]), Marker(self.j, self.at[1])

        def rows(self):
            return [self.measure("gap", "gap")]

    yield Hook
    JOINTS.pop("hook")


def test_joints_of_ones_own(hook):
    m = da.Mechanism("m")
    b = m.body("b", da.rod(length=1.0, mass=1.0))
    m.hook("h", m.ground, b, at=(0, 0), hand="left-handed", reach=(b.end, [1, 2]), depth=0.3)
    for suffix in FORMS:
        again = read_back(m, suffix)
        assert to_data(again) == to_data(m)
        assert again["h"].hand == "left-handed" and again["h"].reach[0].body is again["b"]
        assert again["h"].depth == 0.3
    text = write_toml(to_data(m)).replace("depth = 0.3", 'depth = "300 mm"')
    assert parse_text(text, ".toml").model["h"].depth == 0.3
    assert any(
        "hook" in str(kind["properties"]["type"])
        for kind in da.io.schema()["else"]["properties"]["joints"]["additionalProperties"]["oneOf"]
    )


def test_changed_parameters_are_written():
    m = everything()
    m.set_parameter("r", 0.3)
    assert read_back(m, ".toml").parameters["r"] == 0.3


def test_arguments_changed_later_do_not_matter():
    m = da.Mechanism("m")
    at = np.array([1.0, 2.0])
    m.body("b", mass=1.0, at=at)
    at[:] = 7.0
    assert to_data(m)["bodies"]["b"]["at"] == [1.0, 2.0]


def test_order_of_sections_does_not_matter():
    # a constraint on a measure that is made of a joint that stands further down
    text = """
joints.tie = { type = "constraint", expression = "twice - 0.2" }
joints.pin = { type = "revolute", between = ["ground", "b"], at = [0, 0] }
measures.twice = "2*pin.angle"
bodies.b = { mass = 1, inertia = 1 }
"""
    m = parse_text(text, ".toml").model
    assert [part.name for part in m.parts("joint")] == ["pin", "tie"]
    assert to_data(parse_text(write_toml(to_data(m)), ".toml").model) == to_data(m)


# -- what cannot be saved ----------------------------------------------------------------------------------------------


def refused(m):
    with pytest.raises(da.ModelError) as caught:
        to_data(m)
    assert all((caught.value.asked, caught.value.found, caught.value.why, caught.value.do))
    return str(caught.value)


def test_python_functions_are_refused_by_name():
    m = da.Mechanism("m")
    m.body("b", mass=1.0, inertia=1.0)
    m.spring("coil", m.ground, "b", force=lambda l, v, t: -l)
    text = refused(m)
    assert "spring 'coil'" in text and "force" in text and "function" in text


def test_measures_without_a_name_are_refused():
    m = da.Mechanism("m")
    b = m.body("b", mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, b, at=(0, 0))
    nameless = m["A"].rows()[0]
    m.friction("f", da.Mechanism.measure(m, "x", "b.x"), force=1.0)
    m._given["f"] = ("friction", {"on": nameless, "force": 1.0})
    assert "friction 'f'" in refused(m)


def test_two_tables_of_one_name_are_refused():
    m = da.Mechanism("m")
    m.body("b", mass=1.0, inertia=1.0)
    for k in (1.0, 2.0):
        m.force(f"f{k:.0f}", "b", (da.spline([0, 1], [0, k], name="cam"), 0))
    assert "cam" in refused(m)


def test_long_expressions_are_refused():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2")
    potential = sum((da.functions.sin(m.coordinates[0] * k) for k in range(1, 400)), start=m.coordinates[0])
    assert "potential" in refused(da.Lagrangian("x", kinetic="rate(x)**2/2", potential=potential))


def test_units_that_contradict_are_refused(tmp_path):
    # Python takes labels of units as they are; in a file a length is no velocity
    m = da.Mechanism("m")
    r = m.parameter("r", 0.2, "m")
    m.body("b", mass=1.0, inertia=1.0, velocity=(0, r))
    with pytest.raises(da.ModelError, match="velocity"):
        da.write_model(m, tmp_path / "m.toml")
    assert not list(tmp_path.iterdir())


def test_other_objects_are_refused(tmp_path):
    with pytest.raises(da.ModelError, match="Mechanism"):
        da.write_model("pendulum", tmp_path / "m.toml")
    with pytest.raises(da.MethodError, match="ends in"):
        da.write_model(everything(), tmp_path / "m.yaml")
    with pytest.raises(da.MethodError, match="cannot be written"):
        da.write_model(everything(), tmp_path / "missing" / "m.toml")
    with pytest.raises(da.ModelError, match="simulate"):
        da.write_model(everything(), tmp_path / "m.toml", analyses={"simulat": {}})
    assert not list(tmp_path.iterdir())
    with pytest.raises(da.MethodError, match="read_model"):
        da.load(tmp_path / "m.toml")
    with pytest.raises(da.MethodError, match="no such file"):
        da.read_model(tmp_path / "m.toml")


def test_directions_and_axes_may_be_lengths():
    # only their direction counts: an axis from point to point is written with the coordinates of these
    text = """
    plane = false
    [parameters]
    h = "1 m"
    w = "0.5 m"
    [bodies.leg]
    mass = 1
    inertia = [1, 1, 1]
    rotation = ["hypot(w, h) + h", 0, "w", 0]
    [joints.guide]
    type = "prismatic"
    between = ["ground", "leg"]
    along = ["w", 0, "h"]
    """
    m = parse_text(text, ".toml").model
    m.set_parameter("h", 2.0)
    run = da.simulate(m, until=0.1)
    expected = np.array([0.5, 0.0, 2.0]) / np.hypot(0.5, 2.0)
    np.testing.assert_allclose(run["leg"].rotation[0] @ [0, 0, 1], expected, atol=1e-15)
