"""What an analysis gave, for people, for programs and for files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...errors import DalembertError
from . import exits


@dataclass
class Outcome:
    """Answer of one analysis.

    Attributes
    ----------
    verb
        Name of the analysis, as in Python and in model files.
    headline
        One line that says what came out.
    text
        The report.
    data
        Plain data for `--json`.
    code
        Exit code: `exits.OK`, `DOUBTFUL` for an answer that is "no", `INTERRUPTED` for a part of an answer, `FAILED`.
    run
        Result over time, if there is one: it is written to files and shown on the page.
    page
        What the page shows; a list makes several pages, None leaves the model as it starts, with the report beside it.
    brief
        Whether `dalembert run` prints the headline only.
    files
        Other texts to write, by name of the file.
    error
        What ended the analysis early; the answer is a part of it then.
    """

    verb: str
    headline: str
    text: str
    data: dict[str, Any] = field(default_factory=dict)
    code: int = exits.OK
    run: Any = None
    page: Any = None
    brief: bool = False
    files: dict[str, str] = field(default_factory=dict)
    error: DalembertError | None = None
