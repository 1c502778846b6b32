"""Dimensions that miss a singular position by 1e-13 to 1e-8 of the length, at tolerances down to 1e-11: runs go through, or follow the turn, and say so.

The turn is checked by a twin in 30 digits: the angles of the bars along the curve of their loop, by its length s, where nothing is singular, and time by the energy,

    x' = n / |n|,  n = grad g1 x grad g2,    t' = sqrt(m(x) / (2 (E - V(x)))),    m = x'^T M(x) x'
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import dalembert as da
from tests.soak import share

from .test_singular_positions import loop

GRAVITY = 9.81
# of Dormand and Prince, and those of order 4
TABLE = """
; 1/5; 3/40 9/40; 44/45 -56/15 32/9; 19372/6561 -25360/2187 64448/6561 -212/729; 9017/3168 -355/33 46732/5247 49/176 -5103/18656;
35/384 0 500/1113 125/192 -2187/6784 11/84; 5179/57600 0 7571/16695 393/640 -92097/339200 187/2100 1/40
"""
with mp.workdps(30):
    *WEIGHTS, LOWER = (
        [mp.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in row.split()] for row in TABLE.split(";")
    )


def rhombus(excess):
    return loop((1.0, 1.0, 1.0 + excess, 1.0), math.pi / 2, rate=-1.0, gravity=(0.0, -GRAVITY))


class Curve:
    """Angles (crank, coupler, rocker from its joint to the ground) of a loop of rods of 1 kg; the ground is 1 m, crank and rocker too."""

    def __init__(self, start, coupler):
        self.coupler, self.x = mp.mpf(coupler), mp.matrix(start)
        self.project()
        speed = self.tangent(self.x)[0]
        self.sign = -1 if speed > 0 else 1  # the crank turns backwards
        mass, height = self.mass(self.x), self.height(self.x)
        # 1 rad/s of the crank
        self.energy = mass / speed**2 / 2 + GRAVITY * height

    def gap(self, x):
        a, b, c = x
        along = mp.cos(a) + self.coupler * mp.cos(b) - 1 - mp.cos(c)
        return mp.matrix([along, mp.sin(a) + self.coupler * mp.sin(b) - mp.sin(c)])

    def rows(self, x):
        a, b, c = x
        return (
            (-mp.sin(a), -self.coupler * mp.sin(b), mp.sin(c)),
            (mp.cos(a), self.coupler * mp.cos(b), -mp.cos(c)),
        )

    def tangent(self, x):
        (p, q, r), (u, v, w) = self.rows(x)
        n = (q * w - r * v, r * u - p * w, p * v - q * u)
        size = mp.sqrt(sum(k * k for k in n))
        return [k / size for k in n]

    def mass(self, x):
        """m for the tangent: rods about their ends, and the coupler by its middle and its turn."""
        a, b, _ = x
        u, v, w = self.tangent(x)
        half = self.coupler / 2
        middle = (-mp.sin(a) * u - half * mp.sin(b) * v, mp.cos(a) * u + half * mp.cos(b) * v)
        return (u * u + w * w) / 3 + middle[0] ** 2 + middle[1] ** 2 + self.coupler**2 / 12 * v * v

    def height(self, x):
        a, b, c = x
        return mp.sin(a) / 2 + mp.sin(a) + self.coupler / 2 * mp.sin(b) + mp.sin(c) / 2

    def project(self):
        for _ in range(4):
            jac = mp.matrix(self.rows(self.x))
            self.x -= jac.T * mp.lu_solve(jac * jac.T, self.gap(self.x))

    def rate(self, y):
        x = list(y[:3])
        root = mp.sqrt(self.mass(x) / (2 * (self.energy - GRAVITY * self.height(x))))
        return mp.matrix([*(self.sign * k for k in self.tangent(x)), root])

    def at(self, until, tolerance):
        """Angles at a time: steps of Dormand and Prince in the length of the curve, each projected; the last one by the secant rule."""
        t, h = mp.mpf(0), mp.mpf("1e-3")
        while True:
            y = mp.matrix([*self.x, t])
            new, error = self.step(y, h)
            if error < tolerance and new[3] >= until:
                if abs(new[3] - until) < mp.mpf("1e-13"):
                    return [float(k) for k in new[:3]]
                h *= (until - t) / (new[3] - t)
                continue
            if error < tolerance:
                self.x, t = mp.matrix(new[:3]), new[3]
                self.project()
            h *= min(4, max(0.2, 0.9 * float(tolerance / max(error, mp.mpf("1e-30"))) ** 0.2))

    def step(self, y, h):
        k = []
        for row in WEIGHTS:
            place = y + h * sum((w * rate for w, rate in zip(row, k)), mp.zeros(4, 1))
            k.append(self.rate(place))
        other = y + h * sum((w * rate for w, rate in zip(LOWER, k)), mp.zeros(4, 1))
        return place, max(abs(p) for p in place - other)


@pytest.mark.parametrize("excess", [3e-10, 1e-9])
def test_the_turn(excess):
    """Above 1e-10 motions turn into each other within a way of the root of the misfit: the twin's motion, to what the note tells of it."""
    with mp.workdps(30):
        exact = Curve([mp.pi / 2, 0, mp.pi / 2], 1 + excess).at(mp.mpf("1.5"), mp.mpf("1e-9"))
    for rtol in (1e-8, 1e-9, 1e-10, 1e-11):
        run = da.simulate(rhombus(excess), until=1.5, rtol=rtol, atol=1e-2 * rtol)
        (note,) = run.audit.notes
        assert run.status == "ok" and run.audit.steps < 2000
        assert note.kind == "singular position" and note.value == pytest.approx(excess, rel=1e-3)
        blur = float(re.search(r"known to (\S+) of themselves", note.text)[1])
        assert 1e-8 < blur < 1e-5
        # crank and coupler, at some 8 rad/s for the half of a second after the turn
        found = [float(run[name].angle[-1]) for name in ("crank", "coupler")]
        assert found == pytest.approx(exact[:2], abs=10 * blur)


