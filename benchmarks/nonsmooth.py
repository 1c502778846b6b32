"""Machines with impacts, stick-slip and events: processor time of whole calls of `simulate`, each with its check."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dalembert as da

G = 9.81


def ball() -> da.Mechanism:
    """A ball that bounces without loss, 1 m high."""
    m = da.Mechanism("bouncing ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1))
    m.impact("floor", "ball.y", restitution=1.0)
    return m


def oscillator() -> da.Mechanism:
    """x'' + x = cos 2.7 t with a wall at 0.05 m, e = 0.8."""
    m = da.Mechanism("impact oscillator", plane=True)
    body = m.body("body", mass=1.0, inertia=1.0)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.spring("spring", "guide.slide", stiffness=1.0)
    m.force("push", "body", ("cos(2.7*t)", 0))
    m.impact("wall", "0.05 - guide.slide", restitution=0.8)
    return m


def oscillator_by_scipy(until: float, rtol: float = 1e-8) -> np.ndarray:
    """Times of its impacts by a loop that SciPy's events stop."""
    from scipy.integrate import solve_ivp

    def rate(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -y[0] + math.cos(2.7 * t)]

    def wall(t: float, y: np.ndarray) -> float:
        return 0.05 - y[0]

    wall.terminal, wall.direction = True, -1  # type: ignore[attr-defined]
    t, y, found = 0.0, [0.0, 0.0], []
    while t < until:
        made = solve_ivp(rate, (t, until), y, method="DOP853", events=wall, rtol=rtol, atol=1e-10)
        t, y = float(made.t[-1]), [float(made.y[0, -1]), -0.8 * float(made.y[1, -1])]
        if made.status == 1:
            found.append(t)
    return np.array(found)


def stick_slip() -> da.Mechanism:
    """A block on a guide under 8 sin 3 t with dry friction of 5 N."""
    m = da.Mechanism("stick-slip", plane=True)
    body = m.body("body", mass=1.0, inertia=1.0)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.force("push", "body", ("8*sin(3*t)", 0))
    m.friction("rub", "guide", force=5.0)
    return m


def boxes(n: int = 32) -> da.Mechanism:
    """Independent boxes that slide to rest one after the other."""
    m = da.Mechanism("boxes", plane=True, gravity=(0, -G))
    for k in range(n):
        body = m.body(f"box{k}", da.block(0.1, 0.1, mass=1.0), at=(k, 0.05), velocity=(1.0 + 0.03 * k, 0))
        m.contact(f"floor{k}", m.ground, body, mu=0.3)
    return m


def slider_crank() -> da.Mechanism:
    """The slider-crank of README without its motor, turning 10 rad/s, with friction in all joints."""
    m = da.Mechanism("slider-crank with friction", plane=True, gravity=(0, -G))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.2, 0))
    m.revolute("B", rod, piston, at=(0.8, 0))
    m.prismatic("bore", m.ground, piston, at=(0.8, 0), along=(1, 0))
    for joint in "OAB":
        m.friction(f"rub{joint}", joint, mu=0.1, radius=0.02)
    m.friction("rub", "bore", mu=0.1)
    m.start(m["O"].angle, rate=10.0)
    return m


def acting() -> da.Mechanism:
    """A pendulum whose motor turns the other way each time that it passes its lowest place."""
    m = da.Mechanism("swing", plane=True, gravity=(0, -G))
    m.parameter("way", 0.1)
    bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0, -0.5), angle=-math.pi / 2)
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.torque("motor", "bar", "way")
    m.start(m["A"].angle, rate=2.0)
    m.event("pass", "A.angle + pi/2", set={"way": "-way"})
    return m


# flights of the ball: 2 sqrt(2/g)
FLIGHT = 2.0 * math.sqrt(2.0 / G)


def processor_time(run: Callable[[], Any], rounds: int = 2) -> float:
    """Processor time of a call, best of some, the first one not counted."""
    run()
    best = math.inf
    for _ in range(rounds):
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
    return best


def per_event(build: Callable[[], da.Mechanism], until: float, what: tuple[str, ...], **options: Any) -> float:
    """Processor time of a whole call per happening of a kind."""
    model, many = build(), []

    def run() -> None:
        made = da.simulate(model, until=until, **options)
        if made.status != "ok":
            raise AssertionError(f"{model.name}: {made.audit}")
        many.append(len(made.events.of(*what)))

    spent = processor_time(run)
    if many[-1] < 2:
        raise AssertionError(f"{model.name}: {many[-1]} happenings")
    return spent / many[-1]


def whole(build: Callable[[], da.Mechanism], until: float, **options: Any) -> float:
    """Processor time of a whole call."""
    model = build()

    def run() -> None:
        made = da.simulate(model, until=until, **options)
        if made.status != "ok":
            raise AssertionError(f"{model.name}: {made.audit}")

    return processor_time(run)


def scipy_per_impact(until: float) -> float:
    """Processor time of SciPy's loop per impact of the oscillator."""
    many: list[int] = []
    spent = processor_time(lambda: many.append(len(oscillator_by_scipy(until))), 1)
    return spent / many[-1]


def step_with_event(steps: int = 10_000) -> float:
    """Processor time of a real-time step of 10 ms in which an event acts."""
    stepper, spent, acted = da.Stepper(acting(), 0.01), 0.0, 0
    for _ in range(steps):
        begin = time.process_time()
        stepper.step()
        took = time.process_time() - begin
        if stepper.events:
            spent, acted = spent + took, acted + 1
    return spent / acted
