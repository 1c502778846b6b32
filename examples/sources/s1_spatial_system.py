"""The equations of a spatial mechanism as arrays: M, J, gamma, and force and moment of every single row (SPATIAL)."""

import numpy as np

import dalembert as da

m = da.Mechanism("spatial slider-crank", plane=False, gravity=(0, 0, -9.81))
crank = m.body("crank", da.box(0.1, 0.02, 0.02, mass=0.5), at=(0, 0, 0.05), rotation=("y", -np.pi / 2))
d = np.array([0.3, 0.2, 0.0]) - (0, 0, 0.1)
length = float(np.linalg.norm(d))
up = np.cross(d, (0, 0, 1)) / np.linalg.norm(np.cross(d, (0, 0, 1)))
axes = np.column_stack([d / length, up, np.cross(d / length, up)])
rod = m.body("rod", da.box(length, 0.02, 0.02, mass=0.8), at=(0.15, 0.1, 0.05), rotation=axes)
block = m.body("block", da.box(0.06, 0.04, 0.04, mass=1.0), at=(0.3, 0.2, 0))
m.revolute("A", m.ground, crank, at=(0, 0, 0), axis=(1, 0, 0))
m.spherical("B", crank, rod, at=(0, 0, 0.1))
m.universal("C", rod, block, at=(0.3, 0.2, 0), axes=(up, (0, 1, 0)))
m.prismatic("D", m.ground, block, along=(1, 0, 0))
m.start(m["A"].angle, rate=2.0)
run = da.simulate(m, until=1.0, output=0.01)

e = da.equations(m, run.at(0.3))
bodies, rows = len(m.bodies), len(e.row_names)
assert e.M.shape == (6 * bodies, 6 * bodies) and e.jac.shape == (rows, 6 * bodies)
assert np.allclose(e.M @ e.a + e.jac.T @ e.lam, e.Q, atol=1e-10) and np.allclose(e.jac @ e.a, e.gamma, atol=1e-10)
# Newton and Euler of the rod by the reactions of its joints alone
load = da.reactions(m, run.at(0.3))
force = load["B"].on("rod").force + load["C"].on("rod").force + np.array([0, 0, -0.8 * 9.81])
k = 6 * [b.name for b in m.bodies].index("rod")
assert np.allclose(0.8 * e.a[k : k + 3], force, atol=1e-9)
assert da.mobility(m).dof == 1

if __name__ == "__main__":
    print(f"{6 * bodies} + {rows} equations\n\n{load}\n")
    print(run.audit)
    run.draw(path="out/s1_spatial_system.png", at=0.3)
