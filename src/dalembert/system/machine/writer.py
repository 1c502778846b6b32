"""A graph of formulas as straight LLVM text: scalars, or vectors of samples.

Nodes are written in the order in which they were made, that of the kernels: bodies side by side, which lets the processor work on several at
a time (a quarter faster than depth first from the results, which keeps fewer values alive).  With `lanes`
every number is a vector of so many samples, and arrays have the sample index last: entry k of sample s lies at k*samples + s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...kernels import functions as op
from ...machine.values import literal
from ..graph import Graph

# reassociation and fused multiply-add are welcome; NaN and infinity keep their meaning
_FLAGS = "contract arcp nsz reassoc"
_BINARY = {op.ADD: "fadd", op.SUB: "fsub", op.MUL: "fmul", op.DIV: "fdiv"}
_COMPARED = {op.LT: "olt", op.LE: "ole", op.EQ: "oeq", op.NE: "une"}
_INTRINSIC = {op.SQRT: "sqrt", op.ABS: "fabs", op.FLOOR: "floor"}
_LIBRARY = {
    op.TAN: "tan", op.ASIN: "asin", op.ACOS: "acos", op.ATAN: "atan", op.SINH: "sinh", op.COSH: "cosh", op.TANH: "tanh", op.EXP: "exp",
    op.LOG: "log", op.LOG10: "log10", op.POW: "pow", op.ATAN2: "atan2", op.HYPOT: "hypot",
}  # fmt: skip


class Writer:
    """Functions of one module.

    `lanes`: samples in a vector; 1: plain doubles.  `tables`: where splines lie in P: (first knot, one past the last, place of the knots, place of
    the coefficients) of each.  `inputs`: place (array, number) of inputs that are not named by one.
    """

    def __init__(
        self, graph: Graph, lanes: int = 1, tables: Sequence[tuple[int, int, int, int]] = (), inputs: Mapping[Any, Any] | None = None
    ) -> None:  # fmt: skip
        self.graph, self.lanes, self.tables, self.inputs = graph, lanes, tables, inputs or {}
        self.kind = "double" if lanes == 1 else f"<{lanes} x double>"
        self.whole = "i64" if lanes == 1 else f"<{lanes} x i64>"
        self.bit = "i1" if lanes == 1 else f"<{lanes} x i1>"
        self.suffix = "f64" if lanes == 1 else f"v{lanes}f64"
        self._declared: dict[str, str] = {}
        self._functions: list[str] = []

    def text(self) -> str:
        """The module."""
        return "\n".join([*self._declared.values(), *self._functions])

    def add(self, text: str) -> None:
        """A function written elsewhere."""
        self._functions.append(text)

    def function(
        self, name: str, stores: Sequence[tuple[str, int, int]], result: int | None = None, linkage: str = "internal ",
        given: Mapping[int, int] | None = None,
    ) -> None:  # fmt: skip
        """Function (P, F, t, q, v, a, tolerance) of a program; returns its result or 0.  Nodes that are given stand in F.

        With lanes t is an array as well, and two numbers follow: how many samples there are, and the first of those to be computed.
        """
        body = _Body(self, stores, result, given or {})
        returned = body.write()
        numbers = (
            "double %t, double %tolerance"
            if self.lanes == 1
            else "ptr %t, double %tolerance, i64 %samples, i64 %sample"
        )
        arguments = f"ptr noalias %P, ptr noalias %F, ptr noalias %q, ptr noalias %v, ptr noalias %a, {numbers}"
        self._functions.append(
            f"define {linkage}{self.kind} @{name}({arguments}) nounwind {{\n"
            + "\n".join(body.lines)
            + f"\n  ret {self.kind} {returned}\n}}"
        )

    # -- pieces that functions call ------------------------------------------------------------------------------------

    def number(self, x: float) -> str:
        """A constant, the same in all lanes."""
        text = literal(x)
        return text if self.lanes == 1 else f"<{', '.join([f'double {text}'] * self.lanes)}>"

    def integer(self, n: int) -> str:
        """A whole constant, the same in all lanes."""
        return str(n) if self.lanes == 1 else f"<{', '.join([f'i64 {n}'] * self.lanes)}>"

    def intrinsic(self, name: str, count: int) -> str:
        """Name of an intrinsic on numbers of this kind."""
        full = f"llvm.{name}.{self.suffix}"
        self._declared[full] = f"declare {self.kind} @{full}({', '.join([self.kind] * count)})"
        return full

    def library(self, name: str, count: int) -> str:
        """Name of a function of the mathematics library; with lanes, one that calls it for each."""
        self._declared[name] = (
            f"declare double @{name}({', '.join(['double'] * count)}) nounwind willreturn memory(none)"
        )
        if self.lanes == 1:
            return name
        full = f"lanes_{name}"
        if full not in self._declared:
            self._declared[full] = ""
            lines, last = [], "poison"
            for k in range(self.lanes):
                parts = []
                for c in range(count):
                    lines.append(f"  %x{k}_{c} = extractelement {self.kind} %x{c}, i32 {k}")
                    parts.append(f"double %x{k}_{c}")
                lines.append(f"  %f{k} = call double @{name}({', '.join(parts)})")
                lines.append(f"  %y{k} = insertelement {self.kind} {last}, double %f{k}, i32 {k}")
                last = f"%y{k}"
            given = ", ".join(f"{self.kind} %x{c}" for c in range(count))
            self._functions.append(
                f"define internal {self.kind} @{full}({given}) nounwind {{\n"
                + "\n".join(lines)
                + f"\n  ret {self.kind} {last}\n}}"
            )
        return full

    def cos_sin(self) -> str:
        """Cosine and sine together: the polynomials of `kernels/scalar.cos_sin`; pi/2 is taken off in three parts by fused operations.

        No flags here: reassociation would undo the reduction.
        """
        if "cos_sin" in self._declared:
            return "cos_sin"
        self._declared["cos_sin"] = ""
        t, i, k = self.kind, self.whole, self.number
        fma = self.intrinsic("fma", 3)
        lines: list[str] = []
        count = 0

        def step(text: str) -> str:
            nonlocal count
            count += 1
            lines.append(f"  %{count} = {text}")
            return f"%{count}"

        def poly(z: str, coefficients: Sequence[float]) -> str:
            total = k(coefficients[0])
            for c in coefficients[1:]:
                total = step(f"call {t} @{fma}({t} {z}, {t} {total}, {t} {k(c)})")
            return total

        # adding 1.5*2^52 rounds to a whole number and leaves it in the last bits
        shift = k(6755399441055744.0)
        raised = step(f"call {t} @{fma}({t} %x, {t} {k(0.6366197723675814)}, {t} {shift})")
        n = step(f"fsub {t} {raised}, {shift}")
        quadrant = step(f"bitcast {t} {raised} to {i}")
        y = "%x"
        for part in (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33):
            y = step(f"call {t} @{fma}({t} {n}, {t} {k(-part)}, {t} {y})")
        z = step(f"fmul {t} {y}, {y}")
        s = poly(z, (1.591810123027412e-10, -2.5051131455427946e-08, 2.755731610068303e-06, -0.0001984126983675497, 0.008333333333330946, -0.16666666666666666))  # fmt: skip  # noqa: E501
        yz = step(f"fmul {t} {y}, {z}")
        s = step(f"call {t} @{fma}({t} {yz}, {t} {s}, {t} {y})")
        c = poly(z, (-1.1382614868556325e-11, 2.0876146024689747e-09, -2.7557317270560326e-07, 2.4801587298763433e-05, -0.0013888888888887395, 0.041666666666666664))  # fmt: skip  # noqa: E501
        half = step(f"fmul {t} {z}, {k(0.5)}")
        near = step(f"fsub {t} {k(1.0)}, {half}")
        lost = step(f"fsub {t} {k(1.0)}, {near}")
        lost = step(f"fsub {t} {lost}, {half}")
        zz = step(f"fmul {t} {z}, {z}")
        small = step(f"call {t} @{fma}({t} {zz}, {t} {c}, {t} {lost})")
        c = step(f"fadd {t} {near}, {small}")
        one, two, top = self.integer(1), self.integer(2), self.integer(62)
        odd = step(f"and {i} {quadrant}, {one}")
        odd = step(f"icmp ne {i} {odd}, {self.integer(0)}")
        sine, cosine = (step(f"select {self.bit} {odd}, {t} {x}, {t} {w}") for x, w in ((c, s), (s, c)))
        after = step(f"add {i} {quadrant}, {one}")
        signed = []
        for value, turn in ((cosine, after), (sine, quadrant)):
            sign = step(f"and {i} {turn}, {two}")
            sign = step(f"shl {i} {sign}, {top}")
            bits = step(f"bitcast {t} {value} to {i}")
            bits = step(f"xor {i} {bits}, {sign}")
            signed.append(step(f"bitcast {i} {bits} to {t}"))
        pair = f"{{{t}, {t}}}"
        first = step(f"insertvalue {pair} poison, {t} {signed[0]}, 0")
        both = step(f"insertvalue {pair} {first}, {t} {signed[1]}, 1")
        self._functions.append(
            f"define internal {pair} @cos_sin({t} %x) alwaysinline nounwind {{\n"
            + "\n".join(lines)
            + f"\n  ret {pair} {both}\n}}"
        )
        return "cos_sin"

    def spline(self) -> str:
        """Derivative of some order of a cubic spline in P, straight outside its knots, as `kernels/functions.spline_value`."""
        if "spline" not in self._declared:
            self._declared["spline"] = ""
            self._functions.append("\n".join([_SPLINE, *(_derivative(order) for order in range(4)), "}"]))
        return "spline"


class _Body:
    def __init__(
        self, writer: Writer, stores: Sequence[tuple[str, int, int]], result: int | None, given: Mapping[int, int]
    ) -> None:
        self.w, self.graph, self.result, self.given = writer, writer.graph, result, given
        self.stores: dict[int, list[tuple[str, int]]] = {}
        for name, place, node in stores:
            self.stores.setdefault(node, []).append((name, place))
        roots = [node for _, _, node in stores]
        self.order = self.graph.needed(roots if result is None else [*roots, result], given)
        self.loaded = {self._named(k) for k in self.order if self.graph.rows[k][0] == op.INPUT}
        self.loaded |= {("F", place) for place in given.values()}
        self.lines: list[str] = []
        self.name: dict[int, str] = {}
        self.bits: dict[int, str] = {}
        self.pairs: dict[int, str] = {}
        self._count = 0

    def write(self) -> str:
        later: list[tuple[str, int, int]] = []
        for node in self.order:
            self.name[node] = self._node(node)
            for entry in self.stores.get(node, ()):
                # what is read in another place must not be overwritten before
                if entry in self.loaded:
                    later.append((*entry, node))
                else:
                    self._store(*entry, node)
        for name, place, node in later:
            self._store(name, place, node)
        return self.w.number(0.0) if self.result is None else self.name[self.result]

    def _step(self, text: str) -> str:
        self._count += 1
        self.lines.append(f"  %x{self._count} = {text}")
        return f"%x{self._count}"

    def _place(self, name: str, k: int) -> str:
        if self.w.lanes == 1:
            return self._step(f"getelementptr inbounds double, ptr %{name}, i64 {k}")
        row = self._step(f"mul i64 %samples, {k}")
        row = self._step(f"add i64 {row}, %sample")
        return self._step(f"getelementptr inbounds double, ptr %{name}, i64 {row}")

    def _store(self, name: str, k: int, node: int) -> None:
        place = self._place(name, k)
        self.lines.append(f"  store {self.w.kind} {self.name[node]}, ptr {place}, align 8")

    def _named(self, node: int) -> tuple[str, int]:
        name = self.graph.inputs[self.graph.rows[node][1]]
        found: tuple[str, int] = self.w.inputs.get(name, name)
        return found

    def _input(self, array: str, k: int) -> str:
        if array == "tolerance" or (array == "t" and self.w.lanes == 1):
            return f"%{array}"
        return self._step(f"load {self.w.kind}, ptr {self._place(array, k)}, align 8")

    def _bit(self, node: int) -> str:
        """A node as a condition: not zero."""
        if node not in self.bits:
            self.bits[node] = self._step(f"fcmp une {self.w.kind} {self.name[node]}, {self.w.number(0.0)}")
        return self.bits[node]

    def _call(self, function: str, *nodes: int) -> str:
        t = self.w.kind
        return self._step(f"call {t} @{function}({', '.join(f'{t} {self.name[x]}' for x in nodes)})")

    def _select(self, bit: str, a: str, b: str) -> str:
        t = self.w.kind
        return self._step(f"select {self.w.bit} {bit}, {t} {a}, {t} {b}")

    def _truth(self, node: int, bit: str) -> str:
        self.bits[node] = bit
        return self._select(bit, self.w.number(1.0), self.w.number(0.0))

    def _node(self, node: int) -> str:
        w, t = self.w, self.w.kind
        code, a, b, c = self.graph.rows[node]
        if node in self.given:
            return self._input("F", self.given[node])
        if code == op.CONST:
            return w.number(self.graph.constants[a])
        if code == op.INPUT:
            return self._input(*self._named(node))
        if code in _BINARY:
            return self._step(f"{_BINARY[code]} {_FLAGS} {t} {self.name[a]}, {self.name[b]}")
        if code == op.NEG:
            return self._step(f"fneg {_FLAGS} {t} {self.name[a]}")
        if code in (op.SIN, op.COS):
            return self._angle(code, a)
        if code == op.SELECT:
            return self._select(self._bit(a), self.name[b], self.name[c])
        if code in _INTRINSIC:
            return self._call(w.intrinsic(_INTRINSIC[code], 1), a)
        if code in _COMPARED:
            return self._truth(node, self._step(f"fcmp {_COMPARED[code]} {t} {self.name[a]}, {self.name[b]}"))
        if code in (op.MIN, op.MAX):
            # the first of equals
            bit = self._step(f"fcmp {'ole' if code == op.MIN else 'oge'} {t} {self.name[a]}, {self.name[b]}")
            return self._select(bit, self.name[a], self.name[b])
        if code in (op.AND, op.OR):
            word = "and" if code == op.AND else "or"
            return self._truth(node, self._step(f"{word} {w.bit} {self._bit(a)}, {self._bit(b)}"))
        if code == op.NOT:
            return self._truth(node, self._step(f"fcmp oeq {t} {self.name[a]}, {w.number(0.0)}"))
        if code == op.SIGN:
            below = self._step(f"fcmp olt {t} {self.name[a]}, {w.number(0.0)}")
            over = self._step(f"fcmp ogt {t} {self.name[a]}, {w.number(0.0)}")
            return self._select(over, w.number(1.0), self._select(below, w.number(-1.0), w.number(0.0)))
        if code == op.POWI:
            return self._whole_power(self.name[a], b)
        if code == op.SPLINE:
            return self._spline(a, b, c)
        return self._call(
            w.library(_LIBRARY[code], 1 if code < op.BINARY else 2), *((a,) if code < op.BINARY else (a, b))
        )

    def _angle(self, code: int, a: int) -> str:
        t = self.w.kind
        if a not in self.pairs:
            self.pairs[a] = self._step(f"call {{{t}, {t}}} @{self.w.cos_sin()}({t} {self.name[a]})")
        return self._step(f"extractvalue {{{t}, {t}}} {self.pairs[a]}, {0 if code == op.COS else 1}")

    def _whole_power(self, x: str, n: int) -> str:
        """Repeated squaring, as `whole_power` of the kernels."""
        t, result, factor, m = self.w.kind, "", x, abs(n)
        while m > 0:
            if m % 2:
                result = self._step(f"fmul {_FLAGS} {t} {result}, {factor}") if result else factor
            m //= 2
            if m:
                factor = self._step(f"fmul {_FLAGS} {t} {factor}, {factor}")
        return result if n >= 0 else self._step(f"fdiv {_FLAGS} {t} {self.w.number(1.0)}, {result}")

    def _spline(self, a: int, table: int, order: int) -> str:
        w = self.w
        where = ", ".join(f"i64 {x}" for x in (*w.tables[table], order))
        name = w.spline()
        if w.lanes == 1:
            return self._step(f"call double @{name}(ptr %P, i64 1, i64 0, double {self.name[a]}, {where})")
        last = "poison"
        for k in range(w.lanes):
            s = self._step(f"extractelement {w.kind} {self.name[a]}, i32 {k}")
            sample = self._step(f"add i64 %sample, {k}")
            f = self._step(f"call double @{name}(ptr %P, i64 %samples, i64 {sample}, double {s}, {where})")
            last = self._step(f"insertelement {w.kind} {last}, double {f}, i32 {k}")
        return last


# P has `samples` columns; knots first ... last - 1, coefficients (c0, c1, c2, c3) of the interval that begins at each
_SPLINE = """
define internal double @spline(ptr %P, i64 %samples, i64 %sample, double %s, i64 %first, i64 %last, i64 %knots, i64 %rows, i64 %order) nounwind {
entry:
  %below = sub i64 %first, 1
  br label %search
search:
  %low = phi i64 [ %below, %entry ], [ %nl, %halve ]
  %high = phi i64 [ %last, %entry ], [ %nh, %halve ]
  %gap = sub i64 %high, %low
  %more = icmp sgt i64 %gap, 1
  br i1 %more, label %halve, label %found
halve:
  %sum = add i64 %low, %high
  %middle = ashr i64 %sum, 1
  %kp = add i64 %knots, %middle
  %kr = mul i64 %kp, %samples
  %ks = add i64 %kr, %sample
  %ka = getelementptr inbounds double, ptr %P, i64 %ks
  %knot = load double, ptr %ka, align 8
  %left = fcmp ole double %knot, %s
  %nl = select i1 %left, i64 %middle, i64 %low
  %nh = select i1 %left, i64 %high, i64 %middle
  br label %search
found:
  %inside = icmp sge i64 %low, %first
  %i = select i1 %inside, i64 %low, i64 %first
  %kp2 = add i64 %knots, %i
  %kr2 = mul i64 %kp2, %samples
  %ks2 = add i64 %kr2, %sample
  %ka2 = getelementptr inbounds double, ptr %P, i64 %ks2
  %x0 = load double, ptr %ka2, align 8
  %h = fsub double %s, %x0
  %r0 = mul i64 %i, 4
  %r1 = add i64 %r0, %rows
  %r2 = mul i64 %r1, %samples
  %r3 = add i64 %r2, %sample
  %p0 = getelementptr inbounds double, ptr %P, i64 %r3
  %p1 = getelementptr inbounds double, ptr %p0, i64 %samples
  %p2 = getelementptr inbounds double, ptr %p1, i64 %samples
  %p3 = getelementptr inbounds double, ptr %p2, i64 %samples
  %c0 = load double, ptr %p0, align 8
  %c1 = load double, ptr %p1, align 8
  %c2l = load double, ptr %p2, align 8
  %c3l = load double, ptr %p3, align 8
  %c2 = select i1 %inside, double %c2l, double 0.0
  %c3 = select i1 %inside, double %c3l, double 0.0
  switch i64 %order, label %none [ i64 0, label %order0 i64 1, label %order1 i64 2, label %order2 i64 3, label %order3 ]
none:
  ret double 0.0
"""


def _derivative(order: int) -> str:
    """Derivative of c0 + c1 h + c2 h^2 + c3 h^3 by Horner's rule: sum of n!/(n - order)! c_n h^(n - order)."""
    lines, last = [f"order{order}:"], ""
    for n in range(3, order - 1, -1):
        factor, term = math.perm(n, order), f"%c{n}"
        if factor != 1:
            lines.append(f"  %f{order}{n} = fmul double {term}, {factor}.0")
            term = f"%f{order}{n}"
        if last:
            lines.append(f"  %p{order}{n} = fmul double %h, {last}")
            lines.append(f"  %s{order}{n} = fadd double %p{order}{n}, {term}")
            term = f"%s{order}{n}"
        last = term
    return "\n".join([*lines, f"  ret double {last}"])
