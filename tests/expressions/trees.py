"""Seeded random expression trees for the tests of this folder."""

from __future__ import annotations

import random

from dalembert.errors import ExpressionError
from dalembert.model.expression import Call, Expr, Name, Number, SplineCall, functions, spline

NAMES = ["t", "x", "O.angle", "rate(O.angle)"]
CAM = spline([0.0, 0.7, 1.1, 2.0], [0.2, 1.0, -0.5, 0.3], name="cam")
LIFT = spline([-1.0, 0.0, 3.0], [1.0, 0.0, 2.0], rate=(0.0, -1.0), name="lift")

UNARY = ["neg", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt"]
UNARY += ["abs", "sign", "floor", "not"]
BINARY = ["+", "-", "*", "/", "**", "+", "-", "*", "/", "atan2", "hypot", "min", "max"]
BINARY += ["<", "<=", ">", ">=", "==", "!=", "and", "or"]
SMOOTH = ["neg", "sin", "cos", "tanh", "atan"]


def leaf(rng: random.Random) -> Expr:
    if rng.random() < 0.35:
        return Number(rng.choice([0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, 10.0, 1e-3, 1e22, round(rng.uniform(-3, 3), 2)]))
    name = rng.choice(NAMES)
    return functions.rate("O.angle") if name.startswith("rate") else Name(name)


def any_tree(rng: random.Random, depth: int) -> Expr:
    """Any tree of the grammar."""
    if depth == 0 or rng.random() < 0.1:
        return leaf(rng)

    def below() -> Expr:
        return any_tree(rng, depth - 1)

    kind = rng.random()
    if kind < 0.3:
        return Call(rng.choice(UNARY), (below(),))
    if kind < 0.75:
        return Call(rng.choice(BINARY), (below(), below()))
    if kind < 0.8:
        return below() ** rng.choice([-2, -1, 0, 1, 2, 3, 0.5, 40])
    if kind < 0.85:
        return Call("if_", (below(), below(), below()))
    if kind < 0.9:
        return SplineCall(rng.choice([CAM, LIFT]), below(), rng.choice([0, 0, 1, 2, 3]))
    if kind < 0.94:
        return Call(rng.choice(["min", "max"]), (below(), below(), below()))
    if kind < 0.97:
        return functions.step(below(), below(), below(), below(), below())
    return functions.ramp(below(), below(), below())


def smooth_tree(rng: random.Random, depth: int) -> Expr:
    """A tree that is finite and smooth everywhere, with values of moderate size."""
    if depth == 0:
        return Number(round(rng.uniform(-2, 2), 2)) if rng.random() < 0.2 else leaf_name(rng)
    a, b = smooth_tree(rng, depth - 1), smooth_tree(rng, depth - 1)
    kind = rng.random()
    if kind < 0.3:
        return Call(rng.choice(SMOOTH), (a,))
    if kind < 0.6:
        return Call(rng.choice(["+", "-", "*"]), (a, b))
    f = functions
    return rng.choice(
        [
            a / (2 + f.cos(b)),
            f.exp(f.sin(a)),
            f.log(2 + f.sin(a)) * b,
            (1.5 + f.sin(a)) ** f.cos(b),
            f.sqrt(1 + a**2),
            f.hypot(a, 1 + b**2),
            f.atan2(f.sin(a), 2 + f.cos(b)),
            f.asin(0.9 * f.sin(a)) + f.acos(0.9 * f.cos(b)),
            f.sinh(f.sin(a)) * f.cosh(f.cos(b)),
            f.tan(f.sin(a)),
            f.log10(3 + f.cos(a)),
            f.sin(a) ** 3,
        ]
    )


def leaf_name(rng: random.Random) -> Expr:
    return Name(rng.choice(["t", "x", "O.angle"])) if rng.random() < 0.8 else functions.rate("O.angle")


def values(rng: random.Random) -> dict[str, float]:
    return {name: rng.uniform(-2.0, 2.0) for name in NAMES}


def value_or_none(expr: Expr, at: dict[str, float]) -> float | None:
    try:
        return expr.evaluate(at)
    except ExpressionError:
        return None
