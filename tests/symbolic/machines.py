"""Machines of the sources as Lagrangian systems, by their ids."""

import sympy as sp

import dalembert as da

G = 9.81


def symbols(form, *names):
    """SymPy symbols x, x', x'' of coordinates, one after the other."""
    found = form.symbols
    return [found[name + mark] for name in names for mark in ("", "'", "''")]


def parameters(form, *names):
    return [form.symbols[name] for name in names]


def same(a, b):
    """Whether two expressions are equal: by simplification, and at random points with many digits.

    Sines as exponentials and everything multiplied out: zero is recognised, at once, and by none of the rules of the package.
    """
    difference = sp.sympify(a) - sp.sympify(b)
    if sp.expand(difference.rewrite(sp.exp)) != 0 and sp.simplify(difference) != 0:
        return False
    names = sorted(difference.free_symbols | sp.sympify(a).free_symbols | sp.sympify(b).free_symbols, key=str)
    for k in range(3):
        point = {x: sp.Rational((7 * i + 11 * k + 3) % 17 + 2, 13) for i, x in enumerate(names)}
        left, right = sp.N(sp.sympify(a).subs(point), 30), sp.N(sp.sympify(b).subs(point), 30)
        if abs(left - right) > sp.Float("1e-25") * (1 + abs(left)):
            return False
    return True


def manipulator():
    """L1: three links; the joints B and C in Cartesian coordinates as well, which the rows tie to the angles."""
    m = da.Lagrangian(
        "th1 th2 th3 xB yB xC yC",
        kinetic="mB*(rate(xB)**2 + rate(yB)**2)/2 + mC*(rate(xC)**2 + rate(yC)**2)/2",
        holonomic={
            "xB": "xB - l1*cos(th1)", "yB": "yB - l1*sin(th1)",
            "xC": "xC - xB - l2*cos(th1 + th2)", "yC": "yC - yB - l2*sin(th1 + th2)",
        },
        parameters={"l1": 1.0, "l2": 0.8, "l3": 0.5, "mB": 1.0, "mC": 2.0, "mD": 0.7}, name="manipulator",
    )  # fmt: skip
    m.particle("D", "mD", at=("xC + l3*cos(th1 + th2 + th3)", "yC + l3*sin(th1 + th2 + th3)"))
    return m


def differential():
    """L2: differential gear train; It is the inertia of disk B about AA', its spin inertia mB*b**2/2."""
    return da.Lagrangian(
        "th1 th2 th3 th4",
        kinetic="mA*a**2*(rate(th1)**2 + rate(th2)**2)/4 + mB*b**2*rate(th3)**2/4 + It*rate(th4)**2/2",
        nonholonomic={"P": "a*(rate(th4) - rate(th1)) - b*rate(th3)", "Q": "a*(rate(th4) - rate(th2)) + b*rate(th3)"},
        forces={"th1": "tau1", "th2": "tau2", "th4": "tau3"},
        parameters={"mA": 2.0, "mB": 1.5, "a": 0.3, "b": 0.1, "It": 0.2, "tau1": 1.0, "tau2": -0.4, "tau3": 0.3},
        name="differential",
    )


def rolling_disk():
    """L3: theta is the tilt from the vertical, phi the heading, psi the spin."""
    m = da.Lagrangian(
        "theta phi psi x y", gravity=(0, 0, "-g"), parameters={"m": 1.3, "r": 0.4, "g": G}, name="rolling disk",
        nonholonomic={
            "along x": "r*cos(theta)*sin(phi)*rate(theta) + r*sin(theta)*cos(phi)*rate(phi) + r*cos(phi)*rate(psi) + rate(x)",
            "along y": "-r*cos(theta)*cos(phi)*rate(theta) + r*sin(theta)*sin(phi)*rate(phi) + r*sin(phi)*rate(psi) + rate(y)",
        },
    )  # fmt: skip
    m.body(
        "disk", "m", ("m*r**2/4", "m*r**2/4", "m*r**2/2"), at=("x", "y", "r*cos(theta)"),
        turns=[("z", "phi"), ("x", "pi/2 - theta"), ("z", "psi")],
    )  # fmt: skip
    return m


