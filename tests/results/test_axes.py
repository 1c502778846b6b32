"""Loads in axes of the user's choice: F'' = C_i^T A_i^T F (PLANAR 6.6.8)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

M, HALF, G = 2.0, 0.7, 9.81


@pytest.fixture(scope="module")
def run():
    """P6: a pendulum driven by phi = 3 pi/2 + 2 pi t."""
    m = da.Mechanism("pendulum", gravity=(0, -G))
    bar = m.body("bar", da.rod(length=2 * HALF, mass=M), at=(0, -HALF), angle=1.5 * math.pi)
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.drive("motor", m["bar"].angle, "3*pi/2 + 2*pi*t")
    return da.simulate(m, until=1.0, output=0.05)


def turn(angle):
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def test_axes_of_the_source(run):
    """With C = 1, F'' = (-m l phi'^2 + m g sin phi, m g cos phi) on the bar; C turned by 0.4 rad turns it back."""
    phi = 1.5 * math.pi + 2 * math.pi * run.t
    body = np.column_stack([-M * HALF * 4 * math.pi**2 + M * G * np.sin(phi), M * G * np.cos(phi)])
    for frame in (0.0, np.eye(2), [[1, 0], [0, 1]], np.eye(3), "body"):
        assert run["O"].frame(frame).force == pytest.approx(body, abs=1e-9)
    for frame in (0.4, turn(0.4)):
        assert run["O"].frame(frame).force == pytest.approx(body @ turn(0.4), abs=1e-9)
    assert run["O"].frame(0.4, of="space").force == pytest.approx(np.asarray(run["O"].force) @ turn(0.4), abs=1e-9)
    assert run["O"].frame("x''y''").force == pytest.approx(np.asarray(run["O"].frame("joint").force), abs=0)
    joint = np.asarray(run["O"].on("ground").frame("joint").force)
    assert run["O"].on("ground").frame(0.4, of="joint").force == pytest.approx(joint @ turn(0.4), abs=1e-9)
    assert run["motor"].frame(0.4).torque == pytest.approx(M * G * HALF * np.cos(phi), abs=1e-9)


def test_crossings_and_reactions(run):
    at = run.crossings(run["O"].frame(0.4, of="space").force[:, 1], 0.0)
    found = run.resample(at)["O"].frame(0.4, of="space")
    assert len(at) and found.force[:, 1] == pytest.approx(np.zeros(len(at)), abs=1e-6)
    one = da.reactions(run.model)["O"]
    assert one.frame(0.4).force == pytest.approx(turn(0.4).T @ np.asarray(one.frame("body").force))
    assert "body (turned) axes" in str(one.frame(turn(0.4)))


def test_in_space():
    from scipy.spatial.transform import Rotation

    m = da.Mechanism("arm", plane=False, gravity=(0, 0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0, radius=0.05), at=(0.5, 0, 0))
    m.revolute("O", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))
    run = da.simulate(m, until=0.5)
    r = Rotation.from_rotvec([0.3, -0.2, 0.5])
    body = np.asarray(run["O"].frame("body").force)
    assert run["O"].frame(r.as_matrix()).force == pytest.approx(body @ r.as_matrix(), abs=1e-11)
    assert run["O"].frame(r).force == pytest.approx(body @ r.as_matrix(), abs=1e-11)
    with pytest.raises(da.ModelError, match="3 x 3 matrix"):
        run["O"].frame(0.3)


@pytest.mark.parametrize(
    "frame", ["bdy", None, np.eye(4), [[1, 0], [0, 2]], [[1, 0], [0, -1]], math.nan, (1, 2), [["a", "b"], ["c", "d"]]]
)
def test_refused(run, frame):
    with pytest.raises(da.DalembertError):
        run["O"].frame(frame)


def test_refused_base(run):
    with pytest.raises(da.ModelError, match="known: space, body, joint"):
        run["O"].frame(0.3, of="moon")
