"""Traced = kernels: every operation on every joint, force and measure, and on random mechanisms, gives the same numbers."""

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
from dalembert.kernels import operate as modes
from dalembert.kernels.lagrange.operate import operate as operate_lagrangian
from dalembert.system.lagrange import compile_lagrangian
from dalembert.system.machine.entry import complete
from dalembert.system.trace.lagrangian import TracedLagrangian
from dalembert.system.trace.mechanism import SCRATCH, TracedMechanism
from tests.soak import share
from traced.programs import differs, run

# small differences of lengths and speeds
ROUNDED = ("y", "value", "partial", "rate", "bias", "force", "power")
# in an order in which each finds in memory what it needs
ORDER = (
    "EVALUATE", "PIVOT", "SOLVE", "ROWS", "STEP_POSITION", "ROWS", "RATES_NOW", "STEP_VELOCITY", "RATES", "ARRIVE", "SPEED", "INPUTS", "POWERS",
    "FORCES", "WATCH", "RESIDUAL", "EVALUATE", "ACCELERATE",
)  # fmt: skip
LAGRANGIAN_ORDER = (
    "EVALUATE", "PIVOT", "SOLVE", "ROWS", "STEP_POSITION", "ROWS", "RATES_NOW", "STEP_VELOCITY", "RATES", "SPEED", "EVALUATE", "ACCELERATE",
)  # fmt: skip
# rounding of two orders of summation
SAME = 1e-12
# a larger bound would say nothing
SAYS = 1e-5
# what a refinement leaves of the solution: rounding alone
REFINED = ("sad_x", "sad_rest")
SOLVING = ("EVALUATE", "ACCELERATE", "SOLVE", "PIVOT", "STEP_POSITION", "STEP_VELOCITY")


def rounding_of(system, mode, given, t, length, rng):
    """How far rounding of what is given (two units in the last place) moves each result of the kernels: the condition of what is solved."""
    n, results = system.numbering, []
    for draw_again in range(4):
        x = {name: np.array(given[name], dtype=float) for name in ("F", "q", "v", "a")}
        for values in x.values() if draw_again else ():
            moves = np.isfinite(values) & (values != np.round(values))  # flags and turns are whole numbers
            values[moves] *= 1.0 + 4e-16 * rng.choice([-1.0, 1.0], np.count_nonzero(moves))
        back = modes.operate(mode, n.I, n.P, x["F"], t, x["q"], x["v"], x["a"][:length], 0.0, 1)
        parts = {part: x["F"][slice(*where)] for part, where in n.places.items()}
        results.append(parts | {"returned": np.array([back]), **{name: x[name][:length] for name in ("q", "v", "a")}})
    exact, *others = results
    least = max(1.0, float(np.max(np.abs(given["v"]), initial=0.0)))
    return {
        part: max(differs(exact[part], other[part], least if part in "va" else 0.0) for other in others)
        for part in exact
    }


