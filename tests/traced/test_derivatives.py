"""Derivatives from the graph against differences of the kernels: every joint, force element and some random mechanisms."""

import numpy as np
import pytest
from contracts.motion import WEIGHTS, flow, random_velocity
from contracts.samples import case_id, force_cases, generator, joint_cases, sample
from identities.random_mechanisms import build, draw

import dalembert as da
from dalembert.analyses.equations import mass_matrix, scaled_to_true, unscaled_jacobian
from dalembert.analyses.pose.pose import Pose
from dalembert.kernels import layout as at
from dalembert.kernels import operate as modes
from dalembert.system.trace import derivatives
from dalembert.system.trace.derivatives import Tangents, tangents

WHAT = ("force", "value", "rate", "second")
H = 1e-3


def equations(system, work, t, q, v, a, lam):
    """The four vectors by the kernels."""
    n = system.numbering
    modes.operate(modes.FORCES, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), 0.0, 1)
    rows, every = system.n_rows, len(lam)
    jac = unscaled_jacobian(system, work, 0, every).toarray()
    drive = np.zeros((every, 3))
    drive[:rows] = work.drive.reshape(-1, 3)
    offset = np.zeros(every)
    offset[:rows] = n.P[n.I[at.OFFSET] :][:rows]
    rate = jac @ v + work.partial[:every] - drive[:, 1]
    rate[rows:] = work.rate[rows:every]
    return {
        "force": jac.T @ lam - scaled_to_true(system, work, work.acc[: system.nv]),
        "value": work.value[:every] - offset - drive[:, 0],
        "rate": rate,
        "second": jac @ a + work.bias[:every] - drive[:, 2],
    }


def check(system, *key):
    rng, n = generator("derivatives", *key), system.numbering
    made = Tangents(n)
    if at.LAW_CALL in n.I[n.I[at.LAW] :][: 4 * int(n.I[at.N_LAWS]) : 4]:
        assert "Python" in made.refused
        return
    pose = Pose(system, 0.2, system.q0, None)
    q = flow(system.plane, system.q0, random_velocity(system, rng), 0.05)
    pose.q = q.copy()
    pose.follow()
    state = {
        "t": 0.2, "q": q, "v": random_velocity(system, rng), "a": rng.standard_normal(system.nv),
        "lam": rng.standard_normal(n.n_rows + int(n.I[at.N_FREE])),
    }  # fmt: skip
    active = np.array(
        [c < (2 if system.plane else 3) or not body.particle for body in system.builder.bodies for c in range(system.builder.width)]
    )  # fmt: skip

    def near(by, k, h):
        x = {name: np.array(part, dtype=float) for name, part in state.items()}
        unit = h * np.eye(system.nv)[k]
        if by == "q":
            x["q"] = flow(system.plane, q, unit, 1.0)
        elif by == "v":
            x["v"] = x["v"] + unit
        else:
            x["t"] = x["t"] + h
        return equations(system, pose.work, float(x["t"]), x["q"], x["v"], x["a"], x["lam"])

    here = equations(system, pose.work, *(state[x] for x in ("t", "q", "v", "a", "lam")))
    for by in ("q", "v", "t"):
        matrices = made([(what, by) for what in WHAT], n, pose.work.F, state)
        if matrices is None:
            assert system.nv >= 24, "small mechanisms have derivatives"
            continue
        found = dict(zip(WHAT, matrices))
        for k in range(1 if by == "t" else system.nv):
            if by != "t" and not active[k]:
                continue
            ends = [(w, near(by, k, c * H), near(by, k, -c * H)) for c, w in WEIGHTS.items()]
            for what in WHAT:
                right = sum(w * (x[what] - y[what]) for w, x, y in ends) / H
                part = found[what][:, k]
                size = 1.0 + np.max(np.abs(right), initial=0.0) + np.max(np.abs(here[what]), initial=0.0)
                part, right = (part[active], right[active]) if what == "force" else (part, right)
                assert np.max(np.abs(part - right), initial=0.0) <= 1e-9 * size, (by, k, what)


@pytest.mark.parametrize(("tag", "plane"), [*joint_cases(), *force_cases()], ids=case_id)
def test_every_element(tag, plane):
    check(da.compile(sample(tag, plane).model), tag, plane)


@pytest.mark.parametrize("seed", range(0, 500, 47))
def test_random_mechanisms(seed):
    check(da.compile(build(draw(seed))), seed)
