"""Programs of a graph on numbers, node by node: slow and obviously right."""

import math

import numpy as np

from dalembert.kernels import functions as op
from dalembert.kernels.functions import spline_value, value1, value2


def values_of(graph, nodes, inputs, tables=None, given=None):
    """Numbers of all nodes that these need; `inputs(name)` gives those of inputs, `tables` the arguments of `spline_value`."""
    found, given = {}, given or {}
    with np.errstate(all="ignore"):
        for node in graph.needed(nodes, given):
            code, a, b, c = graph.rows[node]
            if node in given:
                found[node] = np.float64(inputs(given[node]))
            elif code == op.CONST:
                found[node] = np.float64(graph.constants[a])
            elif code == op.INPUT:
                found[node] = np.float64(inputs(graph.inputs[a]))
            elif code == op.SELECT:
                found[node] = found[b] if found[a] != 0.0 else found[c]
            elif code == op.SPLINE:
                found[node] = np.float64(spline_value(*tables, b, c, found[a]))
            elif code >= op.BINARY:
                found[node] = np.float64(value2(code, found[a], found[b]))
            else:
                found[node] = np.float64(value1(code, found[a], b))
    return found


def run(traced, program, stores, arrays, tables=None, given=None):
    """Run a program on arrays {"P", "F", "q", "v", "a", "t", "tolerance"}, in place; returns its result."""
    roots = [node for _, _, node in stores] + ([] if program.result is None else [program.result])

    def number(name):
        array, k = traced.inputs.get(name, name)
        return arrays[array][k]

    found = values_of(traced.graph, roots, number, tables, given)
    for name, k, node in stores:
        arrays[name][k] = found[node]
    return 0.0 if program.result is None else found[program.result]


def differs(x, y, least=0.0):
    """Largest difference against the largest number (at least `least`), where they are finite; infinity and NaN must agree."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    finite = np.isfinite(x)
    if not np.array_equal(finite, np.isfinite(y)):
        return math.inf
    scale = np.max(np.abs(x[finite]), initial=least)
    gap = np.max(np.abs(x[finite] - y[finite]), initial=0.0)
    return 0.0 if gap == 0.0 else gap / scale if scale > 0.0 else math.inf
