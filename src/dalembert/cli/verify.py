"""dalembert verify: independent formulations compared."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model


@click.command(epilog="Example:  dalembert verify slider-crank.toml --states 8")
@about_a_model
@click.option("--states", type=int, help="Number of states: the start, then random ones.")
@click.option("--seed", type=int, help="Seed of the random states.")
@click.option("--tolerance", type=float, help="Largest relative difference that counts as agreement.")
def command(job: Job, states: int | None, seed: int | None, tolerance: float | None) -> None:
    """Compare independent formulations of the model in FILE; exit code 1 if they disagree."""
    job.answer("verify", states=states, seed=seed, tolerance=tolerance)
