"""A fast heavy top on a ball joint (benchmark D02)."""

import numpy as np

import dalembert as da

m = da.Mechanism("heavy top", plane=False, gravity=(0, 0, -9.81))
# a thin disk across y on a stem without mass; fast about its axis, slowly about the vertical
disk = da.disk(0.25, mass=15.0).at(0, 1, 0, rotation=((1, 0, 0), (0, 0, -1), (0, 1, 0)))
top = m.body(
    "top", disk + da.cylinder(0.012, 1.0, axis="y", mass=0.0).at(0, 0.5, 0), velocity=(0, 0, 0), spin=(0, 150, -4.61538)
)
m.spherical("tip", m.ground, top, at=(0, 0, 0))

run = da.simulate(m, until=0.2, rtol=1e-11, atol=1e-13, output=0.001)
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
    print(run.table())
    print(run.audit)
    run.draw("out/heavy_top.png", ghosts=4, traces=[top.point(0, 1, 0)], view=(-50, 22))
