"""dalembert inverse: what the drivers must supply."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model
from .shared.quantities import LENGTH_OF_TIME


@click.command(epilog="Example:  dalembert inverse slider-crank.toml --until '1 s'")
@about_a_model
@click.option("--until", type=LENGTH_OF_TIME, help="End [s]; default: that of the file, else 1 s.")
@click.option("--output", type=LENGTH_OF_TIME, help="Step of the outputs [s].")
def command(job: Job, until: float | None, output: float | None) -> None:
    """Forces and torques that the drivers in FILE must supply, found in three ways, and the shaking force."""
    job.answer("inverse_dynamics", **job.times("inverse_dynamics", until, output))
