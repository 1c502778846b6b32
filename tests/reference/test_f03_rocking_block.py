"""F03: rocking block of Housner, 0.2 m wide and 1 m high, released at 0.1 rad on a corner that does not slip.

Closed form: about a corner theta'' = -(3g/4R) sin(alpha - theta), at an impact on the other corner the angular velocity falls by
r = 1 - (3/2) sin^2(alpha) (angular momentum about the new corner), so that from one impact to the next cos(alpha - theta_max) follows from r^2.  Reference numbers by mpmath.

Here it is a body with two corners that are rough stops without restitution: everything follows from the generalized impulse equations.
Tolerance: rtol 1e-11 over some 70 steps.
"""

import math

import pytest

import dalembert as da

G, WIDE, HIGH, START = 9.81, 0.2, 1.0, 0.1
TIMES = [0.351119854285, 0.960606577325, 1.501977881372, 1.989636373163, 2.433069241634]
AMPLITUDES = [0.084338023614, 0.072054872315, 0.062075062661, 0.053790422323]


def block():
    m = da.Mechanism("block", gravity=(0, -G))
    c, s = math.cos(START), -math.sin(START)
    # on its right corner at (WIDE/2, 0), turned clockwise
    x, y = WIDE / 2, -HIGH / 2
    body = m.body(
        "block", da.block(WIDE, HIGH, mass=3.0), at=(WIDE / 2 - (c * x - s * y), -(s * x + c * y)), angle=-START
    )
    for name, side in (("left", -WIDE / 2), ("right", WIDE / 2)):
        corner = body.point(side, -HIGH / 2)
        along, height = (
            m.measure(f"{name} {what}", point=corner, along=d) for what, d in (("x", (1, 0)), ("y", (0, 1)))
        )
        m.impact(name, height, rough=along)
    m.event("top", "rate(block.angle)")
    return m


def test_impacts_and_amplitudes():
    run = da.simulate(block(), until=2.6, rtol=1e-11, atol=1e-12)
    assert run.status == "ok"
    hits = run.events.of("impact")
    assert [x.name for x in hits] == ["left", "right", "left", "right", "left"]
    assert [x.t for x in hits] == pytest.approx(TIMES, abs=2e-11)
    alpha = math.atan2(WIDE, HIGH)
    for hit in hits:
        assert hit.after.v[2] / hit.before.v[2] == pytest.approx(1.0 - 1.5 * math.sin(alpha) ** 2, abs=1e-10)
    assert hits[0].before.v[2] == pytest.approx(0.650881114717, abs=1e-10)
    tops = [abs(x.state.q[2]) for x in run.events["top"] if abs(x.state.q[2]) > 1e-6]
    assert tops[: len(AMPLITUDES)] == pytest.approx(AMPLITUDES, abs=1e-10)


def test_it_comes_to_rest():
    """Infinitely many impacts end after a finite time; then both corners carry half of the weight."""
    run = da.simulate(block(), until=12.0)
    assert run.status == "ok"
    rest = run.events[-1]
    assert rest.what == "rest" and rest.t < rest.accumulates < rest.t + 1e-3
    assert abs(run.q[-1, 2]) < 1e-9 and abs(run.v[-1]).max() < 1e-20
    assert run["left"].force[-1, 1] == pytest.approx(1.5 * G) and run["right"].force[-1, 1] == pytest.approx(1.5 * G)
    # steps of time shrink by r, so that what is left after an impact at t is (t - t') r/(1 - r)
    times = [x.t for x in run.events.of("impact")]
    ratio = 1.0 - 1.5 * math.sin(math.atan2(WIDE, HIGH)) ** 2
    assert rest.accumulates == pytest.approx(times[-1] + (times[-1] - times[-2]) * ratio / (1.0 - ratio), abs=1e-6)
