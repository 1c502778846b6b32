"""Plain data of a file to a mechanism.  A part that refers to a part with problems is passed over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import DalembertError
from ..model.dimensions import NATURAL, Quantity
from ..model.expression import Expr, parse
from ..model.mechanism import Mechanism
from ..model.registry import FORCES, JOINTS
from ..model.units import UnitError, parse_unit
from .events import read_events
from .fields import (
    dimension_in,
    field_of,
    law_names,
    names_of,
    own_quantities,
    pair_of,
    points_over_angle,
    takes_lists,
    unit_of,
    unit_with,
    units_per,
    with_power,
)
from .problems import Failed, Path
from .reader import ON, Reader, mentioned
from .values import PartValues, measure_of

LENGTH = parse_unit("m").dimension


class MechanismReader(Reader):
    """A mechanism: sections bodies, joints, forces, drivers and more."""

    def model(self) -> Mechanism | None:
        """Mechanism: parameters and bodies first, then the other parts, each after those it refers to."""
        plane, title = self.data.get("plane", True), self.data.get("name", self.name)
        if not isinstance(plane, bool):
            self.problems.wrong_type(("plane",), plane, "true or false")
            return None
        model = self.made(("name",), Mechanism, title, plane=plane)
        if model is None:
            return None
        model._tables.update(self.tables)
        self.parameters(model)
        for key, unit in (("gravity", "m/s^2"), ("length", "m")):
            if key not in self.data or self.failed & mentioned(self.data[key]):
                continue
            x = self.number((key,), self.data[key], unit)
            if x is not None:
                self.made((key,), self._set_number, model, key, x)
        self.values = PartValues(model, self.values)
        for name, x in self.section("bodies").items():
            self._body(model, name, x)
        for section, name, x in self._ordered():
            if self.problems.full:
                break
            self._part(model, section, name, x)
        self._state_names(model)
        for name, x in self.section("start").items():
            self._start(model, name, x)
        read_events(self, model)
        return model  # type: ignore[no-any-return]

    def _state_names(self, model: Mechanism) -> None:
        """Note names in rates of states that nothing has, now that all parts are there; states may name those that come later."""
        for state in model.parts("state"):
            for name in sorted(n[5:-1] if n.startswith("rate(") else n for n in state.law.names):
                known = [*model.parameter_names, *model.measure_names(), "t"]
                if name not in known and name not in self.failed:
                    self.problems.unknown(("states", state.name, "rate"), "name", name, known)

    @staticmethod
    def _set_number(model: Mechanism, key: str, x: Any) -> None:
        """Set gravity or length; names in it are checked at once, since all parameters are known."""
        setattr(model, key, x)
        try:
            model.check_numbers()
        except DalembertError:
            setattr(model, key, None)
            raise

    def _body(self, model: Mechanism, name: str, x: Any) -> None:
        path: Path = ("bodies", name)
        if self.failed & mentioned(x) or self.taken(path, name):
            self.failed.add(name)
            return
        particle = x.get("particle", False) if isinstance(x, dict) else False
        tag = "particle" if particle is True else "body"
        given = {key: item for key, item in x.items() if key != "particle"} if isinstance(x, dict) else x
        if not isinstance(particle, bool):
            self.problems.wrong_type((*path, "particle"), particle, "true or false")
        arguments, right = self.part_arguments(model, path, tag, given)
        if not right:
            self._stand_in(getattr(model, tag), name, arguments)
        elif self.made(path, getattr(model, tag), name, fields=arguments, **arguments) is None:
            self.failed.add(name)

    def _ordered(self) -> list[tuple[str, str, Any]]:
        """Measures, joints, states, forces and drivers, each after those whose names it contains."""
        items = [
            (s, n, x) for s in ("measures", "joints", "states", "forces", "drivers") for n, x in self.section(s).items()
        ]
        by_name = {name: k for k, (_, name, _) in enumerate(items)}
        done: set[int] = set()
        made: list[tuple[str, str, Any]] = []
        for first in range(len(items)):
            stack = [(first, False)]
            open_now: set[int] = set()
            while stack:
                k, ready = stack.pop()
                if ready:
                    if k not in done:
                        done.add(k)
                        made.append(items[k])
                    continue
                if k in done or k in open_now:
                    continue
                open_now.add(k)
                stack.append((k, True))
                needs = sorted({by_name[n] for n in mentioned(items[k][2]) if n in by_name} - {k}, reverse=True)
                stack += [(other, False) for other in needs]
        return made

    def _part(self, model: Mechanism, section: str, name: str, x: Any) -> None:
        path: Path = (section, name)
        unknown = self.failed & (mentioned(x) - {name})
        if self.taken(path, name):
            self.failed.add(name)
            return
        method = self._method(path, section, x)
        given = {key: item for key, item in x.items() if key != "type"} if isinstance(x, dict) else x
        if section == "measures" and isinstance(x, str):
            given = {"expression": x}
        if section == "states" and isinstance(x, str):
            given = {"rate": x}
        if method is None:
            self.failed.add(name)
            return
        if unknown:
            # it cannot be made, but what does not depend on the missing parts can be read
            self.failed.add(name)
            if isinstance(given, dict):
                self.part_arguments(model, path, method, {k: v for k, v in given.items() if not unknown & mentioned(v)})
            return
        arguments, right = self.part_arguments(model, path, method, given)
        whole = {"i", "j"} <= set(arguments) or (takes_lists(method) and isinstance(arguments.get("i"), list))
        if right and pair_of(method) == ("i", "j") and not whole:
            self.problems.add(path, 'between is missing; it names two bodies: between = ["ground", "crank"]')
            self.failed.add(name)
            return
        if not right:
            if method in ("measure", "drive"):
                self.failed.add(name)
                value = arguments.get("value")
                known = [*model.parameter_names, "t"]
                value = parse(value) if isinstance(value, str) else value
                for other in sorted(value.names - {*known}) if isinstance(value, Expr) else ():
                    self.problems.unknown((*path, "value"), "name", other, known)
            else:
                self._stand_in(getattr(model, method), name, arguments)
            return
        if method == "measure":
            done = self.made(path, model.measure, name, arguments.pop("expression", None), fields=given, **arguments)
        elif method == "drive":
            missing = [key for key in ("measure", "value") if key not in arguments]
            for key in missing:
                name = ON if key == "measure" else key
                self.problems.add(path, f'{name} is missing; a driver has both: on = "O.angle", value = "2*t"')
            done = None if missing else self.made(path, model.drive, name, arguments["measure"], arguments["value"])
        else:
            done = self.made(path, getattr(model, method), name, fields=given, **arguments)
        if done is None:
            self.failed.add(name)

    def _method(self, path: Path, section: str, x: Any) -> str | None:
        """Method of the mechanism that adds the part."""
        own = {"measures": "measure", "drivers": "drive", "states": "state"}
        if section in own:
            return own[section]
        known, what = (JOINTS, "joint") if section == "joints" else (FORCES, "force")
        if not isinstance(x, dict):
            self.problems.wrong_type(path, x, "a table")
            return None
        tag = x.get("type")
        if tag is None:
            self.problems.add(path, f"type is missing; a {what} is one of {', '.join(known)}")
        elif not isinstance(tag, str) or tag not in known:
            self.problems.unknown((*path, "type"), f"{what} type", tag, known)
        else:
            return tag
        return None

    def _stand_in(self, method: Any, name: str, arguments: dict[str, Any]) -> None:
        """Make a part from what is right of it, so that those that refer to it can be checked: the model is not used, mistakes are noted."""
        try:
            method(name, **arguments)
        except (DalembertError, TypeError):
            self.failed.add(name)

    def part_arguments(
        self, model: Mechanism, path: Path, tag: str, x: Any, stated: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], bool]:
        """Arguments of a part that could be read, and whether these are all; mistakes are noted.  `stated` has those that the part has already."""
        assert isinstance(self.values, PartValues)
        names, pair = names_of(tag), pair_of(tag)
        x = self._named_pair(path, x, pair, names)
        given, failed = self.known_keys(path, x, [*names, *(("between",) if pair else ())])
        if pair and "between" in given:
            bodies = given.pop("between")
            if takes_lists(tag) and isinstance(bodies, list) and len(bodies) > 2:
                bodies = [bodies, None]
            if not isinstance(bodies, list) or len(bodies) != 2 or set(pair) & set(given):
                listed = "a list of two bodies" if pair == ("i", "j") else "a list of two points"
                self.problems.wrong_type((*path, "between"), bodies, f"{listed}, instead of {pair[0]} and {pair[1]},")
                return {}, False
            given = {key: x for key, x in zip(pair, bodies) if x is not None} | given
        made: dict[str, Any] = dict(stated or {})
        # what the part acts on comes first: it decides about the units of the rest, as a power in a unit does
        late = [key for key in given if "{" in (field_of(tag, key).unit or "") or with_power(tag, key)]
        for key in [*(key for key in given if key not in late), *late]:
            field = field_of(tag, key)
            spread = units_per(tag, key).get(str(x.get("per", "mass")))
            acts = {"on": made.get("b")} if field.unit == "{b}" else made
            points = points_over_angle(tag, key, given[key])
            unit = spread or unit_of(field, measure_of(model, acts) if key in late else None)
            unit = None if points else unit
            if with_power(tag, key):
                unit = unit_with(tag, key, model, given, made)
            place = ("between", pair.index(key)) if pair and key in pair and key not in x else (key,)
            on = self.values.acted_on(acts) if key in late else Quantity(LENGTH, NATURAL)
            own = own_quantities(tag, key, on, key in late)
            if tag == "state":
                on = self.values.in_unit(made.get("unit"))
                own = {str(path[-1]): on}
            try:
                self._check_law((*path, key), given[key], law_names(tag, key))
                wanted = dimension_in(field, on) if unit is None and not points else None
                made[key] = self.values.read((*path, *place), given[key], field, unit, wanted, own)
            except Failed:
                failed = True
        return {key: made[key] for key in given if key in made}, not failed

    def _named_pair(self, path: Path, x: Any, pair: tuple[str, str] | None, names: Iterable[str]) -> Any:
        """Fields of a part with a and b read as i and j, where the part calls its bodies so."""
        if (
            not isinstance(x, dict)
            or pair != ("i", "j")
            or {"a", "b"} & set(names)
            or not {"a", "b"} <= set(x)
            or set(pair) & set(x)
        ):
            return x
        self.problems.written |= {(*path, key): (*path, name) for key, name in (("i", "a"), ("j", "b"))}
        return {{"a": "i", "b": "j"}.get(key, key): item for key, item in x.items()}

    def _check_law(self, path: Path, x: Any, own: tuple[str, ...]) -> None:
        """Refuse a derived parameter in a law whose own quantities are called so; the model does it for other parameters."""
        used = mentioned(x) & self.derived.keys() if own and self.derived else set()
        for name in sorted(used):
            both = sorted({name, *self.derived[name].names} & set(own))
            if both:
                why = f"{both[0]!r} names a parameter as well as a quantity of this law"
                raise self.problems.add(path, f"the law uses {name!r}; {why}; rename the parameter")

    def _start(self, model: Mechanism, name: str, x: Any) -> None:
        path: Path = ("start", name)
        if self.failed & (mentioned(name) | mentioned(x)):
            return
        assert isinstance(self.values, PartValues)
        given, failed = self.known_keys(path, x, names_of("start"))
        try:
            measure = self.values.coordinate(path, name)
        except Failed:
            return
        known = measure_of(model, {"on": measure})
        made = {}
        for key, item in given.items():
            field = field_of("start", key)
            unit = field.unit.replace("{u}", known.unit) if known is not None and field.unit else None
            try:
                parse_unit(unit or "1")
            except UnitError:
                unit = None
            wanted = None
            if unit is None or (known is not None and known.expression is not None and known.unit == "1"):
                unit, wanted = None, dimension_in(field, self.values.acted_on({"on": measure}))
            made[key] = self.number((*path, key), item, unit, wanted)
        if not failed and None not in made.values():
            self.made(path, model.start, measure, fields=made, **made)
