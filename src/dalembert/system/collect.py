"""The walk over the parts of a mechanism: which of them are at work in its situation, what its start holds, what the time loop watches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model.events import Shared
from ..model.expression import Expr, Name, Number
from ..model.forces._pressing import left_before_slip
from ..model.forces._soft_rub import SoftRub
from ..model.frame import Marker, Point
from ..model.loads import in_components
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from .build import HANDED, HANDED_OVER, Builder, naming
from .sharing import circle_of, shares_of


def collect(
    model: Mechanism,
    starts: str = "",
    values: dict[str, float] | None = None,
    held: Sequence[tuple[str, Measure, float]] = (),
    handed: bool = False,
) -> Builder:
    """Walk the parts of a mechanism.

    `starts` = "values" holds the values of the initial conditions like constraints; "rates" holds their rates and the velocities
    given to bodies, as rows on velocities.  `values` are the parameters to use instead of the model's present ones.  `held` are further
    measures held at a value, each under the name of a part.  With `handed`, drivers may be handed over to inputs.
    """
    model.check_numbers(values)
    builder = Builder(model, values)
    builder.add_states(handed)
    situation = model.situation
    if not model.plane and (model.events or model.impacts or model.frictions or model.soft_rubs):
        # the same numbers in every situation
        count_angles(builder)
    at_work = model.at_work("joint")
    for joint in at_work:
        with naming(joint.asked):
            joint.check(builder.drawing)
    for joint in [*at_work, *(stop for stop in model.impacts.values() if stop.name in situation.closed)]:
        with naming(joint.asked):
            # positions are assembled without conditions on velocities, which restrict how they are reached, not where they are
            rows = [row for row in joint.rows() if starts != "values" or not row.is_rate]
            if rows:
                builder.add_block(joint.name, joint.asked, rows)
    for one in model.frictions if starts != "values" else ():
        if one.name in situation.stuck:
            with naming(one.asked):
                builder.add_block(one.name, one.asked, one.stick())
    for driver in model.at_work("driver"):
        with naming(driver.asked):
            drive = substituted(builder, driver.expression)
            drive = handed_over(driver.name, drive) if handed else drive
            builder.add_block(driver.name, driver.asked, [driver.measure], drive=drive)
    for force in model.at_work("force"):
        with naming(force.asked):
            for measure, law in force.elements():
                builder.add_law(force.name, force.asked, measure, law)
    rubbing = {
        (rub.owner.name, measure.name): (rub.asked, measure, law)
        for rub in model.frictions if rub.kind == "rub" for measure, law in rub.elements()
    }  # fmt: skip
    for (owner, _), (asked, measure, law) in rubbing.items():
        with naming(asked):
            builder.add_law(owner, asked, measure, law)
    if starts == "values":
        _hold_values(builder)
    elif starts == "rates":
        _hold_rates(builder)
    for name, measure, value in (*held, *situation.locked):
        builder.add_block(name, name, [measure], drive=Number(value))
    if not model.plane:
        count_angles(builder)
        builder.watch_all_angles()
    return builder


def count_angles(builder: Builder) -> None:
    """Number the counted angles of all joints and measures, whether they are at work or not."""
    model = builder.model
    of_joints = [measure for joint in model.parts("joint") for measure in joint.coordinates().values()]
    for measure in [*of_joints, *model.parts("measure")]:
        for base in model.base_measures(measure):
            if base.kind == "angle":
                builder.item(f"measure {base.name!r}", base)


def _hold_values(builder: Builder) -> None:
    for start in builder.model.starts:
        if start.value is not None:
            name = f"start of {start.measure.name}"
            asked = f"start condition on {start.measure.name!r}"
            with naming(asked):
                value = Number(builder.drawing.number(start.value))
                builder.add_block(name, asked, [start.measure], drive=value)


def _hold_rates(builder: Builder) -> None:
    model = builder.model
    for start in model.starts:
        if start.rate is not None:
            asked = f"start condition on {start.measure.name!r}"
            _add_rate(builder, f"start of {start.measure.name}", asked, start.measure, start.rate)
    axes = ("x", "y") if model.plane else ("x", "y", "z")
    for body in model.bodies:
        ground, origin = Marker(model.ground, (0.0, 0.0, 0.0)), Marker(body, Point(body, (0.0, 0.0, 0.0)))
        asked = f"velocity of body {body.name!r}"
        given: Any = body.velocity
        for k, axis in enumerate(axes if given is not None else ()):
            direction = tuple(1.0 if m == k else 0.0 for m in range(3))
            measure = Measure(f"{body.name}.velocity_{axis}", "velocity", ground, origin, direction=direction, unit="m")
            _add_rate(builder, f"velocity of {body.name}", asked, measure, given[k])
        if body.spin is not None:
            spins = [(2, body.spin)] if model.plane else list(enumerate(body.spin))
            for k, value in spins:
                direction = tuple(1.0 if m == k else 0.0 for m in range(3))
                measure = Measure(
                    f"{body.name}.spin_{'xyz'[k]}", "spin", ground, origin, direction=direction, unit="rad"
                )
                _add_rate(builder, f"spin of {body.name}", asked, measure, value)


def _add_rate(builder: Builder, part: str, asked: str, measure: Measure, rate: Any) -> None:
    """Row on velocities only: its target is the rate of `rate * t`."""
    with naming(asked):
        block = builder.add_block(part, asked, [measure], drive=builder.drawing.number(rate) * Name("t"))
    for row in block.rows:
        row.rate_only = row.stated = True


def handed_over(name: str, drive: Expr) -> Expr:
    """A driver that follows its expression, or s + s' (t - since) + s'' (t - since)^2/2 of its inputs as soon as it is handed over."""
    on, s, rate, second, since = (Name(f"{name}{HANDED}{what}") for what in HANDED_OVER)
    ahead = Name("t") - since
    return on * (s + ahead * (rate + 0.5 * second * ahead)) + (1.0 - on) * drive


