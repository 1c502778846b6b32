"""A slider-crank with two springs has three equilibria: it rests on either side of its dead centre, but not in it."""

import math

import numpy as np

import dalembert as da

r, length, k, free, torsion = 0.1, 0.3, 200.0, 0.3, 1.0  # crank, rod [m]; springs [N/m, m, N m/rad]


def slider_crank():
    """Crank and rod in line as drawn; the torsion spring is a parameter."""
    m = da.Mechanism("bistable slider-crank", plane=True)
    crank = m.body("crank", da.rod(length=r, mass=0.2), at=(r / 2, 0))
    rod = m.body("rod", da.rod(length=length, mass=0.4), at=(r + length / 2, 0))
    slider = m.body("slider", da.block(0.06, 0.04, mass=0.5), at=(r + length, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, slider, at=rod.end)
    m.prismatic("guide", m.ground, slider, along=(1, 0))
    m.spring(
        "pull", m.ground.point(0, 0), slider.point(0, 0), stiffness=k, free_length=free
    )  # wants the slider at 0.3 m
    m.torsion_spring("wind", m["O"].angle, stiffness=m.parameter("torsion", torsion))  # wants the crank at 0
    m.damper("oil", m["guide"].slide, damping=20.0)
    return m


m = slider_crank()
found = da.equilibrium(m)
assert [e.verdict for e in found] == ["stable", "stable", "unstable"]


def energy(angle):
    """Of both springs, by the geometry of a slider-crank."""
    slide = r * np.cos(angle) + np.sqrt(length**2 - (r * np.sin(angle)) ** 2)
    return 0.5 * k * (slide - free) ** 2 + 0.5 * torsion * angle**2


# Scanned over a full turn the energy has as many places without slope, and no others.
angles = np.linspace(-math.pi, math.pi, 100_001) + 1e-6
slope = np.diff(energy(angles))
flat = angles[1:-1][slope[1:] * slope[:-1] < 0]
assert np.allclose(sorted(e["O.angle"] for e in found), flat, atol=1e-4)

# In equilibrium the rod carries what the slider's spring leaves: forces on the pins without any run.
left = found[0]
assert np.allclose(left.reactions["A"].force, left.reactions["B"].force, atol=1e-9)

# Pushed a little out of its dead centre the machine falls into one of the stable places.
state = found[2].state
push = da.State(state.t, state.q, state.v + 0.05 * found[2].motions[:, 0] / found[2].motions[2, 0])
run = da.simulate(m, until=4.0, start=push, output=0.02)
assert abs(run["O.angle"][-1] - max(flat)) < 1e-3

# With a stronger torsion spring the two places grow together and vanish: a pitchfork at torsion = k (s0 - free) r (1 + r/length).
branches = da.equilibrium(m, along="torsion", between=(2.0, 3.0))
(pitchfork,) = branches.branch_points
assert abs(pitchfork.value - k * (r + length - free) * r * (1 + r / length)) < 1e-6

if __name__ == "__main__":
    print(found)
    print(branches)
    print(run.audit)
    run.plot(path="out/20_bistable_slider_crank.png")
