"""A tractor on two tyres that cannot pull: how much thrust lifts its front wheel (PLANAR, example 6.1.1)."""

import numpy as np

import dalembert as da

mass, inertia, g, k = 2000.0, 1500.0, 9.81, 2.5e5  # kg, kg m², m/s², N/m of a tyre
h, front_l, rear_l = 0.9, 1.4, 0.8  # height of the mass centre, distances of the axles from it [m]


def tractor(thrust):
    """Small angles, as the source takes them: deflections of the tyres are linear in height and pitch."""
    m = da.Mechanism("tractor", plane=True, gravity=(0, -g))
    body = m.body("tractor", mass=mass, inertia=inertia, at=(0, h))
    m.stop("front tyre", m.measure("front", f"tractor.y + {front_l}*tractor.angle"), lower=h, stiffness=k)
    m.stop("rear tyre", m.measure("rear", f"tractor.y - {rear_l}*tractor.angle"), lower=h, stiffness=k)
    m.force("thrust", body, (thrust, 0))
    m.torque("couple of the thrust", body, thrust * h)
    return m


# At rest F_front = (m g l_rear - T h)/(l_front + l_rear): zero at T = m g l_rear / h.
critical = mass * g * rear_l / h
for part in (0.0, 0.5, 0.9):
    front = (mass * g * rear_l - part * critical * h) / (front_l + rear_l)
    y, pitch = np.linalg.solve([[1, front_l], [1, -rear_l]], [h - front / k, h - (mass * g - front) / k])
    e = da.equations(tractor(part * critical), da.State(0.0, np.array([0.0, y, pitch]), np.zeros(3)))
    assert np.allclose(e.a, [part * critical / mass, 0.0, 0.0], atol=1e-9)

# Twice that thrust, from the position at rest: the front wheel leaves the road.
front, rear = mass * g * rear_l / (front_l + rear_l), mass * g * front_l / (front_l + rear_l)
y, pitch = np.linalg.solve([[1, front_l], [1, -rear_l]], [h - front / k, h - rear / k])
run = da.simulate(tractor(2 * critical), until=0.4, start=da.State(0.0, np.array([0.0, y, pitch]), np.zeros(3)))
lifted = run.crossings("front", h)[0]
assert abs(run.resample([lifted])["front tyre"].effort[0]) < 1e-6 * mass * g

if __name__ == "__main__":
    print(
        f"at rest the front wheel lifts at a thrust of {critical:.0f} N; at twice that it leaves the road after {lifted:.3f} s\n"
    )
    print(run.audit)
    run.plot("front", "rear", path="out/p1_tractor.png")
