"""Models that the tests of model files share, built in Python."""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.model.expression import Name

SLIDER = """\
name = "slider-crank"
gravity = [0, -9.81]

[parameters]
r = "200 mm"
n = "1500 rpm"

[bodies.crank]
shape = { rod = { length = "r", mass = 1.0 } }
at = ["r/2", 0]

[bodies.rod]
shape = { rod = { length = "600 mm", mass = 2.0 } }
at = ["r + 0.3", 0]

[bodies.piston]
shape = { rectangle = { width = 0.1, height = 0.1, mass = "500 g" } }
at = ["r + 0.6", 0]

[joints.O]
type = "revolute"
between = ["ground", "crank"]
at = [0, 0]

[joints.A]
type = "revolute"
between = ["crank", "rod"]
at = "crank.end"

[joints.B]
type = "revolute"
between = ["rod", "piston"]
at = "rod.end"

[joints.bore]
type = "prismatic"
between = ["ground", "piston"]
along = "x"

[drivers.motor]
measure = "O.angle"
value = "n*t"

[simulate]
until = "50 ms"
"""


def everything() -> da.Mechanism:
    """Planar mechanism that uses every kind of section, and arguments in many forms."""
    m = da.Mechanism("everything", plane=True, gravity=(0, "-g"), length="2*r")
    r = m.parameter("r", 0.2, "m")
    m.parameter("g", 9.81, "m/s^2")
    m.parameter("teeth", 20, label="per wheel")
    cam = da.spline([0, 1, 2], [0, 0.05, 0], rate=(0, None), name="cam")
    time = Name("t")
    plate = da.composite(
        da.rectangle(0.2, 2 * r, mass=2.0).at(0.1, 0, angle=0.3, name="web"), da.void(da.disk(0.01, mass=0.1))
    )
    a = m.body("arm 1", plate, at=(0.1, 0), angle=0.1)
    b = m.body(
        "b", mass=1.0, inertia=0.1, center=(0.01, 0.02), at=np.array([1.0, 0.0]), spin=2.0, velocity=(0, "r*teeth")
    )
    c = m.particle("c", mass="teeth/10", at=(2.0, 0.5))
    d = m.body("d", da.disk(0.1, density=100.0, thickness=0.02), at=(3, 0))
    m.revolute("pin", m.ground, a, at=(0, 0), zero=0.25)
    m.revolute("hub", m.ground, b, at=(b.point(0, 0), m.ground.point(1, 0)))
    m.measure("sum", "hub.angle + 2*b.x")
    m.gear("gears", m["pin"], m["hub"].angle, teeth=(20, 40))
    m.distance("link", (b, (0.1, 0)), c)
    m.constraint("tie", "sum - hub.angle - 2*b.x + d.y", 0.0)
    m.measure("reach", between=(c, m.ground.point(0, 0)))
    m.measure("turn", angle=(a, b))
    m.measure("along arm", point=c, along=a.axis(1, 0), relative_to=(a, (0.1, 0)))
    m.spring("coil", b.center, (c, (0, 0)), stiffness=40.0, free_length=r, force=cam)
    m.torsion_spring("twist", "hub", stiffness=2.0, free_angle=0.4, torque="-0.1*omega*rate(b.x)")
    m.stop("end", m["hub"].angle, upper=1.5, stiffness=10.0)
    m.force("pull", d, (1.0, 2 * da.functions.cos(time) + cam(time, order=1)), at=(d, (0.1, 0)), frame="body")
    m.drive("motor", "turn", 0.2 + 3 * da.functions.sin(r / r) * 0)
    m.start(m["reach"], rate=0.1)
    m.start("d.angle", value=0.5, rate=1.0)
    m.start("d.x + c.y", value=3.5)
    return m


def in_space() -> da.Mechanism:
    """Mechanism in space with rotations in all forms and rolling."""
    m = da.Mechanism("in space", plane=False, gravity=(0, 0, -9.81))
    h = m.parameter("h", 0.3)
    shapes = (da.cylinder(0.1, 1.0, mass=1.0, axis="x"), da.box(1, 2, 3, density=10.0), da.sphere(0.2, mass=1.0))
    rotations = (("z", 0.4), (1.0, 0.2, 0.0, 0.1), np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    bodies = [
        m.body(f"b{k}", s, at=(k, 0, "h"), rotation=r) for k, (s, r) in enumerate(zip(shapes, rotations, strict=True))
    ]
    turned = m.body("turned", mass=1.0, inertia=(1.0, 1.0, 1.5), at=(5, 0, 0), rotation=((0, 1, 0), 2 * h))
    m.universal("cross", bodies[0], bodies[1], at=(0.5, 0, 0), axes=((1, 0, 0), (0, 1, 0)))
    m.rolling_disk("coin", m.ground, turned, radius=h, axis=turned.axis(0, 1, 0))
    m.bushing("mount", bodies[1], bodies[2], at=(1.5, 0, 0), stiffness=(1.0, 2.0, 3.0), torsion=4.0)
    m.torque("couple", bodies[2], (0, 0, "t"), against=bodies[1])
    return m


def cart() -> da.Lagrangian:
    """Lagrangian system with parts, loads, rows and starts."""
    m = da.Lagrangian(
        "x theta s",
        kinetic="m*rate(x)**2/2",
        potential="k*x**2/2",
        dissipation="c*rate(x)**2/2",
        forces={"x": "sin(t)"},
        holonomic={"tie": "s - 2*x"},
        nonholonomic=["rate(s) - 2*rate(x)"],
        parameters={"m": 1.0, "k": 20.0, "c": 0.1, "g": 9.81, "l": 0.5},
        gravity=(0, "-g"),
        name="cart",
    )
    m.particle("bob", "m/2", ("x + l*sin(theta)", "-l*cos(theta)"))
    m.body("wheel", 1.0, 0.2, ("x", 0), angle="theta")
    m.body("gyro", 1.0, (1, 1, 2), ("x", 0, "s"), turns=[("z", "theta"), ("x", 0.3)])
    m.force("wind", "bob", ("t", 0))
    m.force("push", "wheel", (1, 0), at=(0.1, 0), local=True)
    m.force("probe", ("x", "s"), (0, 1))
    m.couple("motor", "wheel", "0.1*t")
    m.start("theta", 0.3, rate=0.1)
    m.guess("s", 0.2)
    return m
