"""Machines of several tests of friction."""

import dalembert as da


def slider_crank():
    """A slider-crank without weight, stretched out; its piston in the bore."""
    m = da.Mechanism("slider-crank", plane=True)
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.12, 0.08, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    return m
