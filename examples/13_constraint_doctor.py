"""The constraint doctor on a four-bar with four hinges in space: what is dependent, how long it lasts, and what cures it."""

import math

import dalembert as da

# ground 4 m, crank 1 m, coupler 4 m, rocker 3 m; the crank stands at 90 degrees, the linkage is open
corners = [(0.0, 0.0), (0.0, 1.0), ((48 + math.sqrt(128)) / 17, (5 + 4 * math.sqrt(128)) / 17), (4.0, 0.0)]


def four_bar(c="revolute", d="revolute", tilt=0.0):
    """Joints at C and D as given; the axis of D is tilted on the rocker."""
    m = da.Mechanism("FB4", plane=False, gravity=(0, -9.81, 0))
    bars = {}
    for name, (x0, y0), (x1, y1) in (
        ("crank", corners[0], corners[1]),
        ("coupler", corners[1], corners[2]),
        ("rocker", corners[3], corners[2]),
    ):
        length = math.hypot(x1 - x0, y1 - y0)
        shape = da.box(length, 0.1, 0.1, density=1000.0)
        angle = math.atan2(y1 - y0, x1 - x0)
        bars[name] = m.body(name, shape, at=((x0 + x1) / 2, (y0 + y1) / 2, 0), rotation=((0, 0, 1), angle))
    crank, coupler, rocker = bars.values()
    a, b, p, q = ((*corner, 0.0) for corner in corners)
    m.revolute("A", m.ground, crank, at=a, axis="z")
    m.revolute("B", crank, coupler, at=b, axis="z")
    getattr(m, c)("C", coupler, rocker, at=p, **({} if c == "spherical" else {"axis": "z"}))
    getattr(m, d)("D", m.ground, rocker, at=q, axis=((0, 0, 1), (math.sin(tilt), 0, math.cos(tilt))))
    return m


found = da.mobility(four_bar())

# Grübler's formula says that it cannot move; it does, because three rows repeat what the others say.
assert (found.dof, found.grubler, found.rank) == (1, -2, 17)
(hinges,) = found.dependent
assert hinges.joints == ("A", "B", "C", "D") and hinges.count == 3
assert hinges.verdict == "permanent, fragile"

# Fragile: one axis tilted by a thousandth, and no pose closes the loop any more.
(broken,) = da.mobility(four_bar(tilt=1e-3)).dependent
assert broken.inconsistent and broken.blamed == "D" and abs(broken.residual - 1e-3) < 1e-4

# One of the cures: a ball at C and a sleeve at D.  Nothing is dependent, and the tilt does no harm.
assert "make C spherical and D cylindrical" in hinges.proposals
cured = da.mobility(four_bar("spherical", "cylindrical", tilt=1e-3))
assert cured.dof == cured.grubler == 1 and cured.dependent == ()

run = da.simulate(four_bar("spherical", "cylindrical"), until=3.0)

if __name__ == "__main__":
    print(found, end="\n\n")
    print(da.mobility(four_bar(tilt=1e-3)), end="\n\n")
    print(cured, end="\n\n")
    print(run.audit)
    run.plot(path="out/13_constraint_doctor.png")
