"""Inertia of a bracket of three boxes, its principal axes, and a spin about one of them that stays (BASICS 8.3.3)."""

import numpy as np

import dalembert as da

density = 7800.0
shape = da.composite(
    da.box(0.20, 0.10, 0.01, density=density),
    da.box(0.01, 0.10, 0.12, density=density).at(0.095, 0, 0.06),
    da.box(0.06, 0.02, 0.05, density=density).at(-0.05, 0.03, 0.03),
)
whole = shape.mass_properties()

# by hand, Steiner: sum of the parts about the common mass centre
parts = [
    ((0.20, 0.10, 0.01), (0, 0, 0)),
    ((0.01, 0.10, 0.12), (0.095, 0, 0.06)),
    ((0.06, 0.02, 0.05), (-0.05, 0.03, 0.03)),
]
masses = [density * float(np.prod(size)) for size, _ in parts]
center = sum(m * np.array(p) for m, (_, p) in zip(masses, parts)) / sum(masses)
tensor = np.zeros((3, 3))
for m, (size, place) in zip(masses, parts):
    s, d = np.array(size) ** 2, np.array(place) - center
    tensor += m / 12 * np.diag([s[1] + s[2], s[2] + s[0], s[0] + s[1]]) + m * (d @ d * np.eye(3) - np.outer(d, d))
assert (
    abs(whole.mass - sum(masses)) < 1e-12
    and np.allclose(whole.center, center)
    and np.allclose(whole.inertia, tensor, rtol=1e-12)
)

# principal axes diagonalize it; about one of them it spins on for ever, about another direction it wobbles
values, axes = np.linalg.eigh(tensor)
m = da.Mechanism("bracket", plane=False)
bracket = m.body("bracket", shape, spin=tuple(10.0 * axes[:, 2]))
run = da.simulate(m, until=2.0, output=0.02)
assert np.allclose(run["bracket"].spin, 10.0 * axes[:, 2], atol=1e-8)

if __name__ == "__main__":
    print(f"{whole.mass:.3f} kg, mass centre {np.round(center, 5)} m")
    print(f"principal moments {np.round(values * 1e3, 4)} g m²\n")
    print(run.audit)
    run.draw(path="out/b2_inertia_tensor.png", at=0.0)