def bar_on_shaft(torque=False):
    """L4, and L5 with a torque on the shaft: bar of length a pivoted on a spinning shaft with a torsion spring."""
    m = da.Lagrangian(
        "theta phi", potential="k*phi**2/2", gravity=(0, 0, "-g"),
        parameters={"m": 1.2, "a": 0.7, "g": G, "k": 3.0, "tau": 0.8}, name="bar on shaft",
    )  # fmt: skip
    # body axes: turned by theta about the vertical, then by phi; the bar lies along the third axis, pointing down at phi = 0
    bar = m.body(
        "bar", "m", ("m*a**2/12", "m*a**2/12", 0),
        at=("a/2*sin(phi)*cos(theta)", "a/2*sin(phi)*sin(theta)", "-a/2*cos(phi)"), turns=[("z", "theta"), ("y", "-phi")],
    )  # fmt: skip
    if torque:
        m.couple("shaft", bar, (0, 0, "tau"))
    return m


def axle():
    """L6: two thin disks of mass m and radius a at the ends of a massless shaft of length l."""
    return da.Lagrangian(
        "q1 q2 q3 q4 q5",
        # centres of the disks at l/2 from C; spin inertia m a^2/2, m a^2/4 about the vertical
        kinetic="m*(rate(q1)**2 + rate(q2)**2) + m*l**2/4*rate(q5)**2 + m*a**2/4*(rate(q3)**2 + rate(q4)**2) + m*a**2/4*rate(q5)**2",
        nonholonomic={
            "roll 1": "2*rate(q1) + a*cos(q5)*(rate(q3) + rate(q4))",
            "roll 2": "2*rate(q2) - a*sin(q5)*(rate(q3) + rate(q4))",
        },
        holonomic={"turn": "q5 - a/l*(q4 - q3)"},
        parameters={"m": 1.1, "a": 0.25, "l": 0.9}, name="axle",
    )  # fmt: skip


def double_pendulum():
    """K3: two particles on massless rods."""
    m = da.Lagrangian(
        "th1 th2", gravity=(0, "-g"), parameters={"m1": 1.0, "m2": 2.0, "l1": 0.6, "l2": 0.9, "g": G}, name="double"
    )
    m.particle("upper", "m1", at=("l1*sin(th1)", "-l1*cos(th1)"))
    m.particle("lower", "m2", at=("l1*sin(th1) + l2*sin(th2)", "-l1*cos(th1) - l2*cos(th2)"))
    return m


def double_pendulum_with_rods():
    """K3 in Cartesian coordinates: the rods are rows, whose multipliers are the tensions."""
    m = da.Lagrangian(
        "x1 y1 x2 y2", gravity=(0, "-g"), parameters={"m1": 1.0, "m2": 2.0, "l1": 0.6, "l2": 0.9, "g": G},
        holonomic={"rod 1": "sqrt(x1**2 + y1**2) - l1", "rod 2": "sqrt((x2 - x1)**2 + (y2 - y1)**2) - l2"}, name="double",
    )  # fmt: skip
    m.particle("upper", "m1", at=("x1", "y1"))
    m.particle("lower", "m2", at=("x2", "y2"))
    return m


def upright_disk():
    """K5: upright rolling disk."""
    return da.Lagrangian(
        "x y theta phi",
        kinetic="m*(rate(x)**2 + rate(y)**2)/2 + A*rate(theta)**2/2 + C*rate(phi)**2/2",
        nonholonomic={"x": "rate(x) - r*cos(theta)*rate(phi)", "y": "rate(y) - r*sin(theta)*rate(phi)"},
        parameters={"m": 1.0, "A": 0.1, "C": 0.2, "r": 0.3}, name="upright disk",
    )  # fmt: skip


