"""Light simplification that stays fast: expand, sin^2 + cos^2 = 1, products of sines to one sine where that is shorter.

SymPy's `simplify` takes ten to a hundred times as long on energies of this kind (docs/decisions/readable-equations.md).  Here every step
is a rewriting that can be followed, and the shortest result wins.
"""

from __future__ import annotations

import math
import random
from typing import Any

from . import sp

LARGEST = 4000  # operations; beyond, expressions stay as they are
TERMS = 3000  # terms of a sum written out; beyond, expressions stay as they are
FACTORED = 250  # operations up to which sums of fractions are brought together and factored, which is slow
_DIGITS = 30


def tidy(x: Any) -> Any:
    """Shortest of a few equivalent forms; zero is recognised for polynomials of sines and cosines."""
    x = sp.sympify(x)
    if x.is_Atom or _size(x) > LARGEST:
        return x
    if x.has(sp.Piecewise):
        # what depends on cases is not looked into
        holes = {piece: sp.Dummy(real=True) for piece in sorted(x.atoms(sp.Piecewise), key=sp.default_sort_key)}
        short = x.xreplace(holes)
        return x if short.is_Atom else tidy(short).xreplace({hole: piece for piece, hole in holes.items()})
    if written_terms(x) > TERMS:
        return x
    short = _once(x)
    # what is left inside of common factors and quotients is looked at again: sin(x)**2 + cos(x)**2 there is 1
    while _size(again := _once(short)) < _size(short):
        short = again
    return _squares(short)


def _squares(x: Any) -> Any:
    """Sums of rates squared where they are written out: (a' + b')**2 for a'**2 + 2*a'*b' + b'**2."""

    def written_out(e: Any) -> bool:
        return bool(
            e.is_Add and len(e.args) > 2 and any(t.is_Pow and t.base.is_Symbol for t in e.args) and e.is_polynomial()
        )

    # what stays is not built anew, which would multiply numbers into sums
    shorter = {e: made for e in x.find(written_out) if _size(made := sp.factor(e)) < _size(e)}
    return x.xreplace(shorter) if shorter else x


def _once(x: Any) -> Any:
    flat = sp.expand(x)
    if flat.has(sp.sin, sp.cos):
        flat = _grouped(flat)
        if _below(flat, sp.sin, sp.cos) and _size(flat) <= FACTORED:
            top, below = sp.fraction(sp.together(flat))
            top = sp.factor_terms(_grouped(sp.expand(top)))
            # sin(2 x)/sin(x) is 2 cos(x)
            halves = {
                sp.sin(2 * f.args[0]): 2 * sp.sin(f.args[0]) * sp.cos(f.args[0]) for f in below.atoms(sp.sin, sp.cos)
            }
            flat = min((flat, top / below, top.xreplace(halves) / below, _over_waves(flat)), key=_size)
    if _below(flat, sp.Add):
        if _size(flat) > FACTORED:
            return min((x, flat), key=_size)
        flat = min((x, flat, sp.factor(sp.together(flat))), key=_size)
    return min((flat, sp.factor_terms(flat), sp.factor_terms(collected(flat))), key=_size)


def collected(flat: Any) -> Any:
    """Factors of the same sines and cosines taken together: (m1 + m2)*r**2*sin(theta)."""
    groups: dict[Any, list[Any]] = {}
    for term in sp.Add.make_args(flat):
        rest, waves = term.as_independent(sp.sin, sp.cos, as_Add=False)
        groups.setdefault(waves, []).append(rest)
    return sp.Add(*[waves * sp.factor_terms(sp.Add(*rest)) for waves, rest in groups.items()])


def tidied(m: Any) -> Any:
    """Matrix with tidy entries."""
    return m.applyfunc(tidy)


def is_zero(x: Any) -> bool:
    """Whether an expression vanishes: never when it has a value somewhere, else by its form or by values with many digits."""
    x = sp.sympify(x)
    if x == 0:
        return True
    if not vanishes_at(x, 0):
        return False
    return tidy(x) == 0 or all(vanishes_at(x, k) for k in range(1, 4))


def vanishes_at(x: Any, seed: int) -> bool:
    """Whether the value at a random point is zero to working accuracy; False where there is no value."""
    rng = random.Random(seed)
    point = {s: sp.Rational(rng.randint(200, 1200), 1000) for s in sorted(x.free_symbols, key=str)}
    value = x.xreplace(point)
    size = sum(abs(sp.N(term, _DIGITS)) for term in sp.Add.make_args(value))
    number = sp.N(value, _DIGITS)
    # a spline has no number in SymPy
    if not number.is_number or not number.is_finite or number.atoms(sp.Function):
        return False
    return bool(abs(number) <= sp.Float(10) ** (4 - _DIGITS) * (1 + size))


