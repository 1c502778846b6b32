"""A planar four-bar built with hinges in space, turned anyhow: three rows too many, and still the same motion."""

import importlib

import numpy as np

import dalembert as da

flat = importlib.import_module("03_four_bar")

# a rotation that is along no axis: columns are the axes of the linkage in space
turned, _ = np.linalg.qr(np.array([[0.3, -0.8, 0.5], [0.7, 0.4, 0.6], [-0.6, 0.2, 0.9]]))
turned *= np.sign(np.linalg.det(turned))
hinge = tuple(turned[:, 2])


def space(x, y):
    return tuple(turned @ (x, y, 0.0))


def posed(angle):
    c, s = np.cos(angle), np.sin(angle)
    return turned @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


m = da.Mechanism("spatial four-bar", plane=False, gravity=space(0, -flat.g))
parts = {}
for name in ("crank", "coupler", "rocker"):
    start = flat.run[name]
    parts[name] = m.body(name, flat.m[name].shape, at=space(*start.position[0]), rotation=posed(start.angle[0]))
crank, coupler, rocker = parts.values()
m.revolute("A", m.ground, crank, at=space(0, 0), axis=hinge)
m.revolute("B", crank, coupler, at=crank.end, axis=hinge)
m.revolute("C", coupler, rocker, at=coupler.end, axis=hinge)
m.revolute("D", m.ground, rocker, at=space(4, 0), axis=hinge)

run = da.simulate(m, until=3.0)

# 4 hinges hold 20 velocities of 18; one degree of freedom is left, because 3 rows repeat what others say.
assert run.audit.degrees_of_freedom == 1 and len(run.audit.redundant_rows) == 3
# The motion is that of the planar linkage.
assert np.allclose(run["crank"].position @ turned[:, :2], flat.run["crank"].position, atol=1e-6)
assert np.allclose(run["A.angle"], flat.run["A.angle"] - flat.run["A.angle"][0], atol=1e-6)
# So are the forces: single ones are not unique here, but the smallest that fit have nothing out of the plane.
force = run["C"].force @ turned
assert np.allclose(force[:, :2], flat.run["C"].force, atol=1e-6 * np.max(np.abs(force)))
assert np.max(np.abs(force[:, 2])) < 1e-9 * np.max(np.abs(force))

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot(path="out/05_spatial_four_bar.png")
