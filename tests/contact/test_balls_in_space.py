"""Friction between two balls in space: the same as between two disks in the plane of their motion, however that lies, and the rolling ball of textbooks."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81
TURN = np.linalg.qr(np.array([[0.3, -0.8, 0.5], [0.9, 0.2, -0.4], [0.1, 0.7, 0.6]]))[0]
TURN = TURN if np.linalg.det(TURN) > 0 else -TURN


def pair(space, inside=False, **options):
    """Two balls that meet obliquely, with spin, in a plane that is turned in space; disks with the inertia of balls in the plane."""
    sizes = ((0.3, 0.1) if inside else (0.15, 0.1), (0.8, 0.5))
    starts = ((0, 0), (0.05, 0.12)) if inside else ((0, 0), (0.1, 0.26))
    moves = ((0.2, -0.1), (0.9, 1.4) if inside else (0.5, -1.5))
    spins = (1.5, 8.0)
    m = da.Mechanism("pair", plane=not space)
    made = []
    for name, r, mass, at, v, w in zip("ij", *sizes, starts, moves, spins):
        inertia = 0.4 * mass * r * r
        if space:
            x, u = (tuple(TURN @ (*p, 0.0)) for p in (at, v))
            body = m.body(name, mass=mass, inertia=(inertia,) * 3, at=x, velocity=u, spin=tuple(w * TURN[:, 2]))
        else:
            body = m.body(name, mass=mass, inertia=inertia, at=at, velocity=v, spin=w)
        made.append(body)
    m.contact("touch", *made, radii=sizes[0], inside=inside, **options)
    return m


CASES = {
    "blow that slides": {"mu": 0.05, "restitution": 0.6},
    "blow that sticks": {"mu": 0.6, "restitution": 0.6},
    "soft": {"mu": 0.3, "stiffness": 2e5, "damping": 0.2},
    "soft that sticks": {"mu": 0.9, "stiffness": 2e4},
}


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_as_in_the_plane(case, inside):
    runs = [
        da.simulate(pair(space, inside, **CASES[case]), until=0.2, rtol=1e-10, atol=1e-12) for space in (False, True)
    ]
    for name in "ij":
        flat, deep = (run[name] for run in runs)
        for what in ("position", "velocity"):
            one, other = (np.asarray(getattr(x, what)) for x in (flat, deep))
            assert other @ TURN == pytest.approx(np.column_stack([one, np.zeros(len(one))]), abs=1e-6)
        assert np.asarray(deep.spin) @ TURN[:, 2] == pytest.approx(np.asarray(flat.spin), abs=1e-5)
    what = [x.what for x in runs[0].events]
    assert what == [x.what for x in runs[1].events]
    # friction begins and ends a part of the run where the law switches
    assert not case.startswith("soft") or (what[0], what[-1]) == ("contact", "release")
    assert any(np.ptp(np.asarray(runs[1][name].spin), axis=0).max() > 0.1 for name in "ij"), "friction has turned them"


def test_a_ball_rolls_down_a_ball():
    """v^2 = 10/7 g (R + r)(cos th0 - cos th), in any vertical plane; it slips before it leaves."""
    R, r, th0, phi = 1.0, 0.2, 0.3, 0.7
    m = da.Mechanism("ball on ball", plane=False, gravity=(0, 0, -G))
    at = tuple((R + r) * np.array([math.sin(th0) * math.cos(phi), math.sin(th0) * math.sin(phi), math.cos(th0)]))
    ball = m.body("ball", da.sphere(r, mass=0.7), at=at, velocity=(0, 0, 0))
    m.contact("on", m.ground, ball, radii=(R, r), mu=0.8)
    run = da.simulate(m, until=1.2, rtol=1e-10, atol=1e-12)
    slips = run.events.of("slip")[0].t
    rolling = run.t < slips
    z, v = np.asarray(run["ball"].position)[:, 2], np.linalg.norm(np.asarray(run["ball"].velocity), axis=1)
    fall = (R + r) * math.cos(th0) - z
    assert rolling.sum() > 50 and v[rolling] == pytest.approx(np.sqrt(10 / 7 * G * np.abs(fall[rolling])), abs=1e-7)
    # there friction 2/7 m g sin th is mu times N = m g cos th - m v^2/(R + r)
    k = run.at(slips)
    cos = float(k.q[2]) / (R + r)
    sin, normal = math.sqrt(1 - cos * cos), cos - 10 / 7 * (math.cos(th0) - cos)
    assert 2 / 7 * sin == pytest.approx(0.8 * normal, rel=1e-6)
