"""Kernels accept complex numbers: a step along the imaginary axis gives derivatives to machine precision.

f(x + i h x') = f(x) + i h f'(x) + ...: with h = 1e-30 the imaginary part is the derivative, without subtraction.  Complex variants of the
kernels are compiled on first need and take long; here the same source runs as plain Python.  With compilation on, these tests run
themselves once more in a process of their own, without it.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from contracts.motion import at, consistent, derivative, flow, random_velocity
from contracts.samples import case_id, drawn, force_cases, generator, joint_cases, sample

import dalembert as da
from dalembert.analyses.equations import scale_blocks, unscaled_jacobian
from dalembert.analyses.pose.initial import THRESHOLD
from dalembert.kernels import layout
from dalembert.kernels.bodies import rate_of_q
from dalembert.kernels.compiler import COMPILE
from dalembert.kernels.operate import DETECT, EVALUATE, FORCES, INPUTS, RATES, ROWS, operate
from dalembert.system.trace.derivatives import tangents

H = 1e-30
# round-off of numbers of size 1 to 100
ROUND = 1e-11
plain = pytest.mark.skipif(COMPILE, reason="complex kernels take minutes to compile; run below in plain Python")


@pytest.mark.skipif(not COMPILE, reason="this is the process of its own")
def test_in_plain_python():
    environment = dict(os.environ, DALEMBERT_COMPILE="0")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "passed" in done.stdout and "failed" not in done.stdout


def complex_state(system, q, v, t=0.0):
    """State stepped along its own velocity by i h: q' = N(q) v."""
    rate = np.zeros(len(q))
    rate_of_q(system.numbering.I, q, v, rate)
    return complex(t, H), q + 1j * H * rate, v.astype(complex)


def run(system, mode, t, q, v, tolerance=0.0):
    """One operation on complex memory."""
    work, n = system.workspace(dtype=complex), system.numbering
    operate(DETECT, n.I, n.P, work.F, t, q, v, np.zeros(system.nv, dtype=complex), THRESHOLD, 1)
    a = np.zeros(system.nv, dtype=complex)
    operate(mode, n.I, n.P, work.F, t, q, v, a, tolerance, 1)
    return work, a


def along(system, F, t, q, v, displacement, wanted):
    """Derivatives of the graph along a displacement, or by time, with multipliers zero."""
    n = system.numbering
    state = {"t": t, "q": q, "v": v, "lam": np.zeros(system.n_rows + n.I[layout.N_FREE])}
    found = tangents(n)(wanted, n, F, state)
    return found and [x[:, 0] if by == "t" else x @ displacement for x, (_, by) in zip(found, wanted)]


@plain
@pytest.mark.parametrize(("tag", "plane"), joint_cases(), ids=case_id)
def test_complex_step_is_the_row(tag, plane):
    s = sample(tag, plane)
    system = da.compile(s.model, extra=tuple(s.part.coordinates().values()))
    rng = generator("complex", tag, plane)
    q, _ = consistent(system, rng)
    v = random_velocity(system, rng)
    e = at(system, 0.0, q, v)
    state = complex_state(system, q, v)
    # positions: the imaginary part of phi is J v - nu
    work, _ = run(system, ROWS, *state)
    assert np.real(work.y) == pytest.approx(e.phi, abs=ROUND)
    on_rates = np.array([row.rate_only for row in system.numbering.rows], dtype=bool)
    held, free = on_rates[: system.n_rows], on_rates[system.n_rows :][: len(system.builder.free)]
    # conditions on velocities have no value to differentiate
    assert np.imag(work.y[~held]) / H == pytest.approx((e.jac @ v - e.nu)[~held], abs=ROUND)
    assert np.all(work.y[held] == 0.0)
    # velocities: the imaginary part of J v - nu is -gamma
    work, _ = run(system, RATES, *state)
    assert np.imag(work.y) / H == pytest.approx(-e.gamma, abs=ROUND)
    # coordinates: the imaginary part of the value is the rate, that of the rate the bias
    work, _ = run(system, INPUTS, *state)
    value, rate, bias = (
        x[system.n_rows : system.n_rows + len(system.builder.free)] for x in (work.value, work.rate, work.bias)
    )
    assert np.imag(value[~free]) / H == pytest.approx(np.real(rate[~free]), abs=ROUND)
    assert np.imag(rate[free]) / H == pytest.approx(np.real(bias[free]), abs=ROUND)


