"""Plain data of a file to a Lagrangian system."""

from __future__ import annotations

from typing import Any

from ..model.expression import Expr, parse
from ..model.lagrangian import Lagrangian
from .fields import LOADS, OF_LAGRANGIAN, OWN_NAMES, UNITS_OF_LAGRANGIAN
from .parameters import mentioned
from .problems import Failed, Path
from .reader import Reader


class LagrangianReader(Reader):
    """A system in generalized coordinates: its functions, rows, parts and loads."""

    def model(self) -> Lagrangian | None:
        """System in generalized coordinates."""
        q = self.data.get("q")
        if not isinstance(q, list | str) or not all(isinstance(name, str) for name in q):
            self.problems.wrong_type(("q",), q, "a list of names of coordinates")
            return None
        model = self.made(("q",), Lagrangian, q, name=self.data.get("name", self.name))
        if model is None:
            return None
        self.parameters(model)
        states = {name: made for name, x in self.section("states").items() if (made := self._state(model, name, x))}
        accepted: dict[str, Any] = {}
        for key, unit in (("kinetic", None), ("potential", None), ("dissipation", None), ("gravity", "m/s^2")):
            x = self.number((key,), self.data[key], unit) if key in self.data else None
            if x is not None and self.made((key,), Lagrangian, q, **{key: x}) is not None:
                accepted[key] = x
                self._names(model, (key,), x)
        forces = {}
        for key, given in self.section("forces").items():
            x = self.number(("forces", key), given, None)
            if x is not None and self.made(("forces", key), Lagrangian, q, forces={key: x}) is not None:
                forces[key] = x
                self._names(model, ("forces", key), x)
        model = Lagrangian(q, **accepted, forces=forces, parameters=model.parameters, name=model.name)
        model._tables.update(self.tables)
        for name, given in states.items():
            model.state(name, **given)
        for name, given in states.items():
            self._names(model, ("states", name, "rate"), given["rate"])
        for section, method in (("holonomic", model.constraint), ("nonholonomic", model.pfaffian)):
            for name, x in self.section(section).items():
                row = self.number((section, name), x, None)
                if row is not None:
                    self.made((section, name), method, name, row)
                    self._names(model, (section, name), row)
        for section in ("particles", "bodies", "loads"):
            for name, x in self.section(section).items():
                self._part(model, section, name, x)
        for name, x in self.section("start").items():
            self._start(model, name, x)
        for name, x in self.section("guess").items():
            value = self.number(("guess", name), x, None)
            if value is not None:
                self.made(("guess", name), model.guess, name, value)
        self.events(model)
        return model

    def _state(self, model: Lagrangian, name: str, x: Any) -> dict[str, Any] | None:
        """Arguments of an auxiliary state, with which the model has made one; None and noted problems where that failed."""
        path: Path = ("states", name)
        made, right = self._numbers(path, {"rate": x} if isinstance(x, str) else x, "rate", "start")
        return made if right and self.made(path, model.state, name, fields=made, **made) is not None else None

    def _numbers(self, path: Path, x: Any, *known: str) -> tuple[dict[str, Any], bool]:
        """Numbers and expressions of a table, and whether these are all."""
        given, failed = self.known_keys(path, x, known)
        made = {key: self.number((*path, key), item, None) for key, item in given.items()}
        return made, not failed and None not in made.values()

    def _part(self, model: Lagrangian, section: str, name: str, x: Any) -> None:
        path: Path = (section, name)
        method = {"particles": "particle", "bodies": "body"}.get(section, "")
        if section == "loads":
            tag = x.get("type") if isinstance(x, dict) else None
            if tag not in LOADS:
                self.problems.unknown((*path, "type"), "load type", tag, LOADS)
                return
            method = str(tag)
            x = {key: item for key, item in x.items() if key != "type"}
        made, right = self.part_arguments(model, path, method, x)
        if right:
            self.made(path, getattr(model, method), name, fields=made, **made)

    def part_arguments(
        self, model: Lagrangian, path: Path, method: str, x: Any, stated: Any = None
    ) -> tuple[dict[str, Any], bool]:
        """Arguments of a part that could be read, and whether these are all; mistakes are noted."""
        given, failed = self.known_keys(path, x, OF_LAGRANGIAN[method])
        made = {}
        for key, item in given.items():
            try:
                made[key] = self._value((*path, key), key, item)
            except Failed:
                failed = True
                continue
            if key != "on":
                self._names(model, (*path, key), made[key], OWN_NAMES.get(method, ()))
        return made, not failed

    def _names(self, model: Lagrangian, path: Path, x: Any, own: tuple[str, ...] = ()) -> None:
        """Note names in expressions that are neither coordinates, their rates, the time nor parameters."""
        if isinstance(x, list):
            for k, item in enumerate(x):
                # a turn is an axis and an angle
                self._names(model, (*path, k), item[1] if isinstance(item, tuple) else item, own)
        elif isinstance(x, str | Expr):
            found = parse(x, None, self.tables) if isinstance(x, str) else x
            known = {*model.q, *(f"rate({name})" for name in model.q), "t", *model.parameters, *own}
            for name in sorted(found.names - known - self.failed):
                self.problems.unknown(path, "name", name, sorted(known))

    def _value(self, path: Path, key: str, x: Any) -> Any:
        if key == "local":
            return self.values.typed(path, x, isinstance(x, bool), "true or false")
        of_field = path[0] == "loads" and self.section("loads")[path[1]].get("type") == "field"
        names = of_field and isinstance(x, list) and all(isinstance(name, str) for name in x)
        if key == "on" and (isinstance(x, str) or names):
            return x
        if key == "turns" and isinstance(x, list):
            for k, pair in enumerate(x):
                right = isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)
                self.values.typed((*path, k), pair, right, "an axis and an angle, such as ['z', 'psi'],")
            return [(axis, self.values.number((*path, k, 1), angle, "rad")) for k, (axis, angle) in enumerate(x)]
        return self.values.number(path, x, UNITS_OF_LAGRANGIAN.get(key))

    def _start(self, model: Lagrangian, name: str, x: Any) -> None:
        path: Path = ("start", name)
        if self.failed & mentioned(x):
            return
        made, right = self._numbers(path, x, "value", "rate")
        if right:
            self.made(path, model.start, name, fields=made, **made)
