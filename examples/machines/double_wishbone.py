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


def wishbone(base, length, leg):
    """Two legs from the ends of the hinge along x to the ball on y."""
    long, lean = math.hypot(base / 2, length), math.atan2(length, base / 2)
    legs = [da.rod(long, mass=leg).at(-s * base / 4, length / 2, angle=s * lean) for s in (1, -1)]
    return da.composite(*legs, da.rod(base, mass=0.4))


across = da.rod(0.30 * (1 - 0.25 / low_length), mass=0.4).at(0, 0.25)  # where the strut stands
low = m.body("lower", wishbone(0.30, low_length, 1.6) + across, at=tuple(low_in))
up = m.body("upper", wishbone(0.24, up_length, 0.8), at=tuple(up_in), rotation=("y", rake))
# the wheel with its carrier: tyre, disk, axle, and an upright between the two balls
parts = [
    da.tube(radius, 0.2, 0.19, axis="y", mass=11.0),
    da.cylinder(0.2, 0.02, axis="y", mass=3.0).at(0, 0.06, 0),
    da.cylinder(0.03, 0.12, axis="y", mass=1.0).at(0, 0, 0),
    da.box(0.06, 0.03, 0.32, mass=2.3).at(0.01, -0.03, 0.03),
    da.cylinder(0.015, 0.08, axis="y", mass=0.2).at(0.02, -0.05, 0.17),
    da.box(0.13, 0.03, 0.03, mass=0.5).at(0.06, -0.05, -0.05),
]
hub = m.body("wheel", da.composite(*parts), at=tuple(centre))
m.revolute("L", m.ground, low, at=low.origin, axis=low.axis(1, 0, 0))
m.revolute("U", m.ground, up, at=up.origin, axis=up.axis(1, 0, 0))
m.spherical("low_ball", low, hub, at=low.point(0, low_length, 0))
m.spherical("up_ball", up, hub, at=up.point(0, up_length, 0))
m.distance("tie_rod", m.ground.point(*rack), hub.point(*(tie - centre)))
strut = m.ground.point(0, 0.45, 0.62), low.point(0, 0.25, 0)
m.spring("coil", *strut, stiffness=3e4, free_length=0.48)
m.damper("strut", *strut, damping=2e3)
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
    run.draw("out/double_wishbone.png", names=["bodies", "L", "U", "tie_rod", "strut"], view=(235, 18))
