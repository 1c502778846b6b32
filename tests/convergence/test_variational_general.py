"""Variational methods for masses that depend on coordinates and for conditions on velocities: orders, closed forms, symmetry, energy, momenta."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from convergence.models import rolling_disk
from convergence.test_variational import METHODS, check_order
from tests.soak import share


def double_pendulum():
    """Two points of 1 kg on rods of 1 m, in angles."""
    m = da.Lagrangian(
        "a b",
        kinetic="rate(a)**2 + rate(b)**2/2 + rate(a)*rate(b)*cos(a - b)",
        potential="-9.81*(2*cos(a) + cos(b))",
    )
    m.start("a", 1.0)
    m.start("b", 0.5)
    return m


def top():
    """A heavy top in Euler angles; psi and phi do not occur in L."""
    m = da.Lagrangian(
        "psi theta phi",
        kinetic="0.3*(rate(theta)**2 + (rate(psi)*sin(theta))**2)/2 + 0.1*(rate(phi) + rate(psi)*cos(theta))**2/2",
        potential="2*cos(theta)",
    )
    m.start("psi", 0.0, rate=0.3)
    m.start("theta", 0.5)
    m.start("phi", 0.0, rate=30.0)
    return m


def shaken():
    """Polar coordinates with a length that is driven, a term of T that is linear in a rate and depends on time, and dissipation."""
    m = da.Lagrangian(
        "r a",
        kinetic="(rate(r)**2 + r**2*rate(a)**2)/2 + 0.3*r*rate(a)*cos(2*t)",
        potential="-9.81*r*cos(a)",
        dissipation="0.2*rate(a)**2",
    )
    m.constraint("length", "r - 1 - 0.1*sin(3*t)")
    m.start("r", 1.0, rate=0.3)
    m.start("a", 0.8)
    return m


# mass centre AHEAD of the blade, moment of inertia J, mass 1
AHEAD, J = 0.4, 0.3


def sleigh():
    """Chaplygin's sleigh in coordinates of its mass centre."""
    row = f"cos(c)*rate(y) - sin(c)*rate(x) - {AHEAD}*rate(c)"
    m = da.Lagrangian("x y c", kinetic=f"(rate(x)**2 + rate(y)**2 + {J}*rate(c)**2)/2", nonholonomic={"blade": row})
    m.start("x", 0.0, rate=1.0)
    m.start("c", 0.0, rate=0.8)
    return m


def sleigh_of_a_body():
    """The same, as a mechanism."""
    m = da.Mechanism("sleigh", plane=True)
    body = m.body("body", mass=1.0, inertia=J, at=(0, 0))
    m.knife_edge("blade", m.ground, body, at=body.point(-AHEAD, 0), along=body.axis(1, 0))
    m.start(m["blade"].speed, rate=1.0)
    m.start(body.angle, rate=0.8)
    return m


def skate():
    """A blade under the mass centre, on a slope of 2 m/s² along x."""
    m = da.Lagrangian(
        "x y c",
        kinetic="(rate(x)**2 + rate(y)**2 + 0.3*rate(c)**2)/2",
        potential="-2*x",
        nonholonomic={"blade": "cos(c)*rate(y) - sin(c)*rate(x)"},
    )
    m.start("x", 0.0, rate=0.5)
    m.start("c", 0.0, rate=1.8)
    return m


def bent():
    """A condition on velocities where masses depend on a coordinate as well."""
    m = da.Lagrangian(
        "x y z",
        kinetic="((1 + x**2)*rate(x)**2 + rate(y)**2 + (2 + cos(y))*rate(z)**2)/2",
        potential="(x**2 + y**2 + z**2)/2",
        nonholonomic={"row": "rate(z) - y*rate(x)"},
    )
    m.start("x", 1.0, rate=0.4)
    m.start("y", 0.7, rate=-0.5)
    return m


