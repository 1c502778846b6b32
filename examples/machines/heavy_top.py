"""A fast heavy top on a ball joint (benchmark D02)."""

import numpy as np

import dalembert as da

# a thin disk across y; the stem, and the thickness in which the disk is drawn, are without mass
disk = da.disk(0.25, mass=15.0).at(0, 1, 0, rotation=((1, 0, 0), (0, 0, -1), (0, 1, 0)))
stem, thick = da.cylinder(0.012, 1.0, axis="y", mass=0.0), da.cylinder(0.25, 0.03, axis="y", mass=0.0)
shape = disk + stem.at(0, 0.5, 0) + thick.at(0, 1, 0)


def top(raised, spin):
    """Top with its axis raised by an angle above the level, on its tip; the angular velocity along x, y, z of space."""
    m = da.Mechanism("heavy top", plane=False, gravity=(0, 0, -9.81))
    body = m.body("top", shape, rotation=("x", raised), velocity=(0, 0, 0), spin=spin)
    stand = m.body("stand", da.cone(0.15, 0.9, mass=10.0), at=(0, 0, -0.9))
    m.spherical("tip", stand, body, at=(0, 0, 0))
    m.fixed("foot", m.ground, stand, at=(0, 0, -0.9))
    return m


# Raised by 30 degrees it can go round steadily, at the two roots of A sin(raised) W^2 - C w W + m g l = 0; w is its spin.
raised, A, C, moment = np.pi / 6, 15.234375, 0.46875, 15.0 * 9.81
slow, fast = sorted(np.roots([A * np.sin(raised), -C * 150, moment]).real)
for rate in (slow, fast):
    own = 150 - rate * np.sin(raised)
    steady = da.simulate(
        top(raised, (0, own * np.cos(raised), own * np.sin(raised) + rate)), until=0.5, rtol=1e-11, atol=1e-13
    )
    assert np.allclose(steady["top"].rotation[:, 2, 1], np.sin(raised), atol=1e-7)

# Let go level, at another rate, it nods as well.
run = da.simulate(top(0.0, (0, 150, -4.61538)), until=0.2, rtol=1e-11, atol=1e-13, output=0.001)
centre = run["top"].point(0, 1, 0).position

# Mass centre at 0.1 and 0.2 s and the force of the pivot, from an independent program.
assert np.allclose(centre[100], (0.4212966589254, 0.8945719743456, -0.1491647005619), atol=1e-8)
assert np.allclose(centre[-1], (0.6055505613769, 0.598957681795, -0.5239830274301), atol=1e-8)
assert np.allclose(run["tip"].force[0], (0, -319.52598817, -317.26246154), atol=1e-6)
assert np.allclose(run["tip"].force[-1], (-640.23640799, -148.62771135, 136.92931304), atol=1e-4)
# Gravity has no moment about the vertical and none about the axis of the top, so both momenta are constant.
about_pivot = np.diag([15.234375, 0.46875, 15.234375])
spin_body = np.einsum("tji,tj->ti", run["top"].rotation, run["top"].spin)
momentum = np.einsum("tij,tj->ti", run["top"].rotation, spin_body @ about_pivot)
assert np.ptp(spin_body[:, 1]) < 1e-8 * 150 and np.ptp(momentum[:, 2]) < 1e-8 * 150

if __name__ == "__main__":
    print(f"raised by 30 degrees it goes round steadily at {slow:.3f} or {fast:.3f} rad/s, and at no other rate")
    most = np.linalg.norm(run["tip"].force, axis=1).max()
    print(
        f"let go level at -4.615 rad/s it sinks by {-centre[:, 2].min():.3f} m in 0.2 s; its pivot carries {most:.0f} N"
    )
    print(run.audit)
    run.draw(
        "out/heavy_top.png", ghosts=3, traces=[run.model["top"].point(0, 1, 0)], names=["bodies", "tip"], view=(-50, 22)
    )
