"""Every joint and force element with kernels as plain Python: rows, rates, biases and solutions against derivatives of the graph.

The kernels are run on symbols; what they compute as a *value* becomes a graph, whose derivatives are exact to rounding and know nothing of the
formulas that the kernels have for rows, rates and biases.
"""

from __future__ import annotations

import numpy as np
import pytest
from contracts.motion import Observer, at, consistent, derivative, flow, random_velocity
from contracts.samples import case_id, drawn, force_cases, generator, joint_cases, sample
from traced.programs import values_of

import dalembert as da
from dalembert.analyses.pose.pose import Pose
from dalembert.kernels import layout
from dalembert.kernels import operate as modes
from dalembert.kernels.bodies import rate_of_q
from dalembert.system.trace.derivatives import tangents
from dalembert.system.trace.mechanism import TracedMechanism

# round-off of numbers of size 1 to 100
ROUND = 1e-11


def tangents_at(system, t, q, v, *wanted):
    """Matrices of derivatives (what, by) at a state, with multipliers zero; None where a law is a Python function."""
    n, pose = system.numbering, Pose(system, t, q, v)
    pose.follow()
    # sides of switches are those of the state
    modes.operate(modes.FORCES, n.I, n.P, pose.work.F, t, q, v, np.zeros(system.nv), 0.0, 1)
    state = {"t": t, "q": q, "v": v, "a": np.zeros(system.nv), "lam": np.zeros(system.n_rows + n.I[layout.N_FREE])}
    return tangents(n)(wanted, n, pose.work.F, state)


@pytest.mark.parametrize(("tag", "plane"), joint_cases(), ids=case_id)
def test_rows_rates_and_biases_are_derivatives_of_values(tag, plane):
    s = sample(tag, plane)
    coordinates = tuple(s.part.coordinates().values())
    system = da.compile(s.model, extra=coordinates)
    rng, rows = generator("rows", tag, plane), system.n_rows
    q, _ = consistent(system, rng)
    v = random_velocity(system, rng)
    e = at(system, 0.0, q, v)
    wanted = (("value", "q"), ("value", "t"), ("rate", "q"), ("rate", "v"), ("rate", "t"))
    value_q, value_t, rate_q, rate_v, rate_t = tangents_at(system, 0.0, q, v, *wanted)
    value, rate = value_q @ v + value_t[:, 0], rate_q @ v + rate_t[:, 0]
    # a condition on velocities has no value to differentiate
    on_rates = np.array([row.rate_only for row in system.numbering.rows], dtype=bool)
    held = on_rates[:rows]
    assert value_q[:rows][~held] == pytest.approx(e.jac[~held], abs=ROUND)
    assert value[:rows][~held] == pytest.approx((e.jac @ v - e.nu)[~held], abs=ROUND)
    assert np.all(value_q[:rows][held] == 0.0) and np.all(e.phi[held] == 0.0)
    # J v - nu: by velocities it is J, along the motion -gamma
    assert rate_v[:rows] == pytest.approx(e.jac, abs=ROUND)
    assert rate[:rows] == pytest.approx(-e.gamma, abs=ROUND)
    for measure in coordinates:
        look = Observer(system, measure)
        _, speed, row, bias = look(0.0, q, v)
        if not on_rates[look.k]:
            assert value[look.k] == pytest.approx(speed, abs=ROUND)
            assert value_q[look.k] == pytest.approx(row, abs=ROUND)
        assert rate_v[look.k] == pytest.approx(row, abs=ROUND)
        assert rate[look.k] == pytest.approx(bias, abs=ROUND)


@pytest.mark.parametrize(("tag", "plane"), force_cases(), ids=case_id)
def test_derivatives_of_forces(tag, plane):
    system = da.compile(sample(tag, plane).model)
    rng = generator("forces", tag, plane)
    q, v = flow(plane, system.q0, random_velocity(system, rng), 0.4), random_velocity(system, rng)
    made = tangents_at(system, 0.3, q, v, ("force", "q"), ("force", "t"))
    # along constant v
    moved = derivative(lambda h: at(system, 0.3 + h, flow(plane, q, v, h), v).Q)
    assert np.all(np.isfinite(moved))
    if made is None:
        assert "Python" in tangents(system.numbering).refused
        return
    width = system.builder.width
    turning = np.arange(system.nv) % width >= (2 if plane else 3)
    keep = ~(turning & np.repeat([body.particle for body in system.builder.bodies], width))
    # seven-point differences of functions of this size are right to 1e-13 of it
    size = 1.0 + np.max(np.abs(moved)) + np.max(np.abs(at(system, 0.3, q, v).Q))
    assert -(made[0] @ v + made[1][:, 0])[keep] == pytest.approx(moved[keep], abs=ROUND * size)


@pytest.mark.parametrize("plane", [True, False], ids=case_id)
def test_derivatives_through_the_whole_solve(plane):
    """Accelerations and multipliers along a motion: through the elimination, by one more solve, and by differences."""
    s = sample("gear", plane)
    m = s.model
    m.drive("motor", m["support1"].angle, f"{drawn(m, 'support1.angle')} + sin(t)")
    ends = (m["first"].point(*[0.2] * (2 if plane else 3)), m["wheel2"].point(*[0.1] * (2 if plane else 3)))
    m.spring("tie", *ends, stiffness=20.0, damping=1.0)
    m.actuator("law", m["support2"].angle, force="sin(s)*v + t**2")
    system = da.compile(m)
    n, rng = system.numbering, generator("whole", plane)
    q, v = consistent(system, rng, t=0.0, far=0.1)
    e, pose = at(system, 0.0, q, v), Pose(system, 0.0, q, v)
    pose.detect()
    pose.follow()
    # the whole evaluation as a graph, and its forward sweep along q' = N(q) v, t' = 1
    traced = TracedMechanism(n)
    graph, found, rate = traced.graph, traced.program(modes.EVALUATE), np.zeros(system.nq)
    rate_of_q(n.I, q, v, rate)
    store = {(name, k): node for name, k, node in found.stores}
    first = n.places["lam"][0]
    nodes = [store["a", k] for k in range(system.nv)] + [store["F", first + r] for r in range(system.n_rows)]
    direction = {graph.named(("q", k)): graph.number(x) for k, x in enumerate(rate)} | {
        graph.named(("t", 0)): graph.one
    }
    rates = graph.forward(nodes, direction)
    arrays = {"t": [0.0], "q": q, "v": v, "P": n.P, "F": pose.work.F, "tolerance": [0.0]}
    numbers = values_of(graph, nodes + rates, lambda name: arrays[name[0]][name[1]])
    solved = np.concatenate([e.a, e.lam])
    assert [numbers[k] for k in nodes] == pytest.approx(solved, rel=1e-10, abs=1e-10)
    through = np.array([numbers[k] for k in rates])
    moved = derivative(lambda h: np.concatenate([(x := at(system, h, flow(plane, q, v, h), v)).a, x.lam]))
    size = max(1.0, float(np.max(np.abs(moved))))
    # seven-point differences of accelerations of some hundred
    assert through == pytest.approx(moved, abs=1e-10 * size)
    # with the solution differentiated as a whole
    state = {"t": 0.0, "q": q, "v": v, "a": e.a, "lam": np.append(e.lam, np.zeros(n.I[layout.N_FREE]))}
    by_q, by_t = (tangents(n).motion(by, e.M, n, pose.work.F, state) for by in "qt")
    whole = np.concatenate([x @ v + y[:, 0] for x, y in zip(by_q, by_t)])
    assert whole == pytest.approx(through, abs=1e-10 * size)