def bowl():
    """A blade that runs in a bowl, held there twice: rows on positions, one of them too many, and a row on velocities."""
    m = da.Lagrangian(
        "x y z c",
        kinetic="(rate(x)**2 + rate(y)**2 + rate(z)**2 + (1 + z**2)*rate(c)**2)/2",
        potential="9.81*z",
        nonholonomic={"blade": "cos(c)*rate(y) - sin(c)*rate(x) - 0.2*sin(3*t)"},
    )
    m.constraint("bowl", "z - (x**2 + y**2)/2")
    m.constraint("bowl again", "2*z - (x**2 + y**2)")
    m.start("x", 1.0)
    m.start("y", 0.0)
    m.start("z", 0.5)
    m.start("c", 0.6, rate=1.0)
    return m


def tricycle():
    """Joint, driver and two blades."""
    m = da.Mechanism("tricycle", plane=True)
    frame = m.body("frame", mass=10.0, inertia=1.0, at=(0.5, 0))
    fork = m.body("fork", mass=1.0, inertia=0.01, at=(1, 0))
    m.revolute("head", frame, fork, at=(1, 0))
    m.drive("bar", m["head"].angle, "0.3*sin(2*t)")
    m.knife_edge("rear", m.ground, frame, at=frame.point(-0.5, 0), along=frame.axis(1, 0))
    m.knife_edge("front", m.ground, fork, at=fork.point(0, 0), along=fork.axis(1, 0))
    m.start(m["rear"].speed, rate=2.0)
    return m


def sled():
    """Two blades in one line and a third beside them: one row too many; a brake that is a Python function."""
    m = da.Mechanism("sled", plane=True, gravity=(0.5, -0.4))
    body = m.body("body", mass=2.0, inertia=0.4, at=(0, 0))
    for name, at in (("front", (0.6, 0.0)), ("rear", (-0.5, 0.0)), ("side", (0.1, 0.3))):
        m.knife_edge(name, m.ground, body, at=body.point(*at), along=body.axis(1, 0))
    m.actuator("brake", m["rear"].speed, force=lambda s, rate, t: -0.7 * rate)
    m.start(m["rear"].speed, rate=1.0)
    return m


MODELS = {
    "double pendulum": (double_pendulum, 0.02), "top": (top, 0.01), "shaken": (shaken, 0.02), "sleigh": (sleigh, 0.02), "sleigh of a body": (sleigh_of_a_body, 0.02),
    "skate": (skate, 0.02), "bent": (bent, 0.05), "bowl": (bowl, 0.02), "tricycle": (tricycle, 0.02), "rolling disk": (rolling_disk, 0.004),
}  # fmt: skip


@pytest.mark.parametrize(("method", "order"), METHODS)
@pytest.mark.parametrize(("build", "h"), MODELS.values(), ids=MODELS)
def test_order(build, h, method, order):
    check_order(build, h, method, order)


def sleigh_speeds(t):
    """Speed and spin of Chaplygin's sleigh: s' = a w², (J + a²) w' = -a s w, so s = S tanh(k t + b), w = W/cosh(k t + b)."""
    inertia = J + AHEAD**2
    s0, w0 = 1.0, 0.8
    most = math.sqrt(s0**2 + inertia * w0**2)
    k, b = AHEAD * most / inertia, math.atanh(s0 / most)
    return most * np.tanh(k * t + b), most / math.sqrt(inertia) / np.cosh(k * t + b)


@pytest.mark.parametrize(("method", "order"), METHODS)
def test_sleigh(method, order):
    """Against the closed form, along the whole way into the straight line in which all its motions end."""
    errors = []
    for step in (0.05, 0.025):
        run = da.simulate(sleigh(), until=4.0, method=method, step=step, output=0.5)
        c, (vx, vy, spin) = run.q[:, 2], run.v.T
        speed, turning = sleigh_speeds(run.t)
        errors.append(max(np.max(np.abs(np.cos(c) * vx + np.sin(c) * vy - speed)), np.max(np.abs(spin - turning))))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05 * order)


@pytest.mark.parametrize(("method", "order"), METHODS)
def test_skate(method, order):
    """Against the closed form: c = w t, s = s0 + (2/w) sin w t along the blade, a cycloid that goes on across the slope for ever."""
    w, s0, errors = 1.8, 0.5, []
    for step in (0.05, 0.025):
        run = da.simulate(skate(), until=4.0, method=method, step=step, output=0.5)
        t, way = run.t, np.array(run.q)
        x = s0 / w * np.sin(w * t) + np.sin(w * t) ** 2 / w**2
        y = s0 / w * (1 - np.cos(w * t)) + (t / w - np.sin(2 * w * t) / (2 * w**2))
        errors.append(max(np.max(np.abs(way[:, 0] - x)), np.max(np.abs(way[:, 1] - y))))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05 * order)


