"""The pictures of README and docs that are drawn: `python docs/pictures.py` writes them anew to docs/images/."""

import math
from pathlib import Path

import dalembert as da

IMAGES = Path(__file__).parent / "images"


def slider_crank():
    """The slider–crank of the README."""
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.12, 0.08, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.drive("motor", m["O"].angle, "2*pi*t")
    return da.simulate(m, until=1.0)


def crate():
    """A crate that slides up a slope and stays there."""
    m = da.Mechanism("crate on a slope", plane=True, gravity=(-9.81 * math.sin(0.2), -9.81 * math.cos(0.2)))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), velocity=(1.0, 0))
    m.contact("floor", m.ground, body, mu=0.3, static=0.4)
    return da.simulate(m, until=0.5)


def main():
    """Write all pictures."""
    run = slider_crank()
    rod = run.model["rod"]
    look = {"traces": [rod.center], "arrows": {"reactions": ["A"]}}
    # one turn less its last frame, so that the film runs on without a stop
    once = run.resample(run.t[:-4])
    once.film(IMAGES / "slider_crank.gif", speed=0.5, size=6, dpi=100, quantities=["A"], names=["A", "B", "O"], **look)
    run.draw(IMAGES / "draw_slider_crank.svg", at=0.13, ghosts=4, **look)
    crate().draw(IMAGES / "draw_cones.svg", at=[0.05, 0.4], arrows="reactions")


if __name__ == "__main__":
    main()
