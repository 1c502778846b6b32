"""One result of a run through events: its parts put together, each of which is a run of the model in a situation of its own.

Arrays are those of the model with all rows that were at work at any time; the multiplier of a row is zero while it was not.  States at other times,
energies and the audit are those of the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.memory import driven_rows, sizes
from ..solve.changes import Made
from ..solve.run import Trace
from ..solve.stepping.records import Kept
from ..system.system import System
from .assumptions import Note
from .audit import Audit
from .events import IMPACT, Happening, Happenings
from .record import Record, kind_of

if TYPE_CHECKING:
    from ..analyses.dynamics.prepared import Prepared
    from ..system.lagrange import LagrangeSystem


# difference of kinetic energies on the two sides of an instant, relative to the energy, that is no rounding
BOOKED = 1e-8


def joined(pieces: Sequence[Record], prepared: Prepared, happened: Happenings, complete: bool) -> Record:
    """The result of all parts; `prepared` is the model with all rows that were at work at any time, from the start of the run."""
    made = in_one_layout(pieces, prepared.system)
    prepared.disagreement = max(p.prepared.disagreement for p in pieces)
    prepared.mismatch = max((p.prepared.mismatch for p in pieces), key=lambda x: x[0])
    prepared.owners = pieces[0].prepared.owners
    prepared.jumps = [(x.t, x) for x in happened if x.jumps]
    made.prepared, made.problem, made.trace = prepared, pieces[0].problem, _trace(pieces)
    made.pieces, made.happened, made.complete = tuple(pieces), happened, complete
    return made


def with_end(piece: Record) -> None:
    """Make the end of a part an output, where it is none."""
    kept = piece.trace.kept
    if len(piece.t) and piece.t[-1] == kept.t[-1]:
        return
    last = slice(len(kept.t) - 1, None)
    end = type(piece)._at_states(
        piece.prepared,
        piece.problem,
        kept.t[last],
        kept.y[last],
        kept.angle[last],
        kept.side[last],
        piece.trace.segments,
    )
    for name in ("t", "q", "v", "a", "basic_lam", "forces", "powers", "angles", "sides", "z"):
        setattr(piece, name, np.concatenate([getattr(piece, name), getattr(end, name)]))


def in_one_layout(pieces: Sequence[Record], full: System | LagrangeSystem) -> Record:
    """Arrays of the parts one after the other, in the layout of all rows."""
    columns = [_columns(p.system, full) for p in pieces]
    lam = [_spread(getattr(p, "lam", p.basic_lam), rows, full.n_rows) for p, (rows, _, _) in zip(pieces, columns)]
    for p, x in zip(pieces, lam):
        for name, force in p.slipping.items():
            x[:, full.rows_of(name)] = force[:, None]
    n_powers = sizes(full.I).powers
    powers = [_spread(p.powers, places, n_powers) for p, (_, _, places) in zip(pieces, columns)]
    forces = [_spread(p.forces, laws, sizes(full.I).laws) for p, (_, laws, _) in zip(pieces, columns)]
    one: dict[str, Any] = {
        name: np.concatenate([getattr(p, name) for p in pieces]) for name in ("t", "q", "v", "a", "angles", "z")
    } | {"forces": np.concatenate(forces)}
    return kind_of(full)(system=full, basic_lam=np.concatenate(lam), powers=np.concatenate(powers), **one)


def _spread(x: np.ndarray, places: np.ndarray, width: int) -> np.ndarray:
    found = np.zeros((len(x), width))
    found[:, places] = x
    return found


def _columns(
    system: System | LagrangeSystem, full: System | LagrangeSystem
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where rows, laws, and laws and drivers, of a part stand among all."""
    every = {key: k for k, key in enumerate(zip(full.row_parts, full.row_names))}
    rows = [every[key] for key in zip(system.row_parts, system.row_names)]
    n_laws = sizes(full.I).laws
    driven = {int(r): k for k, r in enumerate(driven_rows(full.I))}
    drivers = [n_laws + driven[rows[int(r)]] for r in driven_rows(system.I)]
    numbers = {key: k for k, key in enumerate(_laws(full))}
    laws = [numbers[key] for key in _laws(system)]
    return np.array(rows, dtype=int), np.array(laws, dtype=int), np.array([*laws, *drivers], dtype=int)


