"""classify: which constraints on rates are constraints on positions in disguise, row by row and all together."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import MethodError, nearest, shown
from ..model.expression import Expr
from ..model.expression.sympy_bridge import is_sympy
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.reading import listed
from ..options.call import verb
from ..results.table import aligned
from ..symbolic.brackets import TooLongError, is_smooth, symbolic_flag
from ..symbolic.functions import as_written
from ..symbolic.integrals import Search, as_expression
from ..symbolic.pfaffian import Flag, Pfaffian, forms_of, numeric_flag
from ..system.lagrange import check_names
from .integrated import integrated_system
from .lagrangian_of import lagrangian_of

# up to here "auto" does both and compares: formulas of brackets grow with coordinates, rows and the length of the rows
SMALL_COORDINATES, SMALL_ROWS, SMALL_SIZE = 8, 6, 600
# terms of a bracket, in all its components: beyond the first "auto" goes on with numbers alone, beyond the second "symbolic" gives up
LONG, TOO_LONG = 6_000, 200_000


@dataclass(frozen=True)
class ClassifiedRow:
    """What was found about one row.

    Attributes
    ----------
    name, expression
        The row as given: an expression that is zero.
    position
        Whether it was given as a row of positions.
    exact
        As written it is the rate of a function of coordinates and time (LAGRANGE's symmetry test: da/dq symmetric, db/dq = -da/dt).
    alone
        It is, after multiplication by a suitable factor, whatever the other rows are.
    integrable
        Together with the other rows it follows from integrals of the whole system.
    """

    name: str
    expression: Expr
    position: bool
    exact: bool
    alone: bool
    integrable: bool


@dataclass(frozen=True)
class Integral:
    """Function of coordinates and time that stays constant; zero where it is a row of positions."""

    expression: Expr
    row: str | None = None

    def __str__(self) -> str:
        return f"{self.expression.simplify()} = {'const' if self.row is None else 0}"

    __repr__ = __str__


@dataclass(frozen=True)
class Classification:
    """Constraints of a system, classified; printed, it is a report.

    Attributes
    ----------
    name, coordinates
        Name of the system and of its coordinates.
    verdict
        "holonomic": all rows together are constraints on positions.  "nonholonomic": none of them, nor any combination.
        "partly integrable": some combinations are.  "free": there are no rows.
    rows
        Every row, see `ClassifiedRow`; `found["name"]` is one of them.
    growth
        Dimension of the velocities allowed, then with brackets of length two, three, ... added: the growth vector, at a general
        position.  Where rows contain time or a right side, brackets with the drift are included and time itself is not counted.
        It ends with the number of coordinates, or where nothing is added any more.
    n_integrals
        How many independent functions of coordinates and time stay constant.
    integrals
        Those of them that were found, each verified.
    dependent
        Rows that say nothing new, and of which others they are made.
    rheonomic
        Whether rows contain time or a right side.
    method
        "symbolic", "numeric", or "symbolic and numeric".
    """

    name: str
    coordinates: tuple[str, ...]
    verdict: str
    rows: tuple[ClassifiedRow, ...]
    growth: tuple[int, ...]
    n_integrals: int
    integrals: tuple[Integral, ...]
    dependent: tuple[str, ...]
    rheonomic: bool
    method: str
    system: Lagrangian | None = field(default=None, repr=False, compare=False)

    def integrated(self) -> Lagrangian:
        """The Lagrangian system with the integrals as rows on positions, in the place of as many rows on rates.

        The constants are parameters c_1, c_2, ... with their values at the start, as `assemble` finds it.
        """
        return integrated_system(self)

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def n_speeds(self) -> int:
        """Degrees of freedom of velocities: coordinates less independent rows."""
        return self.growth[0]

    @property
    def n_positions(self) -> int:
        """Degrees of freedom of positions: coordinates less integrals."""
        return len(self.coordinates) - self.n_integrals

    @property
    def degree(self) -> int:
        """Degree of nonholonomy: length of brackets after which nothing is added; 1 for holonomic systems."""
        return 1 + sum(b > a for a, b in zip(self.growth, self.growth[1:]))

    @property
    def holonomic(self) -> bool:
        """Whether all rows together are constraints on positions."""
        return self.verdict in ("holonomic", "free")

    def __getitem__(self, name: str) -> ClassifiedRow:
        for row in self.rows:
            if row.name == name:
                return row
        raise MethodError(
            f"row {shown(name)} of the classification of {self.name!r}",
            "no row of this name",
            "rows are found by the names they were given",
            nearest(name, [row.name for row in self.rows]),
        )

    def __str__(self) -> str:
        n, speeds = self.n_coordinates, self.n_speeds
        integrals = _counted(self.n_integrals, "integral")
        verdict = f"{self.verdict}, {integrals}" if self.verdict == "partly integrable" else self.verdict
        lines = [
            f"constraints of {self.name!r}: {verdict}",
            f"  coordinates  {n}: {', '.join(self.coordinates)}{'; and time' if self.rheonomic else ''}",
            f"  speeds       {speeds} = {n} - {_counted(n - speeds, 'independent row')}",
            f"  positions    {self.n_positions} = {n} - {integrals}",
            f"  growth       ({', '.join(map(str, self.growth))}), degree of nonholonomy {self.degree}",
        ]
        if self.rows:
            table = [("row", "as written", "alone", "together")]
            for row in self.rows:
                words = ["holonomic" if x else "nonholonomic" for x in (row.alone, row.integrable)]
                table.append((row.name, "exact" if row.exact else "not exact", words[0], words[1]))
            lines += ["", *(f"  {line}" for line in aligned(table, left=4))]
        if self.n_integrals or self.dependent:
            lines.append("")
        lines += [f"  integral     {integral}" for integral in self.integrals]
        missing = self.n_integrals - len(self.integrals)
        if missing:
            lines.append(f"  integral     {missing} more, not found as a formula")
        lines += [f"  dependent    {text}" for text in self.dependent]
        return "\n".join(lines)

    __repr__ = __str__


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


@verb
def classify(
    model: Any, q: Any = None, parameters: Any = None, *, method: str = "auto", depth: int = 12
) -> Classification:
    """Classify constraints: holonomic, nonholonomic, or partly integrable, with the integrals where they can be found.

    Each row is tested as written, alone (Frobenius' condition for one row: is there an integrating factor?), and together with
    all others (brackets of the velocities allowed, iterated until nothing is added).

    Parameters
    ----------
    model
        A `Lagrangian`, a `Mechanism` (in its joint coordinates), or rows on rates: texts, expressions or SymPy objects that are zero, linear in the rates, in a list or by name.
    q
        With rows: the coordinates, "x y theta".
    parameters
        With rows: values of parameters by name; or names only, for which general values are taken.
    method
        "symbolic": formulas, with ranks at random positions with fifty digits.  "numeric": numbers at random positions, exact
        derivatives without formulas, for large systems; finds no integrals.  "auto": numeric, and for small systems symbolic too,
        in which case the two must agree.
    depth
        Longest brackets to be tried.

    Returns
    -------
    Classification
        `.verdict .growth .degree .n_speeds .n_positions .n_integrals .integrals .rows .dependent`.  Printed, it is a report.

    Examples
    --------
    >>> import dalembert as da
    >>> found = da.classify(["y*rate(x) - x*rate(y)"], q="x y")
    >>> found.verdict, found["row 1"].exact, str(found.integrals[0])
    ('holonomic', False, 'y/x = const')
    >>> da.classify(["sin(a)*rate(x) - cos(a)*rate(y)"], q="x y a").growth
    (2, 3)
    """
    whole = as_written(model) if isinstance(model, Lagrangian) else None
    if isinstance(model, Mechanism):
        bare = model.varied(model.situation)
        for force in model.parts("force"):
            del bare._parts[force.name]  # forces, friction among them, are no conditions
        bare._impacts = {}  # nor is what holds from one side only
        model = lagrangian_of(bare)
    if isinstance(model, Lagrangian):
        asked = f"classify({model.name!r})"
        if q is not None or parameters is not None:
            raise MethodError(
                asked, "q or parameters beside a Lagrangian", "it has its own", "leave them out, or give the rows"
            )
        system = as_written(model.without_friction())
    else:
        asked = "classify(rows)"
        system = _system(asked, model, q, parameters)
    check_names(system, asked)
    starts = {x: start.value for x, start in system.starts.items() if start.value is not None}
    near = tuple({**system.guesses, **starts}.get(x, 0.0) for x in system.q)
    rows = forms_of(system.q, system.holonomic, system.nonholonomic)
    with np.errstate(all="ignore"):
        found = _classified(Pfaffian(system.name, system.q, rows, system.parameters, near), method, depth)
    return replace(found, system=whole)


def _system(asked: str, rows: Any, q: Any, parameters: Any) -> Lagrangian:
    """Bare rows as a system without energies; numbered names for rows of a list, general values for parameters without one."""
    if isinstance(rows, str | Expr) or (is_sympy(rows) and listed(rows) is None):
        rows = [rows]
    given = rows if isinstance(rows, Mapping) else listed(rows)
    if given is None:
        raise MethodError(
            asked, f"model = {shown(rows)}", "a Lagrangian or rows are needed",
            "give a da.Lagrangian, or rows as in classify(['y*rate(x) - x*rate(y)'], q='x y')",
        )  # fmt: skip
    if q is None:
        raise MethodError(
            asked, f"rows {shown(rows, 60)} without q", "the coordinates are not known", "give q='x y', all coordinates"
        )
    if parameters is not None and not isinstance(parameters, Mapping):
        names = parameters.replace(",", " ").split() if isinstance(parameters, str) else listed(parameters)
        if names is None:
            raise MethodError(
                asked, f"parameters = {shown(parameters)}", "names or values are needed", "give parameters={'r': 0.3}"
            )
        values = np.random.default_rng(3).uniform(0.6, 1.6, len(names))
        parameters = {str(name): float(value) for name, value in zip(names, values)}
    named = given if isinstance(given, Mapping) else {f"row {k + 1}": row for k, row in enumerate(given)}
    return Lagrangian(q, nonholonomic=named, parameters=parameters, name="rows")


def _classified(system: Pfaffian, method: str, depth: int) -> Classification:
    """Flags by the methods asked for, compared, and integrals."""
    smooth = all(is_smooth(a) for row in system.rows for a in row.coefficients)
    small = (
        len(system.q) <= SMALL_COORDINATES
        and len(system.rows) <= SMALL_ROWS
        and sum(a.size for row in system.rows for a in row.coefficients) <= SMALL_SIZE
    )
    if not system.rows:
        method = "numeric"
    if method == "symbolic":
        if not smooth:
            raise MethodError(
                system.asked, "method = 'symbolic' with splines, cases or kinks in the rows",
                "there is no single formula for their derivatives", "classify with method='numeric'",
            )  # fmt: skip
        _need_sympy(system.asked)
    by_formula = method == "symbolic" or (method == "auto" and small and smooth and _has_sympy())
    numeric: Flag | None = None
    if method != "symbolic":
        try:
            numeric = numeric_flag(system, depth)
        except MethodError:
            # ranks that are unclear in floating point are clear with fifty digits
            if not by_formula:
                raise
    integrals: tuple[Integral, ...] = tuple(
        Integral(row.position, row.name) for row in system.rows if row.position is not None
    )
    flag: Flag | None = None
    if by_formula:
        try:
            flag, integrals = _by_formulas(system, depth, TOO_LONG if numeric is None else LONG)
        except TooLongError:
            if numeric is None:
                raise MethodError(
                    system.asked, f"a bracket with more than {TOO_LONG} terms", "formulas of this system are too long",
                    "classify with method='numeric'",
                ) from None  # fmt: skip
    if flag is not None:
        if numeric is not None:
            _compare(system, flag, numeric)
    else:
        assert numeric is not None
        flag = numeric
        integrals = tuple(x for x in integrals if x.row in {system.rows[k].name for k in flag.kept})
    done = [name for name, used in (("symbolic", flag is not numeric), ("numeric", numeric is not None)) if used]
    return _report(system, flag, integrals, " and ".join(done))


def _has_sympy() -> bool:
    return importlib.util.find_spec("sympy") is not None


def _need_sympy(asked: str) -> None:
    if not _has_sympy():
        raise MethodError(
            asked, "method = 'symbolic'", "SymPy is not installed", "install dalembert[symbolic], or method='numeric'"
        )


def _by_formulas(system: Pfaffian, depth: int, largest: int) -> tuple[Flag, tuple[Integral, ...]]:
    flag, formulas, frame, brackets = symbolic_flag(system, depth, largest)
    search = Search(formulas, frame, brackets, flag.kept)
    found = search.run()
    made = []
    for f, row in zip(found, search.given):
        if row is not None and row.position is not None:
            made.append(Integral(row.position, row.name))
        else:
            made.append(Integral(as_expression(f, formulas.x)))
    return flag, tuple(made)


def _compare(system: Pfaffian, symbolic: Flag, numeric: Flag) -> None:
    """Both ways must find the same; the factors of dependent rows are told from one of them only."""
    if replace(symbolic, dependent=()) == replace(numeric, dependent=()):
        return
    raise MethodError(
        system.asked,
        f"by formulas {replace(symbolic, dependent=())}, by numbers {replace(numeric, dependent=())}",
        "the two ways disagree; coefficients of very different size, or a rank that random positions do not show",
        "scale coordinates and parameters towards one; method='symbolic' or 'numeric' gives the answer of one way",
    )


def _report(system: Pfaffian, flag: Flag, integrals: tuple[Integral, ...], method: str) -> Classification:
    n, rows = len(system.q), system.rows
    count = n - flag.growth[-1]
    rank = n - flag.growth[0]
    if not rows:
        verdict = "free"
    elif count == rank:
        verdict = "holonomic"
    else:
        verdict = "partly integrable" if count else "nonholonomic"
    classified = tuple(
        ClassifiedRow(row.name, row.given, row.position is not None, *kinds)
        for row, kinds in zip(rows, zip(flag.exact, flag.alone, flag.jointly))
    )
    dependent = tuple(_dependence(rows, i, shares) for i, shares in flag.dependent)
    return Classification(
        system.name, system.q, verdict, classified, flag.growth, count, integrals, dependent, system.rheonomic, method
    )


def _dependence(rows: Any, i: int, shares: tuple[tuple[int, float | None], ...]) -> str:
    name = repr(rows[i].name)
    if not shares:
        return f"{name} says nothing: its coefficients vanish"
    others = [rows[k].name for k, _ in shares]
    if any(factor is None for _, factor in shares):
        return f"{name} follows from {', '.join(map(repr, others))}"
    text = ""
    for other, (_, factor) in zip(others, shares):
        assert factor is not None
        size = "" if abs(abs(factor) - 1.0) < 1e-9 else f"{abs(factor):.6g} "
        sign = " - " if factor < 0 else " + "
        text += f"{sign if text else sign.strip() if factor < 0 else ''}{size}{other!r}"
    return f"{name} = {text}"
