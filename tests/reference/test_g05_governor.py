"""G05: Haug's flyball governor in steady spin (Haug 1989, section 12.6, by way of a public port of simEngine3D).

Arms of 0.16 m with balls of 1 kg, couplers of 0.10922 m from 0.08 m on the arms to a collar of 1 kg, spring of 1000 N/m from the top of the
shaft to the collar, not stretched at 45 degrees (0.15 m, exactly 0.1499977 m here):

    omega^2 = [2 g l sin a + g (b sin a + b^2 sin a cos a/sqrt(c^2 - b^2 sin^2 a))]/(2 l^2 sin a cos a)

gives 11.0232086197 rad/s for g = 9.81 and 11.0175888342 for g = 9.8: the balls alone turn out, their own inertia (a sphere's) has no part in it.
Tolerance 1e-9 in the angle: at an equilibrium it is a root to rounding.
"""

import math

import numpy as np
import pytest

import dalembert as da

ARM, ATTACH, COUPLER, ANGLE = 0.16, 0.08, 0.10922, math.pi / 4
TOP = 0.2


def governor(g, drawn=ANGLE):
    """Drawn with the arms at an angle; the spring is not stretched at 45 degrees."""
    reach = lambda a: ATTACH * math.cos(a) + math.sqrt(COUPLER**2 - (ATTACH * math.sin(a)) ** 2)  # noqa: E731
    m = da.Mechanism("governor", plane=False, gravity=(0, -g, 0))
    shaft = m.body("shaft", mass=200, inertia=(25, 50, 25))
    collar = m.body("collar", mass=1, inertia=(0.15, 0.125, 0.15), at=(0, TOP - reach(drawn), 0))
    m.revolute("bearing", m.ground, shaft, at=(0, 0, 0), axis=(0, 1, 0))
    m.prismatic("guide", shaft, collar, along=(0, 1, 0))
    for name, side in (("right", 1), ("left", -1)):
        along = np.array([side * math.sin(drawn), -math.cos(drawn), 0])
        ball = m.body(name, mass=1, inertia=(0.1, 0.1, 0.1), at=tuple(np.array([0, TOP, 0]) + ARM * along))
        m.revolute(f"pin {name}", shaft, ball, at=(0, TOP, 0), axis=(0, 0, side))
        hook = ball.point(*((ATTACH - ARM) * along))
        m.distance(f"coupler {name}", hook, collar.point(0, 0, 0), length=COUPLER)
    m.spring(
        "spring", shaft.point(0, TOP, 0), collar.point(0, 0, 0), stiffness=1000, damping=30, free_length=reach(ANGLE)
    )
    return m


def arm(e):
    """Angle of the right arm from the vertical."""
    x, y, _ = e.state.q[14:17]
    return math.atan2(x, TOP - y)


@pytest.mark.parametrize(
    "g, omega", [(9.81, 11.023208619711585), (9.80665, 11.021326310740495), (9.8, 11.017588834171868)]
)
def test_steady_spin(g, omega):
    m = governor(g, drawn=0.6)
    found = da.equilibrium(m, spinning=(m["bearing"].angle, omega))
    out = [e for e in found if arm(e) > 0]
    assert len(out) == 1, "the arms may also pass each other and be out on the other sides"
    assert out[0].verdict == "stable"
    assert arm(out[0]) == pytest.approx(ANGLE, abs=1e-9)
    assert float(out[0].state.v[4]) == pytest.approx(omega, rel=1e-14)


def test_the_spin_stays():
    """The state is a motion: simulated for a turn, collar and spin are constant."""
    m = governor(9.81)
    e = [e for e in da.equilibrium(m, spinning=(m["bearing"].angle, 11.023208619711585)) if arm(e) > 0][0]
    run = da.simulate(m, until=0.57, start=e.state, rtol=1e-10, atol=1e-12, output=[0.0, 0.57])
    assert run["collar.y"][-1] == pytest.approx(TOP - 0.1499977049657498, abs=1e-8)
    assert run["bearing.angle"].rate[-1] == pytest.approx(11.023208619711585, abs=1e-7)


def test_small_motions_are_damped():
    m = governor(9.81)
    e = [e for e in da.equilibrium(m, spinning=(m["bearing"].angle, 11.023208619711585)) if arm(e) > 0][0]
    made = da.linearize(m, e)
    assert made.steady
    assert made.turning == pytest.approx([0, 11.023208619711585, 0], abs=1e-7)
    assert max(mode.damping_ratio for mode in made.modes) > 0.01