def _laws(system: System | LagrangeSystem) -> list[tuple[Any, ...]]:
    """Part and measure of every law, and which of these it is; those of a Lagrangian system are always all."""
    if not isinstance(system, System):
        return [("", k) for k in range(sizes(system.I).laws)]
    keys = [(law.part, law.measure.name) for law in system.builder.laws]
    return [(*key, keys[:k].count(key)) for k, key in enumerate(keys)]


def _trace(pieces: Sequence[Record]) -> Trace:
    """One trace of all parts: accepted steps, two states at every instant of change, and all that was counted."""
    traces = [p.trace for p in pieces]
    last = traces[-1]
    step = last.step.copy()
    for name in ("steps", "rejected", "evaluations", "switches", "iterations", "linearized", "unsolved"):
        setattr(step, name, sum(getattr(x.step, name) for x in traces))
    for name in ("worst_defect", "worst_unbalanced", "blur"):
        setattr(step, name, max(getattr(x.step, name) for x in traces))
    work = np.concatenate([x.kept.work.sum(axis=1) for x in traces])[:, None]
    one = [np.concatenate([getattr(x.kept, name) for x in traces]) for name in ("t", "y", "angle")]
    kept = Kept(
        one[0], one[1], one[2], work, np.concatenate([x.kept.stored for x in traces]), np.zeros((len(one[0]), 0))
    )
    return Trace(
        last.status, last.out, sum(x.n_out for x in traces), kept, step, sum(x.seconds for x in traces), last.interrupted,
        sum(x.redetected for x in traces), [s for x in traces for s in x.segments], [s for x in traces for s in x.switches], last.error,
        _methods(traces),
    )  # fmt: skip


def _methods(traces: Sequence[Trace]) -> list[Made]:
    """Methods of all parts; each begins with the one that was asked for."""
    made = list(traces[0].methods)
    for trace in traces[1:]:
        first, *later = trace.methods
        again = [] if first.method == made[-1].method else [first._replace(why="a new part of the run begins")]
        made += [*again, *later]
    return made


def part_at(run: Record, t: float) -> Record:
    """The part of a run that a time belongs to: at an instant of change the one after it."""
    begun = [p for p in run.pieces if p.trace.kept.t[0] <= t]
    return begun[-1] if begun else run.pieces[0]


def resampled(run: Record, t: np.ndarray) -> Record:
    """The run at other times, by its parts; times in any order."""
    number = {id(piece): k for k, piece in enumerate(run.pieces)}
    numbers = np.array([number[id(part_at(run, float(x)))] for x in t])
    parts, order = [], []
    for k in np.unique(numbers):
        picks = np.flatnonzero(numbers == k)
        parts.append(run.pieces[k].resample(t[picks]))
        order.append(picks)
    made = in_one_layout(parts, run.system)
    back = np.argsort(np.concatenate(order))
    for name in ("t", "q", "v", "a", "basic_lam", "forces", "powers", "angles", "z"):
        setattr(made, name, getattr(made, name)[back])
    made.prepared, made.problem, made.happened, made.pieces = run.prepared, run.problem, run.happened, run.pieces
    made.onward = np.ones(len(made.t), dtype=bool)
    return made


def audit_of(run: Record) -> Audit:
    """The audit of all parts, and of what happened between them."""
    found = [_audit(p) for p in run.pieces]
    largest: dict[str, Any] = {
        name: max(getattr(x, name) for x in found)
        for name in ("position", "velocity", "momentum", "defect", "rounding", "balance", "residual")
    }
    worst = max(found, key=lambda x: x.energy / max(x.energy_tolerance, 1e-300))
    failures = [
        f"{text} (t = {p.trace.kept.t[0]:.6g} … {p.trace.kept.t[-1]:.6g} s)"
        for p, x in zip(run.pieces, found)
        for text in x.failures
    ]
    failures += booked(run)
    united: dict[str, Any] = {
        name: tuple(dict.fromkeys(y for x in found for y in getattr(x, name)))
        for name in ("redundant_rows", "not_unique")
    }
    notes = {(note.parts, str(note)[:40]): note for x in found for note in x.notes}
    impacts = [x for x in run.happened if x.what == IMPACT]
    notes |= {
        ((x.name,), x.note[:40]): Note("depends on a hypothesis", (x.name,), x.t, 0.0, "", False, f"impact of {x.name!r} at t = {x.t:.6g} s: {x.note}")
        for x in impacts if x.note
    }  # fmt: skip
    return replace(
        found[0], **largest, energy=worst.energy, energy_tolerance=worst.energy_tolerance, disagreement=float(run.prepared.mismatch[0]),
        disagreeing=run.prepared.mismatch[1], failures=tuple(failures), notes=tuple(notes.values()), **united,
        steps=run.trace.step.steps, rejected=run.trace.step.rejected, evaluations=run.trace.step.evaluations, seconds=run.trace.seconds,
        switches=run.trace.step.switches, events=len(run.happened), impacts=len(impacts), lost=sum(x.dissipated for x in impacts),
    )  # fmt: skip


