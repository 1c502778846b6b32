"""Plain data of a file to a mechanism.  A part that refers to a part with problems is passed over."""

from __future__ import annotations

from typing import Any

from ..errors import DalembertError
from ..model.dimensions import GUESSED, NATURAL, Quantity
from ..model.expression import Expr, parse
from ..model.mechanism import Mechanism
from ..model.registry import FORCES, JOINTS
from ..model.units import UnitError, known_dimension, parse_unit
from .fields import ON, fields_of, pair_of, takes_lists
from .parameters import mentioned
from .problems import Failed, Path
from .reader import Reader
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
            if not self._body(model, name, x):
                self.failed.add(name)
        for section, name, x in self._ordered():
            if self.problems.full:
                break
            if not self._part(model, section, name, x):
                self.failed.add(name)
        self._state_names(model)
        for name, x in self.section("start").items():
            self._start(model, name, x)
        self.events(model)
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

    def _body(self, model: Mechanism, name: str, x: Any) -> bool:
        path: Path = ("bodies", name)
        if self.failed & mentioned(x) or self.taken(path, name):
            return False
        particle = x.get("particle", False) if isinstance(x, dict) else False
        tag = "particle" if particle is True else "body"
        given = {key: item for key, item in x.items() if key != "particle"} if isinstance(x, dict) else x
        if not isinstance(particle, bool):
            self.problems.wrong_type((*path, "particle"), particle, "true or false")
        arguments, right = self.part_arguments(model, path, tag, given)
        if not right:
            return self._stands_in(getattr(model, tag), name, arguments)
        return self.made(path, getattr(model, tag), name, fields=arguments, **arguments) is not None

    def _ordered(self) -> list[tuple[str, str, Any]]:
        """Measures, joints, states, forces and drivers, each after those whose names it contains."""
        sections = ("measures", "joints", "states", "forces", "drivers")
        items = [(section, name, x) for section in sections for name, x in self.section(section).items()]
        by_name = {name: k for k, (_, name, _) in enumerate(items)}
        done: dict[int, Any] = {}
        for first in range(len(items)):
            stack, under_way = [(first, False)], set()
            while stack:
                k, ready = stack.pop()
                if ready:
                    done.setdefault(k, items[k])
                elif k not in done and k not in under_way:
                    under_way.add(k)
                    needs = sorted({by_name[n] for n in mentioned(items[k][2]) if n in by_name} - {k}, reverse=True)
                    stack += [(k, True), *((other, False) for other in needs)]
        return [*done.values()]

    def _part(self, model: Mechanism, section: str, name: str, x: Any) -> bool:
        """Add a part; False where there is none, and mistakes are noted."""
        path: Path = (section, name)
        unknown = self.failed & (mentioned(x) - {name})
        method = None if self.taken(path, name) else self._method(path, section, x)
        if method is None:
            return False
        short = {"measures": "expression", "states": "rate"}.get(section)
        given = {short: x} if short and isinstance(x, str) else x
        given = {key: item for key, item in given.items() if key != "type"} if isinstance(given, dict) else given
        if unknown:
            # it cannot be made, but what does not depend on the missing parts can be read
            if isinstance(given, dict):
                self.part_arguments(model, path, method, {k: v for k, v in given.items() if not unknown & mentioned(v)})
            return False
        arguments, right = self.part_arguments(model, path, method, given)
        if not right and method not in ("measure", "drive"):
            return self._stands_in(getattr(model, method), name, arguments)
        if not right:
            value, known = arguments.get("value"), [*model.parameter_names, "t"]
            value = parse(value) if isinstance(value, str) else value
            for other in sorted(value.names - {*known}) if isinstance(value, Expr) else ():
                self.problems.unknown((*path, "value"), "name", other, known)
            return False
        whole = {"i", "j"} <= set(arguments) or (takes_lists(method) and isinstance(arguments.get("i"), list))
        if pair_of(method, fields_of(method)) == ("i", "j") and not whole:
            self.problems.add(path, 'between is missing; it names two bodies: between = ["ground", "crank"]')
            return False
        first = [arguments.pop("expression", None)] if method == "measure" else []
        if method == "drive":
            missing = [key for key in ("measure", "value") if key not in arguments]
            for key in missing:
                needed = ON if key == "measure" else key
                self.problems.add(path, f'{needed} is missing; a driver has both: on = "O.angle", value = "2*t"')
            if missing:
                return False
            given, first = (), [arguments.pop("measure"), arguments.pop("value")]
        return self.made(path, getattr(model, method), name, *first, fields=given, **arguments) is not None

    def _method(self, path: Path, section: str, x: Any) -> str | None:
        if section not in ("joints", "forces"):
            return {"measures": "measure", "drivers": "drive"}.get(section, "state")
        known, what = (JOINTS, "joint") if section == "joints" else (FORCES, "force")
        tag = x.get("type") if isinstance(x, dict) else None
        if isinstance(tag, str) and tag in known:
            return tag
        if not isinstance(x, dict):
            self.problems.wrong_type(path, x, "a table")
        elif tag is None:
            self.problems.add(path, f"type is missing; a {what} is one of {', '.join(known)}")
        else:
            self.problems.unknown((*path, "type"), f"{what} type", tag, known)
        return None

    @staticmethod
    def _stands_in(method: Any, name: str, arguments: dict[str, Any]) -> bool:
        """Make a part from what is right of it, so that those that refer to it can be checked: the model is not used, mistakes are noted."""
        try:
            method(name, **arguments)
        except (DalembertError, TypeError):
            return False
        return True

    def part_arguments(
        self, model: Mechanism, path: Path, tag: str, x: Any, stated: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], bool]:
        """Arguments of a part that could be read, and whether these are all; mistakes are noted.  `stated` has those that the part has already."""
        assert isinstance(self.values, PartValues)
        fields = fields_of(tag)
        pair = pair_of(tag, fields)
        ab = {"a": "i", "b": "j"}
        by_ab = isinstance(x, dict) and pair == ("i", "j") and ab.keys() <= x.keys()
        if by_ab and not ab.keys() & fields.keys() and not {"i", "j"} & x.keys():
            self.problems.written |= {(*path, key): (*path, name) for name, key in ab.items()}
            x = {ab.get(key, key): item for key, item in x.items()}
        given, failed = self.known_keys(path, x, [*fields, *(("between",) if pair else ())])
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
        for key in sorted(given, key=lambda key: fields[key].late):
            field, item = fields[key], given[key]
            acts = {"on": made.get("b")} if field.unit == "{b}" else made
            unit = (field.spread or {}).get(str(x.get("per", "mass")))
            unit = unit or field.unit_on(measure_of(model, acts) if field.late else None)
            # points of a law over an angle: the angles have a unit of their own
            points = isinstance(item, list) and any(of == "rad" for _, of in field.laws)
            unit = None if points else unit
            if field.power:
                unit = field.unit_with(model, given, made)
            place = ("between", pair.index(key)) if pair and key in pair and key not in x else (key,)
            on = self.values.acted_on(acts) if field.late else Quantity(LENGTH, NATURAL)
            own = field.own_quantities(on, field.late)
            if tag == "state":
                stated_unit = made.get("unit")
                known = None if stated_unit is None else known_dimension(stated_unit)
                on = Quantity(None, GUESSED) if known is None else Quantity(known, NATURAL)
                own = {str(path[-1]): on}
            try:
                self._check_law((*path, key), item, field.law_names)
                wanted = field.dimension_on(on) if unit is None and not points else None
                made[key] = self.values.read((*path, *place), item, field, unit, wanted, own)
            except Failed:
                failed = True
        return {key: made[key] for key in given if key in made}, not failed

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
        fields = fields_of("start")
        given, failed = self.known_keys(path, x, fields)
        try:
            measure = self.values.coordinate(path, name)
        except Failed:
            return
        known = measure_of(model, {"on": measure})
        made = {}
        for key, item in given.items():
            field = fields[key]
            unit = field.unit.replace("{u}", known.unit) if known is not None and field.unit else None
            try:
                parse_unit(unit or "1")
            except UnitError:
                unit = None
            wanted = None
            if unit is None or (known is not None and known.expression is not None and known.unit == "1"):
                unit, wanted = None, field.dimension_on(self.values.acted_on({"on": measure}))
            made[key] = self.number((*path, key), item, unit, wanted)
        if not failed and None not in made.values():
            self.made(path, model.start, measure, fields=made, **made)
