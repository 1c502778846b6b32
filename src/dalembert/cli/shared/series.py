"""Results over time in short: a headline, and every quantity by its first, last, least and largest value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import exits
from .outcome import Outcome

if TYPE_CHECKING:
    from ...results.record import Record


def of_run(verb: str, run: Record) -> Outcome:
    """Outcome of a result over time."""
    code = {"ok": exits.OK, "incomplete": exits.INTERRUPTED}.get(run.status, exits.DOUBTFUL)
    span = f"t = {run.t[0]:g} … {run.t[-1]:g} s" if len(run.t) else "no outputs"
    verdict = {"ok": "audit passed", "incomplete": "interrupted: this is a part of it"}.get(run.status, run.status)
    if run.status == "doubtful":
        verdict = f"doubtful: {'; '.join(map(str, run.warnings))}"
    if run.status == "ok" and run.trace is None:
        verdict = "constraints hold"
    headline = f"{len(run.t)} outputs, {span}; {verdict}"
    happened = getattr(run, "events", [])
    headline += f"; {len(happened)} event{'s' if len(happened) > 1 else ''}" if happened else ""
    text = run.table(6) + (f"\n\n{listed(happened)}" if happened else "")
    text += f"\n\n{run.audit}" if run.audit is not None else ""
    return Outcome(verb, headline, text, data_of(run), code, run, run)


# events that are printed
MOST = 20


def listed(happened: Any) -> str:
    """What happened, line by line; of many the first and the last."""
    lines = [str(x) for x in happened]
    if len(lines) > MOST:
        left = len(lines) - MOST
        lines = [*lines[: MOST // 2], f"… {left} more …", *lines[-MOST // 2 :]]
    return "\n".join(["events", *(f"  {line}" for line in lines)])


def data_of(run: Record) -> dict[str, Any]:
    """Plain data of a result over time; the arrays themselves are in the files."""
    from ...results.files import columns

    t = [float(x) for x in run.t]
    return {
        "status": run.status,
        "complete": run.complete,
        "outputs": len(t),
        "t": {"first": t[0], "last": t[-1]} if t else None,
        "quantities": {
            name: {
                "unit": unit,
                "first": float(x[0]),
                "last": float(x[-1]),
                # a quantity may have gaps: where a follower touches, while it is off its cam
                "least": float(np.min(x[np.isfinite(x)], initial=np.inf)),
                "largest": float(np.max(x[np.isfinite(x)], initial=-np.inf)),
            }
            for name, unit, x in columns(run)
            if len(x)
        },
        "audit": str(run.audit),
        "events": [x.about() for x in getattr(run, "events", ())],
        "warnings": [str(note) for note in getattr(run, "warnings", ())],
    }