def _audit(piece: Record) -> Audit:
    """The audit of a part; of one without outputs at its two ends."""
    if len(piece.t):
        return piece.audit
    kept = piece.trace.kept
    ends = [0, -1]
    looked = type(piece)._at_states(
        piece.prepared,
        piece.problem,
        kept.t[ends],
        kept.y[ends],
        kept.angle[ends],
        kept.side[ends],
        piece.trace.segments,
    )
    looked.trace, looked.complete = piece.trace, True
    return looked.audit


def booked(run: Record) -> list[str]:
    """Energies on the two sides of every instant of change against what was booked there, and energy that impacts have created, in words."""
    wrong = []
    for x in run.happened:
        size = max(abs(x.energy_before), abs(x.energy_after), 1e-300)
        if x.what == IMPACT and x.dissipated < -BOOKED * size:
            wrong.append(f"impact of {x.name!r} at t = {x.t:.9g} s creates {-x.dissipated:.3g} J")
    ends = [(_kinetic(piece, 0), _kinetic(piece, -1)) for piece in run.pieces]
    # friction that sticks takes what is left of rates in several directions, a millionth of the length in a second
    left = 1e-12 * max(map(max, ends), default=0.0)
    begins = [float(piece.trace.kept.t[0]) for piece in run.pieces]
    # several parts may begin at one instant, all but the last without duration
    for t, group in groupby(range(1, len(begins)), key=begins.__getitem__):
        numbers = list(group)
        before, after = ends[numbers[0] - 1][1], ends[numbers[-1]][0]
        changed = sum(x.energy_change for x in run.happened if x.t == t)
        if abs(after - before - changed) > BOOKED * max(before, after, 1e-12) + left:
            wrong.append(
                f"energy jumps by {after - before:.6g} J at t = {t:.9g} s, of which {changed:.6g} J are accounted for"
            )
    return wrong + _booked_inside(run)


def _booked_inside(run: Record) -> list[str]:
    """The same of impacts inside parts, at which these have two states."""
    wrong, changed = list[str](), dict[float, float]()
    for x in run.happened:
        changed[x.t] = changed.get(x.t, 0.0) + x.energy_change
    for piece in run.pieces:
        times, kept = sorted({t for t, blow in piece.jumps if isinstance(blow, Happening)}), piece.trace.kept
        if not times:
            continue
        q, v = kept.y[:, : piece.system.nq], kept.y[:, piece.system.nq : piece.system.nq + piece.system.nv]
        last = np.searchsorted(kept.t, times, side="right") - 1
        mass = piece.prepared.at(kept.t[0], q[0], v[0], piece.system.workspace()).mass  # constant of bodies
        before, after = (0.5 * np.sum(v[k] * (mass @ v[k].T).T, axis=1) for k in (last - 1, last))
        told = np.array([changed.get(t, 0.0) for t in times])
        for k in np.flatnonzero(np.abs(after - before - told) > BOOKED * np.maximum(np.maximum(before, after), 1e-12)):
            wrong.append(
                f"energy jumps by {after[k] - before[k]:.6g} J at t = {times[k]:.9g} s, of which {told[k]:.6g} J are accounted for"
            )
    return wrong


def _kinetic(piece: Record, k: int) -> float:
    kept = piece.trace.kept
    q, v, _ = piece.system.parts_of(kept.y[k])
    mass = piece.prepared.at(kept.t[k], q, v, piece.system.workspace()).mass
    return 0.5 * float(v @ (mass @ v))
