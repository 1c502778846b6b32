"""What holds from one side only, what is open, and inputs, in written equations, arrays and code."""

from __future__ import annotations

import numpy as np
import pytest
from errors.checks import refused

import dalembert as da

from .test_export import load_numpy_text


def cam(closed=False):
    m = da.Mechanism("valve", plane=True, gravity=(0, -9.81))
    wheel, rod = m.body("wheel", mass=1.0, inertia=0.1), m.body("rod", mass=1.0, inertia=0.1, at=(0, 0.05))
    shaft = m.revolute("A", m.ground, wheel, at=(0, 0))
    guide = m.prismatic("guide", m.ground, rod, at=(0, 0.05), along=(0, 1))
    m.cam("track", shaft, guide, lift="0.02*sin(theta)", base=0.05, closed=closed)
    return m


def box(**contact):
    m = da.Mechanism("box", plane=True, gravity=(0, -9.81))
    m.contact("floor", m.ground, m.body("b", da.block(0.2, 0.2, mass=2.0), at=(0, 0.1)), **contact)
    return m


def stop():
    m = da.Mechanism("block", plane=True, gravity=(0, -9.81))
    m.impact("floor", m.prismatic("guide", m.ground, m.body("b", mass=1.0, inertia=0.1, at=(0, 1)), along=(0, 1)).slide)
    return m


def ball():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="9.81*y")
    m.impact("floor", "y")
    return m


ASK = {
    "export": da.export,
    "export minimal": lambda m: da.export(m, form="minimal"),
    "absolute": lambda m: da.equations(m, form="absolute"),
    "minimal": lambda m: da.equations(m, form="minimal"),
    "lagrange": lambda m: da.equations(m, form="lagrange"),
    "noncentroidal": lambda m: da.equations(m, form="noncentroidal"),
    "lagrangian_of": da.lagrangian_of,
    "compare_equations": da.compare_equations,
}


@pytest.mark.parametrize("ask", ASK.values(), ids=list(ASK))
@pytest.mark.parametrize(
    ("make", "name"), [(cam, "track"), (box, "floor"), (stop, "floor")], ids=["cam", "contact", "impact"]
)
def test_one_sided_parts_are_refused_by_name(ask, make, name):
    with refused(da.MethodError, f"'{name}'", f"m.open('{name}')"):
        ask(make())


@pytest.mark.parametrize("ask", [da.export, da.equations], ids=["export", "equations"])
def test_stops_of_coordinates_are_refused_until_they_are_open(ask):
    m = ball()
    with refused(da.MethodError, "'floor'", "m.open('floor')"):
        ask(m)
    m.open("floor")
    ask(m)


def test_what_is_open_is_left_out():
    m = cam()
    m.open("track")
    assert da.compare_equations(m).agree and da.compare_equations(m, "minimal").agree
    m.open("guide")
    assert load_numpy_text(da.export(m))["ROWS"] == ("A.gap_x", "A.gap_y")
    assert da.compare_equations(m).agree and da.compare_equations(m, "minimal").agree
    assert len(da.lagrangian_of(m).q) == 4  # one of the wheel, three of the rod
    tied = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", holonomic={"tie": "x - y"})
    tied.open("tie")
    assert load_numpy_text(da.export(tied))["ROWS"] == () and not da.equations(tied).model.holonomic
    assert da.classify(tied).n_speeds == 2


def test_two_sided_and_compliant_parts_are_written():
    assert da.compare_equations(cam(closed=True)).agree
    soft = box(stiffness=1e5)
    assert da.compare_equations(soft).agree
    # 0.01 m deep at the right end, by a law of the depth: -f of the written equations is what the compiled system has
    state = da.State(0.0, np.array([0.0, 0.09, 0.1]), np.zeros(3))
    found = load_numpy_text(da.export(soft))["f"](0.0, state.q, state.v)
    assert found == pytest.approx(da.equations(soft, state).Q, rel=1e-12) and found[1] > 0.0


