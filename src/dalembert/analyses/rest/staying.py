"""Whether dry friction holds a position of a model with several free motions, and how far from its limits.

    J^T lam + sum of j_k^T T_k = Q,        |T_k| <= c static_k N_k(lam)

Along the free motions Z (J Z = 0) this is  B T = Z^T Q  with  B = Z^T [j_k^T];  the multipliers follow from T.  The smallest c with which such T exist says how much of the friction
is used: up to 1 the position stays.  Where there are as many frictions as free motions T is unique; of more of them c is that of a linear program, for every choice of the sides on which
what presses does so.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, SingularError
from ...model.events import AT_REST
from ...model.expression import Name
from ...model.lagrangian import Lagrangian
from ...state import State
from ...system.lagrange import compile_lagrangian
from ...system.subspaces import factor, null_space, unit_rows
from ..dynamics.pressure import coefficients, felt_rows, pads_of, refuse_shared
from ..dynamics.start import at_state
from .held import PLACES, Held, RestRange, RestRanges, ranges_of, refuse_many

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism
    from ..lagrangian.point import Point
    from ..pose.pose import Pose

# part of the largest force that may be left unbalanced, and what a share may miss 1 by
ROUNDING = 1e-9
# sides of what presses that are tried: 2^6; shares that are tried first, and halvings of the one that is used
SIDES, SHARES, HALVINGS = 6, (1.0, 10.0, 1e3, 1e6), 45


@dataclass(frozen=True, eq=False, repr=False)
class RestPlace(RestRanges):
    """Whether a model with several free motions stays where it is by dry friction.

    Attributes
    ----------
    state
        The position.
    used
        The part of its friction that is needed, at least: it stays up to 1; infinite where no friction holds a free motion that is not balanced.
    forces, limits
        Of every friction the force along what slips that does it, and the largest that it may have there.
    ranges
        Around a position that stays: of everything that slips, alone, the others where they are (`.coordinate`).
    """

    state: State = field(default_factory=lambda: State(0.0, np.zeros(0), np.zeros(0)))
    used: float = math.inf
    forces: dict[str, float] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)

    @property
    def stays(self) -> bool:
        """Whether friction can hold it."""
        return self.used <= 1.0 + ROUNDING

    def __contains__(self, x: float) -> bool:
        raise MethodError(
            f"{x} in rest positions of {self.model.name!r}", "ranges of several coordinates", "a number does not say of which",
            "ask one range: any(x in one for one in found if one.coordinate == 'a')",
        )  # fmt: skip

    def __repr__(self) -> str:
        lines = [f"position of {self.model.name!r} with dry friction: it {'stays' if self.stays else 'does not stay'}"]
        if math.isfinite(self.used):
            lines[0] += f", {self.used:.6g} of the friction is needed"
        lines += [f"  {name}: {x:.6g} of at most {self.limits[name]:.6g}" for name, x in self.forces.items()]
        lines += [f"  {one.coordinate} alone: {one.low:.6g} ... {one.high:.6g}" for one in self.ranges]
        return "\n".join([*lines, self.note] if self.note else lines)


@dataclass(frozen=True)
class _Program:
    """Forces T + free y with +-(T_k + F_k y) <= share static_k N_k, what presses on its sides:  side (x + m y) >= 0,  N_k = sum of these, or 1."""

    T: np.ndarray
    free: np.ndarray
    static: np.ndarray
    constant: np.ndarray
    press: list[tuple[int, float, np.ndarray]]
    sides: tuple[float, ...]

    def within(self, share: float) -> np.ndarray | None:
        """Some y with a share; None where there are none."""
        from scipy.optimize import linprog

        n, M, above, limit = self.constant.copy(), np.zeros(self.free.shape), list[Any](), list[Any]()
        for side, (k, x, m) in zip(self.sides, self.press):
            n[k] += side * x
            M[k] += side * m
            above.append(-side * m)
            limit.append(side * x)
        for sign in (1.0, -1.0):
            above += list(sign * self.free - share * self.static[:, None] * M)
            limit += list(share * self.static * n - sign * self.T)
        size = max(float(np.max(np.abs(limit))), 1e-300)
        # the farthest inside of all limits, so that rounding does not decide
        count, rows = self.free.shape[1], np.column_stack([np.array(above), np.ones(len(above))])
        bounds = [*[(None, None)] * count, (-1.0, 1.0)]
        made = linprog([*np.zeros(count), -1.0], rows, np.array(limit) / size, bounds=bounds, method="highs")
        return np.asarray(size * made.x[:-1]) if made.status == 0 and made.x[-1] >= -ROUNDING else None

    def least(self) -> float:
        """The smallest share with which there are some."""
        low, high = 0.0, next((x for x in SHARES if self.within(x) is not None), math.inf)
        for _ in range(HALVINGS if math.isfinite(high) else 0):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.within(middle) is not None else (middle, high)
        return high


@dataclass(frozen=True)
class _Balance:
    """B T = c, and multipliers lam0 + L T."""

    B: np.ndarray
    c: np.ndarray
    lam: np.ndarray
    L: np.ndarray
    size: float  # of forces


def rest_place(asked: str, model: Mechanism | Lagrangian, start: State | None, turns: float, t: float) -> RestPlace:
    """Whether a position stays, and around it the ranges of what slips, one at a time."""
    refuse_many(asked, model.frictions)
    still = Still(asked, model, start, t)
    used, forces, limits = still.at(still.here)
    found = RestPlace(
        model, "", "", (), (-math.inf, math.inf), state=still.here.state, used=used, forces=forces, limits=limits
    )
    if not math.isfinite(used):
        note = "a free motion that no friction acts along is not balanced: give a start in which it is"
        return replace(found, note=note)
    ranges = [one for k in range(len(still.moving)) for one in still.ranges(k, turns)] if found.stays else []
    return replace(found, ranges=tuple(ranges))


class Still:
    """A model with friction at rest, which is moved along one thing that slips at a time."""

    def __init__(self, asked: str, model: Mechanism | Lagrangian, start: State | None, t: float) -> None:
        self.asked, self.model, self.t = asked, model, t
        self.variant: Mechanism | Lagrangian
        if isinstance(model, Lagrangian):
            slips = tuple((one.name, AT_REST) for one in model.frictions)
            self.variant = model.varied(replace(model.situation, slips=slips))
        else:
            self.variant = model.without_starts() if start is not None else model
        here = at_state(self.variant, start, asked, t=t)
        self.here = self._at_rest(here.state)
        self.elements: list[Any] = self.here.system.model.frictions or model.frictions
        many = next((one for one in self.elements if len(one.slips) > 1), None)
        if many is not None:
            raise MethodError(
                asked, f"friction {many.name!r} with {len(many.slips)} components, and several free motions", "what it holds is a disk of forces, and not a range",
                "hold all but one free motion by drivers, joints or rows, or let it come to rest in da.simulate",
            )  # fmt: skip
        # what slips, as far as it is independent: together with the others at their places it says where the model is
        rows = np.array([self.here.measure(one.on)[1] for one in self.elements])
        moving = rows @ null_space(unit_rows(self.here.dense_jac)[0])
        rank, kept = 0, list[int]()
        for k in range(len(self.elements)):
            if factor(unit_rows(moving[[*kept, k]])[0]).rank > rank:
                kept, rank = [*kept, k], rank + 1
        self.moving: list[Any] = [self.elements[k] for k in kept]

    def _at_rest(self, state: State) -> Any:
        still = replace(state, v=np.zeros_like(state.v))
        return at_state(self.variant, still, self.asked, consistent=False)

    # -- a position ------------------------------------------------------------------------------------------------------

    def at(self, here: Pose | Point, most: float | None = None) -> tuple[float, dict[str, float], dict[str, float]]:
        """How much of the friction is needed at a position, or some share up to `most`; with which forces, and what they may be."""
        refuse_shared(self.asked, self.elements, here)
        static = np.array([coefficients(one, here, 0.0, True)[1] for one in self.elements])
        b = self._balance(here)
        T, _, _, _ = np.linalg.lstsq(b.B, b.c, rcond=1e-10)
        if float(np.max(np.abs(b.B @ T - b.c), initial=0.0)) > ROUNDING * b.size:
            return math.inf, {}, {}
        free = null_space(b.B, 1e-10)
        if free.shape[1]:
            T = self._least(here, b, T, free, static, most)
        limits = static * self._pressures(here, b.lam + b.L @ T)
        none = ROUNDING * b.size
        shares = [abs(x) / y if y > 0.0 else 0.0 if abs(x) <= none else math.inf for x, y in zip(T, limits)]
        names = [one.name for one in self.elements]
        return max(shares, default=0.0), dict(zip(names, map(float, 0.0 - T))), dict(zip(names, map(float, limits)))

    def _balance(self, here: Pose | Point) -> _Balance:
        unit = here.system.unit_of_velocity
        rows, size = unit_rows(here.dense_jac * unit)
        force = here.force * unit
        G = np.array([here.measure(one.on)[1] * unit for one in self.elements]).T
        z, back = null_space(rows), np.linalg.pinv(rows.T, rcond=1e-10) / size[:, None]
        return _Balance(z.T @ G, z.T @ force, back @ force, -back @ G, float(np.max(np.abs(force), initial=1e-300)))

    def _pressures(self, here: Pose | Point, lam: np.ndarray) -> np.ndarray:
        return np.array([1.0 if one.mu is None else sum(
            float(np.linalg.norm(pad @ lam[felt_rows(one, here.system)])) for pad in pads_of(one, here.system)
        ) for one in self.elements])  # fmt: skip

    def _least(
        self, here: Pose | Point, b: _Balance, T: np.ndarray, free: np.ndarray, static: np.ndarray, most: float | None
    ) -> np.ndarray:
        """Of the forces T + free y those that use the smallest share of the friction; any that use at most the share `most`, if it is given."""
        pressing = [
            (k, pad, felt_rows(one, here.system))
            for k, one in enumerate(self.elements)
            if one.mu is not None
            for pad in pads_of(one, here.system)
        ]
        if any(len(pad) > 1 for _, pad, _ in pressing):
            raise MethodError(
                self.asked, f"{len(self.elements)} frictions for {b.B.shape[0]} free motions, one of them pressed by a vector of forces",
                "which forces of friction hold is not determined, and what presses is no linear function of them", "hold a free motion, or leave a friction out, so that there are as many of one as of the other",
            )  # fmt: skip
        if len(pressing) > SIDES:
            found = f"{len(pressing)} things that press, for {b.B.shape[0]} free motions"
            raise MethodError(self.asked, found, "every choice of their sides is tried", f"at most {SIDES}")
        constant = np.array([float(one.mu is None) for one in self.elements])
        press = [(k, pad[0] @ (b.lam + b.L @ T)[rows], pad[0] @ (b.L @ free)[rows]) for k, pad, rows in pressing]
        best, least = T, math.inf
        for sides in itertools.product((1.0, -1.0), repeat=len(press)):
            program = _Program(T, free, static, constant, press, sides)
            share = program.least() if most is None else most
            y = program.within(share) if share < least else None
            if y is not None:
                best, least = T + free @ y, share
        return best

    # -- ranges ----------------------------------------------------------------------------------------------------------

    def ranges(self, k: int, turns: float) -> list[RestRange]:
        """Where it stays around the position along one thing that slips, the others where they are."""
        one, values = self.moving[k], [float(self.here.measure(x.on)[0]) for x in self.moving]
        unit, name = getattr(one.on, "unit", ""), getattr(one.on, "name", str(one.on))
        span = math.pi * turns if unit == "rad" else 2.0 * turns * max(self.here.system.length, abs(values[k]))
        step, place = span / (PLACES // 2), self._places(k, values)

        def limits(x: float, near: State) -> Held | None:
            """What of the friction is needed beyond all of it."""
            try:
                state = place(x, near)
                return Held(x, self.at(self._at_rest(state), 1.0)[0] - 1.0 - ROUNDING, math.inf, state)
            except SingularError:
                return Held(x, -math.inf, math.inf, near)
            except (DalembertError, np.linalg.LinAlgError):
                return None

        found = [Held(values[k], -math.inf, math.inf, self.here.state)]
        for way in (-1.0, 1.0):
            near, outside = self.here.state, list[Held]()
            for n in range(1, PLACES // 2 + 1):
                there = limits(values[k] + way * n * step, near)
                outside += [] if there is None else [there]
                if there is None or not there.rests:
                    break
                near = there.pose
            found = [*reversed(outside), *found] if way < 0.0 else [*found, *outside]
        return [replace(x, coordinate=name) for x in ranges_of(found, limits, step)]

    def _places(self, k: int, values: list[float]) -> Any:
        """Moves one thing that slips to a place, the others where they are."""
        if not isinstance(self.model, Lagrangian):
            from ..assemble import assemble

            bare, fixed = self.model.without_starts(), {x.on.name: v for x, v in zip(self.moving, values)}
            return lambda x, near: assemble(bare, fixed=fixed | {self.moving[k].on.name: x}, start=near).state
        from ..lagrangian.point import Point

        what = "place of what slips"
        locked = [(f"held {n}", one.what - (Name.of_measure(what) if n == k else v), 0.0) for n, (one, v) in enumerate(zip(self.moving, values))]  # fmt: skip
        now = self.variant.situation
        held: Any = self.variant.varied(replace(now, locked=(*now.locked, *locked)), {what: values[k]})
        system = compile_lagrangian(held, self.asked).own()
        number = list(system.model.parameters).index(what)

        def place(x: float, near: State) -> State:
            point = Point(system, self.t, near.q.copy(), np.zeros_like(near.v))
            point.work.F[number] = x
            point.scales()
            if not point.onto() <= ROUNDING:
                raise MethodError(self.asked, f"{what} at {x:g}", "the rows cannot hold there", "give a better start")
            return replace(near, q=point.q.copy())

        return place
