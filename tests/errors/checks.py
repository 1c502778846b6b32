"""What all tests of errors share."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import dalembert as da


@contextlib.contextmanager
def refused(kind: type[da.DalembertError], *words: object) -> Iterator[list[da.DalembertError]]:
    """The block raises an error of this type, with four parts, whose text contains all the words."""
    caught: list[da.DalembertError] = []
    try:
        yield caught
    except da.DalembertError as error:
        caught.append(error)
        assert isinstance(error, kind), f"{type(error).__name__} instead of {kind.__name__}: {error}"
        check_parts(error)
        for word in words:
            assert str(word) in str(error), f"{word!r} is missing in:\n{error}"
        return
    raise AssertionError(f"nothing was refused; expected {kind.__name__} with {words}")


def check_parts(error: da.DalembertError) -> None:
    """Four parts, none empty, of a length that a person reads."""
    for part in (error.asked, error.found, error.why, error.do):
        assert isinstance(part, str) and part.strip(), error.args
    assert len(str(error)) < 2500, str(error)


def bar(m: da.Mechanism, name: str, p: Any, q: Any, mass: float, width: float = 0.1, **options: Any) -> Any:
    """Bar of square section from p to q in the plane, its frame at the middle: inertia m (l^2 + w^2)/12."""
    (x0, y0), (x1, y1) = p, q
    length = math.hypot(x1 - x0, y1 - y0)
    return m.body(
        name,
        mass=mass,
        inertia=mass * (length**2 + width**2) / 12.0,
        at=((x0 + x1) / 2.0, (y0 + y1) / 2.0),
        angle=math.atan2(y1 - y0, x1 - x0),
        **options,
    )


def four_bar(crank: dict[str, Any] | None = None, others: dict[str, Any] | None = None) -> da.Mechanism:
    """FB4: ground 4 m, crank 1 m upright, coupler 4 m, rocker 3 m, bars of 0.1 m square section, 1000 kg/m³."""
    m = da.Mechanism("FB4", plane=True, gravity=(0, -9.81))
    # intersection of the circles of radius 4 about A and 3 about C, upper branch
    o, a, c = np.array([0.0, 0.0]), np.array([0.0, 1.0]), np.array([4.0, 0.0])
    d = float(np.hypot(*(c - a)))
    along = (4.0**2 - 3.0**2 + d**2) / (2.0 * d)
    across = math.sqrt(4.0**2 - along**2)
    e = (c - a) / d
    b = a + along * e + across * np.array([-e[1], e[0]])
    bodies = {
        "crank": bar(m, "crank", o, a, 10.0, **(crank or {})),
        "coupler": bar(m, "coupler", a, b, 40.0, **(others or {})),
        "rocker": bar(m, "rocker", b, c, 30.0, **(others or {})),
    }
    m.revolute("O", m.ground, bodies["crank"], at=o)
    m.revolute("A", bodies["crank"], bodies["coupler"], at=a)
    m.revolute("B", bodies["coupler"], bodies["rocker"], at=b)
    m.revolute("C", m.ground, bodies["rocker"], at=c)
    return m


def pendulum(**options: Any) -> da.Mechanism:
    """Bar of 1 m hanging from A at the origin, drawn level."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    m.body("bar", mass=2.0, inertia=2.0 / 12.0, at=(0.5, 0.0), **options)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    return m


def space(name: str = "space") -> da.Mechanism:
    """Two bodies in space, without joints."""
    m = da.Mechanism(name, plane=False, gravity=(0, 0, -9.81))
    m.body("b", mass=1.0, inertia=(0.5, 0.5, 0.6))
    m.body("c", mass=2.0, inertia=(0.5, 0.5, 0.6), at=(1, 0, 0))
    return m
