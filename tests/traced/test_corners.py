"""Laws with corners, auxiliary states and parameters: derivatives of the graph against closed forms, and against differences."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.dynamics.start import prepare
from dalembert.analyses.pose.pose import Pose
from dalembert.analyses.rest import bodies, with_states
from dalembert.analyses.rest.bodies import Bodies as Statics
from dalembert.analyses.rest.continuation import Follower
from dalembert.system.trace.derivatives import tangents


def slide(force):
    m = da.Mechanism("slide", plane=True)
    body = m.body("body", mass=2.0, inertia=1.0, at=(0.3, 0))
    m.prismatic("g", m.ground, body, along=(1, 0))
    m.force("pull", body, (force, 0))
    return m


# law, place of rest, its stiffness, half the difference of both sides there (free motions of unit length: K is the stiffness itself)
CORNERS = [
    ("-10*g.slide - 500*max(g.slide, 0)", 0.0, 260.0, 250.0),
    ("-10*g.slide - 500*max(g.slide - 1e-7, 0)", 0.0, 10.0, 0.0),
    ("-10*g.slide - 3*abs(g.slide)*g.slide", 0.0, 10.0, 0.0),
    ("-10*g.slide - 500*max(g.slide, 0) + 500*max(-g.slide, 0)", 0.0, 510.0, 0.0),
    ("if_(g.slide > 0.1, 5 - 100*(g.slide - 0.1), 10 - 50*g.slide)", 0.15, 100.0, 0.0),
    ("-10*g.slide - 2*rate(g.slide)*abs(rate(g.slide))", 0.0, 10.0, 0.0),
    ("-7*(g.slide - 0.05*floor(g.slide + 0.5))", 0.0, 7.0, 0.0),
]


@pytest.mark.parametrize(("law", "place", "stiffness", "half"), CORNERS)
def test_stiffness_beside_and_at_a_corner(law, place, stiffness, half):
    """Beside it that of its side, however near; at it the mean of both, with half their difference as its error."""
    m = slide(law)
    (e,) = da.equilibrium(m)
    assert e["g.slide"] == pytest.approx(place, abs=1e-12)
    assert e.K.item() == pytest.approx(stiffness, rel=1e-13)
    assert e.verdict == "stable"
    statics = Statics(Pose.of(m, e.state, asked="test"))
    statics.onto()
    k, error = statics.bounded_stiffness(statics.free_motions(), statics.multipliers(statics.force))
    assert (k.item(), error) == pytest.approx((stiffness, half), rel=1e-12, abs=1e-10)
    small = da.linearize(m, e)
    assert small.K.item() == pytest.approx(stiffness, rel=1e-13)
    assert small.C.item() == 0.0
    assert small._reduced.accuracy == 1e-13


def test_stops_pressed_and_touched():
    def with_stop(preload):
        m = slide(f"-10*g.slide - {preload}")
        m.stop("end", m["g"].slide, lower=0.0, stiffness=400.0, damping=3.0)
        return m

    m = with_stop(1.0)
    (e,) = da.equilibrium(m)
    small = da.linearize(m, e)
    assert e["g.slide"] == pytest.approx(-1.0 / 410.0, rel=1e-12)
    assert (e.K.item(), small.K.item(), small.C.item()) == pytest.approx((410.0, 410.0, 3.0), rel=1e-13)
    (e,) = da.equilibrium(with_stop(0.0))
    assert e.K.item() == pytest.approx(210.0, rel=1e-13)


def test_slow_and_idle_modes_beside_a_hard_stop(monkeypatch):
    """A table pressed on a stop (31,623 rad/s) carries a slow oscillator (1 rad/s) and a free slider: 1 and 0 come out as such."""
    m = da.Mechanism("table", plane=True)
    bodies = []
    for name in ("table", "slow", "free"):
        bodies.append(m.body(name, mass=1.0, inertia=1.0, at=(0.0, 0.0)))
        m.prismatic(f"{name} guide", m.ground if name == "table" else bodies[0], bodies[-1], along=(1, 0))
    m.force("push", bodies[0], (-3.0, 0))
    m.stop("end", m["table guide"].slide, lower=0.0, stiffness=1e9)
    m.spring("soft", bodies[0].point(-1.0, 0), bodies[1].point(0, 0), stiffness=1.0, free_length=1.0)
    state = prepare(m, 0.0, None).state
    q = state.q.copy()
    q[0::3] = -3e-9  # pressed in
    state = da.State(0.0, q, state.v, state.angles, state.bodies)
    slow = sorted(abs(x) for x in da.linearize(m, state).eigenvalues)[:4]
    assert slow[:2] == [0.0, 0.0]
    # about 1/31,623^2 of it is the compliance of the stop
    assert slow[2:] == pytest.approx([1.0, 1.0], abs=1e-8)
    monkeypatch.setattr(Statics, "_tangents", None)
    worse = sorted(abs(x) for x in da.linearize(m, state).eigenvalues)[:4]
    assert max(abs(worse[2] - 1.0), worse[1]) > 1e-8


def test_a_jump_has_no_derivative():
    """Dry friction at rest: by displacements it keeps its side, by velocities differences are all there is."""
    statics = Statics(Pose.of(slide("-10*g.slide - 2*sign(rate(g.slide))"), None, asked="test"))
    statics.onto()
    z, still = statics.free_motions(), np.zeros(3)
    (by_q,) = statics.along(["force"], still, {"q": z})
    (by_v,) = statics.along(["force"], still, {"v": z})
    assert z.T @ by_q.mean == pytest.approx(np.array([[10.0]]))
    assert (by_q.exact, by_v.exact) == (True, False)


def wheel():
    """A mechanism with states: a motor with a lag on a pendulum."""
    m = da.Mechanism("motor", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.state("z", rate="sin(A.angle) - z**3 + 0.2*rate(A.angle)", start=0.1)
    m.state("w", rate="A.angle*z - w + 0.1*t", start=0.2)
    m.torque("push", bar, "3*z*cos(A.angle) + max(w, 0)")
    return m


def system():
    """A Lagrangian system with states and a constraint."""
    m = da.Lagrangian(
        ("x", "y"), kinetic="rate(x)**2 + 0.5*x**2*rate(y)**2", potential="x**4 + y*x", forces={"x": "z*y - rate(x)"},
        holonomic={"row": "x + 0.3*sin(y) - 1"},
    )  # fmt: skip
    m.state("z", rate="x*y - z**3 + 0.2*rate(y)", start=0.3)
    m.start("y", 0.4)
    return m


@pytest.mark.parametrize("make", [wheel, system])
def test_derivatives_with_states(make):
    """Accelerations from rest and rates of the states, by poses and states, against differences of the same."""
    machine = with_states.Machine("test", make(), None, 0.0)
    exact, here = machine.derivatives(), machine.place
    h, columns = 1e-5, []
    for d in np.eye(exact.shape[1]):
        ends = []
        for side in (h, -h):
            machine.place = here
            machine.step(side * d)
            ends.append(machine.rates())
        columns.append((ends[0] - ends[1]) / (2 * h))
    assert exact == pytest.approx(np.column_stack(columns), abs=1e-8 * np.max(np.abs(exact)))


def test_small_motions_with_states(monkeypatch):
    m = wheel()
    q = da.compile(m).q0
    state = da.State(0.0, q, np.array([0.0, 0.3 * 0.5, 0.3]), z=np.array([0.1, 0.2]))
    exact = da.linearize(m, state)
    assert exact._coupled.accuracy == 1e-13
    monkeypatch.setattr(Statics, "_tangents", None)
    other = da.linearize(m, state)
    assert other._coupled.accuracy == 1e-10
    for name in ("row", "column"):
        x, y = (getattr(made._coupled, name) for made in (exact, other))
        assert x == pytest.approx(y, abs=1e-7 * np.max(np.abs(y)))


def drawn(plane):
    """A mechanism in which parameters are lengths, masses, places that are 0 or 1, laws, stops and rates of turning."""
    m = da.Mechanism("drawn", plane=plane, gravity=(0, -9.81) if plane else (0, 0, -9.81))
    for name, value in {"r": 1.0, "m0": 2.0, "k": 50.0, "x": 0.0, "th": 1.0, "omega": 3.0}.items():
        m.parameter(name, value)
    if plane:
        crank = m.body("crank", mass="m0", inertia="r", at=(0, "r/2"), angle=math.pi / 2)
        rod = m.body("rod", da.rod(length=3.0, mass=1.0), at=(1.5, "r"))
        m.revolute("A", m.ground, crank, at=("x", "x"))
        m.revolute("B", crank, rod, at=(0, "r"))
        m.spring("pull", (m.ground, (2.0, "4 + x")), rod, stiffness="k", free_length="r/3")
        m.torsion_spring("coil", m["A"], torque="k*sin(theta - th) + m0*theta")
        m.stop("end", m["A"].angle, upper="th - 2", stiffness="10*k")
        return m, None
    hub = m.body("hub", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.revolute("bearing", m.ground, hub, at=("x", 0, 0), axis=(0, 0, 1))
    arm = m.body("arm", mass="m0", inertia=(0.08, 0.07, 0.01), at=(0.1, 0.05, "-r"))
    m.universal("hinge", hub, arm, at=(0.1, 0, 0), axes=((0, 1, 0), (1, 0, 0)))
    ball = m.particle("ball", mass=0.4, at=(0.5, 0.2, -0.3))
    m.spring("string", ball, arm, stiffness="k", free_length=0.3)
    return m, (m["bearing"].angle, "omega")


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("name", ["r", "m0", "k", "x", "th", "omega"])
def test_by_a_parameter(plane, name, monkeypatch):
    """dphi/dp and d(J^T lam - Q)/dp along the numbers of the model, at rest and in a steady turn, against differences of the whole model."""
    m, spinning = drawn(plane)
    p = m.parameters[name]
    follower = Follower("test", m, name, (p - 0.5, p + 0.5), ("auto", spinning))
    problem = follower.problem(p, prepare(m, 0.0, None).state)
    s = problem.statics
    lam = s.multipliers(s.force) + 0.1
    exact = s.by_parameter(name, p, follower.between, lam)
    monkeypatch.setattr(bodies, "by_numbers", lambda *_: None)
    for x, y in zip(exact, s.by_parameter(name, p, follower.between, lam)):
        assert x == pytest.approx(y, abs=1e-9 * (1.0 + float(np.max(np.abs(s.force)))))


def test_one_program_along_a_branch():
    """Lengths that pass 0 and 1 on the way do not write another program; the fold of a toggle is where it is."""
    m = da.Mechanism("toggle", plane=True)
    load = m.parameter("load", 0.0)
    mass = m.body("slider", mass=1.0, inertia=1.0, at=(0.0, 1.0))
    m.prismatic("guide", m.ground, mass, along=(0, 1))
    m.spring("arm", (m.ground, (1.0, 0.0)), mass, stiffness=100.0, free_length=math.sqrt(2.0))
    m.force("push", mass, (0, -load))
    found = da.equilibrium(m, along="load", between=(0.0, 20.0), starts=1)
    (fold,) = [mark for branch in found for mark in branch.marks if mark.kind == "fold" and mark.value > 0.0][:1]
    # k y (L/l - 1) = load is largest where l^3 = L for the base 1
    length = 2.0 ** (1.0 / 6.0)
    y = math.sqrt(length**2 - 1.0)
    assert fold.value == pytest.approx(100.0 * y * (math.sqrt(2.0) / length - 1.0), rel=1e-9)
    programs = tangents(fold.equilibrium._system.numbering)._codes
    assert len(programs) < 8
