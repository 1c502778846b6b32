"""Parameters: an expression or a text may stand wherever a number can, and follows the parameter when it changes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.model.expression import Name

from .models import pendulum

VALUE = 0.7


def base(plane=True):
    m = da.Mechanism("base", plane=plane, gravity=(0, -9.81) if plane else (0, 0, -9.81))
    inertia = 0.4 if plane else (0.4, 0.5, 0.6)
    zero = (0, 0) if plane else (0, 0, 0)
    for k, name in enumerate(("b", "c")):
        m.body(name, mass=1.0 + k, inertia=inertia, at=(float(k), *zero[1:]))
    if plane:
        m.revolute("A", m.ground, "b", at=(0, 0))
        m.revolute("B", m.ground, "c", at=(1, 0))
    return m


PLANAR = {
    "mass": lambda m, x: m.body("n", mass=x, inertia=1.0),
    "inertia": lambda m, x: m.body("n", mass=1.0, inertia=x),
    "at": lambda m, x: m.body("n", mass=1, inertia=1, at=(x, 2)),
    "angle": lambda m, x: m.revolute("J", m.body("n", mass=1, inertia=1, angle=x), "b", at=(1, 2)),
    "center": lambda m, x: m.body("n", mass=1, inertia=1, center=(0.1, x)),
    "particle": lambda m, x: m.particle("n", mass=x, at=(x, x)),
    "shape": lambda m, x: m.body("n", da.rod(length=number(x), mass=1.0)),
    "revolute at": lambda m, x: m.revolute("J", "b", "c", at=(x, 1)),
    "revolute on body": lambda m, x: m.revolute("J", "b", "c", at=m["b"].point(x, 1)),
    "revolute zero": lambda m, x: m.damper("D", m.revolute("J", "b", "c", at=(0, 1), zero=x).angle, damping=1),
    "prismatic along": lambda m, x: m.prismatic("J", "b", "c", along=(1, x)),
    "prismatic axis of body": lambda m, x: m.prismatic("J", "b", "c", along=m["b"].axis(1, x)),
    "distance": lambda m, x: m.distance("J", (m["b"], (x, 0)), (m["c"], (0, x)), length=x),
    "absolute_x": lambda m, x: m.absolute_x("J", "b", value=x, at=m["b"].point(0, x)),
    "absolute_angle": lambda m, x: m.absolute_angle("J", "b", value=x),
    "revolute_translational": lambda m, x: m.revolute_translational("J", "b", "c", along=(1, 0), offset=x),
    "gear ratio": lambda m, x: m.gear("J", "A", "B", ratio=x),
    "gear teeth": lambda m, x: m.gear("J", "A", "B", teeth=(x, 2.0)),
    "belt": lambda m, x: m.belt("J", "A", "B", radii=(1.0, x)),
    "rack": lambda m, x: m.rack("J", "A", "c.x", radius=x),
    "constraint": lambda m, x: m.constraint("J", "c.y - b.y", value=x),
    "spring stiffness": lambda m, x: m.spring("F", (m.ground, (0, x)), (m["b"], (0, 0)), stiffness=x),
    "spring damping": lambda m, x: m.spring("F", (m.ground, (0, 1)), (m["b"], (0, 0)), damping=x),
    "spring free_length": lambda m, x: m.spring("F", (m.ground, (0, 1)), (m["b"], (0, 0)), stiffness=1, free_length=x),
    "spring force": lambda m, x: m.spring("F", (m.ground, (0, 1)), (m["b"], (0, 0)), stiffness=1, force=x),
    "torsion_spring": lambda m, x: m.torsion_spring("F", "A", stiffness=x, damping=x, free_angle=x, torque=x),
    "damper": lambda m, x: m.damper("F", "A", damping=x),
    "friction": lambda m, x: m.friction("F", "A", force=x, speed=x),
    "stop": lambda m, x: m.stop("F", "A", lower=x, upper=2.0, stiffness=x, damping=x),
    "bushing": lambda m, x: m.bushing(
        "F", "b", "c", at=(x, 1), stiffness=(x, 1), damping=x, torsion=x, torsion_damping=x
    ),
    "force": lambda m, x: m.force("F", "b", (x, 0), at=(0, x)),
    "torque": lambda m, x: m.torque("F", "b", x),
    "drive": lambda m, x: m.drive("D", "A", x),
    "gravity": lambda m, x: setattr(m, "gravity", (0, x)),
    "length": lambda m, x: setattr(m, "length", x),
    "measure": lambda m, x: m.damper("F", m.measure("n", point=(m["b"], (x, 0)), along=(1, x)), damping=1.0),
}
SPATIAL = {
    "inertia": lambda m, x: m.body("n", mass=1, inertia=(x, 0.6, 0.8)),
    "inertia tensor": lambda m, x: m.body("n", mass=1, inertia=((1, 0, 0), (0, 1, 0), (0, 0, x))),
    "rotation": lambda m, x: m.spherical(
        "J", m.body("n", mass=1, inertia=(1, 1, 1), rotation=((0, 1, 0), x)), "b", at=(1, 2, 3)
    ),
    "revolute axis": lambda m, x: m.revolute("J", "b", "c", at=(0, x, 0), axis=(0, x, 1)),
    "screw": lambda m, x: m.screw("J", "b", "c", at=(0, 0, 0), axis="z", pitch=x),
    "universal": lambda m, x: m.universal("J", "b", "c", at=(0, 0, 0), axes=((1, x, 0), (0, 0, x))),
    "point_on_plane": lambda m, x: m.point_on_plane("J", "b", "c", at=(0, 0, 0), normal=(x, 0, 1)),
    "bushing": lambda m, x: m.bushing(
        "F", "b", "c", at=(0, 0, 0), stiffness=(x, 1, 2), torsion=(x, x, 1), axis=(0, x, 1)
    ),
    "torque": lambda m, x: m.torque("F", "b", (0, x, 0), against="c"),
}


def number(x):
    """Shapes do not read text: they take the parameter itself."""
    return Name(x) if isinstance(x, str) else x


def arrays(m):
    numbering = da.compile(m).numbering
    return numbering.I, numbering.P, da.compile(m).q0


def same(a, b):
    # expressions are evaluated in the order they are written: a rounding or two
    return all(x.shape == y.shape and np.allclose(x, y, rtol=1e-14, atol=1e-15) for x, y in zip(a, b))


@pytest.mark.parametrize("place", [*PLANAR, *(f"space {name}" for name in SPATIAL)])
def test_expressions_in_every_place(place):
    plane = place in PLANAR
    make = PLANAR[place] if plane else SPATIAL[place.removeprefix("space ")]
    plain = base(plane)
    plain.parameter("r", VALUE)
    make(plain, VALUE)
    expected = arrays(plain)
    for form in ("name", "text", "formula", "changed"):
        m = base(plane)
        r = m.parameter("r", 0.9 if form == "changed" else VALUE, "m")
        x = {"name": r, "text": "r", "formula": (3 * r + 0 * r) / 3, "changed": r}[form]
        make(m, x)
        if form == "changed":
            assert not same(arrays(m), expected) or place == "length"
            m.set_parameter("r", VALUE)
        assert same(arrays(m), expected), (place, form)


def test_velocities_and_starts_follow_parameters():
    m = da.Mechanism("ball", gravity=(0, 0))
    u = m.parameter("u", 2.0, "m/s")
    m.body("b", mass=1, inertia=1, velocity=(u, "2*u"), spin=u / 4)
    m.body("c", mass=1, inertia=1)
    m.start("c.x", value=u, rate="-u")
    run = da.simulate(m, until=1.0, output=[1.0])
    assert np.allclose(run["b"].position[-1], [2.0, 4.0], atol=1e-12)
    assert run["b"].angle[-1] == pytest.approx(0.5, abs=1e-12)
    assert run["c"].position[-1, 0] == pytest.approx(0.0, abs=1e-12)
    m.set_parameter("u", 3.0)
    run = da.simulate(m, until=1.0, output=[1.0])
    assert np.allclose(run["b"].position[-1], [3.0, 6.0], atol=1e-12)


def test_parameters_in_laws_and_drivers():
    """x'' = -k/m x from x = a: x = a cos(sqrt(k/m) t), before and after the stiffness is changed."""
    m = da.Mechanism("oscillator")
    k, a = m.parameter("k", 4.0), m.parameter("a", 0.3)
    m.body("b", mass=1.0, inertia=1.0)
    m.start("b.x", value=a)
    m.actuator("spring", "b.x", force="-k*s")
    for value in (4.0, 9.0):
        m.set_parameter("k", value)
        run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
        # 1e-8: two orders above the tolerance of the integration
        assert np.abs(run["b"].position[:, 0] - 0.3 * np.cos(math.sqrt(value) * run.t)).max() < 1e-8
    driven = pendulum()
    w = driven.parameter("w", 2.0)
    driven.drive("motor", "A.angle", 0.5 * da.functions.sin(w * Name("t")))
    for value in (2.0, 5.0):
        driven.set_parameter("w", value)
        run = da.simulate(driven, until=1.0)
        # held exactly: only the tolerance of the projection, 1e-12
        assert np.abs(run["bar"].angle - 0.5 * np.sin(value * run.t)).max() < 1e-12
    assert float(k.evaluate({"k": 1.0})) == 1.0


def test_a_result_keeps_the_values_it_was_made_with():
    m = da.Mechanism("fall", gravity=(0, "-g"))
    m.parameter("g", 10.0)
    m.body("b", mass=1.0, inertia=1.0)
    run = da.simulate(m, until=1.0)
    energy = np.array(run.energy.total)
    m.set_parameter("g", 3.0)
    assert run["b"].position[-1, 1] == pytest.approx(-5.0, abs=1e-9)
    assert run.at(0.5).q[1] == pytest.approx(-1.25, abs=1e-9)
    assert np.array_equal(energy, np.array(run.energy.total))
    assert da.simulate(m, until=1.0)["b"].position[-1, 1] == pytest.approx(-1.5, abs=1e-9)


def test_values_by_name():
    m = da.Mechanism("values")
    r = m.parameter("r", 0.5, "m")
    assert m.parameters == {"r": 0.5}
    assert m.value(2 * r + 1) == 2.0
    assert m.value(3) == 3.0
    assert repr(m["r"]) == "<parameter 'r' = 0.5 m>"
    m.set_parameter("r", np.float64(0.25))
    assert m.parameters == {"r": 0.25} and m["r"].unit == "m"
    m.set_parameter("r", np.array(0.75))
    assert m.parameters == {"r": 0.75}


def test_a_number_in_a_unit_is_kept_in_si_units(tmp_path):
    m = da.Mechanism("units")
    m.parameter("r", 80, "mm")
    m.parameter("n", "1500 rpm")
    m.parameter("k", 2.5, "kN/mm")
    m.parameter("z", 20, label="teeth per wheel")
    assert m.parameters == {"r": 0.08, "n": pytest.approx(1500 * 2 * math.pi / 60, rel=1e-15), "k": 2.5e6, "z": 20}
    assert [m[name].unit for name in "rnkz"] == ["m", "rad/s", "N/m", "teeth per wheel"]
    m.body("b", mass=1.0, inertia=1.0, at=("r", 0))
    assert da.simulate(m, until=1.0)["b"].position[0, 0] == 0.08
    m.set_parameter("r", "9 cm")
    assert m.parameters["r"] == 0.09
    m.set_parameter("r", 0.1)  # a number alone is in SI units
    assert repr(m["r"]) == "<parameter 'r' = 0.1 m>"
    da.write_model(m, tmp_path / "units.toml")
    back = da.read_model(tmp_path / "units.toml")
    assert back.parameters == m.parameters and back["n"].unit == "rad/s"


@pytest.mark.parametrize(
    ("do", "text"),
    [
        (lambda m: m.set_parameter("r", "3 kg"), "a length"),
        (lambda m: m.set_parameter("z", "3 kg"), "a label"),
        (lambda m: m.parameter("a", "80 mmm"), "unknown unit"),
        (lambda m: m.parameter("a", "80 mm", "mm"), "given twice"),
        (lambda m: m.parameter("a", "80"), "finite number"),
        (lambda m: m.parameter("a", 30, "degrees"), "unknown unit 'degrees'"),
        (lambda m: m.parameter("a", 80, "N cm/inch"), "unknown unit 'inch'"),
        (lambda m: m.parameter("a", 80, "mm", label="gap"), "one of them"),
        (lambda m: m.parameter("a", 80, label=3), "a label is a text"),
        (lambda m: m.parameter("a", 1e99, "km"), r"beyond 1e\+100"),
    ],
)
def test_units_that_do_not_fit_a_parameter(do, text):
    m = da.Mechanism("units")
    m.parameter("r", 80, "mm")
    m.parameter("z", 20, label="teeth per wheel")
    with pytest.raises(da.ModelError, match=text):
        do(m)
    assert m.parameters == {"r": 0.08, "z": 20}
