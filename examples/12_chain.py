"""A chain of ten links falls from level (benchmark E01)."""

import numpy as np

import dalembert as da

n = 10

m = da.Mechanism(f"chain of {n}", plane=True, gravity=(0, -9.81))
last = m.ground
for k in range(n):
    link = m.body(f"link{k}", da.rod(length=1 / n, mass=1 / n), at=((k + 0.5) / n, 0))
    m.revolute(f"pin{k}", last, link, at=(k / n, 0))
    last = link

run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-13, output=0.01)
tip = run[last.name].point(last.end).position

# Tip at 0.25, 0.5 and 1 s, from an independent program at two tolerances.
assert np.allclose(tip[25], (0.87746252478, -0.30665667116), atol=1e-9)
assert np.allclose(tip[50], (-0.26464511200, -0.86354675475), atol=1e-8)
assert np.allclose(tip[100], (-0.89431685236, -0.14656506475), atol=1e-7)
# The first pin carries the whole chain: force = mass times (acceleration of the mass centre - gravity).
centre = sum(run[f"link{k}"].acceleration for k in range(n)) / n
assert np.allclose(run["pin0"].force, centre + (0, 9.81), atol=1e-9)

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot(path="out/12_chain.png")
