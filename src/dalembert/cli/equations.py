"""dalembert equations: equations of motion to read."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model

FORMS = (
    "minimal", "absolute", "newton-euler", "dalembert", "virtual-work", "lagrange", "routh", "multipliers", "reduced", "hamilton",
    "hamilton-principle", "noncentroidal", "all",
)  # fmt: skip


@click.command(epilog="Example:  dalembert equations slider-crank.toml --form multipliers --latex")
@about_a_model
@click.option(
    "--form", type=click.Choice(FORMS), help="Default: minimal for a mechanism, lagrange or multipliers else."
)
@click.option(
    "--ignore",
    metavar="NAMES",
    help="With routh: coordinates to be eliminated, with commas. Default: all ignorable ones.",
)
@click.option(
    "--about", metavar="JOINT", help="With noncentroidal: the joint whose point is meant. Default: any point."
)
@click.option("--latex", is_flag=True, help="Print LaTeX only.")
def command(job: Job, form: str | None, ignore: str | None, about: str | None, latex: bool) -> None:
    """Equations of motion of the model in FILE, with symbols.

    A mechanism: "minimal" in joint coordinates, "absolute" in positions and angles of all bodies, or any of the other forms of its
    Lagrangian system; "noncentroidal" are those of every body about any point of it.
    """
    names = None if ignore is None else [name.strip() for name in ignore.split(",") if name.strip()]
    if not latex:
        job.answer("equations", form=form, ignore=names, about=about)
        return
    from ..errors import MethodError
    from .shared.perform import perform

    made = perform("equations", job.model, job.options("equations", form=form, ignore=names, about=about))
    if "latex" not in made.data:
        raise MethodError("equations --latex", "several forms at once", "each has LaTeX of its own", "give one --form")
    click.echo(made.data["latex"])
