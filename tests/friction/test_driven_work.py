"""Work along a driven motion that turns back between the times that were asked for, against the way that it makes."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.results import integrals

from .machines import slider_crank

# the way of sin(2 pi t): 2 in each half wave that is over, and from 0 to -0.951 in the last
WAYS = {10.0: 40.0, 7.7: 30.0 - math.sin(2 * math.pi * 7.7)}
# the rule has eight points and corners are cut out: what is left is far below
CLOSE = 1e-9


def block(drive):
    """20 N on a guide that is driven."""
    m = da.Mechanism("block", plane=True, gravity=(0, -10))
    body = m.body("block", mass=2.0, inertia=0.1)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.drive("motor", m["guide"].slide, drive)
    return m


def rubbing(drive):
    """Friction of 6 N."""
    m = block(drive)
    m.friction("rub", "guide", mu=0.3)
    return m


def coordinate(drive):
    """The same as a Lagrangian system."""
    m = da.Lagrangian("x", kinetic="rate(x)**2", holonomic={"motor": f"x - {drive}"})
    m.friction("rub", "x", force=6.0)
    return m


@pytest.mark.parametrize("model", [rubbing, coordinate])
@pytest.mark.parametrize(
    "times", [[0.0, 10.0], np.linspace(0.0, 10.0, 11), [0.0, 0.3, 7.7]], ids=["ends", "periods", "some"]
)
def test_friction_to_and_fro(model, times):
    """Power has a corner at every turn, and whole periods between two times look like rest."""
    run = da.kinematics(model("sin(2*pi*t)"), times)
    assert run.work["rub"][-1] == pytest.approx(-6.0 * WAYS[float(times[-1])], rel=CLOSE)
    assert run.work["motor" if model is rubbing else "constraints"][-1] == pytest.approx(
        6.0 * WAYS[float(times[-1])] + run.energy.kinetic[-1] - run.energy.kinetic[0], rel=CLOSE
    )


def test_a_crank_that_turns_back():
    """Friction in a pin with the torque mu r W, 2.5 rad to and fro, read at a few times."""
    m = da.Mechanism("crank", plane=True, gravity=(0, -10))
    disc = m.body("disc", mass=3.0, inertia=0.06)
    m.revolute("O", m.ground, disc, at=(0, 0))
    m.friction("rub", "O", mu=0.2, radius=0.01)
    m.drive("motor", m["O"].angle, "2.5*sin(t)**2")
    run = da.inverse_dynamics(m, [0.0, 1.0, 4.0, 9.0]).run
    way = [0.0, math.sin(1) ** 2, 2 + math.sin(4) ** 2, 6 - math.sin(9) ** 2]
    # 4 rad is in the second wave, on its way up; 9 rad in the third, on its way down
    assert run.work["rub"] == pytest.approx(-0.2 * 0.01 * 30.0 * 2.5 * np.array(way), rel=CLOSE)


def test_pressure_that_changes_its_side():
    """N = |20 cos 3t| has corners where nothing turns: the integral of |cos| over half a wave is 2."""
    m = da.Mechanism("pressed", plane=True)
    body = m.body("block", mass=2.0, inertia=0.1)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.force("press", body, (0, "20*cos(3*t)"), at=(0, 0))
    m.friction("rub", "guide", mu=0.3)
    m.drive("motor", m["guide"].slide, "0.1*t")
    run = da.kinematics(m, [0.0, 4 * math.pi / 3])
    assert run.work["rub"][-1] == pytest.approx(
        -0.3 * 20.0 * 0.1 * 8.0 / 3.0, rel=1e-8
    )  # corners are halved, not located


def test_a_damper_over_whole_periods():
    """Accelerations that add up to nothing explain velocities that are the same again, whatever happens in between."""
    m = block("sin(2*pi*t)")
    m.actuator("oil", m["guide"].slide, force="-3*v")
    run = da.kinematics(m, [0.0, 10.0])
    assert run.work["oil"][-1] == pytest.approx(-3.0 * 0.5 * (2 * math.pi) ** 2 * 10.0, rel=CLOSE)


def test_too_often_to_and_fro(monkeypatch):
    """Where it would take too many parts, that is said."""
    monkeypatch.setattr(integrals, "PANELS", 8)
    with pytest.raises(da.MethodError, match="give closer times"):
        da.kinematics(rubbing("sin(2*pi*t)"), [0.0, 10.0]).work


def test_forces_that_jump_at_a_turn():
    """Where a slider turns back its friction changes sides, and the force in another pin jumps with it: the same work whatever times are asked for."""
    m = da.Mechanism("crank", plane=True, gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0, 0.1), angle=math.pi / 2)
    tilt = -math.asin(0.2 / 0.7)
    end = 0.7 * math.cos(tilt)
    rod = m.body("rod", da.rod(length=0.7, mass=2.0), at=(end / 2, 0.1), angle=tilt)
    slider = m.body("slider", mass=3.0, inertia=0.1, at=(end, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0, 0.2))
    m.revolute("B", rod, slider, at=(end, 0))
    m.prismatic("guide", m.ground, slider, along=(1, 0))
    m.friction("rub", "guide", mu=0.3)
    m.friction("pin", "A", mu=0.2, radius=0.02)
    m.drive("motor", m["O"].angle, "pi/2 + 9*t")
    one, two = (da.kinematics(m, times).work for times in ([0.0, 1.0], np.linspace(0.0, 1.0, 51)))
    for name in ("rub", "pin", "motor"):
        assert one[name][-1] == pytest.approx(two[name][-1], rel=CLOSE)


def test_a_run_sees_pressure_that_changes_its_side():
    """The piston of a driven slider-crank without weight presses on either side in turn: corners that no step feels, as the drive determines the motion."""
    m = slider_crank()
    m.friction("rub", "bore", mu=0.2)
    m.drive("motor", m["O"].angle, "2*pi*t")
    run, driven = da.simulate(m, until=0.9), da.kinematics(m, np.linspace(0.0, 0.9, 101))
    # a corner between the end of a panel and the first of its points, 2 % of it, is not seen: it was off by 2e-5
    assert run.work["rub"][-1] == pytest.approx(driven.work["rub"][-1], rel=1e-7)
