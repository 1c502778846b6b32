"""verify: the same mechanism through independent formulations at random consistent states, and where they part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..compilation import compiling
from ..errors import MethodError
from ..model.auxiliary import refuse_states
from ..model.kinds import named
from ..options.call import verb
from .comparison.steps import Stepped, compare_steps

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from ..symbolic.comparison import Comparison as FormsCompared
    from .comparison.differences import Difference

# what comes out of the equations; everything else they are made of, and names a cause
EFFECTS = ("acceleration", "reaction")

# dense linear algebra takes seconds beyond this many rows or velocities
LARGEST = 1000


@dataclass(frozen=True, eq=False)
class Verification:
    """Agreement of independent formulations of one mechanism.

    Attributes
    ----------
    model
        Name of the mechanism.
    agree
        Whether all differences are within the tolerance.
    spread
        Largest difference, relative to the largest such quantity of the model.
    worst
        Where the ways part most; if they disagree, the first cause that was found (a mass, a row, a force law) rather than
        its effects on other parts.  None if there was nothing to compare.
    parted
        All differences beyond the tolerance, causes first.
    outlier
        The one way that stands alone against all others where they part most; "" if they agree or it cannot be told.
    ways
        The formulations compared.
    states, left_out
        Number of states compared, and of states left out because they are at or near a singular position or could not be reached.
    tolerance
        Tolerance given, plus the rounding to be expected of nearly dependent rows and very different masses.
    notes
        Ways that were left out, and why.
    run
        The run through events against steps of one length (`until`, `step`): differences of positions, and whether they agree; else None.
    forms
        The equations in all forms by name (`forms=True`), compared; else None.
    """

    model: str
    agree: bool
    spread: float
    worst: Difference | None
    parted: tuple[Difference, ...]
    outlier: str
    ways: tuple[str, ...]
    states: int
    left_out: int
    tolerance: float
    largest: dict[tuple[str, str], float] = field(repr=False)
    notes: tuple[str, ...] = ()
    run: Stepped | None = None
    forms: FormsCompared | None = None

    def __str__(self) -> str:
        head = f"verify({self.model!r}): {'all ways agree' if self.agree else 'THE WAYS PART'}"
        left = f", {self.left_out} more left out (out of reach, or near singular positions)" if self.left_out else ""
        lines = [
            head,
            f"  {self.states} state{'s' if self.states > 1 else ''}{left}; differences relative to the largest such quantity, tolerance {self.tolerance:.0e}",
            f"  {'against ' + self.ways[0]:24}{'equations':>14}{'accelerations':>16}{'reactions':>14}",
        ]
        for way in self.ways[1:]:
            found = [self.largest.get((way, kind)) for kind in ("cause", *EFFECTS)]
            cells = ["–" if x is None else f"{x:.1e}" for x in found]
            lines.append(f"  {way:24}{cells[0]:>14}{cells[1]:>16}{cells[2]:>14}")
        lines += [f"  {note}" for note in self.notes]
        lines += [] if self.run is None else [f"  {self.run}"]
        lines += [] if self.forms is None else [f"  {line}" for line in str(self.forms).splitlines()]
        if self.outlier:
            lines.append(f"  {self.outlier} stands alone against all others")
        if self.parted:
            lines += [f"  {difference}" for difference in self.parted[:6]]
            if len(self.parted) > 6:
                lines.append(f"  … and {len(self.parted) - 6} more in .parted")
        return "\n".join(lines)

    __repr__ = __str__


@verb
def verify(
    model: Mechanism | Lagrangian,
    *,
    states: int = 4,
    seed: int = 1,
    tolerance: float = 1e-8,
    until: float | None = None,
    step: float = 1e-3,
    forms: bool = False,
) -> Verification:
    """Compare independent formulations of a mechanism at its start and at random consistent states, and with `until` two ways through its contacts.

    range space
        The compiled kernels, as `simulate` uses them.
    plain assembly
        Masses, rows, forces and right-hand sides in plain numpy from the description of the model.
    saddle point, null space, partitioning
        Accelerations and reactions from the plain assembly: [M J^T; J 0] by least squares; motion along the free directions;
        independent coordinates.
    in space
        A planar mechanism built in space with every body held in the plane, by the compiled kernels of space.
    symbols
        The equations written out with SymPy in absolute coordinates (`equations(m, form="absolute")`), of small models.
    joint coordinates
        The Lagrangian system in joint coordinates of a spanning tree (`lagrangian_of`).

    Accelerations and reactions are compared, the latter as far as they are unique, and what they are made of, so that a difference
    is traced to a body, joint or force element.

    Parameters
    ----------
    model
        The mechanism.
    states
        Number of states: the assembled start, then random ones, displaced along the free motions with random velocities.
    seed
        Seed of the random states.
    tolerance
        Largest relative difference that counts as agreement.  Rounding gives 1e-12 to 1e-10, a wrong number gives far more.
    until
        Of a mechanism with contacts, stops or dry friction: end of a run through events that is compared with one by `method="moreau"`.
    step
        Length of its steps [s]; it is made again with half of it.
    forms
        Write the equations in all forms by name with SymPy ("kane", "jourdain", "gibbs-appell", …), those of a mechanism in joint
        coordinates, and compare their accelerations and multipliers.  This takes seconds.

    Returns
    -------
    Verification
        `agree`, `spread`, `worst` and all differences; printed as a table.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> da.verify(m).agree
    True
    """
    check: Any = {"mechanism": _of_bodies, "lagrangian": _of_coordinates}
    asked = named("verify", model)
    with compiling(), np.errstate(all="ignore"):
        made = check[model.kind](asked, model, states, seed, tolerance, until, step)
    if not forms:
        return made
    from ..symbolic.comparison import compare
    from .lagrangian_of import lagrangian_of

    written = lagrangian_of(cast("Mechanism", model)) if model.bodies else cast("Lagrangian", model)
    compared = compare(written, states, seed)
    return replace(made, forms=compared, agree=made.agree and compared.agree)


def _of_coordinates(
    asked: str, model: Lagrangian, states: int, seed: int, tolerance: float, until: float | None, step: float
) -> Verification:
    from .lagrangian.verify import compare

    if until is not None:
        why = "steps of one length for many contacts serve mechanisms"
        raise MethodError(asked, f"until = {until:g} of a Lagrangian system", why, "leave until= out")
    found, names, left_out, rounding = compare(model, states, seed, asked)
    return _verdict(model.name, names, states - left_out, found, left_out, tolerance + rounding)


def _of_bodies(
    asked: str, model: Mechanism, states: int, seed: int, tolerance: float, until: float | None, step: float
) -> Verification:
    made = _ways(asked, model, states, seed, tolerance)
    if until is None:
        return made
    run = compare_steps(model, until, step)
    return replace(made, run=run, agree=made.agree and run.agree)


def _ways(asked: str, model: Mechanism, states: int, seed: int, tolerance: float) -> Verification:
    from .comparison.differences import Comparison
    from .comparison.ways import Ways
    from .pose.pose import Pose

    refuse_states(
        asked,
        model,
        "the other ways are made of bodies, joints and forces, and know no states",
        "put numbers in place of the states to verify the rest; run.audit checks a simulation",
    )
    pose = Pose.of(model, asked=asked)
    system = pose.system
    if max(system.n_rows, system.nv) > LARGEST:
        raise MethodError(
            asked,
            f"{system.nv} velocities and {system.n_rows} constraint rows",
            f"dense linear algebra takes too long beyond {LARGEST}",
            "verify a smaller model of the same kind, for example a shorter chain",
        )
    if model.frictions or model.soft_rubs:
        return _with_friction(asked, model, states, seed, tolerance)
    ways = Ways(model, pose)
    left_out = ways.draw(states, np.random.default_rng(seed), asked)
    differences = Comparison(ways).differences()
    verdict = _verdict(model.name, ways.names, len(ways.records), differences, left_out, tolerance + ways.rounding)
    return replace(verdict, notes=(*ways.notes, *_open(model)))


def _with_friction(asked: str, model: Mechanism, states: int, seed: int, tolerance: float) -> Verification:
    """The same where dry friction is decided at every state."""
    from .comparison.friction import compare_friction
    from .comparison.ways import Ways
    from .pose.pose import Pose

    bare = model.varied(model.situation)
    for one in model.frictions:
        del bare._parts[one.name]
    ways = Ways(bare, Pose.of(bare, asked=asked))
    beyond = ways.draw(states, np.random.default_rng(seed), asked)
    differences, names, left_out, rounding, notes = compare_friction(model, [r.state for r in ways.records], asked)
    counted = len(ways.records) - left_out
    made = _verdict(model.name, names, counted, differences, beyond + left_out, tolerance + rounding)
    return replace(made, notes=(*notes, *_open(model)))


def _open(model: Mechanism) -> list[str]:
    """What is said of rigid contacts and stops."""
    stops = list(model.stops_at_work)
    listed = ", ".join(map(repr, stops[:6])) + (f", … ({len(stops)} in all)" if len(stops) > 6 else "")
    return [f"rigid contacts and stops are open in all ways, and not compared: {listed}"] if stops else []


def _verdict(
    model: str, ways: Iterable[str], states: int, differences: list[Difference], left_out: int, allowed: float
) -> Verification:
    parted = [d for d in differences if not d.size <= allowed]
    parted.sort(key=lambda d: (d.what in EFFECTS, -d.size))
    largest: dict[tuple[str, str], float] = {}
    for d in differences:
        key = (d.ways[1], d.what if d.what in EFFECTS else "cause")
        largest[key] = max(largest.get(key, 0.0), d.size)
    worst = parted[0] if parted else max(differences, key=lambda d: d.size, default=None)
    return Verification(
        model=model,
        agree=not parted,
        spread=max((d.size for d in differences), default=0.0),
        worst=worst,
        parted=tuple(parted),
        outlier=_outlier(parted, differences),
        ways=tuple(ways),
        states=states,
        left_out=left_out,
        tolerance=allowed,
        largest=largest,
    )


def _outlier(parted: list[Difference], differences: list[Difference]) -> str:
    """The way that differs from all others in what parts most; two others at least must be there to tell."""
    if not parted:
        return ""
    worst = parted[0]
    compared = {d.ways[1] for d in differences if (d.what, d.where) == (worst.what, worst.where)}
    off = {d.ways[1] for d in parted if (d.what, d.where) == (worst.what, worst.where)}
    if len(compared) < 2 or 1 < len(off) < len(compared):
        return ""
    return next(iter(off)) if len(off) == 1 else worst.ways[0]
