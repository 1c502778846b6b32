"""Analyses by name, with the options of a model file: `perform("simulate", model, {"until": 2.0})`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, SingularPositionError
from ...model.lagrangian import Lagrangian
from ...model.output_units import read_units
from ...results.in_units import units_of
from . import exits, series
from .outcome import Outcome

if TYPE_CHECKING:
    from ...state import State

# end of a motion for which no end is asked [s]
DEFAULT_END = 1.0
DEFAULT_OUTPUTS = 200


def perform(verb: str, model: Any, options: Mapping[str, Any]) -> Outcome:
    """Do an analysis; options are plain data in SI units, as a model file gives them."""
    return VERBS[verb](model, dict(options))


def simulate(model: Any, options: dict[str, Any]) -> Outcome:
    """Motion in time; up to where it cannot go on, if there is such a place."""
    from ...analyses.simulate import simulate

    try:
        return series.of_run("simulate", simulate(model, **{"until": DEFAULT_END, **options}))
    except DalembertError as error:
        return _until(error, "simulate")


def kinematics(model: Any, options: dict[str, Any]) -> Outcome:
    """Motion that the drivers prescribe; up to where it cannot go on, if there is such a place."""
    from ...analyses.kinematics import kinematics

    try:
        return series.of_run("kinematics", kinematics(model, _times(options)))
    except DalembertError as error:
        return _until(error, "kinematics")


def _until(error: DalembertError, verb: str) -> Outcome:
    """Outcome of a motion that ends before its time: what was computed until then."""
    result = getattr(error, "result", None)
    if result is None or not len(result.t):
        raise error
    result.complete = False
    kind, end = getattr(error, "kind", "stopped"), getattr(error, "t", None)
    where = f"{kind} at t = {end:g} s" if end is not None else f"{kind} after t = {result.t[-1]:g} s"
    made = series.of_run(verb, result)
    made.headline = f"{where}; {len(result.t)} output{'s' * (len(result.t) != 1)} before it"
    made.text = f"incomplete: {made.headline}\n\n{made.text}"
    made.data |= {"stopped": {"kind": kind, "t": end}}
    if isinstance(error, SingularPositionError):
        made.data |= {"status": kind, "singular": {"kind": kind, "t": end, "joints": list(error.joints)}}
    made.code, made.error = exits.code_of(error), error
    return made


def _times(options: dict[str, Any]) -> list[float]:
    """Times of a motion: given one by one, or by their end and step."""
    from ...analyses.simulate import output_times

    if "times" in options:
        return options["times"]  # type: ignore[no-any-return]
    end = options.get("until", DEFAULT_END)
    step = options.get("output", abs(end) / DEFAULT_OUTPUTS or None)
    return [float(t) for t in output_times("output times", step, 0.0, end)]


def inverse_dynamics(model: Any, options: dict[str, Any]) -> Outcome:
    """Efforts of the drivers."""
    from ...analyses.inverse_dynamics import inverse_dynamics

    try:
        found = inverse_dynamics(model, _times(options))
    except DalembertError as error:
        return _until(error, "inverse_dynamics")
    efforts = {
        name: {
            "along": d.measure,
            "unit": d.unit,
            "values": np.asarray(d.multiplier),
            "relative_spread": d.relative_spread,
        }
        for name, d in found.drivers.items()
    }
    units = units_of("inverse", found.run)
    largest = [
        f"{n} up to {np.abs(np.asarray(d.multiplier)).max() * units.factor(d.unit):.5g} {units.unit(d.unit)}"
        for n, d in found.drivers.items()
    ]
    return Outcome(
        "inverse_dynamics",
        ", ".join(largest) or "no drivers",
        str(found),
        {"t": np.asarray(found.run.t), "drivers": efforts},
        exits.INTERRUPTED if not found.run.complete else exits.DOUBTFUL if found.run.warnings else exits.OK,
        run=found.run,
        page=found,
    )


def mobility(model: Any, options: dict[str, Any]) -> Outcome:
    """Degrees of freedom and dependent rows."""
    from ...analyses.mobility import mobility

    found = mobility(model, **options)
    sets = [
        {"joints": s.joints, "rows": s.rows, "count": s.count, "verdict": s.verdict, "proposals": s.proposals}
        for s in found.dependent
    ]
    freedom = f"{found.dof} degree{'' if found.dof == 1 else 's'} of freedom"
    extra = "nothing redundant" if not sets else f"{sum(s.count for s in found.dependent)} rows too many"
    data = {
        "dof": found.dof,
        "grubler": found.grubler,
        "rank": found.rank,
        "reason": found.reason,
        "dependent": sets,
        "out_of_plane": [str(one) for one in found.out_of_plane],
    }
    wrong = any(s.inconsistent for s in found.dependent)
    return Outcome(
        "mobility",
        f"{freedom}, {extra}",
        str(found),
        data,
        exits.DOUBTFUL if wrong else exits.OK,
        brief=not sets and not found.out_of_plane,
    )


def assemble(model: Any, options: dict[str, Any]) -> Outcome:
    """Positions that satisfy all constraints."""
    from ...analyses.assemble import assemble

    found = assemble(model, **options)
    moved = {name: {"distance": m.distance, "angle": m.angle} for name, m in found.moved.items()}
    body, most = max(found.moved.items(), key=lambda item: item[1].distance, default=("", None))
    turned = max((m.angle for m in found.moved.values()), default=0.0)
    length, far = read_units("assemble", model.units).of("m")
    still = most is None or (most.distance < 1e-9 and turned < 1e-9)
    headline = "fits as drawn" if still or most is None else f"{body!r} moved by {most.distance * far:.4g} {length}"
    data = {
        "dof": found.dof,
        "moved": moved,
        "branch": str(found.branch),
        "q": found.state.q,
        "alternatives": None if found.alternatives is None else [str(a.branch) for a in found.alternatives],
    }
    return Outcome("assemble", headline, str(found), data, page=found, brief=found.alternatives is None)


def state_at(model: Any, t: float | None) -> State | None:
    """State at a time, reached by simulating; None for the start."""
    if not t:
        return None
    from ...analyses.simulate import simulate

    run = simulate(model, until=t, output=[t])
    if not run.complete:
        raise KeyboardInterrupt
    return run.at(t)


def reactions(model: Any, options: dict[str, Any]) -> Outcome:
    """What each joint carries at an instant."""
    from ...analyses.reactions import reactions

    found: Any = reactions(model, state_at(model, options.get("t")))
    if isinstance(model, Lagrangian):
        rows = {name: {"multiplier": found[name].multiplier} for name in found}
        return Outcome("reactions", f"{len(rows)} rows", str(found), {"reactions": rows})
    parts = {
        name: {
            "on": found[name].body.name,
            "force": found[name].force,
            "torque": found[name].torque,
            "unique": found[name].unique,
        }
        for name in found
    }
    unique = "every reaction is unique" if not found.not_unique else f"not unique: {', '.join(found.not_unique)}"
    told = [str(note) for note in found.warnings]
    data = {"t": found.state.t, "reactions": parts, "not_unique": found.not_unique, "warnings": told}
    code = exits.DOUBTFUL if told else exits.OK
    return Outcome("reactions", "; ".join([unique, *told]), str(found), data, code, page=found)


def free_body(model: Any, options: dict[str, Any]) -> Outcome:
    """All loads on a body at an instant."""
    from ...analyses.free_body import free_body

    options = dict(options)
    state = state_at(model, options.pop("t", None))
    found = free_body(model, options.pop("body"), state, **options)
    loads = {
        name: {"force": found[name].force, "torque": found[name].torque, "moment": found[name].moment} for name in found
    }
    return Outcome("free_body", f"{len(loads)} loads on {found.body.name!r}", str(found), {"loads": loads}, page=found)


def equilibrium(model: Any, options: dict[str, Any]) -> Outcome:
    """Where it rests."""
    from ...analyses.equilibrium import equilibrium

    if "spinning" in options:
        options["spinning"] = tuple(options["spinning"])
    found: Any = equilibrium(model, **options)
    if "along" in options:
        branches = [
            {"values": np.asarray(b.values), "verdicts": b.verdicts, "marks": [m.kind for m in b.marks]} for b in found
        ]
        return Outcome("equilibrium", f"{len(branches)} branches", str(found), {"branches": branches}, page=found)
    places = [
        {
            "verdict": e.verdict,
            "reason": e.reason,
            "energy": e.energy,
            "eigenvalues": e.eigenvalues,
            "coordinates": {n: {"value": x, "unit": u} for n, (x, u) in e.coordinates.items()},
            "warnings": [str(note) for note in getattr(e, "warnings", ())],
        }
        for e in found
    ]
    counts = {v: [p["verdict"] for p in places].count(v) for v in dict.fromkeys(p["verdict"] for p in places)}
    headline = ", ".join(f"{n} {v}" for v, n in counts.items()) or "none found"
    good = bool(places) and not any(place["warnings"] for place in places)
    search = {"complete": found.complete, "missing": found.search.missing, "words": found.search.words}
    data = {"equilibria": places, "search": search}
    return Outcome("equilibrium", headline, str(found), data, exits.OK if good else exits.DOUBTFUL, page=found)


def linearize(model: Any, options: dict[str, Any]) -> Outcome:
    """Small motions: about each stable equilibrium, or about the start."""
    from ...analyses.linearize import linearize

    options = dict(options)
    states = _places(model, options.pop("at", None))
    found = [(where, linearize(model, state, **options)) for where, state in states]
    data = [
        {
            "about": where,
            "modes": [
                {"eigenvalue": m.eigenvalue, "frequency": m.frequency, "damping_ratio": m.damping_ratio}
                for m in one.modes
            ],
        }
        for where, one in found
    ]
    first = [f"{m.frequency:.4g}" for m in found[0][1].modes[:4] if m.frequency > 0.0]
    headline = f"{', '.join(first)} Hz" if first else "nothing oscillates"
    text = "\n\n".join(f"about {where}\n{one}" for where, one in found)
    return Outcome("linearize", headline, text, {"points": data}, page=[one for _, one in found])


def _places(model: Any, at: str | None) -> list[tuple[str, Any]]:
    """Where to look at small motions; without a choice: the stable equilibria, or the start where there are none."""
    start = [("the start", None)]
    if at == "start":
        return start
    from ...analyses.equilibrium import equilibrium

    try:
        found: Any = equilibrium(model)
    except DalembertError:
        if at == "equilibrium":
            raise
        return start
    chosen = [(f"equilibrium {k} ({e.verdict})", e) for k, e in enumerate(found) if e.verdict != "unstable"]
    if at == "equilibrium" and not chosen:
        chosen = [(f"equilibrium {k} ({e.verdict})", e) for k, e in enumerate(found)]
    if at == "equilibrium" and not chosen:
        raise MethodError("modes", "no equilibrium", "there is none to look at", "use --at start")
    return chosen or start


def equations(model: Any, options: dict[str, Any]) -> Outcome:
    """Equations of motion to read."""
    from ...analyses.equations import equations

    options = dict(options)
    if not isinstance(model, Lagrangian):
        options.setdefault("form", "minimal")
    found = equations(model, **options)
    data = {"form": options.get("form"), "text": str(found)}
    files = {}
    if hasattr(found, "latex"):
        data["latex"] = found.latex()
        files["equations.tex"] = f"{found.latex()}\n"
    return Outcome("equations", str(found).partition("\n")[0], str(found), data, files=files)


def verify(model: Any, options: dict[str, Any]) -> Outcome:
    """Independent formulations compared."""
    from ...analyses.verify import verify

    found = verify(model, **options)
    data = {
        "agree": found.agree,
        "spread": found.spread,
        "tolerance": found.tolerance,
        "ways": found.ways,
        "states": found.states,
        "outlier": found.outlier,
    }
    headline = f"all ways agree to {found.spread:.1e}" if found.agree else "the formulations disagree"
    return Outcome("verify", headline, str(found), data, exits.OK if found.agree else exits.DOUBTFUL)


def holding_load(model: Any, options: dict[str, Any]) -> Outcome:
    """Loads that hold the pose."""
    from ...analyses.holding_load import holding_load

    found = holding_load(model, **options)
    loads: dict[str, dict[str, Any]] = {n: {"value": found[n].value, "unit": found[n].unit} for n in found}
    units = read_units("holding_load", model.units)
    headline = ", ".join(
        f"{name} = {x['value'] * units.factor(x['unit']):.6g} {units.unit(x['unit'])}" for name, x in loads.items()
    )
    return Outcome("holding_load", headline, str(found), {"loads": loads})


def strike(model: Any, options: dict[str, Any]) -> Outcome:
    """Velocities after a blow."""
    from ...analyses.strike import strike

    if "impulse" in options:
        options["impulse"] = {_point(model, key): x for key, x in options["impulse"].items()}
    found = strike(model, **options)
    data = {"before": found.before.v, "after": found.after.v, "energy_change": found.energy_change}
    return Outcome("strike", f"energy changed by {found.energy_change:.6g} J", str(found), data)


def _point(model: Any, key: str) -> Any:
    """Point "bar.end" of a body; everything else as it is."""
    body, _, point = key.rpartition(".")
    shape = getattr(model[body], "shape", None) if body and body in model else None
    return getattr(model[body], point) if shape is not None and point in shape.points else key


def _plain_report(module: str, verb: str) -> Callable[[Any, dict[str, Any]], Outcome]:
    """Analyses whose answer is a text."""

    def done(model: Any, options: dict[str, Any]) -> Outcome:
        from importlib import import_module

        found = getattr(import_module(f"dalembert.{module}"), verb)(model, **options)
        text = str(found)
        return Outcome(verb, text.partition("\n")[0], text, {"text": text})

    return done


VERBS: dict[str, Callable[[Any, dict[str, Any]], Outcome]] = {
    "assemble": assemble,
    "classify": _plain_report("analyses.classify", "classify"),
    "conserved": _plain_report("symbolic.conserved", "conserved"),
    "equations": equations,
    "equilibrium": equilibrium,
    "free_body": free_body,
    "holding_load": holding_load,
    "inverse_dynamics": inverse_dynamics,
    "kinematics": kinematics,
    "linearize": linearize,
    "mobility": mobility,
    "reactions": reactions,
    "simulate": simulate,
    "small_oscillations": _plain_report("symbolic.small_oscillations", "small_oscillations"),
    "strike": strike,
    "verify": verify,
}
