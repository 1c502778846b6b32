"""What the constraint doctor found, and its report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...model.output_units import OutputUnits, read_units
from ...state import State
from ...system.planarity import OutOfPlane


@dataclass(frozen=True)
class DependentSet:
    """Joints and drivers with rows that depend on each other.

    Attributes
    ----------
    joints
        Names of the joints and drivers, in the order of the model.
    rows
        Names of their rows that take part; x, y and z of a measure always together.
    count
        How many of the rows are too many.
    directions
        For each name of `joints`: the forces and moments that the joints can put on each other, in the words of that joint.
    verdict
        "permanent", "only in this pose" or "inconsistent"; "permanent, fragile" where the tilt of an axis takes the mobility away.
    proposals
        Joints with more freedom that end the dependence without adding freedom, each checked by rank.
    residual, unit, blamed
        Of an inconsistent set: how far one joint stays open when all others close, in m or rad, and that joint.
    fragile_joints
        Joints whose axis must not tilt.
    drivers
        The drivers among `joints`.
    too_fast, rate_unit
        By how much the rate of `mover` contradicts the others [rad/s or m/s]; zero if they fit at this time.
    mover
        Driver or condition on velocities that asks for a contradicting rate.
    """

    joints: tuple[str, ...]
    rows: tuple[str, ...]
    count: int
    directions: dict[str, tuple[str, ...]]
    verdict: str
    proposals: tuple[str, ...]
    residual: float = 0.0
    unit: str = "m"
    blamed: str = ""
    fragile_joints: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    too_fast: float = 0.0
    rate_unit: str = "rad/s"
    mover: str = ""

    @property
    def permanent(self) -> bool:
        """Whether the rows stay dependent when the mechanism moves."""
        return self.verdict.startswith("permanent")

    @property
    def fragile(self) -> bool:
        """Whether the tilt of an axis takes the mobility away."""
        return self.verdict.endswith("fragile")

    @property
    def pose_only(self) -> bool:
        """Whether the rows are independent in neighbouring poses."""
        return self.verdict == "only in this pose"

    @property
    def inconsistent(self) -> bool:
        """Whether the rows contradict each other."""
        return self.verdict == "inconsistent"

    def __str__(self) -> str:
        lines = [f"{_listed(self.joints, 8)}: {_count(self.count, 'row')} too many – {self.verdict}"]
        same: dict[tuple[str, ...], list[str]] = {}
        for name, texts in self.directions.items():
            same.setdefault(texts, []).append(name)
        for texts, names in list(same.items())[:6]:
            lines.append(f"  {_listed(names, 8)}: {', '.join(texts)}")
        if len(same) > 6:
            lines.append(f"  … and {len(same) - 6} more")
        return "\n".join(lines)

    def _cures(self, most: int) -> list[str]:
        """Proposals for print: the same change of single joints in one line, and not too many."""
        if self.pose_only:
            return []
        if not self.proposals:
            return [] if self.inconsistent else ["none: no joint of the usual kinds gives up exactly these rows"]
        lines: dict[str, list[str]] = {}
        for text in self.proposals:
            single = re.fullmatch(rf"(make|leave out) ({'|'.join(map(re.escape, self.joints))})( \S.*)?", text)
            if single is None or " and " in text or "'" in text:
                lines[text] = []
            else:
                lines.setdefault(f"{single[1]} \0{single[3] or ''}", []).append(single[2])
        texts = [text.replace("\0", _either(tuple(names))) if names else text for text, names in lines.items()]
        return texts if len(texts) <= most else [*texts[: most - 1], f"… and {len(texts) - most + 1} more"]

    def _story(self, tilt: float, here: int, elsewhere: int, units: OutputUnits) -> list[str]:
        if self.inconsistent:
            unit, factor = units.of(self.unit)
            text = f"no pose near this one closes all joints: {self.blamed!r} stays open by {self.residual * factor:.6g} {unit}"
            return [
                text,
                "the given dimensions contradict each other by that much: correct them"
                + (", or give the joints more freedom" if self.proposals else ""),
            ]
        if self.pose_only:
            text = f"a singular position: {_count(here, 'degree')} of freedom here, {elsewhere} in poses nearby"
            if self.drivers:
                return [text, f"lock-up: here {_listed(self.drivers, 4)} cannot drive it"]
            return [
                text,
                "every row is needed elsewhere: leave the joints as they are and keep away, or guide it through",
            ]
        if self.too_fast:
            unit, factor = units.of(self.rate_unit)
            return [
                "holds at this time, but the drivers contradict each other as time goes on: no motion follows all of them"
                if self.drivers
                else "the conditions on velocities contradict each other: no motion follows all of them",
                f"the rate of {self.mover!r} would have to differ by {self.too_fast * factor:.6g} {unit}",
            ]
        if self.fragile:
            unit, factor = units.of("rad")
            return [
                f"stays when it moves; mobility is lost when the axis of {_either(self.fragile_joints)} tilts by {tilt * factor:.6g} {unit}"
            ]
        if here == 0 and not self.drivers:
            return ["stays: nothing can move"]
        return ["stays when it moves, and no axis that tilts takes mobility away"]


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom and dependent rows at one pose.

    Attributes
    ----------
    dof
        Degrees of freedom: freedoms of the bodies minus rank, with drivers held.
    grubler
        Grübler's count: freedoms of the bodies minus rows, as if all rows were independent.
    rank
        Number of independent rows.
    dependent
        Sets of dependent rows (`DependentSet`).
    reason
        Why the two counts differ, in one sentence.
    elsewhere
        Degrees of freedom in neighbouring poses; differs from `dof` in a singular position.
    freedoms, rows
        Freedoms of the bodies without joints; rows of all joints and drivers.
    state
        The state that was looked at; positions and time count.
    tilt
        Tilt of an axis for the verdict "fragile" [rad].
    out_of_plane
        Bodies of a planar model that break a condition of planar motion (BASICS 8.5): `.j_xz`, `.j_yz`, `.height`, `.held`.
    shown_in
        Units of the text: those of the model, `m.units`.  Numbers are in SI units.
    """

    model: str
    dof: int
    grubler: int
    rank: int
    dependent: tuple[DependentSet, ...]
    reason: str
    elsewhere: int
    freedoms: int
    rows: int
    bodies: int
    joints: int
    drivers: int
    state: State
    tilt: float
    out_of_plane: tuple[OutOfPlane, ...] = ()
    shown_in: tuple[str, ...] = ()

    def __str__(self) -> str:
        units = read_units("mobility", self.shown_in)
        driven = f", {_count(self.drivers, 'driver')} held" if self.drivers else ""
        parts = _count(self.joints, "joint") + (f" and {_count(self.drivers, 'driver')}" if self.drivers else "")
        lines = [
            f"mobility of {self.model!r}: {_count(self.dof, 'degree')} of freedom{driven}",
            f"  Grübler  {self.freedoms} freedoms of {_count(self.bodies, 'body')} - {_count(self.rows, 'row')} of {parts} = {self.grubler}",
            f"  true     {self.freedoms} freedoms - rank {self.rank} = {self.dof}",
            f"  why      {self.reason}",
            *(f"  plane    {found.told(units)}" for found in self.out_of_plane[:12]),
        ]
        for k, found in enumerate(self.dependent[:12], 1):
            first, *rest = str(found).splitlines()
            lines += ["", f"  set {k}: {first}", *(f"  {line}" for line in rest)]
            story = found._story(self.tilt, self.dof, self.elsewhere, units)
            lines += [f"    {'verdict' if n == 0 else '       '}    {text}" for n, text in enumerate(story)]
            lines += [f"    {'proposals' if n == 0 else '         '}  {text}" for n, text in enumerate(found._cures(6))]
        if len(self.dependent) > 12:
            lines += ["", f"  … and {len(self.dependent) - 12} more sets"]
        return "\n".join(lines)

    __repr__ = __str__


def _count(n: int, what: str) -> str:
    plural = {"body": "bodies"}.get(what, f"{what}s")
    return f"{n} {what if n == 1 else plural}"


def _listed(names: Iterable[str], most: int) -> str:
    names = list(names)
    return ", ".join(names[:most]) + (f", … ({len(names)} in all)" if len(names) > most else "")


def _either(names: tuple[str, ...]) -> str:
    some = names[:6]
    text = some[0] if len(some) == 1 else f"{', '.join(some[:-1])} or {some[-1]}"
    return text + (f" (or others, {len(names)} in all)" if len(names) > 6 else "")
