"""Equations of bodies about any point (PLANAR 6.1.11), against integrals, kinetic energy, free-body sheets and motions."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.symbolic import machines
from tests.symbolic.machines import same


def pendulum():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    l = m.parameter("l", 0.5)
    bar = m.body("bar", da.rod(length=2 * l, mass=3.0), at=(l, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return m


def test_integrals_of_the_source():
    """6.1.11 term by term: its integrals over a rod from the point, s' = (ξ + d, e), 0 ≤ ξ ≤ 2l."""
    m = pendulum()
    d, e, xi = sp.Rational(3, 10), sp.Rational(-1, 5), sp.Symbol("xi")
    body = da.equations(m, form="noncentroidal", about={"bar": ("-l - 3/10", "1/5")})["bar"]
    l, phi, rate = (body.symbols[x] for x in ("l", "phi_bar", "phi_bar'"))
    A = sp.Matrix([[sp.cos(phi), -sp.sin(phi)], [sp.sin(phi), sp.cos(phi)]])
    B = A.diff(phi)
    s, density = sp.Matrix([xi + d, e]), 3 / (2 * l)

    def over(x):
        return sp.Matrix(x).applyfunc(lambda y: sp.integrate(sp.expand(y) * density, (xi, 0, 2 * l)))

    first = over(s)
    turning, bias = over([(s.T * B.T * B * s)[0]])[0], over([(s.T * B.T * A * s)[0]])[0]
    assert same(bias, 0), "the source's problem 6.1.4"
    M = sp.Matrix(sp.BlockMatrix([[3 * sp.eye(2), B * first], [(B * first).T, sp.Matrix([[turning]])]]))
    assert all(same(a, b) for a, b in zip(body.M, M))
    assert all(same(a, b) for a, b in zip(body.h, [*(-(rate**2) * A * first), 0]))


def test_any_point_against_the_kinetic_energy():
    """M is the second derivative of T = m v_G²/2 + ω.J'ω/2 by the velocities of the point; in space as well, all in body axes."""
    body = da.equations(pendulum(), form="noncentroidal")["bar"]
    x, y, w = sp.symbols("x y w")
    phi = body.symbols["phi_bar"]
    sx, sy = body.symbols["sx_bar"], body.symbols["sy_bar"]
    center = sp.Matrix([sp.cos(phi) * sx - sp.sin(phi) * sy, sp.sin(phi) * sx + sp.cos(phi) * sy])
    v = sp.Matrix([x, y]) + center.diff(phi) * w
    T = 3 * (v.T * v)[0] / 2 + body.symbols["l"] ** 2 * w**2 / 2
    assert all(same(a, b) for a, b in zip(body.M, sp.hessian(T, (x, y, w))))
    m = da.Mechanism("block", plane=False)
    m.body("block", da.box(1, 2, 3, mass=12.0))
    body = da.equations(m, form="noncentroidal")["block"]
    s = sp.Matrix([body.symbols[f"s{k}_block"] for k in "xyz"])
    u, w = sp.Matrix(sp.symbols("u:3")), sp.Matrix(sp.symbols("w:3"))
    v = u + w.cross(s)
    T = 6 * (v.T * v)[0] + (13 * w[0] ** 2 + 10 * w[1] ** 2 + 5 * w[2] ** 2) / 2
    assert all(same(a, b) for a, b in zip(body.M, sp.hessian(T, (*u, *w))))


def numbers(body, known):
    """M and h in numbers."""
    return (np.array(x.subs(known).tolist(), dtype=float) for x in (body.M, body.h))


def test_loads_of_a_swinging_pendulum():
    """M a + h about the free end is the resultant of the free-body sheet about that point."""
    m = pendulum()
    m.start("A.angle", -0.7, rate=2.0)
    run = da.simulate(m, until=0.3)
    state = run.at(0.3)
    end = m["bar"].end
    body = da.equations(m, form="noncentroidal", about=end)["bar"]
    there = run.resample([0.3])
    angle, spin = state.q[2], state.v[2]
    known = {body.symbols["l"]: 0.5, body.symbols["phi_bar"]: angle, body.symbols["phi_bar'"]: spin}
    M, h = numbers(body, known)
    a = np.array([*np.asarray(there["bar"].point(0.5, 0).acceleration)[0], there.a[0, 2]])
    sheet = da.free_body(m, "bar", state, about=end)
    total = sheet.resultant()
    found = M @ a + h[:, 0]
    assert found[:2] == pytest.approx(np.asarray(total.force)[:2], abs=1e-10)
    assert found[2] == pytest.approx(sum(float(sheet[x].moment) for x in sheet.names), abs=1e-10)


