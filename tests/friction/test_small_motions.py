"""Small motions while friction slips and feels the reactions: closed forms, and differences of the accelerations."""

import math

import numpy as np
import pytest

import dalembert as da

from .machines import slider_crank

G = 9.81


def belt(mu, speed=1.5, stiffness=50.0, mass=2.0):
    """A mass on a spring on a belt, where its spring balances the friction of the steady slip."""
    m = da.Mechanism("belt", plane=True, gravity=(0, -G))
    block = m.body("block", mass=mass, inertia=0.1)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.actuator("spring", m["guide"].slide, force=f"-{stiffness}*s")
    m.measure("slip", f"guide.slide - {speed}*t")
    m.friction("rub", "guide", mu=mu, along="slip")
    sliding = m["rub"].slipping(m.value, speed)
    m.start(m["guide"].slide, sliding * mass * G / stiffness)
    return m


def test_falling_friction_is_negative_damping():
    """M x'' + mu'(V) m g x' + k x = 0: mu = 0.1 + 0.3 exp(-v/2) falls with the speed, and the steady slip grows into an oscillation."""
    found = da.linearize(belt("0.1 + 0.3*exp(-v/2)"))
    c = -0.15 * math.exp(-0.75) * 2.0 * G
    assert found.steady and not found.stable
    assert np.sort_complex(found.eigenvalues) == pytest.approx(np.sort_complex(np.roots([2.0, c, 50.0])), rel=1e-9)
    assert da.linearize(belt(0.3)).stable
    assert da.linearize(belt("0.1 + 0.1*v")).damping_ratios[0] == pytest.approx(0.1 * G * 2.0 / (2 * 10.0), rel=1e-9)


SPRINGS = (100.0, math.radians(150.0)), (40.0, math.radians(35.0))
CONTACT, PRESS, MASS, PAD = 60.0, 50.0, 1.0, 0.2


def stiffness():
    """K of the two springs in x and y, the contact in y."""
    k = np.zeros((2, 2))
    for size, angle in SPRINGS:
        e = np.array([math.cos(angle), math.sin(angle)])
        k += size * np.outer(e, e)
    k[1, 1] += CONTACT
    return k


def squeal(mu, speed=-3.0):
    """Hoffmann's model: a mass on two springs, pressed on a belt through a contact spring; a light pad carries N = the force of that spring."""
    m = da.Mechanism("squeal", plane=True)
    mass, pad = m.body("mass", mass=MASS, inertia=0.1, at=(0, 1)), m.body("pad", mass=PAD, inertia=0.1)
    m.prismatic("rail", m.ground, pad, along=(1, 0))
    m.prismatic("up", pad, mass, along=(0, 1))
    m.measure("x", point=mass.point(0, 0), along=(1, 0))
    m.measure("y", point=mass.point(0, 0), along=(0, 1))
    for k, (size, angle) in enumerate(SPRINGS):
        c, s = math.cos(angle), math.sin(angle)
        pull = f"({c}*x + {s}*(y - 1))"
        m.force(f"spring{k}", mass, (f"-{size * c}*{pull}", f"-{size * s}*{pull}"))
    m.force("press", mass, (0, -PRESS))
    m.actuator("contact", m["up"].slide, force=f"-{CONTACT}*s")
    m.measure("slip", f"rail.slide - {speed}*t")
    m.friction("rub", "rail", mu=mu, along="slip")
    k = stiffness()
    k[0, 1] += math.copysign(mu, speed) * CONTACT  # friction along the belt, mu N with N = -CONTACT y
    x, y = np.linalg.solve(k, [0.0, -PRESS])
    m.start(m["rail"].slide, x)
    m.start(m["up"].slide, y)
    return m, k


def critical():
    """Both frequencies meet where k12 (k12 - mu k3) = -(k11 m2 - k22 m1)^2/(4 m1 m2) (Hoffmann et al., J. Sound Vib. 2002, with the masses of this model)."""
    k, m1, m2 = stiffness(), MASS + PAD, MASS
    return ((k[0, 0] * m2 - k[1, 1] * m1) ** 2 / (4 * m1 * m2) + k[0, 1] ** 2) / (k[0, 1] * CONTACT)


