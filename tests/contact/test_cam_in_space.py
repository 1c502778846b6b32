"""Cams in space: the same forces as those of the rod that an eccentric disk and its roller are, with all moments of joints that are not in the plane of the cam."""

import math

import numpy as np
import pytest

import dalembert as da

E, R, RHO, W = 0.01, 0.05, 0.02, 20.0
REACH, D, ARM = R + RHO, 0.2, 0.15
# axes of the machine: across, along the way, along the shaft
TURN = np.linalg.qr(np.array([[0.3, -0.8, 0.5], [0.9, 0.2, -0.4], [0.1, 0.7, 0.6]]))[0]
TURN = TURN if np.linalg.det(TURN) > 0 else -TURN
HERE = np.array([0.1, -0.2, 0.3])


def at(x, y, z=0.0):
    return tuple(HERE + TURN @ (x, y, z))


def way(x, y, z):
    return tuple(TURN @ (x, y, z))


def start(name):
    m = da.Mechanism(name, plane=False, gravity=(1.0, -2.0, -9.0))
    wheel = m.body("wheel", mass=1.0, inertia=(1e-3,) * 3, at=at(0, 0))
    m.revolute("O", m.ground, wheel, at=at(0, 0), axis=way(0, 0, 1))
    m.drive("motor", "O", f"{W}*t")
    return m, wheel


def tappet(rod, follower="roller", high=0.04, offset=0.02):
    """On a way along y, whose guide is `high` above the plane of the cam; beside the centre to the left of y, at x = -offset."""
    m, wheel = start("tappet")
    base = math.hypot(offset, E + math.sqrt(REACH**2 - offset**2))
    foot = math.sqrt(base**2 - offset**2)
    valve = m.body("valve", mass=0.3, inertia=(1e-3, 2e-3, 3e-3), at=at(-offset, foot))
    guide = m.prismatic("guide", m.ground, valve, along=way(0, 1, 0), at=at(0.01, 0.12, high))
    m.spring("coil", guide, stiffness=2000.0, force=20.0)
    if rod:
        m.distance("cam", wheel.point(*way(0, E, 0)), valve.point(0, 0, 0), length=REACH)
        return m
    law = f"{E}*cos(theta) + sqrt({REACH**2!r} - ({E}*sin(theta) - {offset})**2) - {foot!r}"
    options = {"radius": RHO} if follower == "roller" else {}
    m.cam("cam", "O", guide, lift=law, follower=follower, base=base, offset=offset, closed=True, **options)
    return m


def rocker(rod, side, high=-0.03):
    """About a pin along the shaft, or against it, at x = D; its place is `high` above the plane of the cam."""
    m, wheel = start("rocker")
    q = f"((({D} - {E}*cos(theta))**2 + ({E}*sin(theta))**2 + {ARM**2 - REACH**2!r})/{2 * ARM})"
    first = math.acos(((D - E) ** 2 + ARM**2 - REACH**2) / (2 * ARM * (D - E)))
    x, y = f"({D} - {E}*cos(theta))", f"({E}*sin(theta))"
    lift = f"acos({q}/hypot({x}, {y})) - atan2({side}*{y}, {x}) - {first!r}"
    place = (D - ARM * math.cos(first), -side * ARM * math.sin(first))
    arm = m.body("arm", mass=0.5, inertia=(1e-3, 2e-3, 3e-3), at=at(*place))
    pin = m.revolute("P", m.ground, arm, at=at(D, 0, high), axis=way(0, 0, side))
    m.torsion_spring("back", pin, stiffness=2.0, torque=30.0)
    if rod:
        m.distance("cam", wheel.point(*way(E, 0, 0)), arm.point(0, 0, 0), length=REACH)
    else:
        m.cam("cam", "O", pin, lift=lift, follower="knife", base=math.hypot(*place), arm=ARM, closed=True)
    return m


@pytest.mark.parametrize("make", [lambda rod: tappet(rod), lambda rod: rocker(rod, 1), lambda rod: rocker(rod, -1)])
def test_as_the_rod(make):
    one, two = (da.simulate(make(rod), until=0.3) for rod in (False, True))
    assert one.status == "ok"
    joints = [name for name in ("O", "guide", "P") if name in one.model._parts]
    assert len(joints) == 2
    for name in joints:
        for what in ("force", "torque"):
            mine, other = (np.asarray(getattr(run[name], what)) for run in (one, two))
            assert mine == pytest.approx(other, abs=2e-8 * max(1.0, np.max(np.abs(other))))
    # it touches the disk (the knife: the larger one), in the plane of the cam, and presses along its radius
    centre = HERE + np.asarray(one["wheel"].rotation) @ np.array(way(*((0, E, 0) if "guide" in joints else (E, 0, 0))))
    arm = np.asarray(one["cam"].point) - centre
    assert np.linalg.norm(arm, axis=1) == pytest.approx(R if "guide" in joints else REACH, abs=1e-10)
    assert arm @ TURN[:, 2] == pytest.approx(0.0, abs=1e-12)
    force = np.asarray(one["cam"].force)
    assert np.cross(arm, force) == pytest.approx(np.zeros_like(arm), abs=1e-9 * np.max(np.abs(force)))


def test_what_is_not_known_is_told():
    """Carriers that are second bodies, and axes that are askew, leave the coupling of coordinates, and say so."""
    m, _ = start("askew")
    valve = m.body("valve", mass=0.3, inertia=(1e-3,) * 3, at=at(0, 0.05))
    m.prismatic("guide", m.ground, valve, along=way(0, 1, 0.2))
    m.cam("cam", "O", "guide", lift="0.01*(1 - cos(theta))", base=0.05, closed=True)
    run = da.simulate(m, until=0.1)
    with pytest.raises(da.ModelError, match="is not across"):
        run["cam"].point  # noqa: B018
    m, wheel = start("reversed")
    valve = m.body("valve", mass=0.3, inertia=(1e-3,) * 3, at=at(0, 0.05))
    m.prismatic("guide", valve, m.ground, along=way(0, -1, 0))
    m.cam("cam", "O", "guide", lift="0.01*(1 - cos(theta))", base=0.05, closed=True)
    with pytest.raises(da.ModelError, match="first of each joint"):
        da.simulate(m, until=0.1)["cam"].point  # noqa: B018
