"""Forces on a box reduced to one force and one couple: the box does not notice (BASICS 8.3.1)."""

import numpy as np

import dalembert as da

loads = [
    ((10.0, 0, 0), (0.2, 0.3, 0.1)),
    ((0, 20.0, 0), (-0.2, 0.3, 0.1)),
    ((0, 0, -5.0), (0.2, -0.3, -0.1)),
]  # force, point
center = (0.0, 0.0, 0.0)
whole = da.reduce(loads, about=center)
assert np.allclose(whole.force, [10, 20, -5]) and np.allclose(whole.moment, sum(np.cross(p, f) for f, p in loads))
# about another point the moment changes by the arm times the force; a couple is the same about all points
arm = np.array([0.3, -0.7, 1.1])
assert np.allclose(whole.about(arm).moment, whole.moment - np.cross(arm, whole.force))
couple = da.reduce([((0, 3.0, 0), (1, 0, 0)), ((0, -3.0, 0), (0, 0, 0))])
assert np.allclose(couple.force, 0) and np.allclose(couple.about((5, 5, 5)).moment, [0, 0, 3])


def box(name):
    m = da.Mechanism(name, plane=False)
    return m, m.body("box", da.box(0.4, 0.6, 0.2, mass=3.0))


m, body = box("as given")
for k, (force, point) in enumerate(loads):
    m.force(f"force {k + 1}", body, force, at=body.point(*point), frame="body")
run = da.simulate(m, until=0.3, output=0.01)

m, body = box("reduced")
m.force("force", body, tuple(whole.force), at=body.point(0, 0, 0), frame="body")
m.torque("couple", body, tuple(whole.moment), frame="body")
reduced = da.simulate(m, until=0.3, output=0.01)
assert np.allclose(run["box"].position, reduced["box"].position, atol=1e-9)
assert np.allclose(run["box"].spin, reduced["box"].spin, atol=1e-9)

if __name__ == "__main__":
    print(whole)
    print(whole.central_axis(), "\n")
    print(run.audit)
    run.draw(path="out/b1_wrench_reduction.png", at=0.0)
