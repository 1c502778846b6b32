"""What `--page` shows of the answers of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...viewer.subject import Subject, check_shown, subject
from .failures import text_of
from .outcome import Outcome

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism


def pages_of(outcomes: list[Outcome], model: Mechanism | Lagrangian) -> list[Subject]:
    """Pages of a command: the last motion, else the last answer; an answer without a drawing of its own is shown beside the model."""
    moving = [o for o in outcomes if o.run is not None and len(o.run.t)]
    one = (moving or outcomes)[-1]
    things = one.page if isinstance(one.page, list) else [one.page]
    made = [subject(thing) for thing in things if thing is not None]
    found = [about for about in made if about is not None] or [check_shown("--page", model, subject(model))]
    for about in found:
        if one.error is not None:
            about.headline = (f"incomplete: {one.headline}", False)
            about.texts.insert(0, ("Incomplete", text_of(one.error)))
        elif one.run is None and one.text not in (text for _, text in about.texts):
            about.texts.append((one.verb.replace("_", " ").capitalize(), one.text))
    return found