@pytest.mark.parametrize("language", ["c", "numpy"])
def test_events_that_act_are_named(language):
    m = cart()
    m.event("seen", "rail.slide", level=0.1)
    assert "Between events" not in da.export(m, language=language)
    m.event("cut", "rail.slide", level=0.2, release="k")
    assert "Between events; what these do is not in it: cut." in da.export(m, language=language)


def test_classify_knows_joints_only():
    assert da.classify(box()).verdict == "free"


def test_arrays_hold_gaps_that_press():
    rest = da.equations(box())
    assert rest.a == pytest.approx(np.zeros(3), abs=1e-12)
    assert set(rest.row_names) == {"floor.bottom_left.gap", "floor.bottom_right.gap"}
    assert rest.lam.sum() == pytest.approx(-2.0 * 9.81)  # the weight
    flying = da.equations(box(), da.State(0.0, np.array([0.0, 1.0, 0.0]), np.zeros(3)))
    assert flying.a[1] == pytest.approx(-9.81) and flying.row_names == ()


# -- inputs ----------------------------------------------------------------------------------------------------------------


def cart(u=0.5):
    """2 x'' = -8 x + u + z, z' = x - z."""
    m = da.Mechanism("cart", plane=True)
    rail = m.prismatic("rail", m.ground, m.body("cart", mass=2.0, inertia=1.0), along=(1, 0))
    m.spring("k", rail.slide, stiffness=8.0)
    m.input("u", u, unit="N")
    m.actuator("motor", rail, force="u")
    return m


def test_input_of_state_space():
    m = cart(0.0)
    A, B, C, D = da.linearize(m).state_space(["u"], ["rail.slide", "rate(rail.slide)"])
    assert pytest.approx(np.array([[0, 1], [-4, 0]]), abs=1e-9) == A
    assert pytest.approx(np.array([[0], [0.5]]), abs=1e-9) == B
    assert (C == np.eye(2)).all() and not D.any()
    m.state("z", rate="rail.slide - z")
    m.actuator("lag", m["rail"], force="z")
    small = da.linearize(m)
    made = small.state_space(["k", "u", "rail.slide"], ["z", "u"])
    assert made.inputs == ("rail.slide", "u", "rail.slide") and made.A.shape == (3, 3)
    assert pytest.approx(np.array([[0, 0, 0], [0.5, 0.5, 0.5], [0, 0, 0]]), abs=1e-9) == made.B
    assert made.C.tolist() == [[0, 0, 1], [0, 0, 0]] and made.D.tolist() == [[0, 0, 0], [0, 1, 0]]
    # H(s) = 1/(2 s² + 8 - 1/(s + 1))
    transfer = small.transfer("u", "rail.slide")
    for s in (0.0, 0.7j, 1 + 2j):
        assert transfer(s) == pytest.approx(1 / (2 * s**2 + 8 - 1 / (s + 1)))
    assert np.sort_complex(transfer.poles) == pytest.approx(np.sort_complex(np.roots([2, 2, 8, 7])))
    other = da.linearize(da.lagrangian_of(m))
    assert other.transfer("u", "s_rail")(0.7j) == pytest.approx(transfer(0.7j))
    with refused(da.MethodError, "input 'z'"):
        other.state_space(["z"])


@pytest.mark.parametrize("form", ["absolute", "minimal"])
def test_input_is_a_parameter_of_code(form):
    m = cart()
    code = load_numpy_text(da.export(m, form=form))
    assert code["PARAMETERS"] == {"u": 0.5}
    zero = np.zeros(len(code["COORDINATES"]))
    assert code["f"](0.0, zero, zero)[0] == 0.5 and code["f"](0.0, zero, zero, {"u": 3.0})[0] == 3.0
    assert "p: u = 0.5" in da.export(m, form=form, language="c")
    assert da.compare_equations(m, form).agree


def test_input_is_a_symbol_of_written_equations():
    pytest.importorskip("sympy")
    for made in (da.equations(cart(), form="lagrange"), da.equations(da.lagrangian_of(cart()))):
        assert "2*s_rail'' + 8*s_rail = u" in str(made)


def test_states_are_refused_where_they_cannot_be_compared():
    m = cart()
    m.state("z", rate="rail.slide - z")
    with refused(da.MethodError, "'z'"):
        da.compare_equations(m, "minimal")
