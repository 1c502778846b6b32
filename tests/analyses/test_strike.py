"""strike: velocity jumps against an independent dense solution, balances, restitution in closed form, refusals.

Tolerance 1e-12: numbers of size 1 to 100, one linear solution refined once.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from tests.errors.checks import refused

from .machines import fb4

TOLERANCE = 1e-12


def dense(m, state, impulse):
    """[M J^T; J 0] (v+ - v-, L) = (P, nu - J v-), solved as it is written; least squares where rows depend on each other."""
    e = da.equations(m, state)
    n, r = len(e.M), len(e.jac)
    matrix = np.block([[e.M, e.jac.T], [e.jac, np.zeros((r, r))]])
    right = np.concatenate([impulse, e.nu - e.jac @ state.v])
    x = np.linalg.lstsq(matrix, right, rcond=1e-13)[0]
    return state.v + x[:n], e.jac.T @ x[n:], e.M


def chain(seed, plane=False):
    """Free chain of three bodies in general position, moving."""
    rng = np.random.default_rng(seed)
    m = da.Mechanism("chain", plane=plane)
    for k in range(3):
        at, velocity = rng.uniform(-1, 1, 2 if plane else 3), rng.uniform(-1, 1, 2 if plane else 3)
        if plane:
            m.body(f"b{k}", mass=1.0 + k, inertia=0.3 + k, at=at + (k, 0), angle=rng.uniform(-3, 3))
        else:
            m.body(
                f"b{k}",
                mass=1.0 + k,
                inertia=(0.5, 0.6, 0.7 + 0.1 * k),
                at=at + (k, 0, 0),
                rotation=(rng.normal(size=3), 1.0),
            )
        m.start(f"b{k}.x", rate=float(velocity[0]))
    if plane:
        m.revolute("A", "b0", "b1", at=(0.5, 0.2))
        m.revolute("B", "b1", "b2", at=(1.5, -0.2))
    else:
        m.revolute("A", "b0", "b1", at=(0.5, 0.2, 0.1), axis=(1, 2, 3))
        m.spherical("B", "b1", "b2", at=(1.5, -0.2, 0.4))
    return m


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_against_the_dense_system_and_momentum(seed, plane):
    m, rng = chain(seed, plane), np.random.default_rng(100 + seed)
    size = 2 if plane else 3
    state = da.equations(m).state
    at = [rng.uniform(-1, 1, size) for _ in range(2)]
    blows = [rng.uniform(-5, 5, size) for _ in range(2)]
    couple = rng.uniform(-2, 2) if plane else rng.uniform(-2, 2, 3)
    found = da.strike(
        m, {"b0": (blows[0], m["b0"].point(*at[0])), "b2": (blows[1], at[1])}, couple={"b1": couple}, state=state
    )
    # generalized impulse from the motion of the points, by the definition of the source: sum (dv/dq')^T a
    run = da.simulate(m, until=1e-6, start=state)
    turn = [np.asarray(run[f"b{k}"].rotation)[0] for k in range(3)]
    full = lambda x: np.array([*x, 0.0]) if plane else np.asarray(x)  # noqa: E731
    impulse = np.zeros(9 if plane else 18)
    for k, j, arm in ((0, blows[0], at[0]), (2, blows[1], at[1])):
        moment = np.cross(turn[k] @ full(arm), full(j))
        impulse[(3 if plane else 6) * k :][: 3 if plane else 6] = (
            [*j, moment[2]] if plane else [*j, *(turn[k].T @ moment)]
        )
    if plane:
        impulse[5] += couple
    else:
        impulse[9:12] += turn[1].T @ couple
    after, reaction, mass = dense(m, state, impulse)
    assert found.after.v == pytest.approx(after, abs=TOLERANCE)
    change = 0.5 * (after @ mass @ after - state.v @ mass @ state.v)
    assert found.energy_change == pytest.approx(change, abs=1e-11)
    # the joints do no work on velocities that fit them: the change is the work of the blow
    assert found.energy_change == pytest.approx(0.5 * impulse @ (after + state.v), abs=1e-11)
    # momentum of the whole: joints are internal
    masses = np.repeat([1.0, 2.0, 3.0], size).reshape(3, size)
    jump = (found.after.v - found.before.v).reshape(3, -1)[:, :size]
    assert (masses * jump).sum(axis=0) == pytest.approx(blows[0] + blows[1], abs=TOLERANCE)
    # impulse on each body by name: b2 feels the joint B and its blow
    b2 = 3.0 * jump[2]
    assert found.impulse["B"].linear == pytest.approx(b2 - blows[1], abs=TOLERANCE)
    assert found.impulse["B"].on("b1").linear == pytest.approx(blows[1] - b2, abs=TOLERANCE)
    assert np.abs(found.impulse["B"].angular).max() < TOLERANCE, "a ball or a pin transmits no couple"


def ball_on_bar(u=3.0, d=0.6, plane=True):
    """A bar of 1 m and 2 kg on a pivot, level; a ball of 0.5 kg falls on it at the distance d with the speed u."""
    m = da.Mechanism("ball on bar", plane=plane)
    up = (0, 1) if plane else (0, 1, 0)
    bar_inertia = 2.0 / 12.0
    bar = m.body(
        "bar",
        mass=2.0,
        inertia=bar_inertia if plane else (0.1, bar_inertia, bar_inertia),
        at=(0.5, 0, 0)[: 2 + (not plane)],
    )
    ball = m.particle("ball", mass=0.5, at=(d, 0, 0)[: 2 + (not plane)], velocity=(0, -u, 0)[: 2 + (not plane)])
    m.revolute("A", m.ground, bar, at=(0, 0, 0)[: 2 + (not plane)], **({} if plane else {"axis": (0, 0, 1)}))
    place = bar.point(d - 0.5, 0) if plane else bar.point(d - 0.5, 0, 0)
    m.measure("gap", point=ball.point(*(0,) * (2 + (not plane))), along=up, relative_to=place)
    return m


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("d", [0.2, 2 / 3, 1.0])
@pytest.mark.parametrize("plane", [True, False])
def test_ball_on_bar(e, d, plane):
    """p = (1 + e) u / (1/m + d^2/J), J = 2/3 kg m^2 about the pivot; loss = (1 - e^2) u^2 / (2 (1/m + d^2/J))."""
    u, m, j = 3.0, 0.5, 2.0 / 3.0
    found = da.strike(ball_on_bar(u, d, plane), restitution={"gap": e})
    p = (1 + e) * u / (1 / m + d**2 / j)
    v = found.after.v
    spin, fall = (v[2], v[4]) if plane else (v[5], v[7])
    assert spin == pytest.approx(-p * d / j, abs=TOLERANCE)
    assert fall == pytest.approx(-u + p / m, abs=TOLERANCE)
    assert found.impulse["gap"].effort == pytest.approx(p, abs=TOLERANCE)
    assert found.impulse["gap"].on("ball").linear[1] == pytest.approx(p, abs=TOLERANCE)
    assert found.impulse["gap"].on("bar").linear[1] == pytest.approx(-p, abs=TOLERANCE)
    assert found.energy_change == pytest.approx(-(1 - e**2) * u**2 / (2 * (1 / m + d**2 / j)), abs=TOLERANCE)
    # pivot: A - p = 2 kg * v_centre, and nothing where the ball hits the centre of percussion
    assert found.impulse["A"].linear[1] == pytest.approx(p - 2.0 * p * d / j * 0.5, abs=TOLERANCE)
    if d == 2 / 3:
        assert np.abs(found.impulse["A"].linear).max() < TOLERANCE


def test_two_measures_at_once():
    """A free level rod falls with both ends on stops, e different: the ends rebound as told."""
    m = da.Mechanism("rod")
    rod = m.body("rod", da.rod(length=2.0, mass=3.0), velocity=(0.5, -2.0), spin=0.3)
    m.measure("left", point=rod.start, along=(0, 1))
    m.measure("right", point=rod.end, along=(0, 1))
    found = da.strike(m, restitution={"left": 0.2, "right": 0.7})
    left, right = -2.0 - 0.3, -2.0 + 0.3
    x, y, w = found.after.v
    assert (x, y - w, y + w) == pytest.approx((0.5, -0.2 * left, -0.7 * right), abs=TOLERANCE)
    total = found.impulse["left"].effort + found.impulse["right"].effort
    assert total == pytest.approx(3.0 * (y + 2.0), abs=TOLERANCE)


def test_a_driver_keeps_its_rate_and_takes_an_impulse():
    m = fb4()
    m.drive("motor", "A.angle", "pi/2 + 2*t")
    rocker = m["rocker"]
    found = da.strike(m, {"rocker": ((7.0, 1.0), rocker.point(1.0, 0))})
    assert found.after.v == pytest.approx(found.before.v, abs=TOLERANCE), "one degree of freedom, and it is driven"
    # virtual work: the motor balances the blow, H w_crank = -P v_point
    v = found.before.v
    angle = found.before.q[8]
    arm = np.array([math.cos(angle), math.sin(angle)])
    point = v[6:8] + v[8] * np.array([-arm[1], arm[0]])
    assert found.impulse["motor"].effort * 2.0 == pytest.approx(-np.dot([7.0, 1.0], point), abs=1e-11)


def test_redundant_hinges_share():
    """FB4 with four hinges in space is struck as in the plane; what hinges share out of the plane is marked."""
    plane, space = fb4(), fb4(plane=False)
    one = da.strike(plane, {"coupler": ((1.0, -4.0), plane["coupler"].point(0.3, 0.1))})
    two = da.strike(space, {"coupler": ((1.0, -4.0, 0.0), space["coupler"].point(0.3, 0.1, 0.0))})
    assert two.after.v.reshape(3, 6)[:, [0, 1, 5]].ravel() == pytest.approx(one.after.v, abs=TOLERANCE)
    for name in "ABCD":
        assert two.impulse[name].linear[:2] == pytest.approx(one.impulse[name].linear, abs=1e-11)
        assert one.impulse[name].unique and not two.impulse[name].unique
    assert "(not unique)" in str(two) and "not unique" not in str(one)


def test_units_do_not_matter():
    """The same blow in kg, mm, s: velocities a thousand times, impulses likewise, moments a million times."""
    found = []
    for s in (1.0, 1000.0):
        m = da.Mechanism("bar")
        bar = m.body("bar", mass=2.0, inertia=0.3 * s**2, at=(0.5 * s, 0.2 * s), angle=0.4)
        m.body("arm", mass=1.0, inertia=0.1 * s**2, at=(1.2 * s, 0))
        m.revolute("A", m.ground, "bar", at=(0, 0))
        m.revolute("B", "bar", "arm", at=(s, 0.1 * s))
        m.fixed("C", "arm", m.body("tip", mass=0.3, inertia=0.01 * s**2, at=(1.5 * s, 0.3 * s)))
        found.append(da.strike(m, {"bar": ((s, 2 * s), bar.point(0.1 * s, 0))}, couple={"arm": 0.7 * s**2}))
    one, two = found
    scale = np.tile([1000.0, 1000.0, 1.0], 3)
    assert two.after.v == pytest.approx(one.after.v * scale, rel=1e-11)
    assert two.impulse["B"].linear == pytest.approx(one.impulse["B"].linear * 1000.0, rel=1e-11)
    assert two.impulse["C"].angular == pytest.approx(one.impulse["C"].angular * 1e6, rel=1e-10)
    assert two.energy_change == pytest.approx(one.energy_change * 1e6, rel=1e-11)


def test_several_blows_on_one_body_and_the_mass_centre_by_default():
    m = da.Mechanism("free")
    body = m.body("b", mass=2.0, inertia=0.5, center=(0.1, 0.0))
    found = da.strike(m, {"b": (1.0, 2.0)})
    assert found.after.v == pytest.approx([0.5, 1.0, 0.0], abs=TOLERANCE)
    found = da.strike(m, {body: [((1.0, 0.0), (0.1, 0.3)), ((-1.0, 0.0), (0.1, -0.3))]})
    assert found.after.v == pytest.approx([0.0, 0.0, -0.6 / 0.5], abs=TOLERANCE)


def test_what_it_prints():
    m = ball_on_bar()
    text = str(da.strike(m, restitution={"gap": 0.5}))
    assert "strike of 'ball on bar'" in text and "gap" in text and "kinetic energy 2.25" in text
    found = da.strike(m, restitution={"gap": 0.5})
    assert set(found.impulse) == {"A", "gap"} and len(found.impulse) == 2
    assert "N s" in repr(found.impulse["A"])


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_nothing_strikes():
    with refused(da.MethodError, "strike('ball on bar')", "nothing strikes"):
        da.strike(ball_on_bar())


def test_unknown_names():
    m = ball_on_bar()
    with refused(da.ModelError, "'bat'", "did you mean"):
        da.strike(m, {"bat": (1, 0)})
    with refused(da.DalembertError, "gop"):
        da.strike(m, restitution={"gop": 0.5})
    with refused(da.ModelError, "impulse of 'B'", "known"):
        da.strike(m, {"bar": (1, 0)}).impulse["B"]
    with refused(da.MethodError, "strike(", "unknown argument 'impulses'"):
        da.strike(m, impulses={"bar": (1, 0)})
    with refused(da.MethodError, "ground"):
        da.strike(m, {"ground": (1, 0)})
    with refused(da.MethodError, "Mechanism is needed"):
        da.strike("bar")


@pytest.mark.parametrize("e", [-0.1, 1.01, math.nan, "half", None, True])
def test_restitution_outside_zero_to_one(e):
    with refused(da.MethodError, "restitution of 'gap'", "between 0"):
        da.strike(ball_on_bar(), restitution={"gap": e})


def test_no_approach():
    with refused(da.MethodError, "the rate of 'gap' is 0", "nothing approaches"):
        da.strike(ball_on_bar(u=0.0), restitution={"gap": 0.5})


def test_a_measure_that_the_joints_hold():
    m = ball_on_bar()
    m.measure("pin", point=m["bar"].point(-0.5, 0), along=(0, 1))
    with refused(da.MethodError, "restitution of 'pin'", "hold this measure"):
        da.strike(m, restitution={"gap": 0.5, "pin": 0.5})


def test_measures_that_depend_on_each_other():
    m = ball_on_bar()
    m.measure("again", "2*gap")
    with refused(da.MethodError, "'gap', 'again'", "depend on each other"):
        da.strike(m, restitution={"gap": 0.5, "again": 0.5})
    with refused(da.MethodError, "twice"):
        da.strike(m, restitution=[("gap", 0.5), ("gap", 0.2)])


@pytest.mark.parametrize(
    "impulse", [{"bar": 3}, {"bar": (1, 2, 3)}, {"bar": (1, math.nan)}, {"bar": ((1, 2), "tip")}, "bar", 5]
)
def test_impulses_that_are_none(impulse):
    with refused(da.DalembertError, "strike('ball on bar')" if not isinstance(impulse, dict) else "'bar'"):
        da.strike(ball_on_bar(), impulse)


def test_points_of_other_bodies_and_couples_on_particles():
    m = ball_on_bar()
    with refused(da.MethodError, "lies on another body"):
        da.strike(m, {"ball": ((0, 1), m["bar"].point(0, 0))})
    with refused(da.ModelError, "no orientation"):
        da.strike(m, couple={"ball": 1.0})
    with refused(da.ModelError, "couple on 'bar'"):
        da.strike(m, couple={"bar": (1.0, 2.0)})


def test_states_that_do_not_fit():
    m = ball_on_bar()
    state = da.equations(m).state
    torn = da.State(0.0, state.q + 0.1, state.v)
    with refused(da.AssemblyError, "strike('ball on bar')", "'A' by"):
        da.strike(m, {"bar": (0, 1)}, state=torn)
    wrong = da.State(0.0, state.q, state.v + 1.0)
    with refused(da.AssemblyError, "strike('ball on bar')", "'A' by 1 m/s"):
        da.strike(m, {"bar": (0, 1)}, state=wrong)
    found = da.strike(m, {"bar": (0, 1)}, state=wrong, velocities="impulsive")
    after, _, _ = dense(m, wrong, np.array([0, 1.0, 0, 0, 0, 0]))
    assert found.after.v[:5] == pytest.approx(after[:5], abs=TOLERANCE)
    with refused(da.MethodError, "velocities = 'maybe'"):
        da.strike(m, {"bar": (0, 1)}, velocities="maybe")
    with refused(da.MethodError, "a State is needed"):
        da.strike(m, {"bar": (0, 1)}, state=3)


def test_a_massless_link():
    """A square of two cranks and a massless coupler: the coupler passes the blow on.

    Both cranks turn by w = -(P_x * 1 m) / (2 J), J = 0.2 + 0.25 kg m^2 about the pin; moments on the coupler balance without inertia.
    """
    m = da.Mechanism("massless")
    for name, x in (("a", 0), ("b", 2)):
        m.body(name, mass=1.0, inertia=0.2, at=(x, 0.5))
    m.body("c", mass=0.0, inertia=0.0, at=(1, 1))
    m.revolute("A", m.ground, "a", at=(0, 0))
    m.revolute("B", "a", "c", at=(0, 1))
    m.revolute("C", "c", "b", at=(2, 1))
    m.revolute("D", m.ground, "b", at=(2, 0))
    found = da.strike(m, {"c": ((1.0, 0.5), (0.3, 0))})
    assert [found.after.v[k] for k in (2, 5)] == pytest.approx([-1.0 / 0.9] * 2, abs=TOLERANCE)
    # 0.5 N s at 1.3 m from B and 0.7 m from C, shared like a beam; sideways half each, by symmetry
    assert found.impulse["B"].on("a").linear == pytest.approx([0.5, 0.5 * 0.7 / 2], abs=TOLERANCE)
    assert found.impulse["C"].on("b").linear == pytest.approx([0.5, 0.5 * 1.3 / 2], abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(5))
def test_turned_in_space(seed):
    """A machine turned with its blow answers turned."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    plain, turned = fb4(plane=False), fb4(plane=False, turn=lambda p: tuple(turn @ np.array(p)))
    plain.length = turned.length = (
        4.0  # the extent of the drawing, which weighs moments against forces, depends on the axes
    )
    blow = np.array([2.0, -3.0, 1.0])
    one = da.strike(plain, {"rocker": (blow, (0.4, 0.1, 0.2))})
    two = da.strike(turned, {"rocker": (turn @ blow, (0.4, 0.1, 0.2))})
    for name in "ABCD":
        # what is shared by redundant hinges is the smallest load that fits, which turns too
        assert two.impulse[name].linear == pytest.approx(turn @ one.impulse[name].linear, abs=1e-9)
        assert two.impulse[name].angular == pytest.approx(turn @ one.impulse[name].angular, abs=1e-9)
    assert two.energy_change == pytest.approx(one.energy_change, rel=1e-11)


def test_example_of_the_docstring():
    import doctest
    import importlib

    result = doctest.testmod(importlib.import_module("dalembert.analyses.strike"))
    assert result.attempted > 0 and result.failed == 0


def test_a_point_may_be_struck_by_name_of_the_point():
    """A free bar struck at its end, written both ways: v = J/m, omega = J l/2 / I."""
    m = da.Mechanism("bar")
    bar = m.body("bar", da.rod(length=2.0, mass=3.0), at=(0, 0))
    for blow in ({bar.end: (0.0, 6.0)}, {"bar": ((0.0, 6.0), bar.end)}):
        assert da.strike(m, blow).after.v == pytest.approx([0.0, 2.0, 6.0], abs=1e-12)
    other = da.Mechanism("other").body("bar", da.rod(length=2.0, mass=3.0), at=(0, 0))
    with refused(da.ModelError, "another mechanism"):
        da.strike(m, {other.end: (0.0, 6.0)})
