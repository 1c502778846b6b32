"""What an analysis gave, for people, for programs and for files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import DalembertError
from . import exits

if TYPE_CHECKING:
    from ...results.record import Record


@dataclass
class Outcome:
    """Answer of one analysis."""

    verb: str  # name of the analysis, as in Python and in model files
    headline: str  # one line that says what came out
    text: str  # the report
    data: dict[str, Any] = field(default_factory=dict)  # plain data for `--json`
    # exit code: `exits.OK`, `DOUBTFUL` for an answer that is "no", `INTERRUPTED` for a part of an answer, `FAILED`
    code: int = exits.OK
    run: Record | None = None  # result over time, if there is one: it is written to files and shown on the page
    # what the page shows; a list makes several pages, None leaves the model as it starts, with the report beside it
    page: Any = None
    brief: bool = False  # whether `dalembert run` prints the headline only
    files: dict[str, str] = field(default_factory=dict)  # other texts to write, by name of the file
    error: DalembertError | None = None  # what ended the analysis early; the answer is a part of it then
