"""Two machines that know nothing of each other, in one loop: a cart and a pendulum on it, joined by the force between them."""

import math

import numpy as np

import dalembert as da

cart_mass, bar_mass, length, stiffness, damping = 5.0, 1.0, 1.0, 2e4, 200.0  # kg, kg, m, N/m, N s/m
step = 2e-5


def cart():
    """A cart on a rail, with a force from outside, held by a spring."""
    m = da.Mechanism("cart", plane=True, gravity=(0, -9.81))
    body = m.body("cart", da.block(0.4, 0.2, mass=cart_mass))
    m.prismatic("rail", m.ground, body, along=(1, 0))
    m.spring("spring", m.ground.point(-1, 0), body.point(0, 0), stiffness=80.0, free_length=1.0)
    m.force("coupling", body, (0, 0))
    return m


def pendulum():
    """A bar whose upper end slides along the rail, pushed there from outside."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=length, mass=bar_mass), at=(0.35, -0.5 * math.sqrt(0.51)), angle=-math.acos(0.7))
    m.pin_in_slot("rail", m.ground, bar, at=(0, 0), along=(1, 0))
    m.force("coupling", bar, (0, 0), at=bar.start)
    m.measure("x", point=bar.start, along=(1, 0))
    return m


def together():
    """The same in one model: the coupling is a stiff spring with a damper."""
    m = da.Mechanism("cart with pendulum", plane=True, gravity=(0, -9.81))
    body = m.body("cart", da.block(0.4, 0.2, mass=cart_mass))
    bar = m.body("bar", da.rod(length=length, mass=bar_mass), at=(0.35, -0.5 * math.sqrt(0.51)), angle=-math.acos(0.7))
    m.prismatic("rail", m.ground, body, along=(1, 0))
    m.spring("spring", m.ground.point(-1, 0), body.point(0, 0), stiffness=80.0, free_length=1.0)
    m.pin_in_slot("slot", m.ground, bar, at=(0, 0), along=(1, 0))
    gap = m.measure("gap", point=bar.start, along=(1, 0), relative_to=body.point(0, 0))
    m.actuator("coupling", gap, force=f"-{stiffness}*s - {damping}*v")
    return m


run = da.simulate(together(), until=1.0, output=0.05)

one, two = da.Stepper(cart(), step=step), da.Stepper(pendulum(), step=step)
for _ in range(round(1.0 / step)):
    gap = two.get("x") - one.get("rail.slide")
    rate = two.get("rate(x)") - one.get("rate(rail.slide)")
    force = stiffness * gap + damping * rate
    one.set("coupling", (force, 0.0))
    two.set("coupling", (-force, 0.0))
    one.step()
    two.step()

# What is exchanged is held for a step: an error proportional to the step, here far below what could be seen.
assert abs(one.get("rail.slide") - run["rail"].slide[-1]) < 1e-4
assert np.isclose(two.get("bar.angle"), run["bar"].angle[-1], atol=1e-3)

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot(path="out/31_two_machines.png")
