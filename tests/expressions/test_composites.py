"""Expressions as rows of a mechanism: parts that are the same measure under two names, and branches that are not taken."""

import numpy as np
import pytest

import dalembert as da


def cam(row, rates=False):
    """An arm that another one follows by an expression of its angle, which has three names."""
    m = da.Mechanism("cam", gravity=(0, -9.81))
    arm = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    link = m.body("link", da.rod(length=1.0, mass=1.0), at=(0.5, 1))
    m.revolute("A", m.ground, arm, at=(0, 0))
    m.revolute("B", m.ground, link, at=(0, 1))
    m.measure("u", angle=(m.ground, arm))
    m.measure("w", angle=(m.ground, arm))
    if rates:
        m.pfaffian("follow", row)
    else:
        m.constraint("follow", m.measure("lift", row))
    m.start("A.angle", value=0.3, rate=1.5)
    return m


@pytest.mark.parametrize(
    ("twice", "once", "rates"),
    [
        ("B.angle - u*w - sin(w)", "B.angle - u**2 - sin(u)", False),
        ("rate(B.angle) - w*rate(u) - 2*u*rate(w)", "rate(B.angle) - 3*u*rate(u)", True),
    ],
    ids=["position", "velocity"],
)
def test_one_measure_under_two_names(twice, once, rates):
    """Its two parts share one row, which the derivative enters once."""
    runs = [da.simulate(cam(row, rates), until=0.5, rtol=1e-10, atol=1e-12) for row in (twice, once)]
    for part in ("arm", "link"):
        # the same equations: two orders above the tolerance of the integration
        assert np.abs(runs[0][part].angle - runs[1][part].angle).max() < 1e-8
        assert np.ptp(runs[0][part].angle) > 0.1
    if not rates:
        a, b = runs[0]["arm"].angle, runs[0]["link"].angle
        assert np.abs(b - a**2 - np.sin(a)).max() < 1e-9


@pytest.mark.parametrize("held", [False, True])
def test_a_branch_not_taken_has_no_say(held):
    """Value, slopes and second rate of a row stay finite where the other branch of a condition has no value, by kernels and by the trace."""
    from traced.programs import differs, run

    from dalembert.kernels import layout as at
    from dalembert.kernels import operate as modes
    from dalembert.system.trace.mechanism import TracedMechanism

    m = cam("B.angle - if_(u > 0, u**2, sqrt(u)*log(u)*asin(2 - u)*exp(-1000*u))")
    system = da.compile(m)
    n, work = system.numbering, system.workspace()
    q, v = system.q0.copy(), np.full(system.nv, 0.4)
    q[2] = 0.3
    modes.operate(modes.ROWS, n.I, n.P, work.F, 0.0, q, v, np.zeros(system.nv), 0.0, 1)
    work.F[n.I[at.FROZEN]] = float(held)
    modes.operate(modes.ROWS, n.I, n.P, work.F, 0.0, q, v, np.zeros(system.nv), 0.0, 1)
    assert np.isfinite(work.bias).all() and np.isfinite(work.slope).all() and np.isfinite(work.jac).all()
    traced = TracedMechanism(n)
    program = traced.program(modes.ROWS, held)
    F = work.F.copy()
    F[slice(*n.places["bias"])] = F[slice(*n.places["jac"])] = np.nan
    run(
        traced,
        program,
        program.stores,
        {"P": n.P, "F": F, "q": q, "v": v, "a": np.zeros(system.nv), "t": [0.0], "tolerance": [0.0]},
    )
    written = [k for name, k, _ in program.stores if name == "F"]
    assert differs(work.F[written], F[written]) < 1e-12
