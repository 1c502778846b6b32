"""Machines that between them have every symbol of a planar drawing, and one in space."""

import base64
import math

import numpy as np

import dalembert as da


def unpacked(text):
    """Numbers of a page, from `packed`: little-endian 32-bit floats."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


def engine(piston="piston"):
    m = da.Mechanism("engine", plane=True, gravity=(0, -9.81))
    r = m.parameter("r", 0.1, "m")
    crank = m.body("crank", da.rod(r, mass=0.2), at=(0.05, 0))
    rod = m.body("rod", da.rod(0.3, mass=0.2), at=(0.25, 0))
    slider = m.body(piston, da.block(0.06, 0.04, mass=0.4), at=(0.4, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, slider, at=rod.end)
    m.prismatic("guide", m.ground, slider, along=(1, 0), at=(0.4, 0))
    m.torque("motor", crank, 0.1)
    return m


def symbols():
    """Spring, damper, link, gears, a slot, a plate without shape, a load."""
    m = da.Mechanism("symbols", plane=True, gravity=(0, -9.81))
    bob = m.body("bob", da.rod(0.5, mass=1.0), at=(0.25, 0.0))
    m.revolute("P", m.ground, bob, at=(0, 0))
    m.spring("S", m.ground.point(0, 0.8), bob.end, stiffness=50.0, free_length=0.4)
    m.damper("D", m.ground.point(0.5, -1.0), bob.end, 2.0)
    m.force("push", bob, (5, 0), at=bob.end)
    crank = m.body("crank", da.rod(0.2, mass=0.3), at=(1.1, 0.0))
    lever = m.body("lever", da.rod(0.8, mass=0.5), at=(1.2, -0.1), angle=math.pi / 2)
    m.revolute("C", m.ground, crank, at=(1.0, 0))
    m.revolute("L", m.ground, lever, at=(1.2, -0.5))
    m.pin_in_slot("slot", lever, crank, at=crank.end, along=lever.axis(1, 0))
    small, large = (
        m.body("small", da.disk(0.1, mass=1.0), at=(2.0, 0)),
        m.body("large", da.disk(0.3, mass=2.0), at=(2.4, 0)),
    )
    m.revolute("G1", m.ground, small, at=(2.0, 0))
    m.revolute("G2", m.ground, large, at=(2.4, 0))
    m.gear("gears", m["G1"], m["G2"], ratio=-1 / 3)
    weight = m.body("weight", mass=0.5, inertia=0.01, at=(3.0, -0.6))
    m.distance("rope", m.ground.point(3.0, 0.0), weight.center)
    return m


def door():
    """In space, with reactions that are not unique."""
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -9.81))
    leaf = m.body("leaf", da.box(1.0, 0.04, 2.0, mass=20.0), at=(0.5, 0, 1))
    m.spherical("low", m.ground, leaf, at=(0, 0, 0))
    m.spherical("high", m.ground, leaf, at=(0, 0, 2))
    return m