@plain
@pytest.mark.parametrize(("tag", "plane"), force_cases(), ids=case_id)
def test_complex_step_is_the_derivative_of_forces(tag, plane):
    s = sample(tag, plane)
    system = da.compile(s.model)
    rng = generator("complex", tag, plane)
    q, v = flow(plane, system.q0, random_velocity(system, rng), 0.4), random_velocity(system, rng)
    work, _ = run(system, FORCES, *complex_state(system, q, v, 0.3))
    blocks, width = scale_blocks(system, work), system.builder.width
    scaled = np.imag(work.acc[: system.nv]) / H
    found = np.concatenate([g @ scaled[width * b :][:width] for b, g in enumerate(blocks)])
    # along constant v: dQ/dt by differences of the real evaluation, right to 1e-9 for forces of some ten newtons
    moved = derivative(lambda h: at(system, 0.3 + h, flow(plane, q, v, h), v).Q)
    assert found == pytest.approx(moved, abs=1e-8)
    made = along(system, np.real(work.F), 0.3, q, v, v, [("force", "q"), ("force", "t")])
    if made is not None:
        # the same from the graph, to the last digits; a law in Python has none
        size = max(1.0, float(np.max(np.abs(moved))))
        turning = np.arange(system.nv) % width >= (2 if plane else 3)
        keep = ~(turning & np.repeat([body.particle for body in system.builder.bodies], width))
        assert -(made[0] + made[1])[keep] == pytest.approx(found[keep], abs=ROUND * size)


@plain
@pytest.mark.parametrize("plane", [True, False], ids=case_id)
def test_complex_step_through_the_whole_solve(plane):
    # the derivative of accelerations and multipliers, through the elimination, with a gear, a driver and laws
    s = sample("gear", plane)
    m = s.model
    m.drive("motor", m["support1"].angle, f"{drawn(m, 'support1.angle')} + sin(t)")
    m.spring(
        "tie",
        m["first"].point(*[0.2] * (2 if plane else 3)),
        m["wheel2"].point(*[0.1] * (2 if plane else 3)),
        stiffness=20.0,
        damping=1.0,
    )
    m.actuator("law", m["support2"].angle, force="sin(s)*v + t**2")
    system = da.compile(m)
    rng = generator("whole", plane)
    q, v = consistent(system, rng, t=0.0, far=0.1)
    work, a = run(system, EVALUATE, *complex_state(system, q, v, 0.0))
    e = at(system, 0.0, q, v)
    assert np.real(a) == pytest.approx(e.a, rel=1e-10, abs=1e-10)
    assert np.real(work.lam) == pytest.approx(e.lam, rel=1e-10, abs=1e-10)
    moved = derivative(lambda h: np.concatenate([(x := at(system, h, flow(plane, q, v, h), v)).a, x.lam]))
    size = max(1.0, float(np.max(np.abs(moved))))
    # seven-point differences of accelerations of some hundred
    found = np.imag(np.concatenate([a, work.lam])) / H
    assert found == pytest.approx(moved, abs=1e-8 * size)
    # from the graph, with the solution differentiated as a whole
    n = system.numbering
    state = {"t": 0.0, "q": q, "v": v, "a": e.a, "lam": np.append(e.lam, np.zeros(n.I[layout.N_FREE]))}
    by_q, by_t = (tangents(n).motion(by, e.M, n, np.real(work.F), state) for by in "qt")
    exact = np.concatenate([x @ v + y[:, 0] for x, y in zip(by_q, by_t)])
    assert exact == pytest.approx(found, abs=1e-10 * size)


@plain
def test_jacobian_of_complex_memory_is_complex():
    # J(q + i h q') gives dJ/dt: its product with v is -gamma for a spherical joint
    system = da.compile(sample("spherical", False).model)
    rng = generator("jacobian")
    q, v = consistent(system, rng)
    work, _ = run(system, ROWS, *complex_state(system, q, v))
    assert work.F.dtype == complex
    jac = unscaled_jacobian(system, work).toarray()
    assert np.imag(jac) / H @ v == pytest.approx(-at(system, 0.0, q, v).gamma, abs=ROUND)
    assert system.numbering.I[layout.PLANE] == 0
