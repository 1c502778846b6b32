"""Free-body sheet of the coupler of a four-bar: all loads as table and picture, checked by moments about a pin."""

import importlib

import numpy as np

import dalembert as da

run = importlib.import_module("03_four_bar").run
m = run.model

sheet = da.free_body(m, "coupler", about="B")
weight, B, C = sheet["weight"], sheet["B"], sheet["C"]

# Moments about B: the pin itself has none; the weight of 40 kg acts half-way to C, which is at (3.48904168, 2.95616671).
assert abs(B.moment) < 1e-12
assert abs(weight.moment + 40 * 9.81 * 3.48904168 / 2) < 1e-5
fx, fy = C.force
assert abs(C.moment - (3.48904168 * fy - 1.95616671 * fx)) < 1e-5

# The sum of all loads is m a, and with the inertia force (d'Alembert) everything is in balance.
assert np.max(np.abs(sheet.imbalance)) < 1e-9
balanced = da.free_body(m, "coupler", run.at(1.3), inertia=True)
assert np.max(np.abs(balanced.resultant().force)) < 1e-9 and abs(balanced.resultant().torque) < 1e-9

# Both pins together are one force on one line: about any point of it they have no moment.
pins = sheet.resultant("B", "C")
axis = pins.wrench.central_axis()
assert np.allclose(pins.wrench.about(axis.point + 2.0 * axis.direction).moment, 0.0, atol=1e-9)

if __name__ == "__main__":
    print(sheet)
    print(run.audit)
    sheet.plot(path="out/15_free_body_sheet.png")
