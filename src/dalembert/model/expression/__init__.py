"""Expressions: formulas of t, measures and parameters, as text or as Python arithmetic.

    parse("k*O.angle + c*rate(O.angle)")          text to tree, by our own grammar, never `eval`
    r/2 + 0.1,  functions.sin(r)                  the same in Python, when r is a parameter
    tree.evaluate({"r": 0.2}), tree.diff("r")     value and exact derivative
    spline([0, 1, 2], [0, 5, 0])                  a smooth curve through points, used like a function

A tree becomes instructions for the compiled kernels in `system/formulas.py`.  This folder imports plain Python and the
errors of the package, nothing else.
"""

from . import functions
from .called import CheckedFunction, is_function
from .catalogue import CONSTANTS, FUNCTIONS, RESERVED
from .checks import check_name
from .parser import MAX_DEPTH, MAX_LENGTH, MAX_NODES, as_expression, parse
from .splines import Spline, spline
from .tree import Call, Expr, FunctionCall, Name, Number, Operand, SplineCall, fold, postorder, symbol

__all__ = [
    "CONSTANTS", "FUNCTIONS", "MAX_DEPTH", "MAX_LENGTH", "MAX_NODES", "RESERVED", "Call", "CheckedFunction", "Expr", "FunctionCall", "Name", "Number", "Operand", "Spline", "SplineCall",
    "as_expression", "check_name", "fold", "functions", "is_function", "parse", "postorder", "spline", "symbol",
]  # fmt: skip
