"""A crank that is not symmetric turns in its plane all the same, but bends its hinge (BASICS 8.5)."""

import numpy as np

import dalembert as da

inertia = np.array([[0.09, 0.004, -0.013], [0.004, 0.07, 0.021], [-0.013, 0.021, 0.05]])
m = da.Mechanism("crank with products of inertia", plane=False)
crank = m.body("crank", mass=2.5, inertia=inertia)  # the hinge goes through the mass centre
m.revolute("hinge", m.ground, crank, at=(0, 0, 0), axis=(0, 0, 1))
m.drive("motor", m["hinge"].angle, "3*t + 2*t**2")
run = da.simulate(m, until=1.0, output=0.01)

# n_xi = j_xz phi'' - j_yz phi'^2,  n_eta = j_yz phi'' + j_xz phi'^2,  in body axes
w, a = 3 + 4 * run.t, 4.0
bending = run["hinge"].on("crank").frame("body").torque
assert np.allclose(bending[:, 0], inertia[0, 2] * a - inertia[1, 2] * w**2, atol=1e-9)
assert np.allclose(bending[:, 1], inertia[1, 2] * a + inertia[0, 2] * w**2, atol=1e-9)
assert np.allclose(run["motor"].torque[:, 2], inertia[2, 2] * a, atol=1e-9)

if __name__ == "__main__":
    print(
        f"the hinge is bent by {np.max(np.linalg.norm(bending[:, :2], axis=1)):.2f} N m, the motor needs {inertia[2, 2] * a:.2f} N m\n"
    )
    print(run.audit)
    run.plot("hinge", "motor", path="out/b3_out_of_plane_reactions.png")
