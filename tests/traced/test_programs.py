"""Traced = kernels: every operation on every joint, force and measure, and on random mechanisms, gives the same numbers."""

import numpy as np
import pytest
from contracts.motion import random_velocity
from contracts.samples import case_id, force_cases, generator, joint_cases, sample
from identities.random_mechanisms import build, draw

import dalembert as da
from dalembert.analyses.pose.initial import THRESHOLD, guess_angles
from dalembert.kernels import layout as at
from dalembert.kernels import operate as modes
from dalembert.system.machine.entry import complete
from dalembert.system.trace.mechanism import _SCRATCH, Traced
from traced.programs import differs, run

# small differences of lengths and speeds
ROUNDED = ("y", "value", "partial", "rate", "bias", "force", "power")
# in an order in which each finds in memory what it needs
ORDER = (
    "EVALUATE", "PIVOT", "SOLVE", "ROWS", "STEP_POSITION", "ROWS", "RATES_NOW", "STEP_VELOCITY", "RATES", "ARRIVE", "SPEED", "INPUTS", "POWERS",
    "FORCES", "WATCH", "RESIDUAL", "EVALUATE", "ACCELERATE",
)  # fmt: skip
# rounding of two orders of summation
SAME = 1e-12


def check(system, seed):
    n, rng = system.numbering, generator("trace", seed)
    traced = Traced(n)
    work, t, v = system.workspace(), 0.3, random_velocity(system, rng)
    q = system.q0 + (0.0 if not system.n_rows else 1e-3) * rng.standard_normal(system.nq)
    guess_angles(system, work, t, None, q)
    operate = modes.operate
    operate(modes.DETECT, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), THRESHOLD, 1)
    if len(work.side):
        operate(modes.EVALUATE, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), 0.0, 1)
    first, second, gap = (int(n.I[x]) for x in (at.SPLINE_FIRST, at.TAPE_END, at.SPLINE_KNOTS))
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
        for name in ORDER:
            mode = getattr(modes, name)
            length = size if mode == modes.RESIDUAL else system.nv
            back = operate(mode, n.I, n.P, theirs["F"], t, theirs["q"], theirs["v"], theirs["a"][:length], 0.0, 1)
            result = run(traced, programs[name], complete(programs[name], changing), ours, tables)
            bound = SAME
            if mode in (modes.EVALUATE, modes.ACCELERATE, modes.SOLVE, modes.PIVOT) or "STEP" in name:
                # solutions magnify it by the condition of the equations
                factor, state = theirs["F"].copy(), (theirs["q"], theirs["v"], theirs["a"][: system.nv])
                bound += 1e-13 / operate(modes.PIVOT, n.I, n.P, factor, t, *state, 0.0, 1)
            # residuals are small differences of lengths and speeds
            size_of = float(max(1.0, np.max(np.abs(v), initial=0.0)))
            assert differs([back], [result], size_of) <= bound, (name, back, result)
            for array in ("q", "v", "a"):
                assert differs(theirs[array][:length], ours[array][:length]) <= bound, (name, array)
            if mode == modes.ACCELERATE:
                continue
            for part, (begin, end) in n.places.items():
                if part not in _SCRATCH:
                    x, y = theirs["F"][begin:end], ours["F"][begin:end]
                    assert differs(x, y, size_of if part in ROUNDED else 0.0) <= bound, (name, part, x, y)
            # rounding must not add up from one operation to the next
            for array in ("F", "q", "v", "a"):
                ours[array][:] = theirs[array]


@pytest.mark.parametrize(("tag", "plane"), [*joint_cases(), *force_cases()], ids=case_id)
def test_every_element(tag, plane):
    check(da.compile(sample(tag, plane).model), tag)


@pytest.mark.parametrize("seed", range(0, 500, 11))
def test_random_mechanisms(seed):
    """Gears, belts, user constraints, drivers, massless bodies, redundant rows; both solvers."""
    check(da.compile(build(draw(seed))), seed)
