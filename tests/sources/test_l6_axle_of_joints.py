"""L6: two wheels on a shaft of negligible mass roll on a plane, LAGRANGE 2.6.2, as a mechanism.

Wheels of mass m and radius a (thin disks), shaft of length l, al = a/l, rates q3', q4' of the wheels:

    T = m a^2/4 [(3 + al^2) q3'^2 - 2 al^2 q3' q4' + (3 + al^2) q4'^2],   q5' = al (q4' - q3') about the vertical

so that (3 + al^2) q3' - al^2 q4' = w1 and -al^2 q3' + (3 + al^2) q4' = w2 are constant, and with them

    q3' = ((3 + al^2) w1 + al^2 w2) / (3 (3 + 2 al^2)),   q5' = al (w2 - w1) / (3 + 2 al^2)

and the middle of the shaft runs on a circle of radius (l/2) |(q3' + q4')/(q4' - q3')| = (l/6) (3 + 2 al^2) |(w1 + w2)/(w2 - w1)|.
(The closing formulas of the source lose a determinant, a length and a sign; these follow from its T.)

Four rows of rolling, two heights and a hinge between the wheels: one row repeats what the others say, since both wheels keep the shaft
from sliding along itself.  Tolerances: 1e-12 for single evaluations, 1e-9 for the motion over 3 s.
"""

import numpy as np
import pytest

import dalembert as da

MASS, A, LENGTH = 1.3, 0.25, 0.8
RATIO = A / LENGTH
LEFT, RIGHT = 3.0, 5.0


def axle(left=LEFT, right=RIGHT):
    m = da.Mechanism("axle", plane=False, gravity=(0, 0, -9.81))
    side, polar = MASS * A**2 / 4, MASS * A**2 / 2
    wheels = [
        m.body(name, mass=MASS, inertia=(side, polar, side), at=(0, y, A))
        for name, y in (("left", LENGTH / 2), ("right", -LENGTH / 2))
    ]
    m.revolute("shaft", *wheels, at=(0, 0, A), axis="y")
    for wheel, rate in zip(wheels, (left, right)):
        floor = m.rolling_disk(f"{wheel.name}_floor", m.ground, wheel, radius=A, axis="y", through=(0, 0, 0))
        m.start(floor.roll, rate=rate)
    return m


def test_freedom():
    found = da.mobility(axle())
    assert found.dof == 2
    (one,) = found.dependent
    assert one.verdict.startswith("permanent") and {"left_floor", "right_floor"} <= set(one.joints)


def test_kinetic_energy_is_that_of_the_source():
    for left, right in ((LEFT, RIGHT), (1.0, -2.0), (0.7, 0.7)):
        run = da.simulate(axle(left, right), until=0.01, output=0.01)
        square = (3 + RATIO**2) * (left**2 + right**2) - 2 * RATIO**2 * left * right
        assert run.energy.kinetic[0] == pytest.approx(0.25 * MASS * A**2 * square, rel=1e-12)


def test_motion():
    run = da.simulate(axle(), until=3.0, output=0.1, rtol=1e-12, atol=1e-13)
    assert run.status == "ok", run.audit
    # the rates stay
    assert run["left_floor"].roll == pytest.approx(np.full(31, LEFT), abs=1e-10)
    assert run["right_floor"].roll == pytest.approx(np.full(31, RIGHT), abs=1e-10)
    w1, w2 = ((3 + RATIO**2) * x - RATIO**2 * y for x, y in ((LEFT, RIGHT), (RIGHT, LEFT)))
    turn = RATIO * (w2 - w1) / (3 + 2 * RATIO**2)
    assert turn == pytest.approx(RATIO * (RIGHT - LEFT), rel=1e-14)
    assert ((3 + RATIO**2) * w1 + RATIO**2 * w2) / (3 * (3 + 2 * RATIO**2)) == pytest.approx(LEFT, rel=1e-14)
    # the right wheel is the faster one: a turn to the left
    assert run["left_floor"].yaw == pytest.approx(np.full(31, turn), abs=1e-10)
    middle = 0.5 * (run["left"].position + run["right"].position)
    radius = LENGTH / 6 * (3 + 2 * RATIO**2) * abs((w1 + w2) / (w2 - w1))
    circle = np.column_stack([np.sin(turn * run.t), 1 - np.cos(turn * run.t)]) * radius
    assert middle[:, :2] == pytest.approx(circle, abs=1e-9)


def test_reactions():
    run = da.simulate(axle(), until=1.0, output=0.25, rtol=1e-12, atol=1e-13)
    weight = 2 * MASS * 9.81
    assert run["left_floor"].normal + run["right_floor"].normal == pytest.approx(np.full(5, weight), abs=1e-9)
    # towards the middle of the turn, to the left, both together; how they share it is not determined
    across = run["left_floor"].friction + run["right_floor"].friction
    speed = A * 0.5 * (LEFT + RIGHT)
    turn = RATIO * (RIGHT - LEFT)
    assert np.linalg.norm(across, axis=1) == pytest.approx(np.full(5, 2 * MASS * speed * turn), abs=1e-9)
    found = da.reactions(axle())
    assert found.dependent == 1 and {"left_floor", "right_floor"} <= set(found.not_unique)
    # tilting over to the outside: moments about the shaft's middle on the ground
    outer, inner = run["right_floor"].normal[0], run["left_floor"].normal[0]
    gyroscopic = 0.5 * MASS * A**2 * (LEFT + RIGHT) * turn
    assert (outer - inner) * LENGTH / 2 == pytest.approx(2 * MASS * speed * turn * A + gyroscopic, rel=1e-9)
