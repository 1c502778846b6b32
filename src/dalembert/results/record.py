"""What results of mechanisms and of Lagrangian systems have in common: audit and status, states at other times, files, pictures."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import MethodError, checked_call, shown, unknown_attribute
from .matter import Together


class AuditWarning(UserWarning):
    """A run finished but failed its audit, or breaks an assumption of the model."""


class Record(Together):
    """Base of results; subclasses have `t`, `model`, `trace`, `problem`, `prepared`, `complete`, and say how they are audited."""

    t: np.ndarray
    model: Any
    system: Any
    trace: Any
    problem: Any
    prepared: Any
    complete: bool
    _audit: Any

    def __getattr__(self, name: str) -> Any:
        raise unknown_attribute(self, "a result", name, "use one of these, or run[name] for parts and measures")

    def _audited(self) -> Any:
        """Audit of this kind of result."""
        raise NotImplementedError

    @property
    def audit(self) -> Any:
        """The audit of the run."""
        if self._audit is None:
            self._audit = self._audited()
        return self._audit

    @property
    def status(self) -> str:
        """How the run ended: "ok", "incomplete", "audit failed", or "doubtful": an assumption of the model does not hold (`warnings`)."""
        if not self.complete:
            return "incomplete"
        if not self.audit.passed:
            return "audit failed"
        return "doubtful" if self.warnings else "ok"

    @property
    def warnings(self) -> tuple[Any, ...]:
        """Assumptions of the model that the run breaks: contacts that pull, bodies that would leave the plane; each with `.parts`, `.t`, `.value`."""
        return tuple(note for note in getattr(self.audit, "notes", ()) if note.doubtful)

    def check(self) -> None:
        """Warn loudly if the audit fails or an assumption of the model is broken."""
        import warnings

        if self.complete and not self.audit.passed:
            warnings.warn(f"the audit of this run failed:\n{self.audit}", AuditWarning, stacklevel=4)
        elif self.complete:
            for note in self.warnings:
                warnings.warn(f"this run is doubtful: {note}", AuditWarning, stacklevel=4)

    @property
    def impulse(self) -> Any:
        """Account of an impulsive start (`simulate(..., velocities="impulsive")`): before, after, impulses, energy; else None."""
        return getattr(self.prepared, "impulse", None)

    @property
    def impulses(self) -> tuple[Any, ...]:
        """Accounts of the blows of the run, in order: an impulsive start, and drivers whose rate jumped on the way."""
        start = () if self.impulse is None else (self.impulse,)
        return (*start, *(blow for _, blow in getattr(self.prepared, "jumps", ())))

    @property
    def switches(self) -> list[tuple[float, str]]:
        """Times at which laws changed, with the names of the parts: `if_`, `step`, tables, corners, contacts of stops; the first 10,000."""
        owners = getattr(self.prepared, "owners", None) or self.system.numbering.owners
        return [(t, owners[k].part) for t, k in self.trace.switches]

    # -- other times -------------------------------------------------------------------------------------------------

    def _check_time(self, t: Any) -> float:
        first, last = sorted((float(self.trace.kept.t[0]), float(self.trace.kept.t[-1])))
        if isinstance(t, bool) or not isinstance(t, int | float | np.floating | np.integer) or not first <= t <= last:
            found = f"the run covers {first:g} … {last:g} s"
            raise MethodError(f"state at t = {shown(t)}", found, "there is nothing outside it", "choose a time inside")
        return float(t)

    def _step_before(self, t: float) -> int:
        """Number of the last accepted step at or before a time, in the direction of the run."""
        kept = self.trace.kept
        forward = kept.t[-1] >= kept.t[0]
        k = int(np.searchsorted(kept.t if forward else -kept.t, t if forward else -t, side="right")) - 1
        return min(max(k, 0), len(kept.t) - 1)

    def _one_step(self, k: int, q: np.ndarray, v: np.ndarray, t: float, z: np.ndarray | None = None) -> Any:
        """Output at a time by a step of the method from the accepted step k."""
        return self._onward(k, q, v, t, z).out

    def _onward(self, k: int, q: np.ndarray, v: np.ndarray, t: float, z: np.ndarray | None = None) -> Any:
        """Trace of the motion from the accepted step k to a time, by one step of the method if its error allows it."""
        from ..solve.run import integrate
        from ..solve.segments import rows_of

        p, begin = self.problem, float(self.trace.kept.t[k])
        sides, once = self.trace.kept.side[k], replace(p, h_first=abs(t - begin))
        with rows_of(once, self.trace.segments, begin, onward=True):
            return integrate(once, begin, q, v, t, np.array([t]), None, lambda *_: math.inf, sides=sides, z0=z)

    # -- files and pictures ------------------------------------------------------------------------------------------

    @checked_call
    def save(self, path: Any) -> None:
        """Write all results to a file (.npz, no pickle); read it with `dalembert.load`."""
        from .files import save

        save(self, path)

    @checked_call
    def to_csv(self, path: Any, units: Any = None) -> None:
        """Write all columns over time as text (.csv), names and units in the first line; `units="mm, kN, deg"`, default those of the model."""
        from .files import to_csv

        to_csv(self, path, units)

    @checked_call
    def to_pandas(self, units: Any = "SI") -> Any:
        """All columns over time as a pandas DataFrame, in SI units like the arrays or in those given."""
        from .files import to_pandas

        return to_pandas(self, units)

    def to_xarray(self) -> Any:
        """All arrays as an xarray Dataset."""
        from .files import to_xarray

        return to_xarray(self)

    @checked_call
    def plot(self, *what: Any, path: Any = None, units: Any = None) -> Any:
        """Pictures: see `dalembert.plot`."""
        from .plot import plot

        return plot(self, *what, path=path, units=units)

    @checked_call
    def draw(self, path: Any = None, **options: Any) -> Any:
        """Drawing of the machine as in a textbook: see `dalembert.draw`."""
        from ..pictures.draw import draw

        return draw(self, path, **options)

    @checked_call
    def film(self, path: Any, **options: Any) -> Any:
        """Moving picture (.gif, .mp4): see `dalembert.film`."""
        from ..pictures.film import film

        return film(self, path, **options)

    @checked_call
    def show(self, path: Any = None, open: bool = True, units: Any = None) -> Any:  # noqa: A002
        """Page with the machine moving, plots and reports: see `dalembert.show`."""
        from ..viewer.show import show

        return show(self, path, open, units=units)

    def _repr_html_(self) -> str | None:
        """The page inside a notebook."""
        from ..viewer.page import framed

        return framed(self) if len(self.t) else None

    def __repr__(self) -> str:
        if not len(self.t):
            return f"<Result of {self.model.name!r}: empty>"
        return f"<Result of {self.model.name!r}: {len(self.t)} outputs, t = {self.t[0]:g} … {self.t[-1]:g} s, {self.status}>"
