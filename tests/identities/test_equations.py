"""Identities of the equations of motion on 500 seeded random mechanisms (a hundred with every change), at the drawing with random admissible velocities."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from contracts.motion import derivative, flow

import dalembert as da
from dalembert.kernels import layout as at
from dalembert.state import State
from tests.soak import share

from .random_mechanisms import PLANE_TREE, SPACE_TREE, World, build, draw
from .twin import carried, dense, kinetic_energy, powers, start

SEEDS = range(share(500, 100))
# the worst of these mechanisms has a Jacobian (rows of unit size) with a smallest singular value of 2e-4, so a Gram matrix with a
# condition of 6e7: 6e7 x 1e-16 is 6e-9
CONDITIONED = 1e-8


@cache
def made(seed):
    """Plan, system, state and equations of a mechanism."""
    plan = draw(seed)
    system = da.compile(build(plan))
    state = start(system, np.random.default_rng([seed, 1]))
    return plan, system, state, da.equations(system, state)


def largest(x):
    return float(np.max(np.abs(x), initial=0.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_equations_and_energy(seed):
    plan, system, state, e = made(seed)
    # kinetic energy: the mass matrix against the sum over bodies, both exact to round-off
    energy = kinetic_energy(system, state.q, state.v)
    assert 0.5 * state.v @ e.M @ state.v == pytest.approx(energy, rel=1e-13, abs=1e-14)
    # M a + J^T lam = Q and J a = gamma
    size = max(largest(e.M @ e.a), largest(np.abs(e.jac).T @ np.abs(e.lam)), largest(e.Q))
    assert largest(e.M @ e.a + e.jac.T @ e.lam - e.Q) < 1e-10 * size
    assert largest(e.jac @ e.a - e.gamma) < CONDITIONED * max(1.0, largest(e.a))
    # the slow twin: the same accelerations, also where rows are redundant
    twin = dense(e)
    assert twin.gap[0] > 1e-4 and twin.gap[1] < 1e-12, "the rank is not clear: choose another plan"
    assert largest(e.a - twin.a) < CONDITIONED * max(1.0, largest(twin.a))
    if plan.redundant:
        assert twin.rank < system.n_rows
    # power balance: T' = v^T M a, and T' = power of all elements, drivers and gravity
    power = powers(system, state)
    parts = [power.laws, power.drivers, power.gravity]
    total = max(1.0, sum(map(abs, parts)))
    assert state.v @ e.M @ e.a == pytest.approx(sum(parts), abs=CONDITIONED * total)


@pytest.mark.parametrize("seed", SEEDS[::9])
def test_energy_along_a_path(seed):
    # T' by differences along q'(t) = N v, v' = a, in the energy of the bodies themselves
    plan, system, state, e = made(seed)
    h = 1e-3

    def energy(x):
        # second order in q is enough for T, which depends on q through the rotation alone; v is exact to first order
        return kinetic_energy(system, flow(system.plane, state.q, state.v + 0.5 * x * e.a, x), state.v + x * e.a)

    power = powers(system, state)
    rate = derivative(energy, h)
    # T is quadratic in x up to the change of orientation, on which it does not depend: differences are exact
    size = max(1.0, abs(power.laws) + abs(power.drivers) + abs(power.gravity))
    assert rate == pytest.approx(power.laws + power.drivers + power.gravity, abs=CONDITIONED * size)


def worlds(plan, seed):
    """A turned and shifted world, one with other names and another order, and one in millimetres."""
    rng = np.random.default_rng([seed, 2])
    if plan.plane:
        turn = rng.uniform(-3, 3)
        rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
        shift = np.array([*rng.uniform(-1, 1, 2), 0.0])
    else:
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        rotation = q * np.sign(np.linalg.det(q))
        shift = rng.uniform(-1, 1, 3)
    return {
        "turned": World(rotation=rotation, shift=shift),
        "renamed and reordered": World(
            rename=lambda name: f"x_{name[::-1].replace(chr(32), chr(95))}", shuffle=np.random.default_rng([seed, 3])
        ),
        "millimetres": World(length=1000.0),
    }


def reactions(system, e):
    """Generalized reaction of every joint and driver, -J_p^T lam_p."""
    return {
        part: -e.jac[system.rows_of(part)].T @ e.lam[system.rows_of(part)] for part in dict.fromkeys(system.row_parts)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_invariance(seed):
    plan, system, state, e = made(seed)
    width, linear = system.builder.width, 2 if system.plane else 3
    unique = dense(e).rank == system.n_rows
    for name, world in worlds(plan, seed).items():
        other = da.compile(build(plan, world))
        v = carried(system, other, state.v, world)
        f = da.equations(other, State(0.0, other.q0, v, bodies=tuple(other.body_names)))
        moved = (np.arange(system.nv) % width) < linear
        unit = np.where(moved, world.length, 1.0)
        expected = carried(system, other, e.a, world)
        # the same numbers up to round-off times the condition of the mechanism
        assert largest((f.a - expected) / unit) < CONDITIONED * max(1.0, largest(e.a)), name
        if unique:
            theirs = reactions(other, f)
            for part, load in reactions(system, e).items():
                # forces have one power of length, moments two: those of the velocities they belong to, plus one
                found = theirs[world.rename(part)] / (world.length * np.where(moved, 1.0, world.length))
                mine = carried(system, other, load, World(world.rotation, rename=world.rename))
                assert largest(found - mine) < CONDITIONED * max(1.0, largest(e.lam)), (name, part)


def test_they_cover_what_they_should():
    plans = [made(seed)[0] for seed in SEEDS]
    systems = [made(seed)[1] for seed in SEEDS]
    used = {part.method for plan in plans for part in plan.parts}
    assert {*PLANE_TREE, *SPACE_TREE, "gear", "rack", "belt", "differential", "constraint"} <= used
    assert {
        "spring",
        "damper",
        "bushing",
        "stop",
        "friction",
        "actuator",
        "torsion_spring",
        "force",
        "torque",
        "drive",
    } <= used
    for plane in (True, False):
        group = [plan for plan in plans if plan.plane is plane]
        assert len(group) == len(SEEDS) / 2
        part = len(group) / 250
        # trees, loops, redundant rows, massless couplers, particles: some dozen of each, in the plane and in space
        assert sum(plan.loops == 0 for plan in group) > 50 * part and sum(plan.loops > 0 for plan in group) > 50 * part
        assert sum(plan.redundant for plan in group) > 24 * part
        assert sum(plan.massless for plan in group) > 12 * part
        assert sum(any(b.particle for b in plan.bodies) for plan in group) > 24 * part
    assert sum(bool(s.numbering.I[at.SADDLE]) for s in systems) > 24 * part


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
def test_hub_uses_the_saddle_point_solver(plane):
    # a body with many joints fills the range-space matrix: the other solver, the same numbers
    rng = np.random.default_rng(7)
    n = 2 if plane else 3
    m = da.Mechanism("hub", plane=plane, gravity=rng.uniform(-9, 9, n))
    inertia = (lambda: rng.uniform(0.1, 0.5)) if plane else (lambda: rng.uniform(0.2, 0.3, 3))
    hub = m.body("hub", mass=5.0, inertia=inertia(), at=rng.uniform(-1, 1, n))
    for k in range(50):
        arm = m.body(f"arm{k}", mass=rng.uniform(0.5, 1), inertia=inertia(), at=rng.uniform(-1, 1, n))
        m.revolute(f"pin{k}", hub, arm, at=rng.uniform(-1, 1, n), **({} if plane else {"axis": rng.normal(size=3)}))
    system = da.compile(m)
    assert system.numbering.I[at.SADDLE] == 1
    state = start(system, rng)
    e = da.equations(system, state)
    twin = dense(e)
    assert largest(e.a - twin.a) < 1e-10 * largest(twin.a)
    assert largest(e.M @ e.a + e.jac.T @ e.lam - e.Q) < 1e-11 * largest(e.Q)


@pytest.mark.parametrize("seed", range(1, 500, 25))
def test_runs_pass_their_audit(seed):
    # twenty of them in motion: constraints to 1e-12 at every output, first law, residuals: the audit checks all of it
    plan, system, state, _ = made(seed)
    run = da.simulate(build(plan), until=0.2, start=state, output=0.05)
    assert run.status == "ok", run.audit
    assert run.audit.position <= 1e-12 and run.audit.velocity <= 1e-12


def test_laws_on_measures_of_time():
    m = da.Mechanism("shaken", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", mass=1.0, inertia=0.3, at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.measure("s", "bar.y + 0.2 - 0.1*sin(2*t)")
    m.spring("k", m["s"], stiffness=50.0)
    m.start(m["A"].angle, rate=2.0)
    e = da.equations(m)
    power = powers(e.system, e.state)
    assert e.state.v @ e.M @ e.a == pytest.approx(power.laws + power.gravity, abs=1e-12)
    run = da.simulate(m, until=0.5)
    assert run.status == "ok", run.audit


def test_constraints_on_time_do_work():
    # a constraint that depends on time is a driver: its power is -lam (J v), and the first law of a run closes
    m = da.Mechanism("shaken", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", mass=1.0, inertia=0.3, at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.constraint("wave", "bar.y - 0.1*sin(2*t)")
    run = da.simulate(m, until=1.0, output=0.1)
    assert run.status == "ok", run.audit
    kinetic = np.asarray(run.energy.kinetic)
    assert np.ptp(kinetic) > 1e-3
    # bar.y' = 0.2 cos 2t by hand: power = force on the row times that rate
    assert np.asarray(run["wave"].power) == pytest.approx(
        -run.lam[:, run.system.rows_of("wave")[0]] * 0.2 * np.cos(2 * run.t), rel=1e-10
    )
