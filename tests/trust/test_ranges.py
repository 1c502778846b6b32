"""Bounds of expressions over boxes: they contain every value (the run's guard against narrow forces stands on them)."""

import numpy as np
import pytest

from dalembert.kernels.program import run_program
from dalembert.kernels.ranges import run_ranges
from dalembert.model.expression import parse
from dalembert.model.expression.catalogue import FUNCTIONS
from dalembert.model.expression.splines import spline
from dalembert.model.expression.switches import in_switches, is_tame, switches
from dalembert.system.formulas import Formulas
from dalembert.system.program import program, spline_tables

TABLE = spline([-2, -1, 0, 1, 2], [0, 3, -1, 2, 0], name="table")

EXPRESSIONS = [
    "x + y*z", "x - y/z", "x*x - 2*x*y + y**2", "x**3*y**2", "x**-2", "abs(x)**1.5*y", "sin(3*x)*cos(y)", "tan(x)", "tan(0.3*x)",
    "asin(x/4)", "acos(x/4) + atan(y)", "atan2(x, y)", "sinh(x) - cosh(y)", "tanh(5*x)", "exp(-x**2)", "log(abs(x) + 0.1)", "log10(y**2 + 1)",
    "sqrt(x**2 + y**2)", "hypot(x, y)", "abs(x - y)", "sign(x)*y", "floor(x) + y", "min(x, y)", "max(x, y, z)", "if_(x < y, z, -z)",
    "if_(x <= 0 or y > 1, x, y**2)", "if_(not x >= y and z != 0, 1, 2)", "if_(x == y, 1, 2)", "step(x, -1, 0, 1, y)", "ramp(x, -1, 2)*z",
    "table(x)*y", "1/(1 + (x/0.01)**2)", "(x**2 + 1)**y", "exp(700*x)", "x**2/(y - 5)",
]  # fmt: skip


class Bounds:
    """Value and bounds of an expression, by one program."""

    def __init__(self, expression, names):
        graph = Formulas(names)
        node = graph.add_formula(expression, graph.input)
        leaves = {k: place for place, k in enumerate(graph.input[name] for name in names)}
        given = {k: graph.numbers.get(k, graph.value(k)) for k in graph.needed([node])}
        numbers = [k for k, number in given.items() if number is not None]
        made = program(graph, [node], leaves, len(names), {k: i for i, k in enumerate(numbers)}, fused=False)
        self.result, self.names = made.register[node], len(names)
        self.code, self.numbers = np.array(made.code, dtype=np.int64), np.array([given[k] for k in numbers])
        first, knots, coefficients = spline_tables(graph)
        self.tables = np.array(first), np.array(knots), np.array(coefficients).reshape(-1, 4)
        self.low, self.high = np.zeros((2, len(names) + made.size + 1))

    def value(self, x):
        self.low[: self.names] = x
        run_program(self.code, self.numbers, self.low, 0, len(self.code), self.names, *self.tables)
        return self.low[self.result]

    def between(self, low, high):
        self.low[: self.names], self.high[: self.names] = low, high
        run_ranges(self.code, self.numbers, self.low, self.high, 0, len(self.code), self.names, *self.tables)
        return self.low[self.result], self.high[self.result]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_bounds_contain_every_value(text):
    rng = np.random.default_rng(3)
    expression = parse(text, tables={"table": TABLE})
    bounds = Bounds(expression, ["x", "y", "z"])
    tight = 0
    for _ in range(60):
        middle, half = rng.uniform(-3, 3, 3), 10.0 ** rng.uniform(-6, 0.3, 3)
        a, b = bounds.between(middle - half, middle + half)
        assert a <= b
        for _ in range(20):
            x = middle + half * rng.uniform(-1, 1, 3)
            with np.errstate(all="ignore"):
                f = bounds.value(x)
            slack = 1e-13 * (abs(f) + max((abs(v) for v in (a, b) if np.isfinite(v)), default=0.0))
            assert not np.isfinite(f) or a - slack <= f <= b + slack, (x, f, a, b)
        tight += bool(np.isfinite(b - a))
    assert tight >= 10, "bounds that are always infinite say nothing"


def test_every_function_has_bounds():
    """Each function of the catalogue occurs in the list above, so a new one cannot be forgotten."""
    used = {word for text in EXPRESSIONS for word in FUNCTIONS if f"{word}(" in text}
    assert set(FUNCTIONS) - {"rate"} <= used


def test_bounds_shrink_with_the_box():
    bounds = Bounds(parse("x*x - 2*x*y + exp(-x*y)"), ["x", "y"])
    widths = []
    for half in (1e-1, 1e-2, 1e-3):
        a, b = bounds.between(np.array([0.7, -0.4]) - half, np.array([0.7, -0.4]) + half)
        widths.append(b - a)
    assert widths[1] < 0.12 * widths[0] and widths[2] < 0.12 * widths[1]


def test_corners_are_written_by_conditions_and_signs():
    """The same values everywhere, and a switch for every corner."""
    rng = np.random.default_rng(4)
    for text, count in (("abs(x)", 1), ("max(x, y, 1)", 2), ("ramp(x, 0, 1)", 2), ("step(x, 0, 1, 2, y)", 2), ("if_(x > y and y > 0, x, 0)", 2),
                        ("if_(abs(x) < 1, 1, 0)", 1), ("floor(x/2)", 1), ("x*y", 0)):  # fmt: skip
        expression = parse(text)
        written = in_switches(expression)
        assert len(switches(written)) == count, text
        for _ in range(50):
            values = dict(zip("xy", rng.uniform(-3, 3, 2)))
            assert written.evaluate(values) == pytest.approx(expression.evaluate(values), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("text, tame", [("3*x + 2", True), ("x*y*2 - x**3", True), ("x/4", True), ("if_(x > 0, x**2, 0)", True),
                                        ("x**5", False), ("exp(x)", False), ("1/x", False), ("sin(x)", False)])  # fmt: skip
def test_what_counts_as_tame(text, tame):
    from dalembert.model.expression.switches import held
    from dalembert.model.expression.tree import Name

    written = in_switches(parse(text))
    sides = {s.node: Name("side") for s in switches(written)}
    assert is_tame(held(written, sides.get)) is tame
