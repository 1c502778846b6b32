"""Machines that several tests of Lagrangian systems use."""

from __future__ import annotations

import dalembert as da

G = 9.81


def pendulum(theta=0.3, rate=0.0):
    """Point mass on a rod of 2 m."""
    m = da.Lagrangian(
        "theta", kinetic="m*l**2*rate(theta)**2/2", potential="-m*g*l*cos(theta)",
        parameters={"m": 1.5, "l": 2.0, "g": G}, name="pendulum",
    )  # fmt: skip
    m.start("theta", theta, rate=rate)
    return m


def double_pendulum():
    """Two point masses, angles from the vertical."""
    m = da.Lagrangian("a b", gravity=(0, "-g"), parameters={"m": 1.3, "l": 0.7, "g": G}, name="double pendulum")
    m.particle("upper", "m", ("l*sin(a)", "-l*cos(a)"))
    m.particle("lower", "2*m", ("l*sin(a) + l*sin(b)", "-l*cos(a) - l*cos(b)"))
    m.start("a", 1.0)
    m.start("b", 2.0, rate=-0.5)
    return m


def slider_crank(drive=None):
    """Crank 0.2 m, rod 0.6 m, piston; loop closed by two rows; driven at `drive` rad/s or free."""
    rows = {"closure x": "x - r*cos(th) - l*cos(ph)", "closure y": "r*sin(th) + l*sin(ph)"}
    if drive is not None:
        rows["motor"] = f"th - {drive}*t"
    m = da.Lagrangian(
        "th ph x", gravity=(0, "-g"), parameters={"r": 0.2, "l": 0.6, "mc": 1.0, "mr": 1.5, "mp": 2.0, "g": G},
        holonomic=rows, name="slider-crank",
    )  # fmt: skip
    m.body("crank", "mc", "mc*r**2/12", at=("r/2*cos(th)", "r/2*sin(th)"), angle="th")
    m.body("rod", "mr", "mr*l**2/12", at=("r*cos(th) + l/2*cos(ph)", "r*sin(th) + l/2*sin(ph)"), angle="ph")
    m.particle("piston", "mp", ("x", 0))
    m.guess("x", 0.8)
    return m


def slider_crank_of_joints(drive=None):
    """The same as a mechanism."""
    m = da.Mechanism("slider-crank", gravity=(0, -G))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=1.5), at=(0.5, 0))
    piston = m.body("piston", mass=2.0, inertia=0.1, at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.2, 0))
    m.revolute("B", rod, piston, at=(0.8, 0))
    m.prismatic("bore", m.ground, piston, at=(0.8, 0), along=(1, 0))
    if drive is not None:
        m.drive("motor", m["O"].angle, f"{drive}*t")
    return m


def sleigh(speed=1.0, turning=0.5):
    """Body on a blade through its mass centre: it goes round a circle of radius speed / turning."""
    m = da.Lagrangian(
        "x y phi", kinetic="m*(rate(x)**2 + rate(y)**2)/2 + J*rate(phi)**2/2", parameters={"m": 1.2, "J": 0.5},
        nonholonomic={"blade": "cos(phi)*rate(y) - sin(phi)*rate(x)"}, name="sleigh",
    )  # fmt: skip
    m.start("x", 0.0, rate=speed)
    m.start("phi", 0.0, rate=turning)
    return m
