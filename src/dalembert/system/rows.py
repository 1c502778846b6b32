"""What lies in the memory of a compiled mechanism, by name: rows and where they act, masses, forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..kernels import layout as at
from ..kernels.watch import MULTIPLIER, Watch
from ..model.loads import EFFORT, load_named
from .system import System
from .tables import Work
from .watch import Shares

if TYPE_CHECKING:
    from .lagrange import LagrangeSystem
    from .lagrange import Work as LagrangeWork


class Slots(NamedTuple):
    """Every wrench of the rows that are held or free, row after row: a row has one on each body that it touches."""

    row: np.ndarray
    body: np.ndarray
    place: np.ndarray  # of its first number in F
    first: np.ndarray  # first slot of each row, and the end

    def of(self, row: int) -> range:
        """Slots of a row."""
        return range(int(self.first[row]), int(self.first[row + 1]))


def slots_of(system: System) -> Slots:
    """Where the rows of a system act."""
    found = system.known.get("slots")
    if found is None:
        i, width = system.numbering.I, system.builder.width
        last = system.n_rows + len(system.builder.free)
        place, step, first = i[i[at.ROW] :][: at.ROW_SIZE * (last + 1)].reshape(-1, at.ROW_SIZE).T
        rows = np.repeat(np.arange(last), np.diff(first))
        number = np.arange(len(rows)) + first[0] - first[rows]
        bodies = i[first[0] : first[0] + len(rows)] // width
        found = system.known["slots"] = Slots(rows, bodies, place[rows] + number * step[rows], first - first[0])
    return found


def shares_of_load(system: System, name: str) -> Shares:
    """A component of the force of a part on its last body, or the effort of a driver, as a sum over its rows and laws: -f j, and -lam."""
    found = load_named(system.model, name)
    assert found is not None
    part, quantity = found
    i, slots, scale = system.numbering.I, slots_of(system), scale_blocks(system)
    own = {
        part.name,
        *(stop.name for stop in getattr(part, "stops", ())),
        *(rub.name for rub in getattr(part, "rubs", ())),
    }
    forces = [(r, int(i[at.LAM]) + r) for r, owner in enumerate(system.row_parts) if owner in own]
    if quantity == EFFORT:
        return [(place, -1, -1.0) for _, place in forces]
    forces += [
        (system.n_rows + law.row, int(i[at.FORCE]) + k) for k, law in enumerate(system.builder.laws) if law.part in own
    ]
    body, axis = part.bodies[-1], "xyz".index(quantity[-1])
    made = []
    for row, place in forces:
        for s in slots.of(row):
            b = int(slots.body[s])
            if body.is_ground or system.builder.bodies[b] is body:
                made.append(
                    (place, int(slots.place[s]) + axis, float(scale[b, axis, axis]) * (1.0 if body.is_ground else -1.0))
                )
    return made


def weights_in_load(system: System | LagrangeSystem, work: Work | LagrangeWork, watch: Watch, k: int) -> np.ndarray:
    """What each multiplier counts in scalar k of a watch, a load or a multiplier itself; rows must be current in memory."""
    found, first = np.zeros(system.n_rows), int(system.I[at.LAM])
    if watch.rate_only[k] == MULTIPLIER:
        found[watch.scalar[k]] = 1.0
        return found
    some = slice(watch.load0[k], watch.load0[k + 1])
    for (force, along), x in zip(watch.load[some], watch.share[some]):
        if 0 <= force - first < system.n_rows:
            found[force - first] += x * (work.F[along] if along >= 0 else 1.0)
    return found


def mass_records(system: System) -> np.ndarray:
    """Mass records of all bodies, as `kernels/layout.py` says what they hold."""
    n, size = system.numbering, at.PLANE_MASS if system.plane else at.SPACE_MASS
    bodies = len(system.builder.bodies)
    return n.P[n.I[at.MASS] :][: size * bodies].reshape(bodies, size)


def scale_blocks(system: System) -> np.ndarray:
    """G of each body, with M = G G^T: rows are stored as G^-1 j, forces as G^-1 Q."""
    m, width = mass_records(system), system.builder.width
    blocks = np.zeros((len(m), width, width))
    if system.plane:
        blocks[:, [0, 1, 2], [0, 1, 2]] = m[:, [2, 2, 4]]
    else:
        blocks[:, [0, 1, 2], [0, 1, 2]] = m[:, 2:3]
        blocks[:, [3, 4, 4, 5, 5, 5], [3, 3, 4, 3, 4, 5]] = m[:, 15:21]
    return blocks


def mass_blocks(system: System) -> np.ndarray:
    """Mass matrix of each body."""
    m, width = mass_records(system), system.builder.width
    blocks = np.zeros((len(m), width, width))
    if system.plane:
        blocks[:, [0, 1, 2], [0, 1, 2]] = m[:, [5, 5, 6]]
    else:
        blocks[:, [0, 1, 2], [0, 1, 2]] = m[:, 21:22]
        blocks[:, [3, 3, 3, 4, 4, 5], [3, 4, 5, 4, 5, 5]] = m[:, 3:9]
        blocks[:, [4, 5, 5], [3, 3, 4]] = m[:, [4, 5, 7]]
    return blocks


def mass_matrix(system: System) -> Any:
    """Mass matrix as a sparse matrix; constant in (r', omega')."""
    from scipy.sparse import block_diag

    if "mass" not in system.known:
        system.known["mass"] = block_diag(list(mass_blocks(system)), format="csr")
    return system.known["mass"]


def wrenches(system: System, work: Work, slots: Any = slice(None), scaled: bool = False) -> np.ndarray:
    """Entries of rows on the bodies they touch (slot, velocity of the body), as they are or as stored; they must be current in memory."""
    every = slots_of(system)
    stored = work.F[every.place[slots][:, None] + np.arange(system.builder.width)]
    # a product of matrices, for each slot as one by one: the same order of sums
    return stored if scaled else np.matmul(scale_blocks(system)[every.body[slots]], stored[:, :, None])[:, :, 0]


def unscaled_jacobian(system: System, work: Work, first: int = 0, last: int | None = None, scaled: bool = False) -> Any:
    """Rows first ... last-1 as a sparse matrix acting on v, or as stored on scaled velocities; they must be current in memory."""
    from scipy.sparse import csr_matrix

    every, width = slots_of(system), system.builder.width
    last = system.n_rows if last is None else last
    some = slice(int(every.first[first]), int(every.first[last]))
    columns = width * every.body[some, None] + np.arange(width)
    pointer = width * (every.first[first : last + 1] - every.first[first])
    data = wrenches(system, work, some, scaled)
    off = np.append(work.floor == at.OFF, np.zeros(len(system.builder.free), dtype=bool))[every.row[some]]
    if off.any():
        data = np.where(off[:, None], 0.0, data)
    return csr_matrix((data.ravel(), columns.ravel(), pointer), shape=(last - first, system.nv))


def scaled_to_true(system: System, force: np.ndarray) -> np.ndarray:
    """Generalized force from its scaled form: Q = G (G^-1 Q)."""
    return np.matmul(scale_blocks(system), force.reshape(-1, system.builder.width, 1)).ravel()
