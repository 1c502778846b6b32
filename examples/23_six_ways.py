"""One machine by Newton, d'Alembert, virtual work, Lagrange, multipliers and Hamilton, beside its motion as a mechanism."""

import math

import numpy as np

import dalembert as da

mass, length, g, first = 3.0, 2.0, 9.81, 1.2

# A bar slides down a smooth wall and along a smooth floor; theta from the floor.  Once as a mechanism of a body and two constraints ...
m = da.Mechanism("sliding bar", gravity=(0, -g))
c, s = math.cos(first), math.sin(first)
bar = m.body("bar", da.rod(length=length, mass=mass), at=(length / 2 * c, length / 2 * s), angle=-first)
m.measure("top", point=bar.start, along=(1, 0))
m.measure("foot", point=bar.end, along=(0, 1))
m.constraint("wall", "top")
m.constraint("floor", "foot")
run = da.simulate(m, until=0.45, rtol=1e-10)

# ... and once in coordinates of our choice, from which the equations are written in all forms.
system = da.Lagrangian(
    "x y theta", gravity=(0, "-g"), parameters={"m": mass, "L": length, "g": g, "P": 0.0}, name="sliding bar",
    holonomic={"wall": "x - L/2*cos(theta)", "floor": "y - L/2*sin(theta)"},
)  # fmt: skip
system.body("bar", "m", "m*L**2/12", at=("x", "y"), angle="-theta")
system.force("P", "bar", ("-P", 0), at=("L/2", 0))
forms = da.equations(system, form="all")
assert forms.agree and {"newton-euler", "dalembert", "lagrange", "multipliers", "reduced", "hamilton"} <= set(
    forms.forms
)

# Along the run: accelerations and reactions of the written equations are those of the mechanism.
written = forms["multipliers"]
for k in range(0, len(run.t), 20):
    x, y, angle = run.q[k]
    state = {"x": x, "y": y, "theta": -angle}
    state |= {"rate(x)": run.v[k, 0], "rate(y)": run.v[k, 1], "rate(theta)": -run.v[k, 2]}
    found = written.accelerations(state)
    # wall: 3/4 m g cos(theta) (3 sin(theta) - 2 sin(first)), as in the books
    wall = 0.75 * mass * g * math.cos(-angle) * (3 * math.sin(-angle) - 2 * s)
    assert abs(-found.multipliers["wall"] - wall) < 1e-6
    assert abs(found.accelerations["theta"] + 1.5 * g / length * math.cos(-angle)) < 1e-9
    assert np.allclose(found.multipliers["wall"], run["wall"].multipliers[k], atol=1e-9)
    assert np.allclose(found.multipliers["floor"], run["floor"].multipliers[k], atol=1e-9)

# Without any of them: the force that holds the bar, by virtual work.
held = da.equations(system, form="virtual-work", unknown="P").solution
assert str(held) == "g*m*cos(theta)/(2*sin(theta))"

if __name__ == "__main__":
    for form in forms.forms.values():
        print(form, end="\n\n")
    print(forms)
    forms.to_html("out/23_six_ways.html")
    print(run.table(5))
    print(run.audit)
    run.plot(path="out/23_six_ways.png")
