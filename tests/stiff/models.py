"""Stiff machines, shared by the tests of this folder."""

import dalembert as da


def bushing_crank(stiffness=1e8, damping=1e4):
    """Slider-crank whose pins A and B are bushings, 10 rad/s at the start; the fastest rates are some 2e4/s."""
    m = da.Mechanism("slider-crank with bushings", gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.bushing("A", crank, rod, at=(0.2, 0), stiffness=stiffness, damping=damping)
    m.bushing("B", rod, piston, at=(0.8, 0), stiffness=stiffness, damping=damping)
    m.prismatic("bore", m.ground, piston, at=(0.8, 0), along=(1, 0))
    m.start(m["O"].angle, rate=10.0)
    return m


def stop_crank(stiffness=1e8, damping=2e3):
    """Slider-crank whose piston runs into a stop."""
    m = da.Mechanism("slider-crank with a stop", gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.2, 0))
    m.revolute("B", rod, piston, at=(0.8, 0))
    m.prismatic("bore", m.ground, piston, at=(0.8, 0), along=(1, 0))
    m.stop("end", m["bore"].slide, lower=-0.2, stiffness=stiffness, damping=damping)
    m.start(m["O"].angle, rate=10.0)
    return m


def pressed_slider(stiffness=1e8, damping=1e5):
    """A slider that a constant force presses into a stop for a second, and then pulls off it."""
    m = da.Mechanism("pressed slider")
    slider = m.body("slider", da.block(0.1, 0.1, mass=2.0), at=(0, 0))
    m.prismatic("P", m.ground, slider, at=(0, 0), along=(1, 0))
    m.stop("wall", m["P"].slide, upper=0.01, stiffness=stiffness, damping=damping)
    m.actuator("push", m["P"].slide, force="if_(t < 1, 20, -5)")
    return m


def wheel(stiffness=1e9, damping=1e5):
    """A spinning wheel in a stiff bushing on a hub that a soft spring carries; in space."""
    m = da.Mechanism("wheel", plane=False, gravity=(0, 0, -9.81))
    hub = m.body("hub", da.box(0.1, 0.1, 0.1, mass=5.0), at=(0, 0, 1))
    disk = m.body("wheel", mass=10.0, inertia=(0.25, 0.25, 0.45), at=(0, 0, 1), spin=(0, 0, 20.0))
    m.prismatic("guide", m.ground, hub, at=(0, 0, 1), along=(0, 0, 1))
    turn, lose = 0.01 * stiffness, 0.01 * damping
    m.bushing(
        "mount",
        hub,
        disk,
        at=(0, 0, 1),
        stiffness=stiffness,
        damping=damping,
        torsion=(turn, turn, 0),
        torsion_damping=(lose, lose, 1.0),
    )
    m.spring("suspension", m.ground.point(0, 0, 0), hub.point(0, 0, 0), stiffness=2e4, damping=300.0, free_length=1.0)
    return m


def oscillator(law=None, stiffness=1e6, damping=1e5):
    """An overdamped slider on a spring, x = exp(-k t/c) beside a fast mode of rate c/m: the closed form has two exponentials."""
    m = da.Mechanism("oscillator")
    slider = m.body("slider", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("P", m.ground, slider, at=(0, 0), along=(1, 0))
    m.actuator("spring", m["P"].slide, force=law or f"-{stiffness}*s - {damping}*v")
    m.start(m["P"].slide, value=0.1)
    return m