@pytest.mark.parametrize("excess", [1e-13, 1e-12, 1e-11, 9e-11])
def test_through(excess):
    """Up to 1e-10 dimensions are taken as meeting: the motion of the exact rhombus at every tolerance, and the note has the misfit."""
    exact = da.simulate(rhombus(0.0), until=2.0, rtol=1e-11, atol=1e-13)
    for rtol in (1e-8, 1e-9, 1e-10, 1e-11):
        run = da.simulate(rhombus(excess), until=2.0, rtol=rtol, atol=1e-2 * rtol)
        (note,) = run.audit.notes
        assert run.status == "ok" and run.audit.steps < 200
        assert "stepped over" in note.text and note.value == pytest.approx(excess, rel=0.1)
        # a misfit bends the motion by itself over the square of the distance at which the step over the position begins, some tenths
        assert np.abs(run.q[-1] - exact.q[-1]).max() < 100 * (rtol + 10 * excess)


LOOPS = [(2.0, 1.0, 2.0, 1.0), (1.0, 1.0, 2.0, 2.0), (2.0, 1.0, 1.0, 2.0), (3.0, 1.0, 2.5, 1.5), (0.3, 0.5, 0.3, 0.5)]


@pytest.mark.parametrize("lengths", LOOPS)
def test_the_same_motion_at_all_tolerances(lengths):
    """Random misfits and starts: no run stops, and sharp tolerances agree on the motion."""
    rng = np.random.default_rng(7)
    for _ in range(share(30)):
        sides, angle, rate = list(lengths), rng.uniform(0.5, 1.4), rng.uniform(-5.0, 5.0)
        sides[2] *= 1.0 + 10 ** rng.uniform(-13.0, -10.3)
        ends = []
        for rtol in (1e-9, 1e-10, 1e-11):
            m = loop(sides, angle, rate=rate, gravity=(0.0, -GRAVITY))
            ends.append(da.simulate(m, until=2.0, rtol=rtol, atol=1e-2 * rtol, output=[0.0, 2.0]).q[-1])
        assert np.abs(np.array(ends) - ends[0]).max() < 1e-5