def check(system, seed, off=1e-3):
    """Compare all operations in a state that is off the constraints, or on them where nothing is determined elsewhere."""
    n, rng = system.numbering, generator("trace", seed)
    traced = TracedMechanism(n)
    work, t, v = system.workspace(), 0.3, random_velocity(system, rng)
    q = system.q0 + (off if system.n_rows else 0.0) * rng.standard_normal(system.nq)
    guess_angles(system, work, t, None, q)
    operate = modes.operate
    operate(modes.DETECT, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), THRESHOLD, 1)
    if len(work.side):
        operate(modes.EVALUATE, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), 0.0, 1)
    first, second, gap = (int(n.I[x]) for x in (at.SPLINE_FIRST, at.SPLINE_LAST, at.SPLINE_KNOTS))
    rows = n.P[n.I[at.SPLINE_COEFFICIENTS] : n.I[at.SPLINE_END]].reshape(-1, 4)
    tables = n.I[first:second], n.P[gap : n.I[at.SPLINE_COEFFICIENTS]], rows
    for held in (False, True) if len(work.side) else (False,):
        work.F[n.I[at.FROZEN]] = 1.0 if held else 0.0
        programs = {mode: traced.program(getattr(modes, mode), held) for mode in dict.fromkeys(ORDER)}
        changing = {k for p in programs.values() for name, k, _ in p.stores if name == "F"}
        size = 4 * system.nv + 3 * system.n_rows
        theirs = {
            "P": n.P,
            "F": work.F.copy(),
            "q": q.copy(),
            "v": v.copy(),
            "a": np.ones(size),
            "t": [t],
            "tolerance": [0.0],
        }
        ours = {name: np.array(x, dtype=float) for name, x in theirs.items()}
        seen: dict[str, dict[str, float]] = {}
        for name in ORDER:
            mode = getattr(modes, name)
            length = size if mode == modes.RESIDUAL else system.nv
            spread = rounding_of(system, mode, theirs, t, length, rng) if name in SOLVING else {}
            # a small pivot moves by whole quanta of rounding: that none of the draws met one here does not mean that there is none
            spread = seen[name] = {part: max(x, seen.get(name, {}).get(part, 0.0)) for part, x in spread.items()}
            if off and 50.0 * spread.get("a", 0.0) > SAYS:
                check(system, seed, 0.0)  # rows that depend on each other only on the constraints
                return
            back = operate(mode, n.I, n.P, theirs["F"], t, theirs["q"], theirs["v"], theirs["a"][:length], 0.0, 1)
            result = run(traced, programs[name], complete(programs[name], changing), ours, tables)

            def same(part, x, y, least=0.0, spread=spread):
                bound = SAME + 50.0 * max(spread.get(part, 0.0), spread.get("a", 0.0))
                assert bound < SAYS or part not in ("q", "v", "a", "lam"), (name, part, bound)  # it says something
                assert differs(x, y, least) <= bound, (name, part, x, y)

            # residuals are small differences of lengths and speeds
            size_of = float(max(1.0, np.max(np.abs(v), initial=0.0)))
            same("returned", [back], [result], size_of)
            for array in ("q", "v", "a"):
                same(array, theirs[array][:length], ours[array][:length], size_of if array in "va" else 0.0)
            if mode == modes.ACCELERATE:
                continue
            for part, (begin, end) in n.places.items():
                if part not in SCRATCH and part not in REFINED:
                    same(part, theirs["F"][begin:end], ours["F"][begin:end], size_of if part in ROUNDED else 0.0)
            # rounding must not add up from one operation to the next
            for array in ("F", "q", "v", "a"):
                ours[array][:] = theirs[array]


@pytest.mark.parametrize(("tag", "plane"), [*joint_cases(), *force_cases()], ids=case_id)
def test_every_element(tag, plane):
    check(da.compile(sample(tag, plane).model), tag)


@pytest.mark.parametrize("seed", range(0, 500, 500 // share(500)))
def test_random_mechanisms(seed):
    """Gears, belts, user constraints, drivers, massless bodies, redundant rows; both solvers."""
    check(da.compile(build(draw(seed))), seed)


def switching():
    """A force that jumps, and a table of numbers."""
    m = da.Lagrangian(
        ["x", "y"],
        kinetic="rate(x)**2/2 + m*rate(y)**2",
        potential="abs(x)*k",
        forces={"y": "if_(x > 0.5, 1, -2)*sin(t)"},
    )
    m.parameter("k", 3.0)
    m.parameter("m", 0.4)
    return m


@pytest.mark.parametrize(
    "make",
    [
        machines.double_pendulum, machines.slider_crank, lambda: machines.slider_crank(5.0), machines.sleigh, switching,
    ],
)  # fmt: skip
def test_lagrangians(make):
    """Operations on Lagrangian systems: sides of switches free and held."""
    system = compile_lagrangian(make())
    traced, work, rng = TracedLagrangian(system), system.workspace(), np.random.default_rng(5)
    n, t = system.n, 0.3
    state = {"q": rng.uniform(0.2, 1.0, n), "v": rng.uniform(-1.0, 1.0, n), "a": np.zeros(n)}
    for held in (False, True) if system.sides else (False,):
        work.F[system.I[at.FROZEN]] = 1.0 if held else 0.0
        theirs = {"F": work.F.copy(), **{name: x.copy() for name, x in state.items()}}
        ours = {**{name: x.copy() for name, x in theirs.items()}, "P": system.P, "t": [t], "tolerance": [0.0]}
        for name in LAGRANGIAN_ORDER:
            mode = getattr(modes, name)
            program = traced.program(mode, held)
            back = operate_lagrangian(
                mode, system.I, system.P, theirs["F"], t, theirs["q"], theirs["v"], theirs["a"], 0.0, 1
            )
            given = {node: ("F", place) for node, place in traced.sides.items()} if held else {}
            result = run(traced, program, complete(program, set(range(len(work.F)))), ours, None, given)
            assert differs([back], [result], 1.0) <= 1e-12, name
            for array in ("q", "v", "a"):
                assert differs(theirs[array], ours[array], 1.0) <= 1e-10, (name, array)
            if mode != modes.ACCELERATE:
                for part in ("lam", "power", "y", "partial", "side"):
                    begin, end = system.places[part]
                    assert differs(theirs["F"][begin:end], ours["F"][begin:end], 1.0) <= 1e-10, (name, part)
            for array in ("F", "q", "v", "a"):
                ours[array][:] = theirs[array]
