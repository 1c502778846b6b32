"""dalembert reactions: what each joint carries."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model
from .shared.quantities import LENGTH_OF_TIME


@click.command(epilog="Example:  dalembert reactions slider-crank.toml --at '0.25 s'")
@about_a_model
@click.option("--at", type=LENGTH_OF_TIME, help="Time [s], reached by simulating; default: the start.")
def command(job: Job, at: float | None) -> None:
    """Forces and torques in the joints of FILE at an instant, each marked as unique or not."""
    job.answer("reactions", t=at)