def test_two_modes_meet_and_flutter():
    # with the belt the other way round the coefficient changes its sign
    side, limit = math.copysign(3.0, -critical()), abs(critical())
    assert 0.05 < limit < 1.0
    for mu in (0.5 * limit, 0.999 * limit, 1.001 * limit, 1.5 * limit):
        m, k = squeal(mu, side)
        found = da.linearize(m)
        expected = np.linalg.eigvals(np.linalg.solve(np.diag([MASS + PAD, MASS]), k)).astype(complex)
        roots = np.concatenate([np.sqrt(-expected), -np.sqrt(-expected)])
        for s in roots:
            assert np.min(np.abs(found.eigenvalues - s)) < 1e-6 * abs(s)
        assert found.steady and found.stable == (mu < limit)
    # no symmetric matrix flutters
    assert np.max(np.abs(found.K - found.K.T)) > 0.1 * np.max(np.abs(found.K))


def of_instants(make, names, values, rates, step=1e-4):
    """State matrix by differences of the accelerations that `instant` finds; coordinates along straight lines."""
    n = len(names)
    a = np.zeros((2 * n, 2 * n))
    a[:n, n:] = np.eye(n)

    def second(x):
        m = make()
        for name, value, rate in zip(names, x[:n], x[n:]):
            m.start(name, float(value), rate=float(rate))
        now = da.instant(m)
        return np.array([now.second_rate(name) for name in names])

    x0 = np.array([*values, *rates])
    for k, d in enumerate(step * np.eye(2 * n)):
        near, far = (second(x0 + c * d) - second(x0 - c * d) for c in (1.0, 2.0))
        a[n:, k] = (8 * near - far) / (12 * step)
    return a


def wedges():
    """Two faces with friction, one with a coefficient that depends on the rate, and springs that are not linear."""
    m = da.Mechanism("wedges", plane=True, gravity=(0, -G))
    low, top = m.body("wedge", mass=0.7, inertia=0.01), m.body("load", mass=1.3, inertia=0.01, at=(0, 0.1))
    m.prismatic("floor", m.ground, low, along=(1, 0))
    m.prismatic("face", low, top, along=(math.cos(0.4), math.sin(0.4)), at=(0, 0.1))
    m.prismatic("shaft", m.ground, top, along=(0, 1))
    m.actuator("press", m["shaft"].slide, force="-80*s - 900*s**3 - 30")
    m.friction("below", "floor", mu="0.1 + 0.2*exp(-v)")
    m.friction("on", "face", mu=0.15)
    return m


def puck():
    """A plate on a plane, pulled up the more the farther it is; friction against the direction of its motion."""
    m = da.Mechanism("puck", plane=False, gravity=(0, 0, -G))
    plate = m.body("plate", da.box(0.1, 0.1, 0.02, mass=0.5))
    m.planar("ice", m.ground, plate, at=(0, 0, 0), axis=(0, 0, 1))
    m.constraint("straight", "ice.angle")
    m.force("pull", plate, ("-3*ice.x", "-5*ice.y", "ice.x + 2*ice.y"))
    m.friction("rub", "ice", mu="0.2 + 0.1*v")
    return m


def pressed():
    """Two blocks: the one on top presses on the other, which rubs on the floor and on a wall."""
    m = da.Mechanism("blocks", plane=True, gravity=(0, -G))
    low, top = m.body("low", mass=2.0, inertia=0.1), m.body("top", mass=1.0, inertia=0.1, at=(0, 0.2))
    m.prismatic("floor", m.ground, low, along=(1, 0))
    m.prismatic("between", low, top, along=(1, 0), at=(0, 0.2))
    m.force("push", top, ("-40*floor.slide", "-25*between.slide - 10"), at=top.point(0, 0.05))
    m.friction("rub", "floor", mu=0.3, length=0.4)
    m.friction("slide", "between", mu=0.2, length=0.3)
    return m


