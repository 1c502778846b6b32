"""Bodies with many corners come to rest: bounces of several stops accumulate at one time, and everything is still afterwards.

What must hold whatever happens: gaps stay open, the stops only take energy, the audit of every part passes, and in the end the stops carry the weight.
"""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def box(e):
    m = da.Mechanism("box", gravity=(0, -G))
    body = m.body("box", da.block(0.4, 0.2, mass=1.0), at=(0, 1.0), angle=0.4, spin=1.0)
    for k, (x, y) in enumerate(((-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1))):
        m.impact(f"corner {k}", m.measure(f"height {k}", point=body.point(x, y), along=(0, 1)), restitution=e)
    return m


def box_in_space(e):
    m = da.Mechanism("box", plane=False, gravity=(0, 0, -G))
    body = m.body("box", da.box(0.4, 0.3, 0.2, mass=1.0), at=(0, 0, 0.6), rotation=((1, 0.5, 0.2), 0.5))
    places = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.1, 0.1)]
    for k, place in enumerate(places):
        m.impact(f"corner {k}", m.measure(f"height {k}", point=body.point(*place), along=(0, 0, 1)), restitution=e)
    return m


@pytest.mark.parametrize(("make", "e"), [(box, 0.0), (box, 0.3), (box, 0.7), (box_in_space, 0.3)])
def test_a_box_comes_to_rest(make, e):
    m = make(e)
    run = da.simulate(m, until=4.0)
    assert run.status == "ok", run.audit
    weight = sum(np.asarray(run[name].force)[-1] for name in m.impacts)
    assert weight == pytest.approx([0.0] * (len(weight) - 1) + [G], abs=1e-9)
    assert all(min(run[name].force[-1]) >= 0.0 for name in m.impacts)
    for name in m.impacts:
        assert np.min(run[name].gap) > -1e-10
    assert all(x.dissipated >= -1e-12 for x in run.events)
    total = np.asarray(run.energy.total)
    assert np.max(np.diff(total)) < 1e-7, "energy falls, to the tolerance of the run"
    assert np.max(np.abs(run.v[-1])) < 1e-9


def test_balls_on_each_other():
    """Three balls fall on each other and on the floor; in the end the floor carries all of them: 2 g, 3/2 of it below the second, ..."""
    m = da.Lagrangian(
        "a b c", kinetic="rate(a)**2 + rate(b)**2/2 + rate(c)**2/4", potential="g*(2*a + b + c/2)", parameters={"g": G}
    )
    for name, x in zip("abc", (1.0, 1.3, 1.7)):
        m.start(name, x)
    m.impact("floor", "a - 0.1", restitution=0.7)
    m.impact("ab", "b - a - 0.2", restitution=0.7)
    m.impact("bc", "c - b - 0.2", restitution=0.7)
    run = da.simulate(m, until=8.0)
    assert run.status == "ok"
    assert run.q[-1] == pytest.approx([0.1, 0.3, 0.5], abs=1e-10)
    assert [-run[name][-1] for name in ("floor", "ab", "bc")] == pytest.approx([3.5 * G, 1.5 * G, 0.5 * G], abs=1e-9)
    assert run.audit.lost == pytest.approx(run.energy.total[0] - run.energy.total[-1], rel=1e-7)


def test_a_crank_against_a_stop():
    """A closed loop with a stop: the rate of the piston turns back with e, joints hold, and the impulse does the work 1/2 p (u+ + u-)."""
    m = da.Mechanism("slider-crank", gravity=(0, -G))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.2, 0))
    m.revolute("B", rod, piston, at=(0.8, 0))
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.start("O.angle", value=0.5, rate=-10.0)
    m.impact("stop", "0.78 - piston.x", restitution=0.8)
    run = da.simulate(m, until=3.0)
    assert run.status == "ok" and len(run.events) >= 3
    for x in run.events:
        u, after = -x.before.v[6], -x.after.v[6]
        assert after == pytest.approx(-0.8 * u, rel=1e-9)
        assert x.energy_change == pytest.approx(0.5 * x.impulse["stop"] * (u + after), rel=1e-9)
        assert x.state.q[6] == pytest.approx(0.78, abs=1e-12)


def test_a_rough_stop_without_solution_is_refused():
    """A corner that must not slip at all would have to pull here (Painlevé): said so, with what was computed."""
    m = da.Mechanism("box", gravity=(0, -G))
    body = m.body("box", da.block(0.4, 0.2, mass=1.0), at=(0, 0.5), angle=0.4, velocity=(0.5, 0))
    along, height = (
        m.measure(what, point=body.point(-0.2, -0.1), along=d) for what, d in (("x", (1, 0)), ("y", (0, 1)))
    )
    m.impact("corner", height, rough=along)
    with pytest.raises(da.SingularError, match="Painleve") as refused:
        da.simulate(m, until=4.0)
    assert refused.value.result.t[-1] < 0.3 and math.isfinite(refused.value.result.q.sum())
