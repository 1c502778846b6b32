"""L4 and L5: bar of length a pivoted on a spinning shaft with a torsion spring, LAGRANGE 2.4.1, and with a torque on the shaft, 2.5.1.

th is the turn of the shaft, phi the angle of the bar from the downward vertical:

    th'' s^2 + 2 th' phi' s c = 3 tau/(m a^2)                     s = sin phi, c = cos phi
    phi'' - th'^2 s c + (3 g/2a) s + 3 k phi/(m a^2) = 0          (the source prints the spring term with the other sign)

Without torque th is ignorable and th' s^2 = alpha; then phi'' - alpha^2 c/s^3 + ... = 0.  The shaft has no inertia, so the bar hangs on a cross: one
arm the shaft, the other the pin across it.  As a Lagrangian system the cross is relaxed by displacements (u, v, w) and a turn eps about the third
axis.  By the moments about O the couple that the shaft puts on the bar about that axis is tau cot(phi): none in L4.
"""

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

M, A, K, G, TAU = 1.2, 0.7, 3.0, 9.81, 0.8
START, RATES = 0.9, (4.0, 0.5)


def as_mechanism(torque):
    m = da.Mechanism("bar on a shaft", plane=False, gravity=(0, 0, -G))
    bar = m.body("bar", mass=M, inertia=(M * A**2 / 12, M * A**2 / 12, 0), at=(0, 0, -A / 2))
    cross = m.universal("O", m.ground, bar, at=(0, 0, 0), axes=("z", "y"))
    m.torsion_spring("spring", cross.angle_j, stiffness=K)
    if torque:
        m.actuator("torque", cross.angle_i, force=torque)
    m.start(cross.angle_i, value=0.0, rate=RATES[0])
    # phi lifts the bar towards x, a negative turn about y
    m.start(cross.angle_j, value=-START, rate=-RATES[1])
    return m


def as_lagrangian(torque, relaxed=False):
    m = da.Lagrangian(
        "theta phi u v w eps" if relaxed else "theta phi", potential="k*phi**2/2", gravity=(0, 0, "-g"), name="bar on a shaft",
        parameters={"m": M, "a": A, "g": G, "k": K, "tau": torque},
        holonomic={"x": "u", "y": "v", "z": "w", "across": "eps"} if relaxed else (),
    )  # fmt: skip
    place, turns = (
        ("a/2*sin(phi)*cos(theta)", "a/2*sin(phi)*sin(theta)", "-a/2*cos(phi)"),
        [("z", "theta"), ("y", "-phi")],
    )
    if relaxed:
        side = "a/2*cos(phi)*sin(eps)"
        place = (
            f"u + a/2*sin(phi)*cos(theta) - {side}*sin(theta)", f"v + a/2*sin(phi)*sin(theta) + {side}*cos(theta)", "w - a/2*cos(phi)*cos(eps)",
        )  # fmt: skip
        turns = [("z", "theta"), ("x", "eps"), ("y", "-phi")]
    bar = m.body("bar", "m", ("m*a**2/12", "m*a**2/12", 0), at=place, turns=turns)
    if torque:
        m.couple("torque", bar, (0, 0, "tau"))
    m.start("theta", 0.0, rate=RATES[0])
    m.start("phi", START, rate=RATES[1])
    return m


@pytest.mark.parametrize("torque", [0.0, TAU], ids=["L4", "L5"])
def test_motion_and_reactions(torque):
    options = {"until": 1.5, "output": 0.015, **TIGHT}
    one, two, relaxed = (
        da.simulate(m, **options)
        for m in (as_mechanism(torque), as_lagrangian(torque), as_lagrangian(torque, relaxed=True))
    )
    for run in (two, relaxed):
        assert run.status == "ok"
        assert agree(run["theta"], one["O.angle_i"])
        assert agree(-run["phi"], one["O.angle_j"])
        assert agree(run.rate("theta"), one["O.angle_i"].rate)
        assert agree(run["bar"].position, one["bar"].position)
    theta, phi = two.q.T
    w, turn = two.v.T
    s, c = np.sin(phi), np.cos(phi)
    # the two equations of the source at every output
    first = two.a[:, 0] * s**2 + 2 * w * turn * s * c - 3 * torque / (M * A**2)
    second = two.a[:, 1] - w**2 * s * c + 1.5 * G / A * s + 3 * K * phi / (M * A**2)
    assert np.max(np.abs(first)) < 1e-11 * 20 and np.max(np.abs(second)) < 1e-11 * 20
    # the pin of the cross, and the couple across: tau cot(phi) about the horizontal axis in the plane of the bar
    assert agree(-np.column_stack([relaxed[x] for x in "xyz"]), one["O"].force)
    along = np.column_stack([np.cos(theta), np.sin(theta), 0 * theta])
    if torque:
        couple = (torque * c / s)[:, None] * along
        assert agree(one["O"].torque, couple)
        assert agree(-np.asarray(relaxed["across"])[:, None] * along, couple)
    else:
        assert np.max(np.abs(one["O"].torque)) < 1e-11 and np.max(np.abs(relaxed["across"])) < 1e-11


def test_ignorable_coordinate():
    """L4: th' s^2 = alpha constant, and with it one equation in phi: phi'' = alpha^2 c/s^3 - (3 g/2a) s - 3 k phi/(m a^2)."""
    alpha = RATES[0] * np.sin(START) ** 2
    one, two = (da.simulate(m(0.0), until=1.5, **TIGHT) for m in (as_mechanism, as_lagrangian))
    for phi, rate in (
        (-np.asarray(one["O.angle_j"]), one["O.angle_i"].rate),
        (np.asarray(two["phi"]), two.rate("theta")),
    ):
        assert np.asarray(rate) * np.sin(phi) ** 2 == pytest.approx(np.full(len(phi), alpha), rel=1e-11)
    phi = np.asarray(two["phi"])
    expected = alpha**2 * np.cos(phi) / np.sin(phi) ** 3 - 1.5 * G / A * np.sin(phi) - 3 * K * phi / (M * A**2)
    assert agree(two.acceleration("phi"), expected)


def test_power_of_the_torque():
    """L5: the angular momentum about the shaft grows by tau t, the energy by tau th."""
    one, two = (da.simulate(m(TAU), until=1.5, **TIGHT) for m in (as_mechanism, as_lagrangian))
    spin = M * A**2 / 3 * np.asarray(two.rate("theta")) * np.sin(np.asarray(two["phi"])) ** 2
    assert agree(spin - spin[0], TAU * two.t)
    gain = np.asarray(two.energy.total) - two.energy.total[0]
    assert agree(gain, TAU * np.asarray(two["theta"]))
    assert agree(np.asarray(one.energy.kinetic), two.energy.kinetic)
