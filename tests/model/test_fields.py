"""Fields: forces per unit mass integrated over bodies, against closed forms and against integrals in plain numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.model.shapes import MassProperties, combine

A = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
SHAPES = [
    da.rod(2.0, mass=3.0), da.rod(2.0, radius=0.3, mass=3.0), da.rod(2.0, section=(0.3, 0.2), mass=1.0),
    da.rectangle(2.0, 1.0, mass=2.0), da.plate(2.0, 1.0, 0.3, mass=2.0), da.triangle(2.0, 1.5, mass=2.0, thickness=0.2),
    da.disk(0.7, mass=2.0, thickness=0.3), da.semicircle(0.7, mass=2.0), da.ring(0.7, mass=2.0),
    da.ring(0.7, width=0.2, thickness=0.1, mass=2.0), da.box(1.0, 2.0, 3.0, mass=3.0), da.sphere(0.4, mass=2.0),
    da.cylinder(0.3, 2.0, axis=(1, 2, 3), mass=2.0), da.tube(0.3, 0.2, 2.0, axis="y", mass=2.0), da.cone(0.3, 2.0, axis=(1, 2, 3), mass=2.0),
    da.lump(2.0, center=(1, 2, 3), inertia=((3, 0.1, 0.2), (0.1, 4, 0.3), (0.2, 0.3, 5))), da.lump(2.0, inertia=0.3),
    da.disk(0.7, mass=2.0).at(1, 2, angle=0.3) + da.rod(3.0, mass=1.0).at(0.1, 0.2) - da.disk(0.1, mass=0.1),
]  # fmt: skip


def load(model, name, body):
    """Force and torque of a field about the mass centre, where the model is drawn."""
    run = da.simulate(model, until=1e-6, output=1e-6)
    found = run[name].on(body)
    return np.asarray(found.force[0]), np.asarray(found.torque[0])


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind)
def test_points_have_mass_centre_and_inertia_of_the_body(shape):
    p = shape.mass_properties()
    for n in (2, 3, 5):
        q = combine([MassProperties(w, at, np.zeros((3, 3))) for at, w in shape.nodes(n)])
        # sums of some ten numbers of size 10
        assert q.mass == pytest.approx(p.mass, rel=1e-14)
        assert q.center == pytest.approx(p.center, abs=1e-14)
        assert q.inertia == pytest.approx(p.inertia, abs=3e-14)


@pytest.mark.parametrize("shape", [s for s in SHAPES if s.kind not in ("lump", "composite")], ids=lambda s: s.kind)
def test_rules_are_exact_to_degree_2n_minus_1(shape):
    fine = shape.nodes(8)

    def moment(nodes, a, b, c):
        return sum(w * at[0] ** a * at[1] ** b * at[2] ** c for at, w in nodes)

    powers = [(a, b, c) for a in range(6) for b in range(6 - a) for c in range(6 - a - b)]
    for n in (2, 3):
        nodes = shape.nodes(n)
        for p in powers:
            if sum(p) <= 2 * n - 1:
                assert moment(nodes, *p) == pytest.approx(moment(fine, *p), abs=1e-12)
    # against something that was not made by these rules: fourth moments of a rod
    assert moment(da.rod(2.0, mass=3.0).nodes(3), 4, 0, 0) == pytest.approx(3.0 / 5.0, rel=1e-14)


def test_gravity_gradient_of_a_linear_field():
    # f = μ/R³ (3 r̂ r̂ᵀ − 1) s turns a body by 3μ/R³ r̂ × J r̂, and does not push it where its centre is
    k, n = 1.7, np.array([0.6, 0.0, 0.8])
    B = k * (3.0 * np.outer(n, n) - np.eye(3))
    text = tuple(" + ".join(f"({float(B[i, c])!r})*{'xyz'[c]}" for c in range(3)) for i in range(3))
    for options in ({"shape": da.box(1.0, 2.0, 3.0, mass=5.0)}, {"mass": 2.0, "inertia": ((3, 0.1, 0.2), (0.1, 4, 0.3), (0.2, 0.3, 5))}):  # fmt: skip
        m = da.Mechanism("satellite", plane=False)
        body = m.body("body", **options, rotation=A)
        m.field("gradient", text)
        force, torque = load(m, "gradient", body)
        J = A @ body.shape.mass_properties().inertia @ A.T
        assert force == pytest.approx(np.zeros(3), abs=1e-12)
        assert torque == pytest.approx(3.0 * k * np.cross(n, J @ n), abs=1e-12)


def test_gravity_of_a_distant_planet():
    # −μ r/|r|³ over the whole body: the gradient torque in the limit of a small body, the next term smaller by a/R
    mu, errors = 5.0, []
    n = np.array([0.6, 0.0, 0.8])
    for R in (20.0, 40.0):
        m = da.Mechanism("orbit", plane=False)
        body = m.body("body", da.box(1.0, 2.0, 3.0, mass=5.0), at=R * n, rotation=A)
        m.field("planet", tuple(f"-{mu}*{x}/sqrt(x**2 + y**2 + z**2)**3" for x in "xyz"))
        force, torque = load(m, "planet", body)
        J = A @ body.shape.mass_properties().inertia @ A.T
        limit = 3.0 * mu / R**3 * np.cross(n, J @ n)
        errors.append(np.max(np.abs(torque - limit)) / np.max(np.abs(limit)))
        assert force == pytest.approx(-mu * 5.0 / R**2 * n, abs=2e-2 * mu * 5.0 / R**2)
    # the box is symmetric: the next term is (a/R)² smaller
    assert errors[0] < 2e-2 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_converged_over_the_shape():
    # a planet near a rod, against an integral with 40 points in plain numpy
    x, w = np.polynomial.legendre.leggauss(40)
    r = np.column_stack([x, np.full(40, 3.0)])
    f = -r / np.linalg.norm(r, axis=1)[:, None] ** 3 * w[:, None]
    exact, turn = f.sum(axis=0), float(np.sum(x * f[:, 1]))
    error = []
    for points in (2, 3, 5):
        m = da.Mechanism("near", plane=True)
        bar = m.body("bar", da.rod(length=2.0, mass=2.0), at=(0, 3))
        m.field("planet", ("-x/sqrt(x**2 + y**2)**3", "-y/sqrt(x**2 + y**2)**3"), on="bar", points=points)
        force, torque = load(m, "planet", bar)
        assert torque == pytest.approx(turn, abs=1e-15)
        error.append(np.max(np.abs(force - exact)))
    assert error[0] > 10 * error[1] > 100 * error[2] and error[2] < 1e-7
    m = da.Mechanism("too near", plane=True)
    m.body("bar", da.rod(length=2.0, mass=2.0), at=(0, 0.4))
    with pytest.raises(da.ModelError, match="changes too fast over the body"):
        m.field("planet", ("-x/sqrt(x**2 + y**2)**3", "-y/sqrt(x**2 + y**2)**3"))


def test_gravity_that_varies_in_time():
    # a free body falls by the double integral of g(t)
    m = da.Mechanism("lift", plane=True)
    m.body("crate", da.block(1.0, 0.5, mass=3.0))
    m.field("gravity", (0, "-9.81*(1 + 0.5*sin(2*t))"))
    run = da.simulate(m, until=1.3)
    t = 1.3
    expected = -9.81 * (t**2 / 2 + 0.5 * (t / 2 - math.sin(2 * t) / 4))
    assert run["crate"].position[-1, 1] == pytest.approx(expected, rel=1e-9)
    assert run["crate"].angle[-1] == pytest.approx(0.0, abs=1e-12)


def test_same_field_as_gravity():
    runs = []
    for field in (False, True):
        m = da.Mechanism("pendulum", plane=True, gravity=None if field else (0, -9.81))
        bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
        m.revolute("A", m.ground, bar, at=(0, 0))
        if field:
            m.field("gravity", (0, -9.81))
        runs.append(da.simulate(m, until=0.7))
    assert runs[1]["bar"].angle[-1] == pytest.approx(runs[0]["bar"].angle[-1], abs=1e-9)
    # its work is what the weight loses of its potential
    assert runs[1].status == "ok", runs[1].audit
    drop = runs[0].energy.potential[0] - runs[0].energy.potential[-1]
    assert runs[1].energy.kinetic[-1] == pytest.approx(drop, rel=1e-8)


def test_load_spread_over_a_beam():
    # q(s) = q0 s/l from the left end: resultant q0 l/2 at 2l/3 (LAGRANGE 1.3, a distributed force and its moment)
    m = da.Mechanism("beam", plane=True)
    beam = m.body("beam", da.rod(length=3.0, mass=1.0), at=(1.5, 0))
    m.field("snow", (0, "-600*(x + 1.5)/3"), on=beam, per="length", place="body")
    force, torque = load(m, "snow", beam)
    assert force == pytest.approx([0.0, -900.0], abs=1e-12)
    assert torque == pytest.approx(-900.0 * (2.0 - 1.5), rel=1e-14)
    m.field("twist", None, on=beam, per="length", place="body", moment="4*(x + 1.5)")
    assert load(m, "twist", beam)[1] == pytest.approx(18.0, rel=1e-14)
    # pressure across a turned plate pushes along its own axes
    m = da.Mechanism("gate", plane=True)
    gate = m.body("gate", da.rectangle(2.0, 0.5, mass=1.0), angle=math.pi / 6)
    m.field("pressure", (0, "100 + 30*x"), on=gate, per="area", place="body", frame="body")
    force, torque = load(m, "pressure", gate)
    assert force == pytest.approx([-100.0 * 0.5, 100.0 * math.cos(math.pi / 6)], rel=1e-13)
    assert torque == pytest.approx(30.0 * 2.0**3 * 0.5 / 12.0, rel=1e-13)


def test_velocity_in_a_field():
    # drag −c v per length over a rod that turns about its middle: torque −c ω l³/12
    m = da.Mechanism("propeller", plane=True)
    bar = m.body("bar", da.rod(length=2.0, mass=3.0), spin=5.0, velocity=(1.0, 0))
    m.field("drag", ("-0.4*vx", "-0.4*vy"), per="length")
    force, torque = load(m, "drag", bar)
    assert torque == pytest.approx(-0.4 * 5.0 * 8.0 / 12.0, rel=1e-12)
    assert force == pytest.approx([-0.8, 0.0], abs=1e-12)


def test_lagrangian_field_equals_that_of_a_mechanism():
    inertia = ((3.0, 0.1, 0.2), (0.1, 4.0, 0.3), (0.2, 0.3, 5.0))
    field = ("1.5*x - 0.3*y + 0.2*vz", "0.4*z + t - 0.5*vx", "-x + 2*z - 0.1*vy")
    m = da.Mechanism("space", plane=False)
    m.body("body", mass=2.0, inertia=inertia, at=(0.3, -0.2, 0.5), velocity=(0.1, 0.2, 0.3), spin=(0.3, 0.1, -0.4))
    m.field("tide", field, moment=("0.3", "x", 0))
    run = da.simulate(m, until=0.5)
    L = da.Lagrangian("a b c psi theta phi", name="the same")
    L.body("body", mass=2.0, inertia=inertia, at=("a", "b", "c"), turns=[("z", "psi"), ("y", "theta"), ("x", "phi")])
    L.field("tide", field, moment=("0.3", "x", 0))
    # ω = (0.3, 0.1, −0.4) in body axes at zero angles: φ' − …, θ', ψ'
    for name, value, rate in (
        ("a", 0.3, 0.1),
        ("b", -0.2, 0.2),
        ("c", 0.5, 0.3),
        ("psi", 0, -0.4),
        ("theta", 0, 0.1),
        ("phi", 0, 0.3),
    ):
        L.start(name, value, rate)
    twin = da.simulate(L, until=0.5)
    # two integrations with tolerances of 1e-8 or better of numbers of size 1
    assert [twin["a"][-1], twin["b"][-1], twin["c"][-1]] == pytest.approx(run["body"].position[-1], abs=1e-7)
    psi, theta, phi = (twin[x][-1] for x in ("psi", "theta", "phi"))
    rotation = run["body"].rotation[-1]
    assert [rotation[1, 0], rotation[2, 0], rotation[2, 1]] == pytest.approx(
        [math.sin(psi) * math.cos(theta), -math.sin(theta), math.cos(theta) * math.sin(phi)], abs=1e-7
    )
    with pytest.raises(da.ModelError, match="no shape"):
        L.field("planet", ("x**2", 0, 0))


def test_field_in_files_and_with_parameters(tmp_path):
    text = """
    name = "bar"
    plane = true
    [parameters]
    l = "2 m"
    w = "3 rad/s"
    [bodies.bar]
    shape = { rod = { length = "l", mass = 1.0 } }
    [forces.tide]
    type = "field"
    value = ["w**2*x", "1 m/s^2"]
    [forces.snow]
    type = "field"
    value = [0, "-2 N/cm"]
    on = ["bar"]
    per = "length"
    points = 2
    """
    path = tmp_path / "bar.toml"
    path.write_text(text)
    m = da.read_model(path)
    again = tmp_path / "again.toml"
    da.write_model(m, again)
    m = da.read_model(again)
    assert load(m, "snow", "bar")[0] == pytest.approx([0.0, -400.0])
    m["tide"]  # it is there under its name
    for l in (1.0, 2.0):
        m.set_parameter("l", l)
        e = da.equations(m)
        # w² ∫x² dm of a bar along x has no moment; turned by a quarter it neither: the generalized force is that at the centre
        assert e.Q[:2] == pytest.approx([0.0, 1.0 - 200.0 * l])
    path.write_text(text.replace('"1 m/s^2"', '"1 m"'))
    with pytest.raises(da.ModelFileError, match="an acceleration .* belongs here"):
        da.read_model(path)
    L = da.Lagrangian("u", name="spring of a field")
    L.particle("p", mass=2.0, at=("u", 0))
    L.field("pull", ("-4*x", 0))
    da.write_model(L, tmp_path / "l.toml")
    L = da.read_model(tmp_path / "l.toml")
    assert str(L.forces["u"].diff("u").simplify()) == "-8"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "neither value nor moment"),
        ({"value": (1, 2, 3)}, "2 components are needed"),
        ({"value": ("z", 0)}, "there is no z"),
        ({"value": ("q", 0)}, "q"),
        ({"value": (lambda x: x, 0)}, "Python function"),
        ({"value": (1, 0), "per": "weight"}, "per = 'weight'"),
        ({"value": (1, 0), "on": "ground"}, "ground does not move"),
        ({"value": (1, 0), "on": ["bar", "bar"]}, "twice"),
        ({"value": (1, 0), "per": "area"}, "a rod has length"),
        ({"value": ("vx", 0), "place": "body"}, "axes of its own body"),
        ({"value": (1, 0), "points": 0}, "points = 0"),
    ],
)
def test_mistakes_are_told(options, message):
    m = da.Mechanism("bar", plane=True)
    m.body("bar", da.rod(length=1.0, mass=1.0))
    with pytest.raises((da.ModelError, da.ExpressionError), match=message):
        m.field("f", **options)
    assert "f" not in m
