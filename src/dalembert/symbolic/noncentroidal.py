"""Equations of motion of bodies about points that are not their mass centres (PLANAR 6.1.11), with the coupled mass matrix.

s' goes from the point P to the mass centre, in body axes; J_P = J' + m s'.s' in the plane, J' + m (s'.s' 1 - s' s'^T) in space.

plane   [m 1          m B s']  [r'' ]     [-m phi'^2 A s']     [F  ]          F, r'' in space axes, N about P
        [m s'^T B^T   J_P   ]  [phi'']  + [0             ]  =  [N  ]          A = A(phi), B = dA/dphi

space   [m 1    -m s'~]  [a']     [m w' x (w' x s')]     [F']                 all in body axes; a' is the acceleration of P there
        [m s'~   J_P  ]  [w'']  + [w' x J_P w'     ]  =  [N']                 (w'' the rate of w')

F is the sum of all forces on the body, reactions and weight included, and N their moment about P.  For all virtual displacements of P
and virtual rotations of the body δ.(M a + h) = δ.f (6.1.11; 6.1.18 where s' = 0); δr and δπ in space are in body axes.  A load F, n'
at the mass centre is F, n + (A s') x F in the plane and A^T F, n' + s' x A^T F in space.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import MethodError, ModelError, nearest, shown
from ..model.expression.derivative import ZERO
from ..model.frame import Point
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.parts import RigidBody
from ..model.mechanism import Mechanism
from ..model.reading import listed
from . import sp
from .derivation import plain
from .free_bodies import load_on
from .mechanism.drawing import SymbolicDrawing
from .sheet import Equation, OnSheet, Section, Sheet, line
from .simplify import tidied, tidy
from .symbols import Symbols, need_sympy
from .theory_parts import joint_of, point_of
from .unevaluated import Unevaluated
from .virtual_loads import unknown_load, variation

_AXES = "xyz"


@dataclass(frozen=True, eq=False, repr=False)
class NoncentroidalBody(Unevaluated):
    """Equations M a + h = f of one body about a point.

    Attributes
    ----------
    name, point
        The body, and the point in words.
    mass, arm, inertia
        Mass; the mass centre from the point, in body axes; inertia about the point (one number in the plane, a matrix in space).
    M, h, a, f
        Mass matrix, velocity terms, accelerations and loads, as SymPy objects.
    """

    name: str
    point: str
    mass: Any
    arm: Any
    inertia: Any
    M: Any
    h: Any
    a: Any
    f: Any
    symbols: dict[str, Any]

    @property
    def variations(self) -> tuple[Any, ...]:
        """Symbols of the virtual displacement of the point and of the virtual rotation."""
        if len(self.a) == 3:
            return tuple(variation(x.name.rstrip("'")) for x in self.a)
        tag = plain(self.name)
        return tuple(variation(f"{kind}_{tag}_{axis}") for kind in "rπ" for axis in _AXES)

    @property
    def variational(self) -> Equation:
        """Variational equation δ.(M a + h) = δ.f (PLANAR 6.1.11)."""
        work = sp.Add(*(x.right * y for x, y in zip(self.lines, self.variations)))
        return Equation(tuple(x.left for x in self.lines), work, self.variations)

    @property
    def lines(self) -> tuple[Equation, ...]:
        """Equations, one for each acceleration."""
        factors = (*self.a, sp.S.One)
        return tuple(Equation((*self.M[k, :], self.h[k]), self.f[k], factors) for k in range(self.M.rows))

    @property
    def equations(self) -> list[Any]:
        """Equations as SymPy equalities."""
        return [x.sympy for x in self.lines]


@dataclass(frozen=True, eq=False, repr=False)
class Noncentroidal(OnSheet, Unevaluated):
    """Noncentroidal equations of the bodies of a model; `form["bar"]` are those of one body."""

    model: Mechanism | Lagrangian
    bodies: dict[str, NoncentroidalBody]

    form = "noncentroidal"

    def __getitem__(self, name: str) -> NoncentroidalBody:
        if name in self.bodies:
            return self.bodies[name]
        asked = f"noncentroidal equations of {self.model.name!r}"
        raise ModelError(asked, f"body = {shown(name)}", "it is none of those written", nearest(name, self.bodies))

    def __iter__(self) -> Iterator[str]:
        return iter(self.bodies)

    def generalized(self, load: Any) -> Any:
        """Generalized force of one load on all bodies written, by its name or itself: force and moment about the point of each, beside M."""
        name, made = getattr(load, "name", load), []
        for body, (force, own, moment) in self._wrenches(name).items():
            one = self.bodies[body]
            turning = moment + sp.Matrix([*one.arm, 0][:3]).cross(own)
            made += [*force[:2, :], turning[2]] if one.M.rows == 3 else [*own, *turning]
        return tidied(sp.Matrix(made))

    def _wrenches(self, name: Any) -> dict[str, tuple[Any, Any, Any]]:
        """Force of a load in space and in body axes, and moment about the mass centre in body axes, of every body written."""
        if isinstance(self.model, Mechanism):
            from .mechanism.forms import mechanism_variational

            asked = f"generalized force of {shown(name)} in {self.model.name!r}"
            return mechanism_variational(self.model, asked).wrenches(name, self.bodies)
        model, s, found = self.model, Symbols(self.model.q), {}
        loads = {x: load for x, load in model.loads.items() if load.on in self.bodies}
        weights = [f"weight of {x}" for x in self.bodies]
        if name not in (*loads, *weights):
            raise unknown_load(model, name, [*loads, *weights])
        for body in self.bodies:
            part, force, moment = model.parts[body], sp.zeros(3, 1), sp.zeros(3, 1)
            assert isinstance(part, RigidBody)
            if name in loads and loads[name].on == body:
                force, moment = load_on(s, loads[name], part)
            elif name == f"weight of {body}":
                force = s.of(part.mass) * sp.Matrix([s.of(g) for g in model.gravity])
            found[body] = force, s.matrix(part.rotation).T * force, moment
        return found

    @property
    def M(self) -> Any:
        """Mass matrix of all bodies written, block by block."""
        return sp.diag(*[x.M for x in self.bodies.values()])

    @property
    def equations(self) -> list[Any]:
        """All equations as SymPy equalities."""
        return [x for body in self.bodies.values() for x in body.equations]

    @property
    def sheet(self) -> Sheet:
        """Sheet to write."""
        sections = []
        for body in self.bodies.values():
            tag, plane = plain(body.name), body.M.rows == 3
            words = f"$F$: all forces on the body, weight and reactions included, {'space' if plane else 'body'} axes; $N$: their moment about the point"
            if not plane:
                words += "; $a$: acceleration of the point, $@w$: angular velocity, both in body axes"
            made = [line(sp.Symbol(f"s{axis}_{tag}", real=True), x) for axis, x in zip(_AXES, body.arm)]
            made = [x for x in made if x.residual != 0]
            if plane:
                made.append(line(sp.Symbol(f"J_{tag}", real=True), body.inertia))
            sections += [
                Section(f"body {body.name!r} about {body.point}", tuple(made), (words, "$s$: mass centre from the point, body axes")),
                Section("$M a + h = f$", body.lines),
                Section("$δ.(M a + h) = δ.f$ for all virtual displacements of the point and virtual rotations", (body.variational,)),
            ]  # fmt: skip
        return Sheet(f"noncentroidal equations of {self.model.name!r}", tuple(sections))


def noncentroidal(model: Mechanism | Lagrangian, about: Any = None) -> Noncentroidal:
    """Noncentroidal equations of the bodies of a model, about points that are named, or any point."""
    asked = f"equations({model.name!r}, form='noncentroidal')"
    need_sympy(asked)
    bodies = _of_mechanism(model, asked, about) if isinstance(model, Mechanism) else _of_system(model, asked, about)
    if not bodies:
        raise MethodError(
            asked, "no rigid body", "particles turn about nothing, and energies alone have no points",
            "state a body: body(…)",
        )  # fmt: skip
    return Noncentroidal(model, {x.name: x for x in bodies})


def _of_mechanism(model: Mechanism, asked: str, about: Any) -> list[NoncentroidalBody]:
    drawing, s = SymbolicDrawing(model), Symbols(())
    made = []
    for body, at in _points_of(model, asked, about).items():
        matter = drawing.poses[body].matter
        if body.particle and about is not None:
            raise _no_particle(asked, body.name)
        if body.particle:
            continue
        arm = None if at is None else [-s.of(x) for x in drawing.place(body, at[0])]
        words = "any point of it" if at is None else at[1]
        made.append(_body(body.name, words, s.of(matter.mass), s.matrix(matter.inertia), arm, model.plane))
    return made


def _points_of(model: Mechanism, asked: str, about: Any) -> dict[Any, Any]:
    """Bodies with the points that are asked for and words for them; None: any point."""
    if about is None:
        return dict.fromkeys(model.bodies)
    if isinstance(about, Point):
        model.own(asked, about.body)
        about = {about.body: about}
    if not isinstance(about, Mapping):
        joint = joint_of(model, asked, about, "about")
        about = {body: joint for body in joint.bodies if not body.is_ground}
    found = {}
    for key, x in about.items():
        body = model.read_body(asked, key)
        if body.is_ground:
            raise MethodError(asked, "about the ground", "the ground has no equations", "name a moving body")
        found[body] = point_of(model, asked, body, x, "about")
    return found


def _of_system(model: Lagrangian, asked: str, about: Any) -> list[NoncentroidalBody]:
    bodies = {name: part for name, part in model.parts.items() if isinstance(part, RigidBody)}
    if about is not None and not isinstance(about, Mapping):
        raise MethodError(
            asked, f"about = {shown(about)}", "points by body are needed", "give about={'bar': (x, y)}, from the mass centre in body axes"
        )  # fmt: skip
    chosen: dict[Any, Any] = dict.fromkeys(bodies) if about is None else dict(about)
    s, made = Symbols(model.q), []
    for key, at in chosen.items():
        name = key.name if isinstance(key, RigidBody) else key
        if name not in bodies:
            if name in model.parts:
                raise _no_particle(asked, name)
            raise ModelError(asked, f"about {shown(key)}", "it is no body", nearest(name, bodies))
        part = bodies[name]
        out_of_plane = (part.position[2], *part.spin[:2], part.inertia[0][2], part.inertia[1][2])
        plane = all(x == ZERO for x in out_of_plane)
        arm, words = None, "any point of it"
        if at is not None:
            items = listed(at)
            if items is None or len(items) not in (2, 3):
                why = "a point is two or three numbers or expressions"
                raise MethodError(asked, f"about {name!r}: {shown(at)}", why, "give about={'bar': (x, y)}")
            point = [s.of(x) for x in model._vector(f"point of {name!r}", items)]
            arm, words = [-x for x in point], f"the point ({', '.join(str(x) for x in items)}) from its mass centre"
        made.append(_body(name, words, s.of(part.mass), s.matrix(part.inertia), arm, plane))
    return made


def _body(name: str, words: str, mass: Any, inertia: Any, arm: Any, plane: bool) -> NoncentroidalBody:
    """M, h and f of one body; the arm is symbols where any point is meant."""
    tag = plain(name)

    def symbols(*names: str) -> list[Any]:
        return [sp.Symbol(x, real=True) for x in names]

    axes = _AXES[:2] if plane else _AXES
    given = arm if arm is not None else symbols(*(f"s{x}_{tag}" for x in axes))
    s = sp.Matrix([tidy(x) for x in given[: len(axes)]])
    F = symbols(*(f"F_{tag}_{x}" for x in axes))
    if plane:
        phi, rate, *a = symbols(f"phi_{tag}", f"phi_{tag}'", f"x_{tag}''", f"y_{tag}''", f"phi_{tag}''")
        A = sp.Matrix([[sp.cos(phi), -sp.sin(phi)], [sp.sin(phi), sp.cos(phi)]])
        across, J = mass * A.diff(phi) * s, tidy(inertia[2, 2] + mass * (s.T * s)[0])
        M = sp.Matrix([[mass, 0, across[0]], [0, mass, across[1]], [across[0], across[1], J]])
        h = sp.Matrix([*(-mass * rate**2 * A * s), 0])
        f = [*F, *symbols(f"N_{tag}")]
        known = [phi, rate]
    else:
        w = symbols(*(f"w{x}_{tag}" for x in axes))
        a = symbols(*(f"a{x}_{tag}" for x in axes), *(f"w{x}_{tag}'" for x in axes))
        spin = sp.Matrix(w)
        tilde = s.hat()
        J = tidied(inertia + mass * ((s.T * s)[0] * sp.eye(3) - s * s.T))
        M = (mass * sp.eye(3)).row_join(-mass * tilde).col_join((mass * tilde).row_join(J))
        h = (mass * spin.cross(spin.cross(s))).col_join(spin.cross(J * spin))
        f = [*F, *symbols(*(f"N_{tag}_{x}" for x in axes))]
        known = w
    every = {x.name: x for x in (*known, *a, *f)}
    return NoncentroidalBody(
        name, words, mass, s, J, tidied(M), tidied(h), sp.Matrix(a), sp.Matrix(f),
        every | {x.name: x for x in sp.Matrix([mass, *s]).free_symbols | sp.sympify(J).free_symbols},
    )  # fmt: skip


def _no_particle(asked: str, name: str) -> MethodError:
    return MethodError(asked, f"the particle {name!r}", "a particle has one point only", "name a body")
