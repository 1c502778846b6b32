"""What a worker can do for its page: read the text of a file, run an analysis, follow the hand, write what was found."""

from __future__ import annotations

import base64
import json
import math
import re
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analyses.by_name import DEFAULT_END, ask, function_of, places
from ..errors import ConvergenceError, DalembertError, MethodError, ModelFileError, SingularError, nearest, shown
from ..io.files import ModelFile, decode, parse_text
from ..io.options import ANALYSES
from ..io.parameters import overridden
from ..io.problems import Problems
from ..io.text import read_text
from ..model.mechanism import Mechanism
from ..options.tables import DRIVEN, MOTIONS
from ..options.verbs import VERBS
from ..results.record import Record
from ..state import State
from ..system.system import compile
from ..viewer.equations import typeset
from ..viewer.page import page, page_data
from ..viewer.subject import subject
from .drag import dragged
from .fields import fields, read_fields
from .parameters import sliders, with_values

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian


# outputs while a slider is dragged
BRIEF = 60


class Tasks:
    """One open page: the text of its file, and the last result for downloads."""

    def __init__(self) -> None:
        self.text, self.suffix, self.file = "", ".toml", "model.toml"
        self.folder: Path | None = None  # where the tables of the file are
        self.result: Any = None
        self.equations = False  # whether they were asked for last
        self._models: dict[Any, ModelFile] = {}
        self._live: ModelFile | None = None
        self._base: dict[str, float] = {}
        self._follows = False  # options of analyses depend on parameters
        self._free: tuple[Any, Any] = (None, None)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer to a request; mistakes of the user are part of it."""
        try:
            verb = getattr(self, request["verb"])  # the server says which
            return verb(**{key: x for key, x in request.items() if key != "verb"})  # type: ignore[no-any-return]
        except DalembertError as error:
            return {"error": told(error)}

    # -- the file ------------------------------------------------------------------------------------------------------

    def edit(self, text: str, suffix: str, file: str, folder: str = "") -> dict[str, Any]:
        """Read another text; the page learns its parameters and what can be asked."""
        self.text, self.suffix, self.file, self.folder = text, suffix, file, Path(folder) if folder else None
        self._models.clear()
        self._live, self._follows = None, False
        read = self._read({})
        self._follows = _follows(text, suffix, {**read.model.parameters, **read.derived})
        verbs = _offered(read.model)
        # a motion before other answers
        asked = sorted((verb for verb in read.analyses if verb in verbs), key=lambda verb: verb not in MOTIONS)
        return {
            "name": read.model.name,
            "kind": read.model.kind,
            "parameters": sliders(text, suffix),
            "analyses": [[verb, VERBS[verb].label] for verb in verbs],
            "asked": asked[0] if asked else "simulate",
            "timed": list(MOTIONS),
            "until": _until(read.analyses),
            "fields": {verb: fields(verb, read.analyses.get(verb, {})) for verb in verbs},
            "drivers": len(read.model.drivers),
        }

    def _read(self, values: dict[str, float]) -> ModelFile:
        key = tuple(sorted(values.items()))
        if key not in self._models:
            if len(self._models) > 8:
                self._models.clear()
            self._models[key] = self._parsed(values)
        return self._models[key]

    def _parsed(self, values: dict[str, float] | None) -> ModelFile:
        return parse_text(self.text, self.suffix, self.file, Path(self.file).stem, values, self.folder)

    def _moving(self, values: dict[str, float]) -> ModelFile:
        """The model with other values in place: no text is read, but results of it do not outlive the next change."""
        if self._live is None:
            self._live = self._parsed(None)
            self._base = dict(self._live.model.parameters)
        if not set(values) <= set(self._base):
            return self._read(values)  # which says so
        for name, value in {**self._base, **values}.items():
            self._live.model.set_parameter(name, value)
        if self._follows:
            return replace(self._live, analyses=self._read(values).analyses)
        return self._live

    def _without(self, values: dict[str, float], *sections: str) -> Any:
        problems = Problems(self.file, folder=self.folder)
        data = read_text(self.text.replace("\r\n", "\n"), self.suffix == ".json", problems)
        # analyses may name what is left out
        sections = (*sections, *ANALYSES)
        data = {key: x for key, x in overridden(data, values, self.file).items() if key not in sections}
        return decode(data, problems, Path(self.file).stem).model

    def put(self, values: dict[str, float]) -> dict[str, Any]:
        """The text of the file with other values of parameters."""
        return {"text": with_values(self.text, self.suffix, self.file, values, self.folder)}

    # -- analyses ------------------------------------------------------------------------------------------------------

    def run(
        self, analysis: str, values: dict[str, float], until: float | None = None, given: dict[str, Any] | None = None,
        brief: bool = False, start: list[float] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Run an analysis; `brief` with few outputs and no reports, for updates while a slider moves."""
        begun = time.perf_counter()
        file = self._moving(values) if brief else self._read(values)
        known = _offered(file.model)
        if analysis not in known:
            found = "an unknown name"
            raise MethodError(f"analysis {shown(analysis)}", found, nearest(analysis, known), "choose one of the list")
        options = {**file.analyses.get(analysis, {}), **read_fields(analysis, given or {})}
        error, text = None, ""
        if analysis in MOTIONS and until is None:
            until = _until(file.analyses)
        try:
            if analysis in MOTIONS:
                assert until is not None
                result = self._motion(file, analysis, options, values, until, brief, start)
            elif analysis == "linearize":
                # the first place is the one to look at
                about = {name: x for name, x in options.items() if name != "at"}
                result = function_of(analysis)(file.model, places(file.model, options.get("at"))[0][1], **about)
            else:
                result = ask(analysis, file.model, options)
        except (SingularError, ConvergenceError) as halted:
            # the motion up to there is shown beside the reason
            reached = getattr(halted, "result", None)
            if reached is None or not len(reached.t):
                raise
            result, error = reached, told(halted)
        # what has no picture of its own is an answer about the machine at its start
        drawn = result if subject(result) is not None else file.model
        data = page_data(drawn, brief=brief)
        if analysis == "equations" and not brief:
            data["report"]["equations"] = typeset(result)
        # texts that the page shows by itself are not repeated
        if analysis not in MOTIONS and data["kind"] == "mechanism":
            written = analysis == "equations" and not brief and data["report"]["equations"]["forms"]
            text = "" if written and options.get("form") != "all" else str(result)
        if not brief:
            self.result, self.equations = drawn, analysis == "equations"
        more = {"error": error} if error else {}
        took = 1e3 * (time.perf_counter() - begun)
        return {"data": data, "text": text, "analysis": analysis, "until": until, "ms": took, **more}

    def _motion(
        self, file: ModelFile, analysis: str, options: dict[str, Any], values: dict[str, float], until: float, brief: bool,
        start: list[float] | None,
    ) -> Any:  # fmt: skip
        model: Any = file.model
        if start is not None and isinstance(model, Mechanism):
            # where the hand left it: initial values of the file no longer hold
            model = self._without(values, "start")
            rough = State(0.0, np.array(start), np.zeros(len(model.bodies) * (3 if model.plane else 6)))
            options["start"] = function_of("assemble")(model, start=rough).state
        if brief:
            options |= {"output": until / BRIEF, **({"audit": False} if analysis == "simulate" else {})}
        if analysis in DRIVEN and (brief or not math.isclose(until, _until(file.analyses))):
            options.pop("times", None)
        return ask(analysis, model, {**options, "until": until}, progress=False)

    # -- by hand -------------------------------------------------------------------------------------------------------

    def drag(
        self, values: dict[str, float], q: list[float], body: int, point: list[float], target: list[float]
    ) -> dict[str, Any]:
        """Configuration that brings a point of a body near a target; drivers and initial values let go meanwhile."""
        key = (self.text, tuple(sorted(values.items())))
        if self._free[0] != key:
            self._free = key, compile(self._without(values, "drivers", "start"))
        system = self._free[1]
        dims = 2 if system.model.plane else 3
        asked = "drag by hand"
        if len(q) != len(system.q0) or not 0 <= body < len(system.body_names):
            raise MethodError(asked, f"{len(q)} coordinates", f"there are {len(system.q0)}", "load the page again")
        for what, x in (("point", point), ("target", target)):
            if len(x) != dims or not np.isfinite(x).all():
                raise MethodError(asked, f"{what} = {shown(x)}", f"{dims} finite numbers are needed", "drag again")
        found = dragged(system, np.array(q, dtype=float), body, np.array(point), np.array(target))
        return {"q": [float(x) for x in found]}

    # -- files -----------------------------------------------------------------------------------------------------------

    def download(self, what: str) -> dict[str, Any]:
        """Page, numbers as .npz or .csv of the last full result, as base64."""
        asked = f"download {shown(what)}"
        if self.result is None:
            raise MethodError(asked, "no result yet", "only results can be downloaded", "run an analysis first")
        if what == "page":
            content = page(self.result, equations=self.equations).encode("utf-8")
        elif what in ("npz", "csv"):
            run = getattr(self.result, "run", self.result)
            if not isinstance(run, Record):
                found, do = "an answer without a time axis", "run dynamics, kinematics or inverse dynamics"
                raise MethodError(asked, found, "only motions are numbers over time", do)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"result.{what}"
                (run.save if what == "npz" else run.to_csv)(path)
                content = path.read_bytes()
        else:
            raise MethodError(asked, "an unknown kind", "there are page, npz and csv", "ask for one of these")
        return {"content": base64.b64encode(content).decode("ascii")}