@pytest.mark.parametrize("build", [double_pendulum, sleigh, bent, sleigh_of_a_body, tricycle, rolling_disk])
def test_steps_backwards(build):
    """The method is symmetric: as many steps back lead to the start, to rounding (which these motions magnify a hundred times)."""
    there = da.simulate(build(), until=0.4, method="variational", step=0.01, output=[0.0, 0.4])
    back = da.simulate(
        build(), until=0.0, start=there.at(0.4), backward=True, method="variational", step=0.01, output=[0.4, 0.0]
    )
    assert np.max(np.abs(back.q[-1] - there.q[0])) < 1e-12 and np.max(np.abs(back.v[-1] - there.v[0])) < 1e-11


STEPS = share(200_000)


@pytest.mark.parametrize(("build", "h"), [(double_pendulum, 0.01), (top, 0.01), (skate, 0.01), (rolling_disk, 0.002)])
def test_energy(build, h):
    """The error of the energy over the last tenth of a long run is that over the first (a half more is the scatter of its peaks, some rounding)."""
    run = da.simulate(build(), until=h * STEPS, method="variational", step=h, output=h * STEPS / 1000)
    error = np.abs(np.asarray(run.energy.total) - run.energy.total[0])
    assert run.status == "ok" and np.mean(error[-100:]) < 1.5 * np.mean(error[:100]) + 1e-15 * STEPS
    assert np.max(error) < 1e-2 * np.max(run.energy.kinetic)


@pytest.mark.parametrize("method", ["variational", "variational4"])
def test_momenta(method):
    """Of coordinates that do not occur in L: to rounding, 1e-16 at each step, which may add up to STEPS times that."""
    run = da.simulate(top(), until=0.01 * STEPS, method=method, step=0.01, output=0.001 * STEPS)
    turn = 0.1 * (run.v[:, 2] + run.v[:, 0] * np.cos(run.q[:, 1]))
    for p in (turn, 0.3 * run.v[:, 0] * np.sin(run.q[:, 1]) ** 2 + turn * np.cos(run.q[:, 1])):
        assert np.max(np.abs(p - p[0])) < 1e-16 * STEPS * abs(p[0])


def test_rows_that_depend_on_others():
    """The sled goes straight: s' = 0.5 - 0.7/2 s with one row too many, and the brake is a Python function."""
    run = da.simulate(sled(), until=2.0, method="variational", step=0.005, output=[0.0, 2.0])
    k = 0.7 / 2.0
    assert run.status == "ok" and run.v[-1][0] == pytest.approx(
        0.5 / k + (1.0 - 0.5 / k) * math.exp(-2.0 * k), abs=1e-5
    )
    assert abs(run.v[-1][1]) < 1e-12 and abs(run.v[-1][2]) < 1e-12


def test_laws_in_python():
    """A brake and a steering torque as Python functions do what the same formulas do, while blades roll."""
    runs = []
    for law in ("-0.7*v", lambda s, rate, t: -0.7 * rate):
        m = sleigh_of_a_body()
        m.actuator("brake", m["body"].angle, force=law)
        m.spring("pull", m.ground.point(3, 1), m["body"].point(0.1, 0.2), stiffness=2.0, free_length=1.0)
        runs.append(da.simulate(m, until=1.0, method="variational", step=0.01, output=[0.0, 1.0]))
    assert np.max(np.abs(runs[0].q[-1] - runs[1].q[-1])) < 1e-12


def test_what_is_refused():
    m = da.Lagrangian("x s", kinetic="rate(x)**2/2", potential="x**2/2")
    m.constraint("parabola", "s - x**2")
    m.start("x", 1.0)
    m.start("s", 1.0)
    with pytest.raises(da.MethodError, match="singular"):
        da.simulate(m, until=1.0, method="variational", step=0.01)
    with pytest.raises(da.ConvergenceError, match="smaller step"):
        da.simulate(double_pendulum(), until=5.0, method="variational", step=0.5)
