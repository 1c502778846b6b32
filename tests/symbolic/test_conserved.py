"""Constants of the motion: found, right (their rate vanishes by the equations of motion), constant along runs; and none too many."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.symbolic.derivation import random_states
from tests.symbolic import machines
from tests.symbolic.machines import parameters, same


def rates_of(model, quantity, seed=3):
    """Rates dC/dt at random states with accelerations from the equations with multipliers, relative to the terms they are made of."""
    form = da.equations(model, form="multipliers")
    s = form.derivation.symbols
    rate = s.total_rate(quantity.sympy)
    terms = [rate.subs(dict.fromkeys(s.a, 0)), *(sp.diff(rate, a) * a for a in s.a)]
    numbers = form.derivation.numbers(terms, s.a)
    made = []
    for state in random_states(form.derivation, 4, seed):
        a = form.accelerations(state).accelerations
        x = np.array(numbers(state | {f"{k}''": v for k, v in a.items()}))
        made.append(abs(x.sum()) / max(np.abs(x).max(), 1e-6))
    return made


MACHINES = [
    machines.rolling_disk, machines.bar_on_shaft, machines.axle, machines.double_pendulum, machines.upright_disk,
    machines.sliding_pendulum, machines.pendulum, machines.double_pendulum_with_rods,
]  # fmt: skip


@pytest.mark.parametrize("make", MACHINES, ids=lambda f: f.__name__)
def test_rate_vanishes_by_the_equations(make):
    model = make()
    found = da.conserved(model)
    assert "energy" in found
    for quantity in found:
        assert max(rates_of(model, quantity)) < 1e-9, quantity


def test_l4_theta_is_ignorable():
    found = da.conserved(machines.bar_on_shaft())
    assert found.ignorable == ("theta",) and len(found) == 2
    constant = found["momentum of theta"]
    form = da.equations(machines.bar_on_shaft(), form="lagrange")
    m, a = parameters(form, "m", "a")
    # theta' sin^2(phi), times m a^2/3
    assert same(constant.sympy, m * a**2 / 3 * form.symbols["theta'"] * sp.sin(form.symbols["phi"]) ** 2)
    value = constant.evaluate({"theta": 0.1, "phi": 0.7, "rate(theta)": 2.0, "rate(phi)": 1.0})
    assert value == pytest.approx(1.2 * 0.7**2 / 3 * 2.0 * np.sin(0.7) ** 2, rel=1e-14)


def test_l5_torque_takes_the_momentum_away():
    """A constant torque has the potential -tau theta: the energy with it is constant, as its rate shows; one that changes with time has none."""
    model = machines.bar_on_shaft(torque=True)
    found = da.conserved(model)
    assert [x.name for x in found] == ["energy"] and found.ignorable == ()
    assert max(rates_of(model, found["energy"])) < 1e-9
    state = {"phi": 0.7, "rate(theta)": 2.0, "rate(phi)": 1.0}
    there, here = (found["energy"].evaluate({"theta": x, **state}) for x in (1.0, 0.0))
    assert there - here == pytest.approx(-model.parameters["tau"], rel=1e-12)
    shaken = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": "sin(t)"})
    assert "forces have power" in str(da.conserved(shaken))


def test_l6_momenta_of_the_wheels():
    """Two constants, linear in the wheel rates with constant factors: the rates are constant."""
    found = da.conserved(machines.axle())
    m, a, l = (sp.Symbol(x, real=True) for x in ("m", "a", "l"))
    d3, d4 = (sp.Symbol(f"{x}'", real=True) for x in ("q3", "q4"))
    alpha = a / l
    one, two = (x.sympy for x in found if x.kind == "admissible direction")
    assert same(one, m * a**2 / 2 * ((3 + alpha**2) * d3 - alpha**2 * d4))
    assert same(two, m * a**2 / 2 * ((3 + alpha**2) * d4 - alpha**2 * d3))


def test_k5_upright_disk():
    found = da.conserved(machines.upright_disk())
    m, A, C, r = (sp.Symbol(x, real=True) for x in ("m", "A", "C", "r"))
    assert same(found["momentum of theta"].sympy, A * sp.Symbol("theta'", real=True))
    # phi is tied to x and y: its own momentum C phi' is not what is constant
    assert same(found["momentum along phi"].sympy, (C + m * r**2) * sp.Symbol("phi'", real=True))
    assert found.ignorable == ("theta",) and len(found) == 3


def test_combinations_of_coordinates():
    m = da.Lagrangian(
        "x1 x2 x3", kinetic="m1*rate(x1)**2/2 + m2*rate(x2)**2/2 + m3*rate(x3)**2/2",
        potential="k*(x1 - x2)**2/2 + k*(r2*x2 - r3*x3)**2/2", parameters={"m1": 1, "m2": 2, "m3": 3, "k": 5, "r2": 0.2, "r3": 0.7},
    )  # fmt: skip
    found = da.conserved(m)
    (momentum,) = [x for x in found if x.kind == "translation"]
    m1, m2, m3, r2, r3 = (sp.Symbol(x, real=True) for x in ("m1", "m2", "m3", "r2", "r3"))
    d1, d2, d3 = (sp.Symbol(f"x{k}'", real=True) for k in (1, 2, 3))
    assert same(momentum.sympy, r3 * (m1 * d1 + m2 * d2) + r2 * m3 * d3)
    assert found.ignorable == ()


def test_rotations():
    m = da.Lagrangian(
        "x y z", kinetic="m*(rate(x)**2 + rate(y)**2 + rate(z)**2)/2", potential="-k/sqrt(x**2 + y**2 + z**2)",
        parameters={"m": 1.0, "k": 2.0},
    )  # fmt: skip
    found = da.conserved(m)
    assert [x.kind for x in found] == ["rotation"] * 3 + ["energy"]
    values = {"x": 1.0, "y": 2.0, "z": -0.5, "rate(x)": 0.3, "rate(y)": -0.2, "rate(z)": 0.9}
    r, v = np.array([1.0, 2.0, -0.5]), np.array([0.3, -0.2, 0.9])
    expected = sorted(abs(np.cross(r, v)))
    assert sorted(abs(x.evaluate(values)) for x in found if x.kind == "rotation") == pytest.approx(expected, rel=1e-14)
    # gravity along z leaves the rotation in x, y
    heavy = da.Lagrangian(
        "x y z", kinetic="m*(rate(x)**2 + rate(y)**2 + rate(z)**2)/2", potential="m*g*z",
        holonomic=["x**2 + y**2 + z**2 - l**2"], parameters={"m": 1.0, "g": 9.81, "l": 1.0},
    )  # fmt: skip
    (turn,) = [x for x in da.conserved(heavy) if x.kind == "rotation"]
    assert set(turn.direction) == {"x", "y"}


def test_jacobi_integral():
    """Bead on a wire that turns at constant speed: T0 counts with the other sign, and T + V is not constant."""
    m = da.Lagrangian(
        "r", kinetic="m*(rate(r)**2 + r**2*w**2)/2", potential="k*r**2/2", parameters={"m": 1.0, "w": 2.0, "k": 9.0}
    )
    (found,) = da.conserved(m)
    m_, w, k, r, dr = (sp.Symbol(x, real=True) for x in ("m", "w", "k", "r", "r'"))
    assert found.kind == "Jacobi integral"
    assert same(found.sympy, m_ * dr**2 / 2 - m_ * r**2 * w**2 / 2 + k * r**2 / 2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"dissipation": "c*rate(x)**2/2"}, "dissipation takes power"),
        ({"forces": {"x": "c*sin(t)"}}, "forces have power"),
        ({"potential": "c*x**2*cos(t)"}, "L contains t"),
        ({"nonholonomic": {"belt": "rate(x) - rate(y) - c"}}, "the row 'belt' drives"),
    ],
)
def test_why_energy_is_not_constant(options, reason):
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", parameters={"c": 0.3}, **options)
    found = da.conserved(m)
    assert "energy" not in found and reason in str(found)


@pytest.mark.parametrize("k", [1e-9, 1.0, 1e12])
def test_units_do_not_matter(k):
    """Stiffness and mass of any size beside each other: the same constants."""
    m = da.Lagrangian(
        "x y z",
        kinetic="m*(rate(x)**2 + rate(y)**2)/2 + rate(z)**2/2",
        potential="k*(x - y)**2/2",
        parameters={"m": 1e-3, "k": k},
    )
    found = da.conserved(m)
    # two free directions, and so a moment of momentum between them
    assert [x.kind for x in found] == ["ignorable coordinate", "translation", "rotation", "energy"]
    assert {"momentum of z", "momentum along x + y"} <= {x.name for x in found}


def test_gyroscopic_forces_keep_the_energy():
    """Forces (B y', -B x') are at right angles to the velocity: no power."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="k*(x**2 + y**2)/2",
        forces={"x": "B*rate(y)", "y": "-B*rate(x)"}, parameters={"m": 1.0, "k": 2.0, "B": 0.7},
    )  # fmt: skip
    assert "energy" in da.conserved(m)