def _offered(model: Mechanism | Lagrangian) -> list[str]:
    return [name for name, verb in VERBS.items() if model.kind in verb.live]


def _until(analyses: dict[str, Any]) -> float:
    """Length of the motion that the file asks for [s]."""
    for verb in MOTIONS:
        options = analyses.get(verb, {})
        found = options.get("until")
        if found is None and isinstance(options.get("times"), list) and options["times"]:
            found = options["times"][-1]
        if isinstance(found, int | float) and found > 0:
            return float(found)
    return DEFAULT_END


def _follows(text: str, suffix: str, names: Any) -> bool:
    """Whether options of analyses are written with parameters, so that they change with them."""
    data = read_text(text.replace("\r\n", "\n"), suffix == ".json", Problems("file"))
    asked = json.dumps([x for key, x in data.items() if key in ANALYSES], ensure_ascii=False)
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", asked) for name in names)


_LINE = re.compile(r"^.*?:(\d+): (.*)$", re.DOTALL)


def told(error: DalembertError) -> dict[str, Any]:
    """An error as the page shows it: its four parts, and lines of the file where it has some."""
    lines = []
    if isinstance(error, ModelFileError):
        for text in error.lines:
            match = _LINE.match(text)
            lines.append({"line": int(match[1]) if match else 1, "text": match[2] if match else text})
    return {"kind": type(error).__name__, **error.parts, "lines": lines}
