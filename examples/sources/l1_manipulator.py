"""A manipulator of three links in joint angles: forward kinematics, and the torques of a motion (LAGRANGE 1.5)."""

import numpy as np

import dalembert as da

lengths, masses, g = (0.7, 0.6, 0.4), (2.0, 1.4, 0.8), 9.81
motion = ("0.4 + sin(t)", "-0.7 + sin(2*t)", "0.9 + sin(3*t)")
start = (0.4, -0.7, 0.9)


def forward(angles):
    """Points B, C, D; angles are relative to the link before."""
    turn = np.cumsum(angles)
    return np.cumsum(np.array(lengths)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]), axis=0)


m = da.Mechanism("manipulator", plane=True, gravity=(0, -g))
points, before = np.vstack([(0, 0), forward(start)]), m.ground
for k, name in enumerate("ABC"):
    middle = tuple((points[k] + points[k + 1]) / 2)
    link = m.body(f"link {k + 1}", da.rod(lengths[k], mass=masses[k]), at=middle, angle=float(np.cumsum(start)[k]))
    m.revolute(name, before, link, at=tuple(points[k]))
    m.drive(f"motor {k + 1}", m[name].angle, motion[k])
    before = link
tip = m["link 3"].end

run = da.simulate(m, until=3.0, output=0.02)
angles = np.column_stack([0.4 + np.sin(run.t), -0.7 + np.sin(2 * run.t), 0.9 + np.sin(3 * run.t)])
hand = np.asarray(run["link 3"].point(tip).position)
assert np.allclose(hand, [forward(x)[-1] for x in angles], atol=1e-12)
assert da.mobility(m).freedoms - 6 == 3  # nine freedoms of three links, six rows of three pins

# the same torques from energies in three angles
arm = da.Lagrangian("a b c", gravity=(0, -g), name="manipulator", parameters={"l1": 0.7, "l2": 0.6, "l3": 0.4})
x, y, turn = "0", "0", ""
for k, q in enumerate("abc"):
    turn = f"{turn} + {q}" if turn else q
    l = f"l{k + 1}"
    at = (f"{x} + {l}/2*cos({turn})", f"{y} + {l}/2*sin({turn})")
    arm.body(f"link {k + 1}", masses[k], masses[k] * lengths[k] ** 2 / 12, at=at, angle=turn)
    x, y = f"{x} + {l}*cos({turn})", f"{y} + {l}*sin({turn})"
    arm.constraint(f"motor {k + 1}", f"{q} - ({motion[k]})")
torques = da.inverse_dynamics(arm, run.t)
for k in range(3):
    other = np.asarray(torques[f"motor {k + 1}"].multiplier)
    assert np.allclose(run[f"motor {k + 1}"].torque, other, atol=1e-8)

if __name__ == "__main__":
    print(run.table(), "\n")
    print(run.audit)
    run.draw(path="out/l1_manipulator.png", at=0.0, traces=["end of link 3"], ghosts=3)
