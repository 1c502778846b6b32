"""strike: velocities just after a blow, reaction impulses of the joints, energy change (LAGRANGE 1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, ModelError, nearest, shown
from ..model.expression import as_expression
from ..model.frame import Point
from ..model.kinds import check_model
from ..model.lagrangian.parts import Load, RigidBody
from ..model.lagrangian.vectors import ZERO, Vector, applied, plus
from ..model.measure import Measure
from ..model.reading import listed, read_components, read_scalar
from ..model.shapes.reading import is_plain
from ..options.call import verb
from ..state import State
from .dynamics.shock import Blow, Thrown, struck
from .dynamics.start import at_state, prepare
from .pose.pose import Pose

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from ..system.lagrange import LagrangeSystem
    from .dynamics.dynamics import Dynamics


@verb
def strike(
    model: Mechanism | Lagrangian,
    impulse: Any = None,
    couple: Any = None,
    *,
    restitution: Any = None,
    state: State | None = None,
    velocities: str = "error",
) -> Blow:
    """Velocity jump of a mechanism under impulses, couples and impacts, with the impulse at every joint.

    Parameters
    ----------
    model
        The mechanism, or a Lagrangian; there keys are coordinates (generalized impulses) or parts.
    impulse
        `{body: (Jx, Jy)}` at the mass centre, `{point: (Jx, Jy)}` or `{body: ((Jx, Jy), point)}` at a point of the body (`bar.end`,
        `bar.point(x, y)`, in the second form also coordinates in its own axes), or a list of such for one body [N s].  Components
        in space axes; three numbers in space.
    couple
        `{body: angular impulse}` [N m s]: a number in the plane, three components in space axes in space.
    restitution
        `{measure: e}` or `(measure, e)`: the measure is thrown back, rate after = -e times rate before, by an impulse along the
        measure.  Several act at the same instant.
    state
        State just before; default: the assembled start.
    velocities
        "error": velocities before must fit the joints.  "impulsive": they need not; the joints catch the bodies.

    Returns
    -------
    Blow
        `.before`, `.after` (states), `.impulse[name]` of every joint, driver and measure, `.energy_change`.

    Notes
    -----
    Drivers take part with their rates: after the blow each driven measure moves at the rate of its driver, and the driver has an
    impulse like a joint.  Springs, dampers and gravity have no time to act.  Positions do not change.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("rod on a pivot")
    >>> rod = m.body("rod", da.rod(length=1.2, mass=2.0))
    >>> pin = m.revolute("A", m.ground, rod, at=rod.start)
    >>> blow = da.strike(m, {"rod": ((0, 3.0), rod.end)})
    >>> print(round(blow.after.v[2], 9), round(blow.impulse["A"].linear[1], 9))  # 3 P d / (m L^2) and P (3 d / (2 L) - 1)
    3.75 1.5
    """
    asked = f"strike({shown(getattr(model, 'name', model), 40)})"
    check_model(asked, model)
    kind: Any = {"mechanism": OnBodies, "lagrangian": OnCoordinates}[model.kind]
    blows = kind(asked, model, impulse, couple, restitution)
    model = model if model.situation.slips else model.beginning()
    if not blows.given and velocities == "error":
        found = "neither impulse, couple nor restitution"
        raise MethodError(asked, found, "nothing strikes", f"give {blows.example}, couple= or restitution=")
    with compiling(), np.errstate(all="ignore"):
        if state is None and velocities == "impulsive":
            state = prepare(model, 0.0, None, asked, velocities).impulse.before
        here = at_state(model, state, asked, extra=blows.measures, consistent=velocities == "error")
        here.check_positions(asked)
        return here.account(
            struck(here, blows.generalized(here), blows.thrown(here), asked), f"strike of {model.name!r}"
        )


class OnBodies:
    """What strikes a mechanism: impulses and couples on bodies, measures that are thrown back."""

    example = "impulse={body: (Jx, Jy)}"

    def __init__(self, asked: str, model: Mechanism, impulse: Any, couple: Any, restitution: Any) -> None:
        self.blows = _read_impulses(asked, model, impulse)
        self.couples = _read_couples(asked, model, couple)
        self.back = _read_restitution(asked, model, restitution)
        self.given = bool(self.blows or self.couples or self.back)
        self.measures = [measure for measure, _ in self.back]

    def thrown(self, pose: Pose) -> list[Thrown]:
        """Measures that are thrown back."""
        found = [(measure, e, *pose.measure(measure)[1:]) for measure, e in self.back]
        return [Thrown(m.name, row, rate, e, f"{m.unit}/s", m) for m, e, row, rate in found]

    def generalized(self, pose: Pose) -> np.ndarray:
        """Generalized impulse: force part, and moment about the mass centre in body axes, of every blow and couple."""
        return _generalized(pose, self.blows, self.couples)


def _generalized(
    pose: Pose, blows: list[tuple[Any, np.ndarray, Any]], couples: list[tuple[Any, np.ndarray]]
) -> np.ndarray:
    """Generalized impulse: force part, and moment about the mass centre in body axes, of every blow and couple."""
    system = pose.system
    width, linear = system.builder.width, 2 if system.plane else 3
    total = np.zeros(system.nv)
    loads = [(body, vector, system.builder.drawing.place(body, point)) for body, vector, point in blows]
    for body, vector, arm, couple in [
        *((body, vector, arm, np.zeros(3)) for body, vector, arm in loads),
        *((body, np.zeros(3), np.zeros(3), couple) for body, couple in couples),
    ]:
        b = system.builder.body_index(body)
        rotation = system.place(pose.q, body)[1]
        moment = np.cross(rotation @ arm, vector) + couple
        total[width * b : width * b + linear] += vector[:linear]
        total[width * b + linear : width * (b + 1)] += moment[2:] if system.plane else rotation.T @ moment
    return total


class OnCoordinates:
    """What strikes a Lagrangian system: generalized impulses, impulses and couples on parts, expressions that are thrown back."""

    example, measures = "impulse={'theta': 1.0}", ()

    def __init__(self, asked: str, model: Lagrangian, impulse: Any, couple: Any, restitution: Any) -> None:
        self.asked, self.model = asked, model
        self.impulses, self.couples, self.back = (
            pairs(asked, name, x, "'theta': 1.0")
            for name, x in (("impulse", impulse), ("couple", couple), ("restitution", restitution))
        )
        self.given = bool(self.impulses or self.couples or self.back)

    def thrown(self, point: Dynamics) -> list[Thrown]:
        """Expressions that are thrown back."""
        return [_expression_thrown(point, key, e, self.asked) for key, e in self.back]

    def generalized(self, point: Dynamics) -> np.ndarray:
        """Generalized impulse of every blow and couple."""
        model, asked = self.model, self.asked
        pushes = [_on_coordinates(model, point, key, value, asked) for key, value in self.impulses]
        for key, value in self.couples:
            part = model.parts.get(key)
            if not isinstance(part, RigidBody):
                raise ModelError(f"{asked}: couple", shown(key), "it is no body", nearest(key, model.parts))
            vector = _components(value if listed(value) is not None else (0.0, 0.0, value), asked)
            pushes.append(_by_coordinates(Load("", key, vector, None, applied(part.rotation, part.spin)), model, point))
        return np.array([sum(push.get(name, 0.0) for push in pushes) for name in model.q])


def _components(x: Any, asked: str) -> Vector:
    items = listed(x)
    if items is None or len(items) not in (2, 3):
        raise MethodError(
            asked, f"impulse {shown(x)}", "two or three components are needed", "give for example (0, 1.5)"
        )
    made = [as_expression(item, asked=asked) for item in items]
    return made[0], made[1], made[2] if len(made) == 3 else ZERO


def _on_coordinates(model: Lagrangian, point: Dynamics, key: Any, value: Any, asked: str) -> dict[str, float]:
    """Generalized impulse of one entry: on a coordinate, on a part, or at a point of a body."""
    if key in model.q:
        return {key: as_expression(value, asked=asked).evaluate(model.parameters)}
    part = model.parts.get(key)
    if part is None:
        known = [*model.q, *model.parts]
        raise ModelError(f"{asked}: impulse", shown(key), "it is neither a coordinate nor a part", nearest(key, known))
    position, items = part.position, listed(value) or []
    if len(items) == 2 and listed(items[0]) is not None:
        if not isinstance(part, RigidBody):
            raise ModelError(
                f"{asked}: impulse on {key!r}", shown(value), "a particle has no points", "give the impulse alone"
            )
        arm = applied(part.rotation, _components(items[1], asked))
        position = plus(position[0], arm[0]), plus(position[1], arm[1]), plus(position[2], arm[2])
        value = items[0]
    return _by_coordinates(Load("", key, _components(value, asked), position, None), model, point)


def _by_coordinates(load: Load, model: Lagrangian, point: Dynamics) -> dict[str, float]:
    names = dict(zip(model.q, point.q)) | {f"rate({x})": v for x, v in zip(model.q, point.v)} | model.parameters
    return {name: force.evaluate({**names, "t": point.t}) for name, force in load.generalized(model.q).items()}


def _expression_thrown(point: Dynamics, key: Any, e: Any, asked: str) -> Thrown:
    system = cast("LagrangeSystem", point.system)
    number = as_expression(e, asked=asked).evaluate(system.model.parameters)
    if not 0.0 <= number <= 1.0:
        raise MethodError(
            asked, f"restitution {number:g} of {shown(key)}", "it lies between 0 and 1", "give for example 0.8"
        )
    _, row, rate = point.measure(as_expression(key, system.given_names, asked=asked))
    return Thrown(str(key), row, rate, number)


# -- reading -----------------------------------------------------------------------------------------------------------


def pairs(asked: str, name: str, x: Any, what: str) -> list[tuple[Any, Any]]:
    """Items of a mapping, or of one pair, or of a list of pairs."""
    if x is None:
        return []
    if isinstance(x, dict):
        return list(x.items())
    items = listed(x)
    if items is not None and len(items) == 2 and (listed(items[0]) is None or isinstance(items[0], Point)):
        return [(items[0], items[1])]
    listed_pairs = [listed(item) for item in items or []]
    if not listed_pairs or any(pair is None or len(pair) != 2 for pair in listed_pairs):
        raise MethodError(
            asked, f"{name} = {shown(x)}", f"it says what gets how much: {{{what}}}", f"give {name}={{{what}}}"
        )
    return [(pair[0], pair[1]) for pair in listed_pairs if pair is not None]


def _read_moving(asked: str, model: Mechanism, name: str, x: Any) -> Any:
    body = model.read_body(f"{asked}: {name}", x)
    if body.is_ground:
        raise MethodError(f"{asked}: {name}", "body = 'ground'", "the ground does not move", "strike a moving body")
    return body


def _numbers(asked: str, name: str, x: Any, model: Mechanism) -> np.ndarray:
    made = read_components(asked, name, x, model.plane, model.parameter_names, model.value)
    return np.array([model.value(c) for c in made])


def _read_impulses(asked: str, model: Mechanism, impulse: Any) -> list[tuple[Any, np.ndarray, Any]]:
    """(body, impulse, point) of every blow; point None is the mass centre."""
    found = []
    for who, what in pairs(asked, "impulse", impulse, "body: (Jx, Jy)" if model.plane else "body: (Jx, Jy, Jz)"):
        body = _read_moving(asked, model, "impulse", who.body if isinstance(who, Point) else who)
        name = f"impulse on {body.name!r}"
        several = isinstance(what, list) and bool(what) and all(isinstance(item, tuple) for item in what)
        for one in what if several else [what]:
            items = listed(one) or []
            point = who if isinstance(who, Point) else None
            vector = one
            if len(items) == 2 and listed(items[0]) is not None:
                vector, place = items
                point = place if isinstance(place, Point) else body.point(place)
                if point.body is not body:
                    raise MethodError(
                        asked, f"{name} at {place!r}", "the point lies on another body", "give a point of that body"
                    )
            if body.particle and point is not None and any(model.value(c) != 0.0 for c in point.coordinates):
                model.refuse_particle(asked, body, f"a point away from it ({point!r})")
            found.append((body, _numbers(asked, name, vector, model), point))
    return found


def _read_couples(asked: str, model: Mechanism, couple: Any) -> list[tuple[Any, np.ndarray]]:
    found = []
    for who, what in pairs(asked, "couple", couple, "body: H" if model.plane else "body: (Hx, Hy, Hz)"):
        body = _read_moving(asked, model, "couple", who)
        name = f"couple on {body.name!r}"
        if body.particle:
            model.refuse_particle(asked, body, "a couple")
        if model.plane:
            number = model.value(read_scalar(asked, name, what, "finite", model.parameter_names, model.value))
            found.append((body, np.array([0.0, 0.0, number])))
        else:
            found.append((body, _numbers(asked, name, what, model)))
    return found


def _read_restitution(asked: str, model: Mechanism, restitution: Any) -> list[tuple[Measure, float]]:
    found: list[tuple[Measure, float]] = []
    for what, e in pairs(asked, "restitution", restitution, "measure: e"):
        measure = model.read_coordinate(f"{asked}: restitution", what)
        number = float(e) if is_plain(e) else float("nan")
        if not 0.0 <= number <= 1.0:
            found_text = f"restitution of {measure.name!r} = {shown(e)}"
            why = "a coefficient of restitution lies between 0 (no rebound) and 1 (no loss)"
            raise MethodError(asked, found_text, why, "give a number from 0 to 1")
        if measure.name in [other.name for other, _ in found]:
            why = "it can be thrown back once only"
            raise MethodError(asked, f"restitution of {measure.name!r} twice", why, "leave one of the two out")
        found.append((measure, number))
    return found
