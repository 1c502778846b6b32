"""Analyses by name, with the options of a model file: `perform("simulate", model, {"until": 2.0})`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...analyses.by_name import arguments, ask
from ...analyses.rest.ranges import RestPlace, RestRanges
from ...errors import DalembertError, SingularPositionError
from ...model.lagrangian import Lagrangian
from ...model.output_units import read_units
from ...options.tables import MOTIONS
from ...results.files import columns
from ...results.in_units import units_of
from ...symbolic.sheet import OnSheet
from ...viewer.subject import Subject, check_shown, subject
from . import exits
from .failures import text_of
from .outcome import Outcome

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism
    from ...results.record import Record


Options = Mapping[str, Any]
MOST = 20  # events that are printed


def perform(verb: str, model: Mechanism | Lagrangian, options: Mapping[str, Any]) -> Outcome:
    """Do an analysis; options are plain data in SI units, as a model file gives them."""
    try:
        found = ask(verb, model, options)
    except DalembertError as error:
        if verb not in MOTIONS:
            raise
        return _until(error, verb)
    if verb in ("simulate", "kinematics"):
        return of_run(verb, found)
    made = _OUTCOMES[verb](model, found, options) if verb in _OUTCOMES else Outcome("", "", "", {"text": str(found)})
    made.verb, made.text = verb, made.text or str(found)
    made.headline = made.headline or made.text.partition("\n")[0]
    return made


def _until(error: DalembertError, verb: str) -> Outcome:
    """Outcome of a motion that ends before its time: what was computed until then."""
    result = getattr(error, "result", None)
    if result is None or not len(result.t):
        raise error
    result.complete = False
    kind, end = getattr(error, "kind", "stopped"), getattr(error, "t", None)
    where = f"{kind} at t = {end:g} s" if end is not None else f"{kind} after t = {result.t[-1]:g} s"
    made = of_run(verb, result)
    made.headline = f"{where}; {len(result.t)} output{'s' * (len(result.t) != 1)} before it"
    made.text = f"incomplete: {made.headline}\n\n{made.text}"
    made.data |= {"stopped": {"kind": kind, "t": end}}
    if isinstance(error, SingularPositionError):
        made.data |= {"status": kind, "singular": {"kind": kind, "t": end, "joints": list(error.joints)}}
    made.code, made.error = exits.code_of(error), error
    return made


def _some(x: Any, names: str) -> dict[str, Any]:
    return {name: getattr(x, name) for name in names.split()}


def _code(good: bool) -> int:
    return exits.OK if good else exits.DOUBTFUL


def _inverse_dynamics(_: Any, found: Any, __: Options) -> Outcome:
    run, units, efforts, largest = found.run, units_of("inverse", found.run), {}, []
    for name, d in found.drivers.items():
        values = np.asarray(d.multiplier)
        efforts[name] = {"along": d.measure, "unit": d.unit, "values": values, "relative_spread": d.relative_spread}
        most = np.abs(values).max() * units.factor(d.unit)
        largest.append(f"{name} up to {most:.5g} {units.unit(d.unit)}")
    data = {"t": np.asarray(run.t), "drivers": efforts}
    code = _code(not run.warnings) if run.complete else exits.INTERRUPTED
    return Outcome("", ", ".join(largest) or "no drivers", "", data, code, run=run, page=found)


def _mobility(_: Any, found: Any, __: Options) -> Outcome:
    sets = [_some(s, "joints rows count verdict proposals") for s in found.dependent]
    extra = "nothing redundant" if not sets else f"{sum(s.count for s in found.dependent)} rows too many"
    headline = f"{found.dof} degree{'' if found.dof == 1 else 's'} of freedom, {extra}"
    outside = [str(one) for one in found.out_of_plane]
    data = {**_some(found, "dof grubler rank reason"), "dependent": sets, "out_of_plane": outside}
    right = not any(s.inconsistent for s in found.dependent)
    return Outcome("", headline, "", data, _code(right), brief=not sets and not outside)


def _assemble(model: Mechanism | Lagrangian, found: Any, _: Options) -> Outcome:
    moved = {name: _some(m, "distance angle") for name, m in found.moved.items()}
    body, most = max(found.moved.items(), key=lambda item: item[1].distance, default=("", None))
    turned = max((m.angle for m in found.moved.values()), default=0.0)
    length, far = read_units("assemble", model.units).of("m")
    still = most is None or (most.distance < 1e-9 and turned < 1e-9)
    headline = "fits as drawn" if still or most is None else f"{body!r} moved by {most.distance * far:.4g} {length}"
    others = None if found.alternatives is None else [str(a.branch) for a in found.alternatives]
    data = {"dof": found.dof, "moved": moved, "branch": str(found.branch), "q": found.state.q, "alternatives": others}
    return Outcome("", headline, "", data, page=found, brief=others is None)


def _reactions(model: Mechanism | Lagrangian, found: Any, _: Options) -> Outcome:
    if isinstance(model, Lagrangian):
        rows = {name: _some(found[name], "multiplier") for name in found}
        return Outcome("", f"{len(rows)} rows", "", {"reactions": rows})
    parts = {name: {"on": found[name].body.name, **_some(found[name], "force torque unique")} for name in found}
    unique = "every reaction is unique" if not found.not_unique else f"not unique: {', '.join(found.not_unique)}"
    told = [str(note) for note in found.warnings]
    data = {"t": found.state.t, "reactions": parts, "not_unique": found.not_unique, "warnings": told}
    return Outcome("", "; ".join([unique, *told]), "", data, _code(not told), page=found)


def _free_body(_: Any, found: Any, __: Options) -> Outcome:
    loads = {name: _some(found[name], "force torque moment") for name in found}
    return Outcome("", f"{len(loads)} loads on {found.body.name!r}", "", {"loads": loads}, page=found)


def _equilibrium(_: Any, found: Any, options: Options) -> Outcome:
    if "along" in options:
        branches = [_some(b, "values verdicts") | {"marks": [m.kind for m in b.marks]} for b in found]
        return Outcome("", f"{len(branches)} branches", "", {"branches": branches}, page=found)
    if isinstance(found, RestRanges):
        # what friction holds are ranges of a coordinate
        held = [_some(x, "low high on") | {"coordinate": x.coordinate or found.coordinate} for x in found]
        if isinstance(found, RestPlace):
            used = found.used if math.isfinite(found.used) else None
            told = _some(found, "stays certain forces limits") | {"used": used, "ranges": held}
            verdict = ("stays" if found.certain else "can stay") if found.stays else "moves"
            return Outcome("", f"the position {verdict}", "", told)
        told = {"ranges": held, **_some(found, "looked certain")}
        return Outcome("", f"{len(held)} ranges of rest positions", "", told)
    rests = []
    for e in found:
        coordinates = {n: {"value": x, "unit": u} for n, (x, u) in e.coordinates.items()}
        pressures = {n: _some(x, "value low high unit") for n, x in e.pressures.items()}
        told = {"pressures": pressures, "warnings": [str(note) for note in getattr(e, "warnings", ())]}
        rests.append({**_some(e, "verdict reason energy eigenvalues"), "coordinates": coordinates, **told})
    counts = {v: [p["verdict"] for p in rests].count(v) for v in dict.fromkeys(p["verdict"] for p in rests)}
    headline = ", ".join(f"{n} {v}" for v, n in counts.items()) or "none found"
    good = bool(rests) and not any(place["warnings"] for place in rests)
    search = {"complete": found.complete, **_some(found.search, "missing words")}
    return Outcome("", headline, "", {"equilibria": rests, "search": search}, _code(good), page=found)


def _linearize(_: Any, found: Any, __: Options) -> Outcome:
    words = "eigenvalue frequency damping_ratio"
    data = [{"about": where, "modes": [_some(m, words) for m in one.modes]} for where, one in found]
    first = [f"{m.frequency:.4g}" for m in found[0][1].modes[:4] if m.frequency > 0.0]
    headline = f"{', '.join(first)} Hz" if first else "nothing oscillates"
    text = "\n\n".join(f"about {where}\n{one}" for where, one in found)
    return Outcome("", headline, text, {"points": data}, page=[one for _, one in found])


def _equations(model: Mechanism | Lagrangian, found: Any, options: Options) -> Outcome:
    data, files = {"form": arguments("equations", model, options).get("form"), "text": str(found)}, {}
    if isinstance(found, OnSheet):
        data["latex"] = found.latex()
        files["equations.tex"] = f"{found.latex()}\n"
    return Outcome("", "", "", data, files=files)


def _verify(_: Any, found: Any, __: Options) -> Outcome:
    headline = f"all ways agree to {found.spread:.1e}" if found.agree else "the formulations disagree"
    data = _some(found, "agree spread tolerance ways states outlier")
    return Outcome("", headline, "", data, _code(found.agree))


def _holding_load(model: Mechanism | Lagrangian, found: Any, _: Options) -> Outcome:
    units = read_units("holding_load", model.units)
    loads = {name: _some(found[name], "value low high unit") for name in found}
    told = [f"{n} = {x['value'] * units.factor(x['unit']):.6g} {units.unit(x['unit'])}" for n, x in loads.items()]
    return Outcome("", ", ".join(told), "", {"loads": loads})


def _potential_energy(model: Mechanism | Lagrangian, found: Any, _: Options) -> Outcome:
    unit, factor = read_units("potential_energy", model.units).of("J")
    formula = None if found.expression is None else str(found.expression)
    return Outcome("", f"V = {found.value * factor:.9g} {unit}", "", {"value": found.value, "expression": formula})


def _strike(_: Any, found: Any, __: Options) -> Outcome:
    data = {"before": found.before.v, "after": found.after.v, "energy_change": found.energy_change}
    return Outcome("", f"energy changed by {found.energy_change:.6g} J", "", data)


# those that are not here are told by their text
_OUTCOMES: dict[str, Callable[[Any, Any, Options], Outcome]] = {
    "assemble": _assemble, "equations": _equations, "equilibrium": _equilibrium, "free_body": _free_body,
    "holding_load": _holding_load, "inverse_dynamics": _inverse_dynamics, "linearize": _linearize, "mobility": _mobility,
    "potential_energy": _potential_energy, "reactions": _reactions, "strike": _strike, "verify": _verify,
}  # fmt: skip


# -- results over time -------------------------------------------------------------------------------------------------


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


def listed(happened: Any) -> str:
    """What happened, line by line; of many the first and the last."""
    lines = [str(x) for x in happened]
    if len(lines) > MOST:
        left = len(lines) - MOST
        lines = [*lines[: MOST // 2], f"… {left} more …", *lines[-MOST // 2 :]]
    return "\n".join(["events", *(f"  {line}" for line in lines)])


def data_of(run: Record) -> dict[str, Any]:
    """Plain data of a result over time; the arrays themselves are in the files."""
    t = [float(x) for x in run.t]
    # a quantity may have gaps: where a follower touches, while it is off its cam
    given = [(name, unit, x, x[np.isfinite(x)]) for name, unit, x in columns(run) if len(x)]
    return {
        "status": run.status,
        "complete": run.complete,
        "outputs": len(t),
        "t": {"first": t[0], "last": t[-1]} if t else None,
        "quantities": {
            name: {
                "unit": unit, "first": float(x[0]), "last": float(x[-1]),
                "least": float(np.min(there, initial=np.inf)), "largest": float(np.max(there, initial=-np.inf)),
            }
            for name, unit, x, there in given
        },
        "audit": str(run.audit),
        "events": [x.about() for x in getattr(run, "events", ())],
        "warnings": [str(note) for note in getattr(run, "warnings", ())],
    }  # fmt: skip


# -- pages -------------------------------------------------------------------------------------------------------------


def pages_of(outcomes: list[Outcome], model: Mechanism | Lagrangian) -> list[Subject]:
    """Pages of a command: the last motion, else the last answer; an answer without a drawing of its own is shown beside the model."""
    moving = [o for o in outcomes if o.run is not None and len(o.run.t)]
    one = (moving or outcomes)[-1]
    things = one.page if isinstance(one.page, list) else [one.page]
    made = [subject(thing) for thing in things if thing is not None]
    found = [about for about in made if about is not None] or [check_shown("--page", model, subject(model))]
    for about in found:
        if one.error is not None:
            about.headline = (f"incomplete: {one.headline}", False)
            about.texts.insert(0, ("Incomplete", text_of(one.error)))
        elif one.run is None and one.text not in (text for _, text in about.texts):
            about.texts.append((one.verb.replace("_", " ").capitalize(), one.text))
    return found
