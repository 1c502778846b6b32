"""A driven mechanism on its path: rows from the memory of the kernels, velocities of bodies, drivers and coordinates by name."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import ModelError
from ...kernels.driven import Frame, Points, Scratch, carried, follow
from ...kernels.memory import put_called
from ...kernels.operate import ROWS
from ...kernels.through import address_of, is_compiled
from ...model.mechanism import Mechanism
from ...model.output_units import read_units
from ...state import State
from ...system.rows import mass_blocks, scale_blocks, slots_of
from ...system.system import compile
from ..dynamics.prepared import Prepared
from ..events.grips import driven_friction
from ..pose.pose import Pose
from .path import CORRECTION, STEP, Path, Point, _solve

if TYPE_CHECKING:
    from ...system.system import System


class BodyPath(Path):
    """Bodies with joints and drivers; J is sparse, and scaled by what is constant."""

    system: System
    _frame: Frame | None = None
    locked = 0.0  # it is located

    def __init__(self, prepared: Prepared, asked: str) -> None:
        system, state = cast("System", prepared.system), prepared.state
        pose = Pose(system, state.t, state.q, state.v, state.angles)
        super().__init__(prepared, asked, pose)
        self._mass = pose.mass
        self._memory = SimpleNamespace(I=system.I, F=pose.work.F)
        # friction that the motion gives no direction: when first, and what it holds at most
        self.undecided = dict[str, tuple[float, float]]()
        # where the kernels keep the rows
        width, slots = system.builder.width, slots_of(system)
        held = slice(0, int(slots.first[system.n_rows]))
        row, columns = slots.row[held, None], width * slots.body[held, None] + np.arange(width)
        self._place = slots.place[held, None] + np.arange(width)
        # blocks that turn them into scaled rows, and where their entries go in these; a body appears once in a row
        number = np.full(system.nv, -1)
        number[self.active] = np.arange(len(self.active))
        sizes = np.zeros(system.nv)
        sizes[self.active] = self.columns
        block = scale_blocks(system)[slots.body[held]]
        self._blocks = (self.scale[row] * sizes[columns])[:, :, None] * block
        self._entries = np.flatnonzero(number[columns] >= 0)
        self._targets = (row * len(self.active) + number[columns]).ravel()[self._entries]
        laws = system.builder.laws
        if not self._frictions and is_compiled(system.entry) and all(law.law.function is None for law in laws):
            self._frame = Frame(
                slots.row[held].copy(), slots.place[held].copy(), number[columns].ravel(), self._blocks.ravel(), self.scale, self.active,
                self.columns, scale_blocks(system).ravel(), mass_blocks(system).ravel(), system.driven_rows,
                np.array([STEP, CORRECTION, prepared.disagreement, 1e-9 + 10.0 * prepared.disagreement]),
            )  # fmt: skip

    def rows(
        self, t: float, q: np.ndarray, v: np.ndarray, angles: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Scaled phi, J, nu, gamma at a state."""
        pose, work = self.pose, self.pose.work
        pose.t, pose.q, pose.v = t, q, v
        work.angle[:], work.angle_rate[:], work.angle_time[0] = angles, 0.0, t
        pose.operate(ROWS)
        self.evaluations += 1
        scaled = np.zeros((self.system.n_rows, len(self.active)))
        scaled.ravel()[self._targets] = (self._blocks @ work.F[self._place][:, :, None]).ravel()[self._entries]
        nu = self.scale * (work.drive[1::3] - work.partial[: self.system.n_rows])
        gamma = self.scale * (work.drive[2::3] - work.bias[: self.system.n_rows])
        return self.scale * work.y, scaled, nu, gamma

    def along(self, p: Point, times: np.ndarray) -> Iterator[Point]:
        """Many at once, as long as nothing asks for more care."""
        if self._frame is None:
            yield from super().along(p, times)
            return
        n, done = len(self.active), 0
        most = max(1, min(256, 30_000_000 // n**3))
        while done < len(times):
            t = np.concatenate([[p.t], times[done : done + most]])
            points = self._room(t)
            for x, y in zip(points[1:], (p.q, p.v, p.a, p.angles)):
                x[: len(y)] = y
            work = self._scratch()
            reached = int(
                follow(self._address, self._frame, work, self.system.I, self.system.P, self.pose.work.F, points)
            )
            for name, x in zip(("evaluations", "steps", "rejected"), work.counted):
                setattr(self, name, getattr(self, name) + int(x))
            rows = [x.reshape(len(t), -1) for x in points[1:]]
            for k in range(1, reached + 1):
                p = Point(float(t[k]), *(x[k] for x in rows), self)  # type: ignore[call-arg]
                yield p
            done += reached
            if self.report is not None:
                self.report(p.t)
            if reached < len(t) - 1:
                p, done = self.follow(p, float(times[done])), done + 1
                yield p

    def loads(self, points: list[Point], lam: np.ndarray, force: np.ndarray, power: np.ndarray) -> None:
        """Many at once; at points where the rows are nearly dependent by themselves."""
        if self._frame is None:
            super().loads(points, lam, force, power)
            return
        many, done = self._room(np.array([p.t for p in points])), 0
        for x, name in zip(many[1:], ("q", "v", "a", "angles")):
            x[:] = np.concatenate([getattr(p, name) for p in points])
        given = self._frame, self._scratch(), self.system.I, self.system.P, self.pose.work.F, many
        found = [x.ravel() for x in (lam, force, power)]
        while (done := int(carried(self._address, *given, found[0], found[1], found[2], done))) < len(points):
            super().loads(points[done : done + 1], *(x[done : done + 1] for x in (lam, force, power)))
            done += 1

    @property
    def _address(self) -> Any:
        return address_of(self.system.entry, self.system.I)

    def _room(self, t: np.ndarray) -> Points:
        return Points(
            t,
            *(
                np.zeros(len(t) * n)
                for n in (self.system.nq, self.system.nv, self.system.nv, len(self.pose.work.angle))
            ),
        )

    def _scratch(self) -> Scratch:
        s, rows, n, angles = self.system, self.system.n_rows, len(self.active), len(self.pose.work.angle)
        point = (s.nq, s.nv, s.nv, angles, rows * n)
        return Scratch(*map(np.zeros, (*point, *point, n * n, n * n, n * n, rows, rows, n, n, s.nv, 3)))

    @property
    def mass(self) -> Any:
        """Constant: velocities are those of mass centres."""
        return self._mass

    def multipliers(self, p: Point) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations of the path, and J^T lam = Q - M a with all rows: redundant ones share their load."""
        u, s, vt = p.svd
        self.rows(p.t, p.q, p.v, p.angles)
        system, work = self.system, self.pose.work

        def balance() -> np.ndarray:
            # gravity, elements, gyroscopic moments, minus inertia
            rest = self.pose.force - self._mass @ p.a
            return np.asarray(self.scale * _solve((vt.T, s, u.T), self.columns * rest[self.active]))

        lam = balance()
        if self._frictions:
            friction = driven_friction(self._frictions, self.pose, p.a, self.asked)
            friction.find(self._memory, p.t, balance)
            for name, most in friction.undecided().items():
                self.undecided.setdefault(name, (p.t, most))
            lam = balance()
        drivers = system.driven_rows
        work.power[system.n_laws :] = -(lam * (work.drive[1::3] - work.partial[: system.n_rows]))[drivers]
        return p.a, lam

    def recall(self, forces: np.ndarray) -> None:
        """Friction has forces that were found before."""
        for n, law in enumerate(self.system.builder.laws):
            if law.law.kind == "slip":
                put_called(self.system.I, self.pose.work.F, n, float(forces[n]))

    def unit_motion(self, p: Point, row: int) -> np.ndarray:
        """Redundant rows share the unit rate."""
        unit = np.zeros(self.system.n_rows)
        unit[row] = self.scale[row]
        return self.full(_solve(p.svd, unit))

    def farthest(self, q: np.ndarray) -> float:
        """Radians or lengths of the model."""
        return STEP

    def off(self, size: float) -> float:
        """Likewise."""
        return CORRECTION

    def where(self, q: np.ndarray) -> str:
        """The first bodies with their mass centres."""
        return ", ".join(_pose_text(self.system, q)[:6])

    def coordinates(self, state: State, free: np.ndarray) -> list[str]:
        """Of joints on the ground first, then of other joints, named measures, bodies."""
        return free_coordinates(self.system.model, state, self.full, free)

    def undriven(self, free: np.ndarray) -> ModelError:
        """Error with a coordinate to drive."""
        model, n = self.system.model, free.shape[1]
        names = self.coordinates(self.prepared.state, free)
        have = len(self.system.driver_names)
        first = next((name for name in names if model.find_measure(name) is not None), None)
        do = f"drive {'them' if n > 1 else 'it'} as well: m.drive('motor', {first!r}, 'expression of t')"
        if first is None:
            # no coordinate shows it: mostly a rod that turns about itself between two spherical joints
            do = "hold it (make a spherical joint universal), or drive m.measure('roll', angle=(body, other), axis=direction)"
        listed = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
        return ModelError(
            self.asked,
            f"{n} freedom{'s are' if n > 1 else ' is'} not driven: {listed} can still move ({have} driver{'s' if have != 1 else ''} given)",
            "positions over time follow from the drivers alone only when there is one for every degree of freedom",
            f"{do}; to let a mechanism move by its forces, use da.simulate",
        )


def free_coordinates(model: Mechanism, state: State, full: Any, free: np.ndarray) -> list[str]:
    """As many coordinates as there are free directions (scaled columns), independent of each other.

    Joints on the ground come first, then other joints, named measures, bodies; rotations in space that no measure shows are called
    "body about x".
    """
    drivers = {part.name for part in model.parts("driver")}
    grounded = {part.name for part in model.parts("joint") if model.ground in part.bodies}
    joints = {part.name for part in model.parts("joint")}

    def rank(name: str) -> int:
        part = name.rpartition(".")[0]
        return 0 if part in grounded & joints else 1 if part in joints else 3 if part in model else 2

    known = [(n, model.find_measure(n)) for n in model.measure_names() if n.rpartition(".")[0] not in drivers]
    measures = [(n, m) for n, m in known if m is not None and not m.is_rate and m.kind != "expression"]
    measures.sort(key=lambda item: rank(item[0]))
    system = compile(model, extra=tuple(m for _, m in measures))
    pose = Pose(system, state.t, state.q, state.v)
    motion = np.array([full(w) for w in free.T]).T
    rates = {n: pose.measure(m)[1] @ motion / (system.length if m.unit == "m" else 1.0) for n, m in measures}
    if not system.plane:
        turns = {
            f"{name} about {'xyz'[k]}": motion[6 * b + 3 + k]
            for b, name in enumerate(system.body_names)
            for k in range(3)
        }
        rates.update(turns)
    # free directions have unit size: below this it is rounding
    least = max(1e-3 * max((float(np.linalg.norm(x)) for x in rates.values()), default=0.0), 1e-6)
    found: list[str] = []
    basis: list[np.ndarray] = []
    for name, rate in rates.items():
        # what it adds to those found before (Gram-Schmidt)
        rest = rate - sum(((rate @ b) * b for b in basis), np.zeros(len(rate)))
        size = float(np.linalg.norm(rest))
        if size > least and len(found) < free.shape[1]:
            found.append(name)
            basis.append(rest / size)
    return found


def _pose_text(system: System, q: np.ndarray) -> list[str]:
    """Bodies with their mass centres (and angles) in words."""
    stride = 3 if system.plane else 7
    unit, factor = read_units("pose", system.model.units).of("m")
    texts = []
    for b, name in enumerate(system.body_names):
        x = q[stride * b : stride * b + stride]
        # round-off shows as zero
        x = np.where(np.abs(x) < 1e-7 * max(1.0, float(system.length)), 0.0, x)
        place = ", ".join(f"{factor * c:.5g}" for c in x[: 2 if system.plane else 3])
        texts.append(f"{name} ({place}) {unit}" + (f" at {x[2]:.5g} rad" if system.plane else ""))
    return texts
