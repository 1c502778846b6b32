"""A controller in a run: it looks at the machine at fixed instants and sets inputs, which are held in between (zero-order hold)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import DalembertError, MethodError, ModelError, nearest, shown
from ...model.expression.checks import plain_number
from ...solve.sampling import Sampling
from ...solve.stepping.records import Memory, Step
from .live import Live
from .prepared import Prepared

# samples of one run
MOST = 20_000_000
# makes the controller of a run, or of a part of one
Sampled = Callable[[Prepared], Sampling]


def read_control(asked: str, control: Any, sample: float | None, t0: float, t1: float) -> Sampled | None:
    """Options of a run as what makes its controller, from a model with its memory; None if there is none."""
    if control is None and sample is None:
        return None
    if control is None:
        raise MethodError(
            asked, f"sample = {sample:g} without control", "there is nothing to sample", "give control= too"
        )
    if sample is None:
        why = "a controller looks at the machine at fixed instants"
        raise MethodError(asked, "control without sample", why, "give sample=0.01, its period in seconds")
    if t1 < t0 or not (t1 - t0) / sample <= MOST:
        found, why = (
            f"sample = {sample:g} s from t = {t0:g} to {t1:g} s",
            "samples follow each other forward in time, at most 20 million",
        )
        raise MethodError(asked, found, why, "give a later end, or a longer period")
    period, parts = sample, list[Sampling]()

    def sampled(prepared: Prepared) -> Sampling:
        controller = Controller(prepared, asked, control)
        # a run through events has several parts: instants are counted through all of them, so that none is looked at twice
        count = parts.pop().count if parts else 0
        parts.append(Sampling(t0, period, controller.begin, controller.act, count))
        return parts[0]

    return sampled


class Controller:
    """A controller of a run, by formulas or by a Python function."""

    def __init__(self, prepared: Prepared, asked: str, control: Any) -> None:
        self.prepared, self.asked = prepared, asked
        self.system, self.model = prepared.system, prepared.system.model
        self.live: Live
        if callable(control):
            self.law: Callable[[], Mapping[str, Any]] = lambda: self._called(control)
        elif isinstance(control, Mapping) and control:
            formulas = {self._input(name): self._formula(name, text) for name, text in control.items()}
            self.law = lambda: {name: formula() for name, formula in formulas.items()}
        else:
            why = "it is a formula for each input, or a Python function that returns values of inputs"
            raise MethodError(asked, f"control = {shown(control)}", why, "give control={'u': '-3*A.angle'}")

    def begin(self, mem: Memory, now: Step) -> None:
        """The run that is looked at."""
        self.live = Live(self.prepared, mem, now, self.system.values)

    def act(self) -> None:
        """Look, and set."""
        for name, value in self.law().items():
            self.live.put(name, value)

    def _input(self, name: Any) -> str:
        """The name of an input that may be set; drivers that follow one would make the machine jump."""
        model, where = self.model, f"control of {shown(name)}"
        known = model.state_names
        if name not in known:
            do = f"add m.input({name!r})" if isinstance(name, str) and name.isidentifier() else "add one with m.input"
            why = f"there is no such input; {nearest(str(name), known)}" if known else "the model has no inputs"
            raise ModelError(f"{self.asked}: {where}", f"{shown(name)}", why, do)
        for driver in model.drivers:
            if name in driver.expression.names:
                why = "a value that is held and then jumps would make the machine jump"
                raise MethodError(
                    f"{self.asked}: {where}",
                    f"driver {driver.name!r} follows {name!r}",
                    why,
                    "act on it with an actuator",
                )
        return str(name)

    def _formula(self, name: str, text: Any) -> Callable[[], float]:
        """Value of a formula of measures, rates, states, parameters and t at the present step."""
        asked, model = f"{self.asked}: control of {name!r}", self.model
        e = model.read_law(asked, text)
        known, looked = model.parameters, sorted(e.names - {"t", *model.parameters})

        def value() -> float:
            live = self.live
            return self._number(name, e.evaluate({**known, "t": live.t, **{x: live.get(x) for x in looked}}))

        return value

    def _called(self, function: Callable[[Live], Any]) -> Mapping[str, Any]:
        try:
            found = function(self.live)
        except DalembertError:
            raise
        except Exception as error:  # the function is the user's: whatever it raises is told with the time
            told = f"the controller raised {type(error).__name__} at t = {self.live.t:g} s: {shown(str(error))}"
            raise ModelError(self.asked, told, "it must return values of inputs", "correct the function") from error
        if not isinstance(found, Mapping):
            told = f"the controller returned {shown(found)} at t = {self.live.t:g} s"
            raise ModelError(self.asked, told, "values of inputs by name are needed", "return {'u': 3.0}")
        return {self._input(name): self._number(name, x) for name, x in found.items()}

    def _number(self, name: str, x: Any) -> float:
        value = plain_number(x)
        if value is None or not abs(value) < 1e100:
            told = f"{name} = {shown(x)} at t = {self.live.t:g} s"
            raise ModelError(
                f"{self.asked}: control of {name!r}", told, "an input is a finite number", "correct the controller"
            )
        return value