@pytest.mark.parametrize(
    "make", [machines.bar_on_shaft, machines.rolling_disk, machines.sliding_pendulum], ids=lambda f: f.__name__
)
def test_constant_along_a_run(make):
    model = make()
    for k, name in enumerate(model.q):
        model.start(name, 0.5 + 0.1 * k, 0.4 - 0.3 * k) if name not in ("x", "y") else None
    run = da.simulate(model, until=2.0, rtol=1e-10, atol=1e-12)
    for quantity in da.conserved(model):
        values = [
            quantity.evaluate(dict(zip(model.q, q)) | {f"rate({x})": y for x, y in zip(model.q, v)})
            for q, v in zip(run.q, run.v)
        ]
        # a run of 1e-10 per step; hundreds of steps
        assert np.ptp(values) <= 1e-7 * max(1.0, np.max(np.abs(values))), quantity


def test_names_and_pages(tmp_path):
    found = da.conserved(machines.bar_on_shaft())
    assert "C_{1}" in found.latex() and found._repr_latex_().startswith("$")
    text = str(found)
    assert "momentum of theta" in text and "a**2*m*theta'*sin(phi)**2/3" in text
    found.to_html(tmp_path / "constants.html")
    assert "<math" in (tmp_path / "constants.html").read_text(encoding="utf-8")
    with pytest.raises(da.ModelError, match="did you mean 'momentum of theta'"):
        found["momentum of thet"]