def substituted(builder: Builder, expression: Expr) -> Expr:
    """Expression with parameters replaced by their numbers."""
    return expression.substitute(builder.drawing.numbers_in(expression))


def _gap(stop: Any) -> Expr:
    """A gap as an expression; measures that only the gap knows are found through its name."""
    made: Expr = stop.gap.symbol if stop.gap.expression is None or stop.gap.terms else stop.gap.expression
    return made


def watch_modes(builder: Builder) -> None:
    """Events, and all gaps and friction of one component in whatever mode: open gaps, friction that slips, gaps that press, friction that holds; in this order."""
    model = builder.model
    stops, at_work = list(model.stops_at_work.values()), dict(model.situation.slips)
    frictions = [one for one in model.frictions if one.name in at_work]
    watched = [(f"event {x.name!r}", x.name, x.expression, x.direction) for x in model.events.values()]
    watched += [(stop.asked, stop.name, _gap(stop), -1) for stop in stops]
    watched += [(one.asked, one.name, *one.slip_watch(1, builder.slow(one))) for one in frictions]
    builder.pressed = [(stop.name, [(stop.name, 1.0)]) for stop in stops]
    for one in frictions:
        others = one.felt(builder.plane)
        own, names = ["own0"], [f"lam{k}" for k in range(len(others))]
        left = left_before_slip(one, builder.drawing.number, own, names)
        builder.gripped.append((one.name, left, [*own, *names], [(one.name, 0), *others], []))
    _watch(builder, watched)


def watch_events(builder: Builder) -> None:
    """Events, and gaps that are open, for the time loop to watch."""
    closed = builder.model.situation.closed
    builder.pressed = [(name, shares_of(builder, name)) for name in sorted(closed)]
    watched = [(f"event {x.name!r}", x.name, x.expression, x.direction) for x in builder.model.events.values()]
    for stop in builder.model.stops_at_work.values():
        if stop.name not in closed:
            watched.append((stop.asked, stop.name, _gap(stop), -1))
    slips = dict(builder.model.situation.slips)
    for one in builder.model.frictions:
        if one.name not in slips or isinstance(slips[one.name], Shared):
            continue
        if slips[one.name]:
            watched.append((one.asked, one.name, *one.slip_watch(slips[one.name], builder.slow(one))))
            continue
        watched.append((one.asked, one.name, *one.carry_watch(builder.slow(one))))
        others = one.felt(builder.plane)
        names = [f"lam{k}" for k in range(len(others))]
        own = [f"own{k}" for k in range(len(one.stick()))]
        sources = [*((one.name, k) for k in range(len(own))), *others]
        inputs, known = list[tuple[int, bool]](), list[str]()
        if isinstance(one, SoftRub):
            left, inputs, known = builder.inputs_of(one.asked, one.left_before_slip(builder.drawing.number, own), own)
        elif one.together:
            left = one.left_before_slip(one.holding(builder.drawing.number), own, names, circle_of(builder, one))
            left, inputs, known = builder.inputs_of(one.asked, left, [*own, *names])
        else:
            left = left_before_slip(one, builder.drawing.number, own, names)
        builder.gripped.append((one.name, left, [*own, *names, *known], sources, inputs))
    at_work = {one.key for one in builder.model.soft_rubs if one.name in slips}
    for one in builder.model.soft_rubs:
        if one.key not in at_work and not one.absent(builder.model.situation):
            watched.append((one.asked, one.name, one.gap.symbol, -1))
    _watch(builder, watched)


def _watch(builder: Builder, watched: list[tuple[str, str, Expr, int]]) -> None:
    """Let the time loop watch expressions: (what is asked, name, expression, direction)."""
    for asked, name, given, direction in watched:
        with naming(asked):
            expression, loads = in_components(builder.model, given)
            builder.loads += [x for x in loads if x not in builder.loads]
            # loads stand behind the rows
            expression, inputs, names = builder.inputs_of(asked, expression, loads)
            builder.events.append((name, expression, inputs, [*names, *loads], direction))
