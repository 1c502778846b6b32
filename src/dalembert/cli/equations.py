"""dalembert equations: equations of motion to read."""

from __future__ import annotations

from typing import Any

import click

from ..errors import MethodError
from .shared.flags import flags
from .shared.job import Job, about_a_model


@click.command(epilog="Example:  dalembert equations slider-crank.toml --form multipliers --latex")
@about_a_model
@flags("equations")
@click.option("--latex", is_flag=True, help="Print LaTeX only.")
def command(job: Job, latex: bool, **given: Any) -> None:
    """Equations of motion of the model in FILE, with symbols.

    A mechanism: "minimal" in joint coordinates, "absolute" in positions and angles of all bodies, or any of the other forms of its
    Lagrangian system; "noncentroidal" are those of every body about any point of it.
    """
    if not latex:
        job.answer("equations", **given)
        return
    from .shared.perform import perform

    made = perform("equations", job.model, job.options("equations", **given))
    if "latex" not in made.data:
        raise MethodError("equations --latex", "several forms at once", "each has LaTeX of its own", "give one --form")
    click.echo(made.data["latex"])
