"""Derivatives part by part are those of the whole mechanism: every joint and force element, expressions, random mechanisms, machines."""

from pathlib import Path

import numpy as np
import pytest
from contracts.motion import flow, random_velocity
from contracts.samples import case_id, force_cases, generator, joint_cases, sample
from identities.random_mechanisms import build, draw
from identities.test_same_structure import LAWS, arm, crank
from soak import share

import dalembert as da
from dalembert.analyses.pose.pose import Pose
from dalembert.kernels import layout as at
from dalembert.kernels import operate as modes
from dalembert.system.trace.derivatives import Tangents
from dalembert.system.trace.parts import parts_of, whole

WHAT = ("force", "value", "rate", "second", "state", "gap")
MACHINES = Path(da.__file__).parent / "machines"


def dense(matrix):
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def check(model, *key):
    system = da.compile(model)
    n, rng = system.numbering, generator("parts", *key)
    parts, twin = Tangents(n), Tangents(n, whole)
    if parts.refused:
        assert "Python" in parts.refused
        return
    pose = Pose(system, 0.2, flow(system.plane, system.q0, random_velocity(system, rng), 0.05))
    pose.follow()
    v = random_velocity(system, rng)
    modes.operate(modes.FORCES, n.I, n.P, pose.work.F, 0.2, pose.q, v, np.zeros(system.nv), 0.0, 1)
    state = {
        "t": 0.2, "q": pose.q, "v": v, "a": rng.standard_normal(system.nv), "dP": rng.standard_normal(len(n.P)),
        "lam": rng.standard_normal(n.n_rows + int(n.I[at.N_FREE])),
    }  # fmt: skip
    numbers = " ".join(str(k) for k in sorted(rng.choice(n.n_smooth, min(9, n.n_smooth), replace=False)))
    every = ("q", "v", "t", "z", "", f"P {numbers}", f"p {numbers}")
    for by in every if system.nv <= 18 else every[:1]:  # the twin writes programs for seconds
        wanted = [(what, by) for what in WHAT]
        one, two = parts(wanted, n, pose.work.F, state), twin(wanted, n, pose.work.F, state)
        assert (one is None) == (two is None)
        for (what, _), x, y in zip(wanted, one or (), two or ()):
            x, y = dense(x), dense(y)
            if what == "gap":  # of one condition in two laws there is one here, two there
                x, y = (np.unique(np.round(z, 9), axis=0) for z in (x, y))
            assert x.shape == y.shape, (what, by)
            assert np.max(np.abs(x - y), initial=0.0) <= 1e-12 * (1.0 + np.max(np.abs(y), initial=0.0)), (what, by)


@pytest.mark.parametrize(("tag", "plane"), [*joint_cases(), *force_cases()], ids=case_id)
def test_every_element(tag, plane):
    check(sample(tag, plane).model, tag, plane)


@pytest.mark.parametrize("seed", range(share(100)))
def test_random_mechanisms(seed):
    check(build(draw(seed)), seed)


@pytest.mark.parametrize(
    "name", ["andrews-squeezer", "bicycle", "differential", "excavator", "flyball-governor", "four-bar", "gyroscope"]
)
def test_machines(name):
    check(da.read_model(MACHINES / f"{name}.toml"), name)


@pytest.mark.parametrize("law", [after for _, after, _ in LAWS])
def test_expressions(law):
    check(arm(law=law), law)
    check(crank(), law)


def test_states_read_by_laws_drivers_and_each_other():
    m = da.Mechanism("controlled", gravity=(0, -9.81))
    bars = [m.body(f"bar {k}", da.rod(length=0.5, mass=1.0), at=(0.5 * k + 0.25, 0)) for k in range(2)]
    m.revolute("O", m.ground, bars[0], at=(0, 0))
    m.revolute("A", bars[0], bars[1], at=(0.5, 0))
    m.state("y", rate="max(0, O.angle - 0.1) - 3*y", start=0.2)
    m.state("w", rate="y*rate(A.angle) - w", start=0.1)
    m.actuator("motor", m["O"].angle, force="-5*w - rate(w) + y**2")
    m.actuator("brake", m["A"].angle, force="-2*abs(y)*rate(A.angle)")
    check(m, "states")


def chain(n):
    m, last = da.Mechanism("chain", gravity=(0, -9.81)), None
    for k in range(n):
        body = m.body(f"bar {k}", da.rod(length=1.0 + 0.01 * k, mass=1.0), at=(k + 0.5, 0.1 * k))
        m.revolute(f"pin {k}", last or m.ground, body, at=(k, 0.1 * k))
        m.actuator(f"coil {k}", m[f"pin {k}"].angle, force=f"-{k + 2.5}*`pin {k}`.angle - 0.1*`pin {k}`.angle**3")
        last = body
    return m


def test_the_work_is_linear():
    """A longer chain has the same kinds, and code in proportion to its length."""
    kinds, code = [], []
    for n in (10, 20, 40):
        numbering = da.compile(chain(n)).numbering
        kinds.append({part.kind for part in parts_of(numbering)})
        code.append(len(Tangents(numbering).code((("force", "q"), ("rate", "v"))).values._code) - len(numbering.I))
    assert kinds[0] == kinds[1] == kinds[2]
    assert code[2] - code[1] == pytest.approx(2 * (code[1] - code[0]), rel=0.02)