def written_terms(x: Any) -> float:
    """Number of terms once all products and powers of sums are multiplied out, like terms not collected."""
    if x.is_Add:
        return sum(written_terms(a) for a in x.args)
    if x.is_Mul:
        return math.prod(written_terms(a) for a in x.args)
    if x.is_Pow and x.exp.is_Integer and x.exp > 0:
        n, k = written_terms(x.base), int(x.exp)
        return math.prod((n + i) / (i + 1) for i in range(k))
    # what stands under a root, in a denominator or in a function is written out as well
    return max((written_terms(a) for a in x.args), default=1)


def _size(x: Any) -> int:
    return int(x.count_ops())


def _below(x: Any, *kinds: Any) -> bool:
    """Whether something of these kinds stands in a denominator."""
    return any(p.exp.could_extract_minus_sign() and isinstance(p.base, kinds) for p in x.atoms(sp.Pow))


def _over_waves(flat: Any) -> Any:
    """Terms with sines and cosines in a denominator as one product, the others beside it: a - (b - c cos x)**2/sin(x)**2."""
    terms = sp.Add.make_args(flat)
    quotients = [x for x in terms if _below(x, sp.sin, sp.cos)]
    top, below = sp.fraction(sp.together(sp.Add(*quotients)))
    tried = [sp.expand(top)]
    for f, g in ((sp.sin, sp.cos), (sp.cos, sp.sin)):
        one = tried[0]
        for angle in {x.args[0] for x in one.atoms(sp.sin, sp.cos)}:
            one = _pythagoras(one, f(angle), g(angle))
        tried.append(one)
    return sp.Add(*[x for x in terms if x not in quotients], min((sp.factor(x) for x in tried), key=_size) / below)


def _grouped(flat: Any) -> Any:
    """Terms that differ only in their sines and cosines are shortened together."""
    groups: dict[Any, list[Any]] = {}
    for term in sp.Add.make_args(flat):
        rest, waves = term.as_independent(sp.sin, sp.cos, as_Add=False)
        number, symbols = rest.as_coeff_Mul()
        above, below = sp.fraction(waves)
        groups.setdefault(symbols / below, []).append(number * above)
    return sp.Add(*[symbols * _shortest(sp.Add(*parts)) for symbols, parts in groups.items()])


def _shortest(x: Any) -> Any:
    from sympy.simplify.fu import TR9

    best = x
    for _ in range(3):
        before = best
        for angle in sorted({f.args[0] for f in best.atoms(sp.sin, sp.cos)}, key=str):
            for f, g in ((sp.sin, sp.cos), (sp.cos, sp.sin)):
                best = _better(best, _pythagoras(best, f(angle), g(angle)), ties=True)
        if best == before:
            break
    if len(sp.Add.make_args(best)) > 1 and len({f.args[0] for f in best.atoms(sp.sin, sp.cos)}) > 1:
        sums = fourier(best)
        best = _better(best, sums)
        if 2 <= len(sp.Add.make_args(sums)) <= 4:
            best = _better(best, TR9(sums))  # cos(x) - cos(y) as a product
    return best


def _better(a: Any, b: Any, ties: bool = False) -> Any:
    """Return b where it has fewer terms (with `ties`: or as many but fewer operations), a otherwise."""
    terms = len(sp.Add.make_args(b)) - len(sp.Add.make_args(a))
    return b if terms < 0 or ties and terms == 0 and _size(b) < _size(a) else a


def _pythagoras(x: Any, f: Any, g: Any) -> Any:
    """Replace f^2 by 1 - g^2."""

    def lowered(p: Any) -> Any:
        k = int(p.exp)
        return (1 - g**2) ** (k // 2) * f ** (k % 2)

    return sp.expand(x.replace(lambda p: p.is_Pow and p.base == f and p.exp.is_Integer and p.exp >= 2, lowered))


def fourier(x: Any) -> Any:
    """Products of sines and cosines as sums: the form is unique."""
    from sympy.simplify.fu import TR8

    made = sp.expand(x)
    # one pass leaves products of what it has made of powers
    while (again := sp.expand(TR8(made))) != made:
        made = again
    return made
