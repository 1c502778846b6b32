"""The multiplier theorem on three numbers, and the same as forces on a particle (PLANAR, example 6.3.3)."""

import numpy as np

import dalembert as da

# b + A^T lam = 0 for b = (1, 3, 2), A = [[-1, 0, 1], [2, 3, 1]]: wherever A x = 0, also b x = 0
b, A = np.array([1.0, 3.0, 2.0]), np.array([[-1.0, 0.0, 1.0], [2.0, 3.0, 1.0]])
found = da.multiplier_theorem(A, b)
assert found.holds and np.allclose(found.multipliers, [-1, -1], atol=1e-14)
# another b does work along the line A x = 0
assert not da.multiplier_theorem(A, [1.0, 3.0, 5.0]).holds

# A particle at rest on the line in which two planes meet, loaded with b: no acceleration, and M a + J^T lam = Q gives lam with Q = -b.
m = da.Mechanism("particle on two planes", plane=False)
point = m.particle("point", mass=1.0)
for name, row in zip(("first", "second"), A):
    m.constraint(name, m.measure(f"{name} plane", f"{row[0]}*point.x + {row[1]}*point.y + {row[2]}*point.z"))
m.force("load", point, tuple(-b))
e = da.equations(m)
assert np.allclose(e.a[:3], 0.0, atol=1e-13) and np.allclose(e.lam, [-1, -1], atol=1e-13)

# any other load moves it along that line, and along nothing else
m.force("push", point, (1.0, 0.0, 0.0))
run = da.simulate(m, until=1.0)
line = np.cross(*A) / np.linalg.norm(np.cross(*A))
assert np.allclose(run["point"].position[-1], line * line[0] / 2, atol=1e-12)

if __name__ == "__main__":
    print(f"lam = {e.lam}, moved along {line.round(4)}\n")
    print(run.audit)
    run.plot("point", path="out/p5_multiplier_theorem.png")