@pytest.mark.parametrize(
    ("make", "names", "values", "rates"),
    [
        (wedges, ["floor.slide"], [0.05], [-0.4]),
        (puck, ["ice.x", "ice.y"], [0.3, -0.2], [0.6, 0.8]),
        (pressed, ["floor.slide", "between.slide"], [0.1, 0.2], [0.7, -0.5]),
    ],
)
def test_derivatives_are_those_of_the_accelerations(make, names, values, rates):
    m = make()
    for name, value, rate in zip(names, values, rates):
        m.start(name, value, rate=rate)
    found = da.linearize(m, turning=0.0 if m.plane else (0.0, 0.0, 0.0))
    expected = of_instants(make, names, values, rates)
    assert np.sort_complex(found.eigenvalues) == pytest.approx(
        np.sort_complex(np.linalg.eigvals(expected)), rel=1e-7, abs=1e-7
    )


def test_a_force_feels_the_friction_that_it_makes():
    """B of the state space: a force that presses brakes, one along the guide does not."""
    m = wedges()
    m.start("floor.slide", 0.05, rate=-0.4)
    space = da.linearize(m).state_space(["shaft.slide", "floor.slide"], ["floor.slide", "rate(floor.slide)"])
    found = space.C[1] @ space.B

    def second(push, pull):
        other = wedges()
        other.actuator("push", other["shaft"].slide, force=push)
        other.actuator("pull", other["floor"].slide, force=pull)
        other.start("floor.slide", 0.05, rate=-0.4)
        return da.instant(other).second_rate("floor.slide")

    assert found == pytest.approx([second(1.0, 0.0) - second(0.0, 0.0), second(0.0, 1.0) - second(0.0, 0.0)], rel=1e-9)


def test_on_a_rigid_contact():
    """A block that slides on the floor, held by a spring: the same as on a guide."""
    m = da.Mechanism("floor", plane=True, gravity=(0, -G))
    block = m.body("block", da.block(0.2, 0.1, mass=2.0), at=(0, 0.05))
    m.contact("floor", m.ground, block, mu="0.1 + 0.1*v")
    m.actuator("spring", m.measure("x", point=block.point(0, 0), along=(1, 0)), force="-50*s")
    m.start("block.x", 0.1, rate=1.0)
    found = da.linearize(m)
    assert np.sort_complex(found.eigenvalues) == pytest.approx(
        np.sort_complex(np.roots([2.0, 0.1 * 2.0 * G, 50.0])), rel=1e-8
    )


def test_a_motion_that_goes_on_with_another_load_is_not_steady():
    """A block that slides at 2 m/s under a load that grows on its way: no equilibrium, whatever balances it here."""
    m = da.Mechanism("way", plane=True, gravity=(0, -G))
    block = m.body("block", mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.force("load", block, (0.2 * G, "-3*guide.slide"))
    m.friction("rub", "guide", mu=0.2)
    m.start("guide.slide", 0.0, rate=2.0)
    assert not da.linearize(m).steady
    m = da.Mechanism("way", plane=True, gravity=(0, -G))
    block = m.body("block", mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.force("load", block, (0.2 * G, 0))
    m.friction("rub", "guide", mu=0.2)
    m.start("guide.slide", 0.0, rate=2.0)
    assert da.linearize(m).steady


def test_where_nothing_presses_there_is_no_derivative():
    m = da.Mechanism("space", plane=True)
    block = m.body("block", mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.friction("rub", "guide", mu=0.2)
    m.start("guide.slide", 0.0, rate=2.0)
    with pytest.raises(da.SingularError, match="no derivative at N = 0"):
        da.linearize(m)


def test_where_a_direction_is_about_to_be_there_is_no_derivative():
    m = puck()
    m.start("ice.x", 5.0)
    with pytest.raises(da.MethodError, match="begins to slip"):
        da.linearize(m)


def dead_centre(angle):
    m = slider_crank()
    m.friction("rub", "bore.slide", force=2.0)
    m.start("O.angle", angle, rate=5.0)
    return m


def cam(angle):
    m = da.Lagrangian("a", kinetic="rate(a)**2/2", name="cam")
    m.friction("rub", "cos(a)", force=2.0)
    m.start("a", angle, rate=5.0)
    return m


@pytest.mark.parametrize("make", [dead_centre, cam])
def test_where_a_slip_turns_round_there_is_no_derivative(make):
    """At a dead centre the force jumps with the direction of the slider, though the machine goes on: one side was taken."""
    with pytest.raises(da.MethodError, match="turns round here"):
        da.linearize(make(0.0))
    assert da.linearize(make(0.3)) is not None
