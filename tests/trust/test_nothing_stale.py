"""Nothing is read before it is written: with everything poisoned that an operation has to write itself, it gives the same numbers.

A trial step that runs into a NaN leaves it behind in memory.  Multiplied by 0.0 it stays NaN: models with gears never recovered.
"""

import numpy as np
import pytest
from contracts.motion import random_velocity
from contracts.samples import case_id, force_cases, generator, joint_cases, sample
from identities.random_mechanisms import build, draw
from lagrangian import machines

import dalembert as da
from dalembert.analyses.assembly.turns import guess_angles
from dalembert.analyses.pose.rank import THRESHOLD
from dalembert.kernels import layout as at
from dalembert.kernels.lagrange import layout as la
from dalembert.kernels.operate import (
    DETECT,
    EVALUATE,
    FORCES,
    INPUTS,
    PIVOT,
    RATES,
    RATES_NOW,
    ROWS,
    SOLVE,
    STEP_POSITION,
    STEP_VELOCITY,
    WATCH,
    operate,
)
from dalembert.system.lagrange import compile_lagrangian
from tests.soak import share

# what is no scratch: which rows are kept, Python laws and angles given from outside, and whether sides of switches are held
GIVEN = ("floor", "called", "angle", "angle_rate", "angle_time", "frozen")
FACTOR = ("diag", "lower", "sad", "sad_d")
# what each operation may find in memory, and what it has to make
NEEDS = {
    SOLVE: (*FACTOR, "jac", "y"),
    STEP_POSITION: (*FACTOR, "jac", "y"),
    STEP_VELOCITY: (*FACTOR, "jac", "y", "vhat"),
    RATES_NOW: ("jac", "vhat", "partial", "drive"),
    PIVOT: (*FACTOR, "sad_size", "jac"),
    WATCH: ("body", "vhat"),
}
MAKES = {
    EVALUATE: ("acc", "lam", "force", "power", "body"),
    ROWS: ("y", "body"),
    RATES: ("y",),
    RATES_NOW: ("y",),
    STEP_POSITION: ("acc", "lam"),
    STEP_VELOCITY: ("acc", "lam"),
    SOLVE: ("acc", "lam"),
    DETECT: ("floor",),
    INPUTS: ("body",),
    FORCES: ("acc", "force"),
    WATCH: (),
    PIVOT: (),
}


def constant(system):
    """Places that are written once, when memory is made: the ground, what is not driven, rows without an explicit time part."""
    n = system.numbering
    i, held = n.I, []
    stride = at.PLANE_BODY if system.plane else at.SPACE_BODY
    ground = i[at.BODY] + i[at.N_BODIES] * stride
    held += range(ground, ground + stride)
    driven = {i[i[at.DRIVER] + k] for k in range(i[at.N_DRIVERS])}
    made = {i[i[at.COMPOSITE0] + 3 * k] for k in range(i[at.N_COMPOSITES])}
    held += [i[at.DRIVE] + 3 * r + c for r in range(n.n_rows) if r not in driven for c in range(3)]
    held += [i[at.PARTIAL] + r for r in range(len(n.rows)) if r not in made]
    return held


