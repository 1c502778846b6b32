"""K5: upright disk rolling on a plane, PRINCIPLES: x, y of the contact, heading theta, spin phi.

    x' = r cos(theta) phi',  y' = r sin(theta) phi':  two rows of rates, which cannot be integrated

Free motion: theta' and phi' constant, the contact goes round a circle of radius r |phi'/theta'|.  The rows carry the force m v theta' across
the path.  Two Lagrangian systems: the energies of the source, and a body in space.  The disk as a mechanism, with a rolling joint, belongs
beside them, into the same tests.
"""

import math

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

M, R = 1.4, 0.3
TURNING, SPIN = 0.8, 6.0
ROWS = {"x row": "rate(x) - r*cos(theta)*rate(phi)", "y row": "rate(y) - r*sin(theta)*rate(phi)"}


def of_energy():
    return da.Lagrangian(
        "x y theta phi", kinetic="m*(rate(x)**2 + rate(y)**2)/2 + m*r**2/8*rate(theta)**2 + m*r**2/4*rate(phi)**2",
        nonholonomic=ROWS, parameters={"m": M, "r": R}, name="disk by energy",
    )  # fmt: skip


def of_body():
    """Disk in the plane of its heading and the vertical, axis along the body's y."""
    m = da.Lagrangian("x y theta phi", nonholonomic=ROWS, parameters={"m": M, "r": R}, name="disk of a body")
    m.body("disk", "m", ("m*r**2/4", "m*r**2/2", "m*r**2/4"), at=("x", "y", "r"), turns=[("z", "theta"), ("y", "phi")])
    return m


def started(m, turning=TURNING, spin=SPIN):
    m.start("theta", 0.3, rate=turning)
    m.start("phi", 0.0, rate=spin)
    return m


@pytest.mark.parametrize("make", [of_energy, of_body])
def test_circle(make):
    """One turn and a half."""
    run = da.simulate(started(make()), until=3 * math.pi / TURNING, output=0.1, **TIGHT)
    assert run.audit.degrees_of_freedom == 2
    assert agree(run.v[:, 2:], np.tile([TURNING, SPIN], (len(run.t), 1)))
    theta, radius = 0.3 + TURNING * run.t, R * abs(SPIN / TURNING)
    assert agree(run.q[:, :2], radius * np.column_stack([np.sin(theta) - math.sin(0.3), math.cos(0.3) - np.cos(theta)]))
    # all points at one distance from the centre of the circle
    centre = run.q[0, :2] + radius * np.array([-math.sin(0.3), math.cos(0.3)])
    assert np.hypot(*(run.q[:, :2] - centre).T) == pytest.approx(np.full(len(run.t), radius), rel=1e-10)
    # force on the disk: m v theta' to the left of its path
    force = -np.column_stack([run["x row"], run["y row"]])
    assert agree(force, M * R * SPIN * TURNING * np.column_stack([-np.sin(theta), np.cos(theta)]))


def test_straight_line():
    """Without turning the circle becomes a line and the rows carry nothing."""
    run = da.simulate(started(of_body(), turning=0.0), until=2.0, output=0.1, **TIGHT)
    assert agree(run.q[:, :2], R * SPIN * np.outer(run.t, [math.cos(0.3), math.sin(0.3)]))
    assert np.max(np.abs(run.lam)) < 1e-11


def test_any_point_can_be_reached():
    """Nonholonomic: the rates keep to a plane of two dimensions, the positions to none."""
    found = da.classify(of_energy())
    assert not found.holonomic, found
    assert tuple(found.growth) == (2, 3, 4), found


@pytest.mark.parametrize("make", [of_energy, of_body])
def test_driven_by_a_torque(make):
    """Torque on the spin: (m r^2 + m r^2/2) phi'' = tau; the heading keeps its rate, the path is a spiral (clothoid)."""
    tau = 0.9
    m = started(make())
    m = da.Lagrangian(
        m.q,
        kinetic=m.kinetic,
        nonholonomic=m.nonholonomic,
        parameters=m.parameters,
        forces={"phi": tau},
        name=f"{m.name}, driven",
    )
    run = da.simulate(started(m), until=3.0, output=0.1, **TIGHT)
    turn = tau / (1.5 * M * R**2)
    assert agree(run.acceleration("phi"), np.full(len(run.t), turn))
    assert agree(run["phi"], SPIN * run.t + turn * run.t**2 / 2)
    # the friction also pushes forwards: m r phi'' along the path
    theta = 0.3 + TURNING * run.t
    along, across = np.column_stack([np.cos(theta), np.sin(theta)]), np.column_stack([-np.sin(theta), np.cos(theta)])
    speed = R * np.asarray(run.rate("phi"))
    force = M * R * turn * along + (M * speed * TURNING)[:, None] * across
    assert agree(-np.column_stack([run["x row"], run["y row"]]), force)
