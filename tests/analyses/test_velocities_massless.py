"""Initial velocities of mechanisms with massless bodies: closed forms, and the limit of small masses. Kinetic energy is positive on admissible velocities."""

import math

import numpy as np
import pytest

import dalembert as da

P, Q, L, THETA = 2.0, 3.0, 0.8, 0.6


def crane(plane, mass=0.0, inertia=0.0, given=None, **rates):
    """A trolley of mass P on a line carries a load Q at the end of a rod of length L, at THETA from the line."""
    m = da.Mechanism("crane", plane=plane)
    c, s = math.cos(THETA), math.sin(THETA)
    if plane:
        n, box, own, turned, axis = 2, 0.1, inertia, {"angle": THETA}, {}
    else:
        # no inertia about its own axis, which the pin holds
        n, box, own, axis = 3, (0.1, 0.1, 0.1), (0.0, inertia, inertia), {"axis": "z"}
        turned = {"rotation": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}
    end = np.array([L * c, L * s, 0.0])[:n]
    trolley = m.body("trolley", mass=P, inertia=box)
    rod = m.body("rod", mass=mass, inertia=own, at=tuple(0.5 * end), **turned)
    load = m.particle("load", mass=Q, at=tuple(end), **({} if given is None else {"velocity": tuple(given[:n])}))
    m.prismatic("rail", m.ground, trolley, along=(1.0, 0.0, 0.0)[:n])
    m.revolute("pin", trolley, rod, at=(0.0, 0.0, 0.0)[:n], **axis)
    m.spherical("hook", rod, load, at=tuple(end)) if not plane else m.revolute("hook", rod, load, at=tuple(end))
    for name, rate in rates.items():
        m.start({"rail": m["rail"].slide, "pin": m["pin"].angle, "reach": rod.measures()["x"]}[name], None, rate=rate)
    return m


def rates(m, **options):
    """Velocity of the trolley and rate of the rod at the start."""
    run = da.simulate(m, until=1e-3, **options)
    assert run.status == "ok"
    return run["rail"].slide.rate[0], run["pin"].angle.rate[0]


def least(given):
    """The rates (u, w) with the smallest P u^2 + Q |u e_x + w L e_t - given|^2."""
    jac = np.array([[1.0, -L * math.sin(THETA)], [0.0, L * math.cos(THETA)]])
    mass = np.diag([P, 0.0]) + Q * jac.T @ jac
    return np.linalg.solve(mass, Q * jac.T @ np.array(given[:2]))


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("mass", [0.0, 1e-9])
def test_least_energy_beside_a_rate(plane, mass):
    """One rate is given, the other makes P u^2 + Q |u e_x + w L e_t|^2 least; a small mass changes it by its own share."""
    own = {"mass": mass, "inertia": mass * L**2 / 12}
    close = 1e-12 if mass == 0.0 else 10.0 * mass
    w = 2.0
    u = Q * L * w * math.sin(THETA) / (P + Q)
    assert rates(crane(plane, **own, pin=w), velocities="solve") == pytest.approx((u, w), abs=close)
    u = 1.0
    w = u * math.sin(THETA) / L
    assert rates(crane(plane, **own, rail=u), velocities="solve") == pytest.approx((u, w), abs=close)
    # both: nothing is left to be chosen
    assert rates(crane(plane, **own, rail=0.3, pin=-2.0), velocities="solve") == pytest.approx((0.3, -2.0), abs=1e-12)


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("mass", [0.0, 1e-9])
def test_velocities_that_give_way(plane, mass):
    """The load moves, the trolley rests: M (v+ - v-) is an impulse of the joints alone."""
    own = {"mass": mass, "inertia": mass * L**2 / 12}
    given = (0.5, -1.2, 0.0)
    close = 1e-12 if mass == 0.0 else 10.0 * mass
    assert rates(crane(plane, **own, given=given), velocities="impulsive") == pytest.approx(least(given), abs=close)
    # the trolley keeps its rest, what is not kept changes least
    w = (-math.sin(THETA) * given[0] + math.cos(THETA) * given[1]) / L
    kept = rates(crane(plane, **own, given=given), velocities="solve", keep=["rail.slide"])
    assert kept == pytest.approx((0.0, w), abs=close)


@pytest.mark.parametrize("plane", [True, False])
def test_a_rate_that_the_massless_body_takes_before_the_blow(plane):
    """Before an impulsive start the rod alone turns, at no cost; what has inertia stays at rest, and nothing is caught."""
    assert rates(crane(plane, pin=2.0), velocities="impulsive") == pytest.approx((0.0, 0.0), abs=1e-12)
    # the angle of the pin is shared with a trolley that could turn, which it does not where the rod turns at no cost
    u, _ = rates(crane(plane, rail=1.5), velocities="impulsive")
    assert u == pytest.approx(1.5 * least((0.0, 0.0))[0] + 1.5 * P / (P + Q * math.cos(THETA) ** 2), abs=1e-12)


def test_rates_that_contradict_each_other():
    m = crane(True, pin=1.0)
    m.start("rod.angle", None, rate=2.0)
    m.start("trolley.angle", None, rate=0.0)
    with pytest.raises(da.AssemblyError, match="contradict"):
        da.simulate(m, until=0.1, velocities="impulsive")