def check(system, seed):
    """Every operation with clean memory and with poisoned memory."""
    n, rng = system.numbering, generator("stale", seed)
    work, t, v = system.workspace(), 0.3, random_velocity(system, rng)
    q = system.q0.copy()
    guess_angles(system, work, t, None, q)
    operate(DETECT, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), THRESHOLD, 1)
    ready, always = work.F.copy(), constant(system)
    for mode, makes in MAKES.items():
        results = []
        for poisoned in (False, True):
            memory = ready.copy()
            if poisoned:
                memory[:] = np.nan
                memory[always] = ready[always]
                for name in (*GIVEN, *NEEDS.get(mode, ())):
                    first, last = n.places[name]
                    memory[first:last] = ready[first:last]
            now, rate, a = q.copy(), v.copy(), np.zeros(system.nv)
            if mode in (SOLVE, STEP_POSITION, STEP_VELOCITY):
                memory[slice(*n.places["y"])] = np.linspace(-1.0, 1.0, system.n_rows)
            tolerance = THRESHOLD if mode == DETECT else 0.0
            value = operate(mode, n.I, n.P, memory, t, now, rate, a, tolerance, 2)
            parts = {"value": np.array([value]), "q": now, "v": rate, "a": a}
            for name in makes:
                parts[name] = memory[slice(*n.places[name])]
                if name in ("acc", "body"):  # not the ground
                    parts[name] = parts[name][: len(parts[name]) * n.I[at.N_BODIES] // (n.I[at.N_BODIES] + 1)]
            results.append(parts)
        for name, clean in results[0].items():
            assert not np.isnan(clean).any(), (mode, name)
            assert np.array_equal(clean, results[1][name]), (mode, name)


@pytest.mark.parametrize(("tag", "plane"), [*joint_cases(), *force_cases()], ids=case_id)
def test_every_element(tag, plane):
    check(da.compile(sample(tag, plane).model), tag)


@pytest.mark.parametrize("seed", range(0, share(500, 150), 21))
def test_random_mechanisms(seed):
    """Gears, belts, user constraints, drivers, massless bodies, redundant rows; both solvers."""
    check(da.compile(build(draw(seed))), seed)


@pytest.mark.parametrize("plane", [True, False])
def test_the_saddle_point_solver(plane):
    from reference.test_hub import hub

    from trust.nets import net, wheel

    for model in (hub(45, plane), wheel(45, plane), *([net(2, 2, massless=True)] if plane else [])):
        system = da.compile(model)
        assert system.numbering.I[at.SADDLE]
        check(system, 1)


def geared(**wheel):
    """Two wheels with a gear."""
    m = da.Mechanism("geared", gravity=(0, -9.81))
    for k, name in enumerate("AB"):
        body = m.body(f"wheel {name}", mass=1.0, inertia=0.1, at=(k, 0))
        m.revolute(name, m.ground, body, at=(k, 0))
    m.gear("G", m["A"].angle, m["B"].angle, ratio=-2.0)
    m.start(m["A"].angle, **wheel)
    return m


def test_a_run_goes_on_after_a_trial_step_without_value():
    """A wall that has no value behind it: long trial steps end there, shorter ones come back from it with the speed they had."""
    m = geared(rate=0.05)
    m.torque("wall", m["wheel A"], "1e-9*log(1 - A.angle)**21")
    run = da.simulate(m, until=100.0, rtol=1e-6, atol=1e-6)
    assert run.status == "ok"
    assert run["A"].angle.rate[-1] == pytest.approx(-0.05, rel=1e-3)


def test_verify_leaves_out_states_without_value():
    m = geared(value=0.9)
    x = np.sqrt(0.1)
    slide = m.body("slide", mass=1.0, inertia=0.1, at=(x, 1))
    m.prismatic("bore", m.ground, slide, at=(x, 1), along=(1, 0))
    m.constraint("cam", "slide.x - sqrt(1 - A.angle)")
    found = da.verify(m, states=20)
    assert found.agree
    assert found.left_out > 0


# the same for Lagrangians: what they are made of by name, besides results of their programs and registers
LAGRANGE_SCRATCH = ("low", "x", "s", "partial", "y", "lam", "vhat", "acc", "force", "power", "bias")
LAGRANGE_NEEDS = {
    SOLVE: ("low", "x", "s", "y"),
    STEP_POSITION: ("low", "x", "s", "y"),
    STEP_VELOCITY: ("low", "x", "s", "y", "vhat"),
    PIVOT: ("x", "s"),
}
LAGRANGE_MAKES = {
    EVALUATE: ("acc", "lam", "power"), ROWS: ("y",), RATES: ("y",), STEP_POSITION: (), STEP_VELOCITY: (), SOLVE: ("acc", "lam"), PIVOT: (),
}  # fmt: skip


@pytest.mark.parametrize(
    "make", [machines.double_pendulum, machines.slider_crank, lambda: machines.slider_crank(5.0), machines.sleigh]
)
def test_lagrangians(make):
    from dalembert.kernels.lagrange.operate import operate as operate_lagrangian

    system = compile_lagrangian(make())
    ready, places, i = system.memory.copy(), system.places, system.I
    rng = np.random.default_rng(3)
    q, v = rng.uniform(0.2, 1.0, system.n), rng.uniform(-1.0, 1.0, system.n)

    def run(mode, memory):
        now, rate, a = q.copy(), v.copy(), np.zeros(system.n)
        value = operate_lagrangian(mode, i, system.P, memory, 0.3, now, rate, a, 0.0, 2)
        return {"value": np.array([value]), "q": now, "v": rate, "a": a}

    run(EVALUATE, ready)
    # results that are not constant, registers, inputs
    scratch = list(range(i[la.INPUTS], i[la.INPUTS] + 1 + 2 * system.n)) + list(
        range(places["angle_time"][1], len(ready))
    )
    for key in (la.EVALUATION, la.ROWS_PROGRAM):
        scratch += list(i[i[i[key] + 3] + 1 : i[i[key] + 4] : 2])
    for name in LAGRANGE_SCRATCH:
        scratch += range(*places[name])
    scratch += [places["value"][0] + r for r in range(system.n_rows) if i[i[at.ROW_RATE] + r]]
    for mode, makes in LAGRANGE_MAKES.items():
        results = []
        for poisoned in (False, True):
            memory = ready.copy()
            if poisoned:
                memory[scratch] = np.nan
                for name in LAGRANGE_NEEDS.get(mode, ()):
                    memory[slice(*places[name])] = ready[slice(*places[name])]
            if mode in (SOLVE, STEP_POSITION, STEP_VELOCITY):
                memory[slice(*places["y"])] = np.linspace(-1.0, 1.0, system.n_rows)
            results.append(run(mode, memory) | {name: memory[slice(*places[name])] for name in makes})
        for name, clean in results[0].items():
            assert not np.isnan(clean).any(), (mode, name)
            assert np.array_equal(clean, results[1][name]), (mode, name)
