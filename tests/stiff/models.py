"""Stiff machines, shared by the tests of this folder."""

import dalembert as da
from benchmarks.stiff import bushing_crank, stop_crank, wheel


def pressed_slider(stiffness=1e8, damping=1e5):
    """A slider that a constant force presses into a stop for a second; then one that swings pulls it off."""
    m = da.Mechanism("pressed slider")
    slider = m.body("slider", da.block(0.1, 0.1, mass=2.0), at=(0, 0))
    m.prismatic("P", m.ground, slider, at=(0, 0), along=(1, 0))
    m.stop("wall", m["P"].slide, upper=0.01, stiffness=stiffness, damping=damping)
    m.actuator("push", m["P"].slide, force="if_(t < 1, 20, -5 + 4*sin(60*t))")
    return m


def oscillator(law=None, stiffness=1e6, damping=1e5):
    """An overdamped slider on a spring, x = exp(-k t/c) beside a fast mode of rate c/m: the closed form has two exponentials."""
    m = da.Mechanism("oscillator")
    slider = m.body("slider", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("P", m.ground, slider, at=(0, 0), along=(1, 0))
    m.actuator("spring", m["P"].slide, force=law or f"-{stiffness}*s - {damping}*v")
    m.start(m["P"].slide, value=0.1)
    return m


__all__ = ["bushing_crank", "oscillator", "pressed_slider", "stop_crank", "wheel"]
