"""Bennett's linkage: four bars, four hinges that are neither parallel nor meet, and yet it moves."""

import math

import numpy as np

import dalembert as da

# Two pairs of opposite corners, each pair on its own diameter: the sides are equal in pairs.
p, q, h, twist = 0.30, 0.18, 0.06, math.radians(80)
corners = np.array(
    [
        (p, 0, h),
        (q * math.cos(twist), q * math.sin(twist), -h),
        (-p, 0, h),
        (-q * math.cos(twist), -q * math.sin(twist), -h),
    ]
)
sides = np.roll(corners, -1, axis=0) - corners
# each hinge is perpendicular to both bars that it joins
hinges = np.cross(np.roll(sides, 1, axis=0), sides)

m = da.Mechanism("Bennett linkage", plane=False)
bars = [m.ground]
for k, name in enumerate(("crank", "coupler", "rocker")):
    long = np.linalg.norm(sides[k])
    dx, dy, dz = sides[k]
    # a cylinder along z, turned into the side
    quaternion = (long + dz, -dy, dx, 0)
    middle = tuple(corners[k] + sides[k] / 2)
    bars.append(m.body(name, da.cylinder(0.008, long, mass=0.5 * long), at=middle, rotation=quaternion))
for k, name in enumerate("ABCD"):
    m.revolute(name, bars[k], bars[(k + 1) % 4], at=tuple(corners[k]), axis=tuple(hinges[k]))

# Counting says that it cannot move: 18 velocities and 20 rows.  Three of the rows repeat what others say.
free = da.mobility(m)
assert free.grubler == -2 and free.dof == 1
m.drive("motor", m["A"].angle, "2*pi*t")
run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)


def angle(u, v, axis):
    """Angle from u to v about an axis, at every time."""
    n = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return np.arctan2(np.einsum("tj,tj->t", np.cross(u, v), n), np.einsum("tj,tj->t", u, v))


# Bennett 1903: sin(alpha)/a = sin(beta)/b for the twists of the hinges along the bars of lengths a, b; and while it turns
# tan(A/2) tan(B/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2), A and B the outer angles at two neighbouring corners.
a, b = np.linalg.norm(sides[0]), np.linalg.norm(sides[1])
alpha = angle(hinges[:1], hinges[1:2], sides[:1])[0]
beta = angle(hinges[1:2], -hinges[2:3], sides[1:2])[0]  # opposite corners turn in opposite senses
assert abs(math.sin(alpha) / a - math.sin(beta) / b) < 1e-12
place = {k: run[bar.name].point(bar.start) for k, bar in enumerate(bars[1:])}
moving = [place[0].position, place[1].position, place[2].position, run["rocker"].point(m["rocker"].end).position]
crank, coupler, rocker = moving[1] - moving[0], moving[2] - moving[1], moving[3] - moving[2]
fixed = np.broadcast_to(sides[3], crank.shape)
turn = angle(fixed, crank, np.broadcast_to(hinges[0], crank.shape))
follow = angle(crank, coupler, run["crank"].rotation @ (run["crank"].rotation[0].T @ hinges[1]))
ratio = math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2)
product = np.tan(turn / 2) * np.tan(follow / 2)
assert np.allclose(1 / product, 1 / ratio, atol=1e-9)

if __name__ == "__main__":
    print(free)
    print(f"sides {a:.4f} m and {b:.4f} m, twists {math.degrees(alpha):.2f} and {math.degrees(beta):.2f} degrees")
    print(f"tan(A/2) tan(B/2) = {ratio:.6f} all the way round")
    print(run.audit)
    run.draw("out/bennett_linkage.png", traces=["B", "C"], view=(-60, 40))