def bar_on_string():
    """K6 (Meirovitch): a uniform bar L2 on a string L1, horizontal force F at its lower end."""
    m = da.Lagrangian(
        "th1 th2",
        gravity=(0, "-g"),
        parameters={"m": 1.4, "L1": 0.5, "L2": 0.8, "g": G, "F": 2.0},
        name="bar on string",
    )
    bar = m.body(
        "bar", "m", "m*L2**2/12", at=("L1*sin(th1) + L2/2*sin(th2)", "-L1*cos(th1) - L2/2*cos(th2)"), angle="th2"
    )
    m.force("F", bar, ("F", 0), at=(0, "-L2/2"))
    return m


def sliding_pendulum():
    """K7: a mass that slides along a pendulum against a spring of free length 0."""
    m = da.Lagrangian(
        "q1 q2", potential="k*q1**2/2", gravity=(0, "-g"), parameters={"m": 0.8, "k": 30.0, "g": G}, name="slider"
    )
    m.particle("mass", "m", at=("q1*sin(q2)", "-q1*cos(q2)"))
    return m


ENGINE = {
    "m1": 1.0, "m2": 0.8, "m3": 0.5, "J1": 0.02, "J2": 0.015, "r": 0.1, "l": 0.35, "a": 0.12, "c": 0.03, "ecc": 0.01, "P": 200.0, "MT": 5.0,
}  # fmt: skip


def piston_engine():
    """K8: seven coordinates and six rows; crank 1 with mass centre at c, rod 2 with mass centre at a from the crank pin, piston 3."""
    return da.Lagrangian(
        "x1 y1 x2 y2 theta phi s",
        kinetic="m1*(rate(x1)**2 + rate(y1)**2)/2 + J1*rate(theta)**2/2 + m2*(rate(x2)**2 + rate(y2)**2)/2 + J2*rate(phi)**2/2"
        " + m3*rate(s)**2/2",
        forces={"theta": "-MT", "s": "-P"},
        holonomic={
            "f1": "s - r*cos(theta) - l*cos(phi)", "f2": "ecc - r*sin(theta) + l*sin(phi)", "f3": "x1 - c*cos(theta)",
            "f4": "y1 - c*sin(theta)", "f5": "x2 - r*cos(theta) - a*cos(phi)", "f6": "y2 - (l - a)*sin(phi) - ecc",
        },
        parameters=ENGINE, name="piston engine",
    )  # fmt: skip


# exact inertia of the crank by K8 with e = 0; the rod's mass is split between its ends, lam = r/l
INERTIA = (
    "J0 + mA*r**2 + (m3 + mB)*(r*(sin(theta) + cos(theta)*lam*sin(theta)/sqrt(1 - lam**2*sin(theta)**2)))**2"
    " + JAB*lam**2*cos(theta)**2/(1 - lam**2*sin(theta)**2)"
)


def pendulum(**options):
    m = da.Lagrangian("theta", gravity=(0, "-g"), parameters={"m": 1.0, "l": 0.5, "g": G}, name="pendulum", **options)
    m.particle("bob", "m", at=("l*sin(theta)", "-l*cos(theta)"))
    return m


def four_bar():
    """A four-bar linkage in the nine absolute coordinates of its bars: eight rows."""
    m = da.Lagrangian(
        "x1 y1 a x2 y2 b x3 y3 c", gravity=(0, "-g"), name="four-bar",
        parameters={"m1": 1.0, "m2": 2.0, "m3": 3.0, "l1": 1.0, "l2": 4.0, "l3": 3.0, "d": 4.0, "g": G},
        holonomic={
            "Ax": "x1 - l1/2*cos(a)", "Ay": "y1 - l1/2*sin(a)",
            "Bx": "x2 - l1*cos(a) - l2/2*cos(b)", "By": "y2 - l1*sin(a) - l2/2*sin(b)",
            "Cx": "x2 + l2/2*cos(b) - x3 - l3/2*cos(c)", "Cy": "y2 + l2/2*sin(b) - y3 - l3/2*sin(c)",
            "Dx": "x3 - d - l3/2*cos(c)", "Dy": "y3 - l3/2*sin(c)",
        },
    )  # fmt: skip
    for k, angle in enumerate("abc", 1):
        m.body(f"bar {k}", f"m{k}", f"m{k}*l{k}**2/12", at=(f"x{k}", f"y{k}"), angle=angle)
    return m
