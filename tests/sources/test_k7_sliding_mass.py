"""K7: pendulum with a mass that slides along it on a spring of free length 0 (PRINCIPLES).

    m q1'' - m q1 q2'^2 - m g cos q2 + k q1 = 0
    d/dt (m q1^2 q2') + m g q1 sin q2 = 0

q1 is the distance from the pivot, q2 the angle from the vertical.  As the spring has no free length the motion is also that of two
oscillators, x'' = -(k/m) x and y'' = -(k/m) y - g: a closed form.  The rod of the source has no mass and carries nothing across; a rod with inertia
J is pushed by N = (J q2'')/q1 + its weight's part, the guide force that both ways must find.
"""

import math

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

M, K, G = 0.8, 30.0, 9.81
# rod of the second machine
ROD, LENGTH = 0.6, 1.2
START, RATES = (0.7, 0.5), (0.4, -1.2)


def path(q, w):
    """Position and velocity of the mass."""
    s, c = math.sin(q[1]), math.cos(q[1])
    return (q[0] * s, -q[0] * c), (w[0] * s + q[0] * w[1] * c, -w[0] * c + q[0] * w[1] * s)


def as_mechanism(q=START, w=RATES):
    m = da.Mechanism("sliding mass", plane=True, gravity=(0, -G))
    at, velocity = path(q, w)
    mass = m.particle("mass", mass=M, at=at, velocity=velocity)
    m.spring("spring", m.ground.point(0, 0), mass.point(0, 0), stiffness=K, free_length=0.0)
    return m


def as_lagrangian(q=START, w=RATES):
    m = da.Lagrangian(
        "q1 q2", potential="k*q1**2/2", gravity=(0, "-g"), parameters={"m": M, "k": K, "g": G}, name="sliding mass"
    )
    m.particle("mass", "m", ("q1*sin(q2)", "-q1*cos(q2)"))
    for k in (0, 1):
        m.start(f"q{k + 1}", q[k], rate=w[k])
    return m


def residuals(q, w, a):
    """The two equations of the source."""
    return (
        M * a[0] - M * q[0] * w[1] ** 2 - M * G * np.cos(q[1]) + K * q[0],
        M * q[0] ** 2 * a[1] + 2 * M * q[0] * w[0] * w[1] + M * G * q[0] * np.sin(q[1]),
    )


@pytest.mark.parametrize("seed", range(5))
def test_equations_of_the_source(seed):
    rng = np.random.default_rng(seed)
    q, w = (rng.uniform(0.3, 1.2), rng.uniform(-3, 3)), rng.normal(size=2) * 2
    acceleration = da.equations(as_mechanism(q, w)).a[:2]
    along, across = np.array([math.sin(q[1]), -math.cos(q[1])]), np.array([math.cos(q[1]), math.sin(q[1])])
    turn = (acceleration @ along + q[0] * w[1] ** 2, (acceleration @ across - 2 * w[0] * w[1]) / q[0])
    assert residuals(q, w, turn) == pytest.approx([0, 0], abs=1e-11)
    run = da.simulate(as_lagrangian(q, w), until=1e-3)
    assert residuals(run.q[0], run.v[0], run.a[0]) == pytest.approx([0, 0], abs=1e-11)


def test_motion_and_spring_force():
    one, two = (da.simulate(m(), until=2.0, output=0.02, **TIGHT) for m in (as_mechanism, as_lagrangian))
    assert agree(np.asarray(two["mass"].position)[:, :2], one["mass"].position)
    assert agree(np.asarray(two["mass"].velocity)[:, :2], one["mass"].velocity)
    pull = np.asarray(two["k*q1"])[:, None] * -np.column_stack([two["sin(q2)"], two["-cos(q2)"]])
    assert agree(pull, one["spring"].force)
    # the closed form
    (x, y), (u, v) = path(START, RATES)
    w, sag = math.sqrt(K / M), -M * G / K
    c, s = np.cos(w * two.t), np.sin(w * two.t)
    assert agree(
        np.asarray(two["mass"].position)[:, :2], np.column_stack([x * c + u / w * s, sag + (y - sag) * c + v / w * s])
    )


def guided_mechanism():
    """The rod with its mass; the mass slides in it."""
    m = da.Mechanism("guided mass", plane=True, gravity=(0, -G))
    at, velocity = path(START, RATES)
    arm = LENGTH / 2 * np.array([math.sin(START[1]), -math.cos(START[1])])
    rod = m.body("rod", da.rod(length=LENGTH, mass=ROD), at=tuple(arm), angle=START[1] - math.pi / 2)
    mass = m.particle("mass", mass=M, at=at, velocity=velocity)
    m.revolute("O", m.ground, rod, at=(0, 0))
    m.pin_in_slot("guide", rod, mass, at=at, along=rod.axis(1, 0))
    m.spring("spring", rod.start, mass.point(0, 0), stiffness=K, free_length=0.0)
    return m


def guided_lagrangian():
    """The angle b of the rod by itself, tied to q2 by a row; the pivot is relaxed by displacements (u, v) of the rod and its mass."""
    m = da.Lagrangian(
        "q1 q2 b u v", potential="k*q1**2/2", gravity=(0, "-g"), holonomic={"guide": "q2 - b", "O x": "u", "O y": "v"},
        parameters={"m": M, "k": K, "g": G, "M": ROD, "l": LENGTH}, name="guided mass",
    )  # fmt: skip
    m.particle("mass", "m", ("u + q1*sin(q2)", "v - q1*cos(q2)"))
    m.body("rod", "M", "M*l**2/12", at=("u + l/2*sin(b)", "v - l/2*cos(b)"), angle="b")
    for k in (0, 1):
        m.start(f"q{k + 1}", START[k], rate=RATES[k])
    return m


def test_guide_force_both_ways():
    """N across the rod, here -lam/q1; at the pivot the spring, N and the weight of the rod."""
    one, two = (da.simulate(m(), until=1.0, output=0.01, **TIGHT) for m in (guided_mechanism, guided_lagrangian))
    assert agree(two["q2"], np.asarray(one["rod"].angle) + math.pi / 2)
    assert agree(np.asarray(two["mass"].position)[:, :2], one["mass"].position)
    across = np.column_stack([two["cos(q2)"], two["sin(q2)"]])
    force = -(np.asarray(two["guide"]) / np.asarray(two["q1"]))[:, None] * across
    assert agree(force, one["guide"].force)
    assert agree(-np.column_stack([two["O x"], two["O y"]]), one["O"].force)
    # moment of the rod about its pivot: J b'' = -N q1 - M g l/2 sin b
    inertia = ROD * LENGTH**2 / 3
    moment = np.asarray(two["guide"]) - ROD * G * LENGTH / 2 * np.asarray(two["sin(b)"])
    assert agree(inertia * np.asarray(two.acceleration("b")), moment)
