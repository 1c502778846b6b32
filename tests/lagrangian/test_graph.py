"""Graphs of formulas and the programs made of them, against the expressions themselves and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.model.expression import parse, spline
from dalembert.system.graph import Graph
from dalembert.system.lagrange import compile_lagrangian

X, Y, Z = 0.7, -0.4, 1.3
FORMULAS = [
    "x*y + y*z - 3*x/(1 + z**2)",
    "sin(x*y)*cos(x*y) - tan(x) + exp(-z)*log(z + 2)",
    "sqrt(x**2 + z) + hypot(x, y) + atan2(y, x) + asin(x/2) - acos(y) + atan(z)",
    "(x + 1)**3 - (z*x)**(-2) + z**x + z**2.5 + (x - y)**4",
    "sinh(x) + cosh(y)*tanh(z) + log10(z) + abs(y)*x",
    "max(x, y)*min(y, z) + if_(x > y, x**2*z, y) + step(x, 0, 1, 1, 3)*z + ramp(y, -1, 1)",
    "(2*x)*(3*y) - (-x)*z + (x - x) + 0*y + x - (-y) + 2*(x + x)",
]


def value(graph, node, at):
    """Value of a node by plain recursion over its rows: the slow twin of the programs."""
    from dalembert.kernels import functions as op

    found = []
    for code, a, b, c in graph.rows:
        if code == op.CONST:
            found.append(graph.constants[a])
        elif code == op.INPUT:
            found.append(at[graph.inputs[a]])
        elif code == op.SELECT:
            found.append(found[b] if found[a] != 0.0 else found[c])
        elif code == op.SPLINE:
            found.append(graph.splines[b].value(found[a], c))
        elif code >= op.BINARY:
            found.append(float(op.value2(code, found[a], found[b])))
        else:
            found.append(float(op.value1(code, found[a], b)))
    return found[node]


@pytest.mark.parametrize("text", FORMULAS)
def test_value_and_derivatives(text):
    expr = parse(text)
    graph = Graph(["x", "y", "z"])
    node = graph.add_expression(expr)
    at = {"x": X, "y": Y, "z": Z}
    assert value(graph, node, at) == pytest.approx(expr.evaluate(at), rel=1e-14)
    slopes = graph.reverse(node, ["x", "y", "z"])
    for name, slope in zip(("x", "y", "z"), slopes):
        (along,) = graph.forward([node], {graph.input[name]: graph.one})
        h = 1e-6
        difference = (expr.evaluate(at | {name: at[name] + h}) - expr.evaluate(at | {name: at[name] - h})) / (2 * h)
        assert value(graph, slope, at) == pytest.approx(difference, rel=1e-7, abs=1e-8)
        assert value(graph, along, at) == pytest.approx(value(graph, slope, at), rel=1e-13, abs=1e-15)
        assert value(graph, slope, at) == pytest.approx(expr.diff(name).evaluate(at), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("text", FORMULAS)
def test_programs(text):
    """The compiled program gives what the expression gives, fused products and joint cosine and sine included."""
    m = da.Lagrangian("x y z", kinetic="rate(x)**2 + rate(y)**2 + rate(z)**2", potential=text)
    system = compile_lagrangian(m)
    graph = system.graph
    nodes = [system.nodes.potential, *graph.reverse(system.nodes.potential, ["x", "y", "z"])]
    found = system.function(nodes)(0.0, np.array([X, Y, Z]), np.zeros(3))
    expr, at = parse(text), {"x": X, "y": Y, "z": Z}
    expected = [expr.evaluate(at), *(expr.diff(name).evaluate(at) for name in "xyz")]
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-14)


def test_splines():
    table = spline([0, 1, 2, 3], [0, 2, -1, 0.5])
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential=table(parse("x")))
    system = compile_lagrangian(m)
    force = system.function(system.nodes.force)
    for x in (-0.5, 0.3, 1.7, 3.4):
        assert force(0.0, np.array([x]), np.zeros(1))[0] == pytest.approx(-table.value(x, 1), rel=1e-13)


def test_a_table_that_the_system_does_not_use():
    """Any table may be looked at along a motion, whether or not the system has tables of its own."""
    own, other = spline([0, 1, 2, 3], [0, 2, -1, 0.5]), spline([-2, -1, 0, 1, 2], [3, 0, 1, -1, 4], name="other")
    for potential in (parse("x**2/2"), own(parse("x"))):
        m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential=potential)
        m.start("x", 1.2)
        run = da.simulate(m, 0.5)
        expected = [other.value(float(x), 0) for x in run.q[:, 0]]
        assert run.value(other(parse("x"))) == pytest.approx(expected, rel=1e-14)


def test_equal_formulas_are_one_node():
    graph = Graph(["x", "y"])
    one, two = (graph.add_expression(parse(t)) for t in ("x*y + sin(y*x)", "sin(x*y) + y*x"))
    assert one == two
    assert graph.add_expression(parse("x*0 + 1*y - y")) == graph.zero


def test_derivatives_of_a_chain_grow_with_its_square():
    """Mass matrix of a pendulum of n links in joint angles: as many operations per entry for 20 links as for 10."""

    def size(n):
        m = da.Lagrangian([f"p{k}" for k in range(n)], parameters={"l": 0.5})
        angle, x, y = 0, 0, 0
        for k, p in enumerate(m.coordinates):
            angle = p if k == 0 else angle + p
            x, y = x + da.functions.sin(angle) * 0.5, y - da.functions.cos(angle) * 0.5
            m.particle(f"mass {k}", 1.0, (x, y))
        system = compile_lagrangian(m)
        return len(system.graph.needed([node for row in system.nodes.mass for node in row])) / n**2

    assert size(20) < 1.1 * size(10)


def test_mass_matrix_of_a_double_pendulum():
    """M = m l^2 [[3, 2 cos(a-b)], [2 cos(a-b), 2]] for masses m, 2m (K3)."""
    from dalembert.analyses.lagrangian.point import Point

    from .machines import double_pendulum

    m = double_pendulum()
    point = Point(compile_lagrangian(m), 0.0, np.array([0.4, 1.1]))
    c = math.cos(0.4 - 1.1)
    assert point.mass == pytest.approx(1.3 * 0.49 * np.array([[3.0, 2.0 * c], [2.0 * c, 2.0]]), rel=1e-14)