def test_loads_in_space():
    """A tumbling block: no load but the weight, whose moment about a corner is s' x A^T m g."""
    m = da.Mechanism("block", plane=False, gravity=(0, 0, -9.81))
    block = m.body("block", da.box(1, 2, 3, mass=12.0), spin=(0.3, -1.1, 0.7))
    run = da.simulate(m, until=0.4)
    there = run.resample([0.4])
    corner = block.point(0.5, 1.0, 1.5)
    body = da.equations(m, form="noncentroidal", about={"block": (0.5, 1.0, 1.5)})["block"]
    assert list(body.arm) == [-sp.Rational(1, 2), -1, -sp.Rational(3, 2)]
    A, w = np.asarray(there["block"].rotation)[0], there.v[0, 3:]
    M, h = numbers(body, {body.symbols[f"w{k}_block"]: x for k, x in zip("xyz", w)})
    a = A.T @ np.asarray(there["block"].point(0.5, 1.0, 1.5).acceleration)[0]
    weight = A.T @ [0, 0, -12 * 9.81]
    expected = [*weight, *np.cross([-0.5, -1.0, -1.5], weight)]
    assert M @ [*a, *there.a[0, 3:]] + h[:, 0] == pytest.approx(expected, abs=1e-9)
    assert da.equations(m, form="noncentroidal", about=corner)["block"].M == body.M


def test_points_in_words():
    """A joint, a point of the shape, coordinates: the same point, the same equations; several bodies make blocks."""
    m = pendulum()
    found = [
        da.equations(m, form="noncentroidal", about=x)["bar"]
        for x in ("A", m["A"], m["bar"].start, {"bar": "start"}, {"bar": ("-l", 0)}, {m["bar"]: "A"})
    ]
    assert all(x.M == found[0].M and x.h == found[0].h for x in found)
    l, phi = (found[0].symbols[x] for x in ("l", "phi_bar"))
    assert found[0].M == sp.Matrix([[3, 0, -3 * l * sp.sin(phi)], [0, 3, 3 * l * sp.cos(phi)], [-3 * l * sp.sin(phi), 3 * l * sp.cos(phi), 4 * l**2]])  # fmt: skip
    two = m.body("two", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("B", m["bar"], two, at=(1, 0))
    both = da.equations(m, form="noncentroidal", about="B")
    assert list(both) == ["bar", "two"] and both.M.shape == (6, 6) and len(both.equations) == 6
    assert "body 'two' about joint 'B'" in str(both) and "\\ddot x_{bar}" in both.latex() and "<math" in both.to_html()


def test_lagrangian_system():
    """A bar about its upper end: J is m L2²/3; points are from the mass centre."""
    form = da.equations(machines.bar_on_string(), form="noncentroidal", about={"bar": (0, "L2/2")})
    m, L2 = (form["bar"].symbols[x] for x in ("m", "L2"))
    assert same(form["bar"].inertia, m * L2**2 / 3) and same(
        form["bar"].M[0, 2], m * L2 / 2 * sp.cos(sp.Symbol("phi_bar", real=True))
    )
    disk = da.equations(machines.rolling_disk(), form="noncentroidal")
    assert disk.M.shape == (6, 6)


def test_what_is_refused():
    m = pendulum()
    with pytest.raises(da.MethodError, match="no joint and no point"):
        da.equations(m, form="noncentroidal", about="Z")
    with pytest.raises(da.MethodError, match="the ground has no equations"):
        da.equations(m, form="noncentroidal", about={"ground": (0, 0)})
    with pytest.raises(da.ModelError, match="is not a body"):
        da.equations(m, form="noncentroidal", about={"rod": (0, 0)})
    with pytest.raises(da.MethodError, match="points by body"):
        da.equations(machines.bar_on_string(), form="noncentroidal", about="bar")
    with pytest.raises(da.MethodError, match="one point only"):
        da.equations(machines.sliding_pendulum(), form="noncentroidal", about={"mass": (0, 0)})
    with pytest.raises(da.MethodError, match="no rigid body"):
        da.equations(machines.upright_disk(), form="noncentroidal")
    with pytest.raises(da.MethodError, match="belongs to other forms"):
        da.equations(m, form="absolute", about="A")
    with pytest.raises(da.MethodError, match="belongs to the forms noncentroidal"):
        da.equations(machines.bar_on_string(), form="lagrange", about={"bar": (0, 0)})
    with pytest.raises(da.ModelError, match="none of those written"):
        da.equations(m, form="noncentroidal")["rod"]
