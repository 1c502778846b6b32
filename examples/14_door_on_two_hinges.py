"""A door on two hinges: which reactions the equations determine, for six pairs of joints on the same axis."""

import numpy as np

import dalembert as da

g, mass, height = 9.81, 20.0, 2.0


def door(low, high):
    m = da.Mechanism(f"door on {low} and {high}", plane=False, gravity=(0, 0, -g))
    leaf = m.body("leaf", da.box(1.0, 0.04, height, mass=mass), at=(0.5, 0, height / 2), spin=(0, 0, 3.0))
    for name, joint, z in (("low", low, 0.0), ("high", high, height)):
        axis = {"spherical": {}, "point_on_line": {"along": (0, 0, 1)}}.get(joint, {"axis": (0, 0, 1)})
        getattr(m, joint)(name, m.ground, leaf, at=(0, 0, z), **axis)
    return m


def determined(load):
    """Components that the joint carries and that are unique."""
    return [c for c, carried, unique in zip(load.components, load.carried, load.unique) if carried and unique]


# What one hinge can do, the other can undo, as far as it can carry it: transverse forces and couples nearly always, axial forces
# where both carry them.
expected = {
    ("revolute", "revolute"): ([], []),
    ("revolute", "cylindrical"): (["Fz"], []),
    ("revolute", "spherical"): ([], []),
    ("spherical", "cylindrical"): (["Fz"], []),
    ("spherical", "point_on_line"): (["Fx", "Fy", "Fz"], ["Fx", "Fy"]),
    ("spherical", "spherical"): (["Fx", "Fy"], ["Fx", "Fy"]),
}
found = {pair: da.reactions(door(*pair)) for pair in expected}
for pair, (low, high) in expected.items():
    assert determined(found[pair]["low"]) == low and determined(found[pair]["high"]) == high
    # Whatever the joints, their sum is unique: the weight, and the centripetal force m w^2 r.
    net = found[pair].net("leaf")
    assert net.unique.all()
    assert np.allclose(net.force, (-mass * 3.0**2 * 0.5, 0, mass * g), atol=1e-9)

# Two ball joints: the weight hangs on both, nobody knows how; the transverse forces hold the door up like a lever,
# F height = m g / 2, beside half of the centripetal force each.
balls = found["spherical", "spherical"]
assert np.isclose(balls["low"].force[0], mass * g * 0.5 / height - mass * 3.0**2 * 0.5 / 2, atol=1e-9)
assert balls["low"].free.tolist() == [[0, 0, 1, 0, 0, 0]]

# In motion the same: the weight stays on the ball of ball and sleeve, while the rest turns with the door.
run = da.simulate(door("spherical", "cylindrical"), until=1.0)
later = da.reactions(run.model, run.at(0.7))
assert np.isclose(later["low"].force[2], mass * g, atol=1e-9) and determined(later["low"]) == ["Fz"]

if __name__ == "__main__":
    for each in found.values():
        print(each, end="\n\n")
    print(run.audit)
    da.free_body(door("revolute", "revolute"), "leaf").plot(path="out/14_door_on_two_hinges.png")
