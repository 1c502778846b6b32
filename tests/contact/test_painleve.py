"""Painleve's rod on a rigid contact: beyond mu = (tan a + 4/tan a)/3 no motion exists (closed form, BENCHMARKS F06), and every verb says so as one class of error."""

import math

import pytest

import dalembert as da

G = 9.81
CRITICAL, ANGLE = 4.0 / 3.0, math.atan(2.0)  # the least critical coefficient, and where


def rod(mu):
    """A uniform rod of 2 m with its point sliding on the floor at 5 m/s, trailing behind it."""
    m = da.Mechanism("rod", plane=True, gravity=(0, -G))
    at = (-math.cos(ANGLE), math.sin(ANGLE))
    bar = m.body("rod", da.rod(length=2.0, mass=1.0), at=at, angle=-ANGLE, velocity=(5.0, 0.0))
    m.contact("floor", m.ground, bar, points=[bar.end], mu=mu)
    return m


VERBS = {
    "simulate": lambda m: da.simulate(m, until=0.01),
    "stepper": lambda m: da.Stepper(m, step=0.001).step(1),
    "reactions": lambda m: da.reactions(m),
    "instant": lambda m: da.instant(m),
    "free_body": lambda m: da.free_body(m, "rod"),
    "linearize": lambda m: da.linearize(m),
}


@pytest.mark.parametrize("verb", VERBS)
def test_one_class_in_every_verb(verb):
    with pytest.raises(da.SingularError, match=r"'floor'(.|\n)*Painleve"):
        VERBS[verb](rod(CRITICAL + 1e-6))
    VERBS[verb](rod(CRITICAL - 1e-3))


def test_stops_that_contradict_each_other_are_another_class():
    """A driver pushes a body with friction into a wall: no smooth contact has a solution either, so friction is not the reason."""
    m = da.Mechanism("ram", plane=True)
    body = m.body("body", da.block(0.2, 0.2, mass=1.0), at=(0, 0.1))
    guide = m.prismatic("guide", m.ground, body, along=(1, 0))
    m.contact("wall", m.ground, body, points=[body.point(0.1, 0.0)], normal=(-1, 0), through=(0.5, 0), mu=0.5)
    m.drive("motor", guide.slide, "t")
    with pytest.raises(da.ConvergenceError, match="joints and drivers push gaps together") as refused:
        da.simulate(m, until=1.0)
    assert refused.value.result.t[-1] == pytest.approx(0.4, abs=1e-9)
