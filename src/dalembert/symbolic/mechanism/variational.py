"""The variational equation of a mechanism in absolute coordinates, with the virtual work of every force element by its name.

plane   δq.(M q'' - Q) = 0              Phi_q δq = 0                      PLANAR 6.1.18, 6.2.5, 6.3.3, 6.3.5
space   δr.(m r'' - F) + δπ.(J' w'' + w' x J' w' - n') = 0     Phi_r δr + Pi δπ = 0     SPATIAL (1); δπ: virtual rotation, body axes
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...model.body import Body
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from .. import sp
from ..derivation import plain
from ..sheet import Equation, Section, Sheet, line, named
from ..symbols import Symbols
from ..virtual_loads import ByLoads, LoadWork, load_work, variation
from .convert import ABSOLUTE
from .drawing import expression
from .forms import MechanismEquations, mechanism_equations
from .written import Written

_LETTERS = {"velocity": "r_", "spin": "π_"}  # virtual displacements of points, virtual rotations


@dataclass(frozen=True, eq=False, repr=False)
class MechanismVariational(ByLoads, MechanismEquations):
    """Variational equation of a mechanism in absolute coordinates.

    `brackets` are M a - Q, which multiply `variations`: δx, δy, δphi of every body in the plane, δx, δy, δz and the virtual rotation δπ in
    its axes in space.  `virtual_work["S"]` is δW of a force element, `virtual_displacements` the δr, δπ and δl in it, `generalized("S")` its
    generalized force; weights are "weight of bar".
    """

    @cached_property
    def variations(self) -> tuple[Any, ...]:  # type: ignore[override]
        """Symbols of the virtual displacements, one for each velocity."""
        # rate(x_bar), and wx_bar of what turns
        return tuple(variation(x[5:-1] if x.startswith("rate(") else f"π_{x[1:]}") for x in self.functions.v)

    @cached_property
    def brackets(self) -> Any:
        """M a - Q, which is zero along every displacement that the joints allow."""
        return self.M * sp.Matrix(self.a) - self.Q

    @cached_property
    def works(self) -> tuple[LoadWork, ...]:  # type: ignore[override]
        """Virtual work of every load."""
        return tuple(x for x in self._works() if x is not None)

    def _works(self) -> Iterator[LoadWork | None]:
        source = self.source
        assert isinstance(source, Written)
        names = list(dict.fromkeys(law.part for law in source.laws))
        for name in names:
            own = [k for k, law in enumerate(source.laws) if law.part == name]
            force = [-self._made["law"][k] for k in own]
            rows = [self._made["law_rows"][k, :] for k in own]
            yield load_work(name, force, [_moved(source.laws[k].measure) for k in own], rows)
        s, one_each = Symbols(()), sp.eye(len(self.variations)).tolist()
        for body, (linear, _) in zip(self.model.bodies, self._columns):
            mass = s.of(source.coordinates.drawing.poses[body].matter.mass)
            force = [mass * s.of(expression(x)) for x in self.model.gravity[: len(linear)]]
            rows = [one_each[k] for k in linear]
            yield load_work(f"weight of {body.name}", force, [self.variations[k] for k in linear], rows)

    def wrenches(self, load: Any, bodies: Iterable[str]) -> dict[str, tuple[Any, Any, Any]]:
        """Force of a load in space and in body axes, and moment about the mass centre in body axes, of bodies."""
        Q, found = self.generalized(load), {}
        for body, (linear, turning) in zip(self.model.bodies, self._columns):
            if body.name in bodies:
                force = sp.Matrix([*(Q[k] for k in linear), 0][:3])
                moment = sp.Matrix([0, 0, *(Q[k] for k in turning)][-3:])
                own = self._bodies[body.name].rotation.T * force
                found[body.name] = force, self._of_unit(body, own), self._of_unit(body, moment)
        return found

    def _of_unit(self, body: Body, x: Any) -> Any:
        """Polynomials of Euler parameters with p^T p = 1."""
        p = [Symbols(()).of(e) for e in self.source.coordinates.poses[body].parameters or ()]
        norm = sum((e**2 for e in p), sp.S.NegativeOne)
        return x.applyfunc(lambda y: sp.rem(y, norm, p[0]) if p and y.is_polynomial(*p) else y)

    # -- to read -------------------------------------------------------------------------------------------------------------

    @cached_property
    def _lines(self) -> tuple[tuple[Equation, ...], tuple[Equation, ...]]:
        allowed = tuple(Equation(tuple(self.J[r, :]), sp.S.Zero, self.variations) for r in range(self.J.rows))
        return (Equation(tuple(self.brackets), sp.S.Zero, self.variations),), allowed

    @property
    def admissible(self) -> list[Any]:
        """Phi_q δq = 0 as equalities."""
        return [x.sympy for x in self._lines[1]]

    @cached_property
    def sheet(self) -> Sheet:  # type: ignore[override]
        """Title and sections."""
        motion, allowed = self._lines
        words = "" if self.model.plane else "; $δπ$: virtual rotation, body axes"
        held = tuple(line(x, 0) for x in self.phi if x != 0)
        whole = " for all $δq$" + (" that the joints allow" if allowed else "")
        return Sheet(f"variational equation of motion of {self.model.name!r}", (
            Section("absolute coordinates", (), (f"$δq$: {named(x.name for x in self.variations)}{words}", *self.remarks)),
            *self._load_sections(),
            Section(f"$δq.(M q'' - Q) = 0${whole}", motion),
            Section("they allow $Phi_q δq = 0$" if self.model.plane else "they allow $Phi_r δr + Pi δπ = 0$", allowed),
            Section("constraints $Phi = 0$", held),
        ))  # fmt: skip


def _moved(measure: Measure) -> Any:
    """Virtual displacement of a measure under a law: δr_F_x, δπ_T_z, δS_length."""
    return variation(_LETTERS.get(measure.kind, "") + plain(measure.name))


def mechanism_variational(model: Mechanism, asked: str) -> MechanismVariational:
    """Variational equation of a mechanism."""
    made = mechanism_equations(model, ABSOLUTE, asked)
    return MechanismVariational(model, "variational", made.functions, made.remarks, made.source)
