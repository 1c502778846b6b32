"""Models and functions that the tests of sweeps share; workers import the functions from here."""

import os
import signal
import time
from pathlib import Path

import dalembert as da

ROD = 0.6
CRANK = f"""
format = 1
name = "slider-crank"
gravity = [0, "-9.81 m/s^2"]
[parameters]
r = "200 mm"
n = "60 rpm"
[bodies]
crank = {{ shape = {{ rod = {{ length = "r", mass = 1 }} }}, at = ["r/2", 0] }}
rod = {{ shape = {{ rod = {{ length = {ROD}, mass = 2 }} }}, at = ["r + {ROD / 2}", 0] }}
piston = {{ shape = {{ block = {{ width = 0.1, height = 0.1, mass = 0.5 }} }}, at = ["r + {ROD}", 0] }}
[joints]
O = {{ type = "revolute", between = ["ground", "crank"], at = [0, 0] }}
A = {{ type = "revolute", between = ["crank", "rod"], at = "crank.end" }}
B = {{ type = "revolute", between = ["rod", "piston"], at = "rod.end" }}
bore = {{ type = "prismatic", between = ["ground", "piston"], along = "x" }}
[drivers.motor]
measure = "O.angle"
value = "n*t"
[simulate]
until = "1 s"
"""


def pendulum() -> da.Mechanism:
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    length = m.parameter("l", 1.0, "m")
    bar = m.body("bar", da.rod(length=length, mass=2.0), at=(length / 2, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return m


def build(l: float = 1.0, kind: str = "rod") -> da.Mechanism:
    m = pendulum()
    m.set_parameter("l", l)
    m.name = kind
    return m


def length_squared(model: da.Mechanism, factor: float = 1.0) -> dict[str, float]:
    """A question that costs nothing; lengths of 13 are unlucky, those of 17 end the process."""
    x = model.parameters["l"]
    if x == 13.0:
        raise ZeroDivisionError("thirteen")
    if x == 17.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": factor * x**2}


def noted(model: da.Mechanism, folder: str) -> dict[str, float]:
    """The same, with a file for each time that a case was run; after the first 20 it waits until there is a file "go on"."""
    x = model.parameters["l"]
    while x > 20.0 and not (Path(folder) / "go on").exists():
        time.sleep(0.02)
    (Path(folder) / f"{x:g}-{time.time_ns()}").touch()
    return {"square": x**2}
