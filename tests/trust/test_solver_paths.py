"""Every solver on every mechanism small enough: range space and saddle point against each other and against dense algebra.

The saddle-point solver eliminated joints after one of their bodies only, and took four rows on the three freedoms of a bar for dependent:
in nets of bars accelerations broke the joints by 9.81 m/s² without a word.
"""

from dataclasses import replace

import numpy as np
import pytest
from contracts.samples import case_id, joint_cases, sample
from identities.random_mechanisms import build, draw
from identities.twin import dense, start

import dalembert as da
from dalembert.kernels import layout as at
from dalembert.state import State
from dalembert.system.saddle import eliminated
from dalembert.system.tables import number, singular_bodies
from tests.soak import share
from trust import nets

# the random mechanisms have Jacobians with a smallest singular value down to 2e-4: a Gram matrix with a condition of 6e7 (tests/identities)
CONDITIONED = 1e-8


def largest(x):
    return float(np.max(np.abs(x), initial=0.0))


def both(system):
    """The system with each solver that can serve it."""
    singular = bool(singular_bodies(system.builder))
    return [
        replace(system, numbering=number(system.builder, saddle)) for saddle in ([True] if singular else [True, False])
    ]


def compare(system, state, tolerance=CONDITIONED):
    """Accelerations against dense algebra; the equations of motion and the rows fulfilled; reactions of joints where they are unique."""
    found = []
    for way in both(system):
        e = da.equations(way, state)
        twin = dense(e)
        size = max(1.0, largest(twin.a))
        assert largest(e.a - twin.a) < tolerance * size, repr(way)
        forces = max(largest(e.M @ e.a), largest(np.abs(e.jac).T @ np.abs(e.lam)), largest(e.Q))
        assert largest(e.M @ e.a + e.jac.T @ e.lam - e.Q) < 1e-10 * forces, repr(way)
        assert largest(e.jac @ e.a - e.gamma) < tolerance * size, repr(way)
        found.append((e, twin))
    assert len({bool(way.numbering.I[at.SADDLE]) for way in both(system)}) == len(found)
    if len(found) == 2 and found[0][1].rank == system.n_rows:
        (one, _), (two, _) = found
        names = list(two.row_names)
        order = [names.index(name) for name in one.row_names]
        assert largest(one.lam - two.lam[order]) < tolerance * max(1.0, largest(one.lam))


@pytest.mark.parametrize("seed", range(0, share(500, 100), 7))
def test_random_mechanisms(seed):
    """Trees and loops, redundant rows, massless couplers, particles, gears, drivers."""
    system = da.compile(build(draw(seed)))
    compare(system, start(system, np.random.default_rng([seed, 1])))


@pytest.mark.parametrize(("tag", "plane"), joint_cases(), ids=case_id)
def test_every_joint(tag, plane):
    system = da.compile(sample(tag, plane).model)
    rest = State(0.0, system.q0, np.zeros(system.nv), bodies=tuple(system.body_names))
    compare(system, rest)


NETS = {
    "2 x 2": (2, 2), "3 x 5": (3, 5), "6 x 6": (6, 6), "4 x 12": (4, 12), "11 x 11": (11, 11), "ladder of 40": (40, 1),
}  # fmt: skip


def right(e, tolerance=1e-9):
    """Accelerations and multipliers as by sparse LU with pivoting."""
    a, lam = nets.dense(e)
    assert largest(e.a - a) < tolerance * largest(a)
    assert largest(e.lam - lam) < tolerance * largest(lam)


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
@pytest.mark.parametrize("name", NETS)
def test_nets(name, plane):
    system = da.compile(nets.net(*NETS[name], plane))
    ways = both(system) if system.n_rows < 700 else [system]
    for way in ways:
        right(da.equations(way, State(0.0, system.q0, np.zeros(system.nv), bodies=tuple(system.body_names))))


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
@pytest.mark.parametrize("size", [2, 5])
def test_nets_of_massless_bars(size, plane):
    right(da.equations(nets.net(size, size, plane, massless=True)))


def test_a_large_net():
    right(da.equations(nets.net(20, 20)))


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
def test_hubs(plane):
    """200 spokes that hang on the hub alone, and 200 arms in loops through it: the work is proportional to their number."""
    from reference.test_hub import hub

    for make in (hub, nets.wheel):
        e = da.equations(make(200, plane))
        assert e.system.numbering.I[at.SADDLE]
        right(e)
        small, large = (da.compile(make(n, plane)).builder for n in (30, 90))
        works = [eliminated(builder, builder.blocks, set()).work for builder in (small, large)]
        assert works[1] < 3.3 * works[0]


def test_reactions_and_motion_of_a_net():
    """6 x 6: the pins carry its weight, and it swings with its energy kept."""
    m = nets.net(6, 6)
    e = da.equations(m)
    system = e.system
    # the two walls carry the weight less what falls: sum of forces on all bodies
    weight = sum(system.builder.drawing.poses[b].properties.mass for b in system.builder.bodies)
    force = sum(np.asarray(da.reactions(m)[name].force) for name in ("wall 0", "wall 6"))
    inertia = (e.M @ e.a).reshape(-1, 3)[:, :2].sum(axis=0)
    assert np.abs(force) == pytest.approx(np.abs(inertia - weight * np.array([1.0, -9.81])), rel=1e-9)
    run = da.simulate(m, until=0.2)
    assert run.status == "ok"
    assert run.audit.position <= 1e-12


@pytest.mark.parametrize(
    "make", [lambda: nets.net(3, 3, massless=True), lambda: nets.wheel(45), lambda: nets.net(2, 3, False, True)]
)
def test_motion_with_the_saddle_point_solver(make):
    run = da.simulate(make(), until=0.2)
    assert "saddle point" in repr(run.system)
    assert run.status == "ok"
    assert run.audit.position <= 1e-12
