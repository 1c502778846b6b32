"""The built-in example: a slider-crank turned by a motor.  `python -m dalembert.demo [folder]`."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import DalembertError
from .model.mechanism import Mechanism
from .model.shapes import block, rod

if TYPE_CHECKING:
    from .results.result import Result

CRANK, ROD = 0.2, 0.6  # [m]
START = math.pi / 3  # angle of the crank at t = 0 [rad]
SPEED = 2.0 * math.pi  # of the crank [rad/s]: one turn a second


def slider_crank() -> Mechanism:
    """Slider-crank with gravity: crank 0.2 m, connecting rod 0.6 m, piston on the x axis, one turn a second.

    Examples
    --------
    >>> from dalembert.demo import slider_crank
    >>> slider_crank()
    <Mechanism 'slider-crank' in the plane: 3 bodies, 4 joints, 1 driver>
    """
    m = Mechanism("slider-crank", plane=True, gravity=(0.0, -9.81))
    tilt = -math.asin(CRANK * math.sin(START) / ROD)
    pin = (CRANK * math.cos(START), CRANK * math.sin(START))
    crank = m.body("crank", rod(length=CRANK, mass=1.0), at=(pin[0] / 2, pin[1] / 2), angle=START)
    middle = (pin[0] + ROD / 2 * math.cos(tilt), pin[1] / 2)
    connecting = m.body("rod", rod(length=ROD, mass=2.0), at=middle, angle=tilt)
    piston = m.body("piston", block(0.12, 0.08, mass=0.5), at=(piston_position(0.0), 0.0))
    m.revolute("O", m.ground, crank, at=(0.0, 0.0))
    m.revolute("A", crank, connecting, at=crank.end)
    m.revolute("B", connecting, piston, at=connecting.end)
    m.prismatic("bore", m.ground, piston, along=(1.0, 0.0))
    m.drive("motor", m["O"].angle, f"{START!r} + 2*pi*t")
    return m


def piston_position(t: float) -> float:
    """Position of the piston in closed form: r cos(theta) + sqrt(l^2 - r^2 sin(theta)^2)."""
    theta = START + SPEED * t
    return CRANK * math.cos(theta) + math.sqrt(ROD**2 - (CRANK * math.sin(theta)) ** 2)


def main(folder: str = "out") -> int:
    """Simulate two turns, print a table and the audit, write results and pictures; return the exit status."""
    from .analyses.simulate import simulate

    model = slider_crank()
    print(model)
    try:
        run = simulate(model, until=2.0, output=0.01)
        print(f"\n{run.table(9)}\n\n{run.audit}\n")
        worst = max(abs(float(x) - piston_position(float(t))) for t, x in zip(run.t, run["piston"].position[:, 0]))
        print(f"piston against the closed form: {worst:.1e} m")
        _write(run, Path(folder))
    except DalembertError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    return 0 if run.status == "ok" else 1


def _write(run: Result, folder: Path) -> None:
    from .results.files import MissingPackageError

    run.save(folder / "slider_crank.npz")
    run.to_csv(folder / "slider_crank.csv")
    run.show(folder / "slider_crank.html", open=False)
    written = ["slider_crank.npz", "slider_crank.csv", "slider_crank.html"]
    try:
        run.plot(path=folder / "slider_crank.png")
        run.plot("motor", "bore", "A", "piston", path=folder / "slider_crank_loads.png")
        written += ["slider_crank.png", "slider_crank_loads.png"]
    except MissingPackageError as error:
        print(f"no pictures: {error}")
    print(f"written to {folder}/: {', '.join(written)}")
    print(f"open {folder / 'slider_crank.html'} in a browser to see it move")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
