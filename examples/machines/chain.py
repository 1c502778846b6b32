"""A chain of a thousand links falls from level; a chain of ten against numbers of another program (benchmark E01)."""

import numpy as np

import dalembert as da


def chain(n):
    """n equal rods, together 1 m and 1 kg, level, pinned to the ground at the left."""
    m = da.Mechanism(f"chain of {n}", plane=True, gravity=(0, -9.81))
    last = m.ground
    for k in range(n):
        link = m.body(f"link{k}", da.rod(length=1 / n, mass=1 / n), at=((k + 0.5) / n, 0))
        m.revolute(f"pin{k}", last, link, at=(k / n, 0))
        last = link
    return m


# Ten links: the tip at 0.25, 0.5 and 1 s, from an independent program at two tolerances.
ten = da.simulate(chain(10), until=1.0, rtol=1e-11, atol=1e-13, output=0.01)
tip = ten["link9"].point(0.05, 0).position
assert np.allclose(tip[25], (0.87746252478, -0.30665667116), atol=1e-9)
assert np.allclose(tip[50], (-0.26464511200, -0.86354675475), atol=1e-8)
assert np.allclose(tip[100], (-0.89431685236, -0.14656506475), atol=1e-7)
# The first pin carries the whole chain: force = mass times (acceleration of the mass centre - gravity).
centre = sum(ten[f"link{k}"].acceleration for k in range(10)) / 10
assert np.allclose(ten["pin0"].force, centre + (0, 9.81), atol=1e-9)

# A thousand links, while they fall: the work of a step grows in proportion to the number of links, not with its cube.
n = 1000
m = chain(n)
run = da.simulate(m, until=0.25, rtol=1e-6, atol=1e-8, output=0.0125)
end = run["link999"].point(0.5 / n, 0).position
# No energy is lost, and the tip is where that of ten links is, but for the coarser links of that one.
assert np.ptp(run.energy.total) < 1e-5 * np.max(run.energy.kinetic)
assert np.max(np.abs(end[-1] - tip[25])) < 0.01

if __name__ == "__main__":
    print(f"after 0.25 s the tip is at ({end[-1, 0]:.4f}, {end[-1, 1]:.4f}) m")
    print(run.audit)
    run.draw("out/chain.png", ghosts=4, traces=[m["link999"].end], names=False)
