"""dalembert equilibrium: where it rests."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model


@click.command(epilog="Example:  dalembert equilibrium pendulum.toml")
@about_a_model
@click.option("--starts", type=int, help="Number of starts of the search, for several free motions.")
def command(job: Job, starts: int | None) -> None:
    """Positions of rest of the model in FILE, and whether they are stable."""
    job.answer("equilibrium", starts=starts)
