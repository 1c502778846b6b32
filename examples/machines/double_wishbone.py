"""Double wishbone suspension: how camber, toe and track change while the wheel goes up and down."""

import math

import numpy as np

import dalembert as da

# x backwards, y outwards, z up; the wishbones are level in the middle position
low_in, low_length = np.array([0.0, 0.35, 0.20]), 0.36
up_in, up_length = np.array([0.02, 0.43, 0.48]), 0.24
rake = math.radians(4)  # of the hinges of the upper wishbone
rack, tie = np.array([0.12, 0.40, 0.27]), np.array([0.12, 0.70, 0.26])  # ends of the tie rod
centre, radius = np.array([0.0, 0.76, 0.31]), 0.31  # of the wheel

m = da.Mechanism("double wishbone", plane=False, gravity=(0, 0, -9.81))
low = m.body("lower", da.triangle(0.30, low_length, mass=4.0, thickness=0.02), at=tuple(low_in))
up = m.body("upper", da.triangle(0.24, up_length, mass=2.0, thickness=0.02), at=tuple(up_in), rotation=("y", rake))
hub = m.body("wheel", da.tube(radius, 0.2, 0.19, axis="y", mass=18.0), at=tuple(centre))
m.revolute("L", m.ground, low, at=low.origin, axis=low.axis(1, 0, 0))
m.revolute("U", m.ground, up, at=up.origin, axis=up.axis(1, 0, 0))
m.spherical("low_ball", low, hub, at=low.apex)
m.spherical("up_ball", up, hub, at=up.apex)
m.distance("tie_rod", m.ground.point(*rack), hub.point(*(tie - centre)))
m.spring("strut", m.ground.point(0, 0.45, 0.62), low.point(0, 0.25, 0), stiffness=3e4, free_length=0.48, damping=2e3)
assert da.mobility(m).dof == 1
m.drive("road", hub.z, f"{centre[2]} + 0.06*sin(2*pi*t)")

run = da.simulate(m, until=1.0, output=0.02, rtol=1e-10, atol=1e-12)
axle = run["wheel"].rotation[:, :, 1]
camber = -np.degrees(np.arcsin(axle[:, 2]))  # positive: leans outwards
toe = np.degrees(np.arctan2(axle[:, 0], axle[:, 1]))
foot = run["wheel"].position + run["wheel"].rotation @ (0, 0, -radius)

# By hand, from the angle of the lower wishbone: the upper ball is on the circle of its wishbone, at its distance from the lower
# ball; the end of the tie rod is at three distances from three points.
raked = np.array([[math.cos(rake), 0, math.sin(rake)], [0, 1, 0], [-math.sin(rake), 0, math.cos(rake)]])
ball = low_in + (0, low_length, 0), up_in + (0, up_length, 0)


def posed(angle):
    """Wheel axle and centre for an angle of the lower wishbone."""
    lower = low_in + low_length * np.array([0, math.cos(angle), math.sin(angle)])
    across, above = raked[:, 1], raked[:, 2]
    arm = up_in - lower
    a, b = 2 * up_length * arm @ across, 2 * up_length * arm @ above
    c = np.sum((ball[1] - ball[0]) ** 2) - arm @ arm - up_length**2
    turns = [math.atan2(b, a) + sign * math.acos(c / math.hypot(a, b)) for sign in (1, -1)]
    turn = min(turns, key=abs)
    upper = up_in + up_length * (math.cos(turn) * across + math.sin(turn) * above)
    end = nearest_of_three([lower, upper, rack], [np.linalg.norm(tie - p) for p in (*ball, rack)])
    before, after = triad(ball[0], ball[1], tie), triad(lower, upper, end)
    return (after @ before.T)[:, 1], lower + after @ before.T @ (centre - ball[0])


def triad(p, q, r):
    """Axes of three points, as columns."""
    u = (q - p) / np.linalg.norm(q - p)
    w = np.cross(u, r - p)
    w /= np.linalg.norm(w)
    return np.array([u, np.cross(w, u), w]).T


def nearest_of_three(points, lengths):
    """Point at three distances from three points, on the side of the drawing (rearwards of the wheel)."""
    p, q, r = points
    x, y, z = triad(p, q, r).T
    d, i, j = np.linalg.norm(q - p), x @ (r - p), y @ (r - p)
    u = (lengths[0] ** 2 - lengths[1] ** 2 + d**2) / (2 * d)
    v = (lengths[0] ** 2 - lengths[2] ** 2 + i**2 + j**2 - 2 * i * u) / (2 * j)
    w = math.sqrt(lengths[0] ** 2 - u**2 - v**2)
    return max((p + u * x + v * y + sign * w * z for sign in (1, -1)), key=lambda found: found[0])


for k, angle in enumerate(run["L.angle"]):
    by_hand, place = posed(angle)
    assert np.allclose(axle[k], by_hand, atol=1e-9) and np.allclose(run["wheel"].position[k], place, atol=1e-9)

if __name__ == "__main__":
    for k in (12, 0, 37):
        print(
            f"wheel {run['wheel'].position[k, 2] - centre[2]:+.3f} m: camber {camber[k]:+.2f}°, toe {toe[k]:+.2f}°, track {foot[k, 1] - centre[1]:+.4f} m"
        )
    print(run.audit)
    run.draw("out/double_wishbone.png", view=(200, 15))
