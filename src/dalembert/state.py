"""State: where a system is at one instant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import MethodError, checked_call, shown, unknown_attribute


@dataclass(frozen=True, eq=False)
class State:
    """Time, configuration and velocity of a system.

    Attributes
    ----------
    t
        Time [s].
    q
        Configuration of each body: mass centre and angle in the plane, mass centre and unit quaternion (scalar first)
        in space.
    v
        Velocity: that of the mass centre and the angular velocity (in space: in body axes) of each body.
    angles
        Counted angles of joints in space, turns included; empty in the plane, where angles are coordinates.
    bodies
        Names of the bodies, in the order of q and v.
    z
        Auxiliary states (`m.state`), in the order of the model; empty: at their initial values.
    """

    t: float
    q: np.ndarray
    v: np.ndarray
    angles: np.ndarray = field(default_factory=lambda: np.zeros(0))
    bodies: tuple[str, ...] = ()
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        for name in ("t", "q", "v", "angles", "z"):
            given = getattr(self, name)
            try:
                read = np.asarray(given)
                if read.dtype.kind not in "iuf" and read.size > 0:
                    raise TypeError
                read = np.ascontiguousarray(read, dtype=float)
            except (TypeError, ValueError):
                read = np.full((1, 1), np.nan)
            if read.ndim > 1 or (name == "t" and (np.ndim(given) or not np.isfinite(read).all())):
                what = "one finite number" if name == "t" else "a list of numbers"
                why = f"{what} is needed"
                raise MethodError("State", f"{name} = {shown(given)}", why, "give State(t, q, v), or use run.at(t)")
            object.__setattr__(self, name, float(read.item()) if name == "t" else np.atleast_1d(read))

        if not isinstance(self.bodies, tuple | list) or not all(isinstance(name, str) for name in self.bodies):
            found = f"bodies = {shown(self.bodies)}"
            raise MethodError("State", found, "names of bodies are needed", "leave them out, or use run.at(t)")
        object.__setattr__(self, "bodies", tuple(self.bodies))

    __iter__ = None

    def copied(self) -> State:
        """The same state in arrays of its own."""
        made = object.__new__(State)
        for name, x in self.__dict__.items():
            object.__setattr__(made, name, x.copy() if isinstance(x, np.ndarray) else x)
        return made

    def __getattr__(self, name: str) -> Any:
        raise unknown_attribute(self, "a State", name, "ask da.instant(m, state) for quantities of parts")

    def __getitem__(self, name: Any) -> Any:
        """Refused with a hint: a state is numbers, and does not know the model that they belong to."""
        found, do = "a state holds t, q, v and the names of the bodies", f"ask da.instant(m, state)[{shown(name)}]"
        raise MethodError(f"State[{shown(name)}]", found, "places and rates of parts need the model as well", do)

    def check(self, asked: str, plane: bool, names: tuple[str, ...]) -> None:
        """Refuse a state that does not fit a mechanism with these bodies."""
        if self.bodies and tuple(self.bodies) != names:
            found, do = f"start has the bodies {', '.join(self.bodies[:6])}", "use a state of the same mechanism"
            raise MethodError(asked, found, f"the mechanism has {', '.join(names[:6])}", do)
        nq, nv = (3 * len(names), 3 * len(names)) if plane else (7 * len(names), 6 * len(names))
        self.check_sizes(asked, nq, nv)
        if not plane:
            sizes = np.sqrt((self.q.reshape(-1, 7)[:, 3:] ** 2).sum(axis=1))
            worst = int(np.argmax(np.abs(sizes - 1.0)))
            if abs(sizes[worst] - 1.0) > 1e-6:
                found = f"the quaternion of {names[worst]!r} has the size {sizes[worst]:.9g}"
                raise MethodError(asked, found, "a rotation is a unit quaternion", "divide it by its size")

    def check_sizes(self, asked: str, nq: int, nv: int, which: str = "") -> None:
        """Refuse another number of coordinates and velocities, or such that are not finite."""
        right = self.q.shape == (nq,) and self.v.shape == (nv,)
        if not (right and np.isfinite(self.q).all() and np.isfinite(self.v).all()):
            found = f"a state with q of shape {self.q.shape} and v of shape {self.v.shape}"
            raise MethodError(asked, found, f"{nq} and {nv} finite numbers are needed{which}", "use run.at(t)")

    def __repr__(self) -> str:
        what = f"{len(self.bodies)} bodies" if self.bodies else f"{len(self.q)} coordinates"
        return f"<State at t = {self.t:g} s of {what}>"


def state_of(given: Any) -> Any:
    """The state of a result that has one, such as an equilibrium or an assembly; anything else as it is."""
    inner = getattr(given, "state", None)
    return inner if isinstance(inner, State) else given


State.__init__ = checked_call(State.__init__)  # type: ignore[method-assign]
