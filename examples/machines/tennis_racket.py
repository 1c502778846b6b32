"""A racket thrown up with a turn about its handle's cross axis flips over and over: the intermediate axis is unstable."""

import math

import numpy as np
from scipy.special import ellipk

import dalembert as da

spin = 8.0  # about the intermediate axis [rad/s]
m = da.Mechanism("tennis racket", plane=False)
handle = da.rod(0.35, mass=0.20, radius=0.012).at(-0.15, 0, 0)
head = da.ring(0.13, mass=0.20, width=0.012).at(0.15, 0, 0)  # the mass centre is the origin
racket = m.body("racket", handle + head, at=(0, 0, 1), velocity=(0, 0, 0), spin=(0.02 * spin, spin, 0.01 * spin))
small, middle, large = np.diag(racket.shape.mass_properties().inertia)
assert small < middle < large

run = da.simulate(m, until=12.0, output=0.02, rtol=1e-11, atol=1e-13)
body_spin = np.einsum("tji,tj->ti", run["racket"].rotation, run["racket"].spin)  # along the axes of the racket

# Torque-free motion in elliptic functions (Landau and Lifshitz, Mechanics, 37): w_middle runs through zero
# every half period, 2 K(k) / n, and the racket is the other way round.
moments = np.array([small, middle, large])
double_energy, momentum2 = moments @ body_spin[0] ** 2, (moments * body_spin[0]) @ (moments * body_spin[0])
if momentum2 < double_energy * middle:
    small, large = large, small
fast = (large - middle) * (momentum2 - double_energy * small) / (small * middle * large)
k2 = (middle - small) * (double_energy * large - momentum2) / ((large - middle) * (momentum2 - double_energy * small))
half_period = 2 * ellipk(k2) / math.sqrt(fast)


def about_middle(result):
    """Angular velocity about the intermediate axis, which turns with the racket."""
    return np.einsum("tj,tj->t", result["racket"].rotation[:, :, 1], result["racket"].spin)


flips = run.crossings(about_middle, 0.0)
assert len(flips) >= 3 and np.allclose(np.diff(flips), half_period, atol=1e-7)

if __name__ == "__main__":
    print(f"moments of inertia {moments * 1e3} g m²")
    print(
        f"it turns steadily for a while, then flips within a moment, every {half_period:.4f} s: {len(flips)} times in 12 s"
    )
    print(run.audit)
    run.draw("out/tennis_racket.png", at=[flips[0] + late for late in (-0.45, -0.15, 0.15, 0.45)], view=(-50, 20))
