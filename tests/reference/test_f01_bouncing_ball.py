"""F01: bouncing ball, h = 1 m, e = 0.9, g = 9.81, to 8.5 s and beyond its accumulation.

Source: Siconos, examples BouncingBallEventDriven (published: last impact 8.491374025642981 s, v+ 0.04295561258407163 m/s, y(8.5) 5.565550791198585e-06 m;
their tolerance shows from the eleventh digit on); the numbers here are closed form: the k-th impact at sqrt(2h/g) (1 + 2 (e + ... + e^k)), v+ = e^k sqrt(2gh),
and the end of all bounces at sqrt(2h/g) (1 + e)/(1 - e).

Tolerance: the flights are parabolas, exact for the method; the times add up the roundings of 44 (121) impacts, some 1e-14 each.
"""

import math

import pytest

import dalembert as da

H, E, G = 1.0, 0.9, 9.81
LAST, AFTER, PLACE, SPEED, END = (
    8.491374025647696,
    0.042955612586326,
    5.56555100915e-06,
    -0.04166519580978,
    8.578949178728887,
)


def of_bodies():
    m = da.Mechanism("ball", gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, H))
    m.impact("floor", "ball.y", restitution=E)
    return m, 1


def of_coordinates():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="g*y", parameters={"g": G})
    m.start("y", H)
    m.impact("floor", "y", restitution=E)
    return m, 0


@pytest.mark.parametrize("make", [of_bodies, of_coordinates])
def test_to_the_end_of_the_benchmark(make):
    m, k = make()
    run = da.simulate(m, until=8.5)
    hits = run.events.of("impact")
    assert run.status == "ok" and len(hits) == 44
    assert hits[-1].t == pytest.approx(LAST, abs=1e-12)
    assert hits[-1].after.v[k] == pytest.approx(AFTER, abs=1e-12)
    assert run.q[-1, k] == pytest.approx(PLACE, abs=1e-12)
    assert run.v[-1, k] == pytest.approx(SPEED, abs=1e-11)
    for n, hit in enumerate(hits):
        assert hit.energy_lost == pytest.approx(G * H * E ** (2 * n) * (1 - E**2), rel=1e-10)


@pytest.mark.parametrize("make", [of_bodies, of_coordinates])
def test_beyond_the_accumulation(make):
    m, k = make()
    run = da.simulate(m, until=10.0)
    assert run.status == "ok"
    rest = run.events[-1]
    assert rest.what == "rest" and math.sqrt(2 * H / G) * (1 + E) / (1 - E) == pytest.approx(END, abs=1e-14)
    assert rest.accumulates == pytest.approx(END, abs=1e-11)
    # it is at rest from a bounce of 1e-11 m on
    assert abs(run.q[-1, k]) < 1e-14 and run.v[-1, k] == 0.0
    assert run.audit.lost == pytest.approx(G * H, rel=1e-9)
