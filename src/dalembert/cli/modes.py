"""dalembert modes: small motions."""

from __future__ import annotations

import click

from .shared.job import Job, about_a_model


@click.command(epilog="Example:  dalembert modes pendulum.toml --at start")
@about_a_model
@click.option(
    "--at",
    type=click.Choice(["equilibrium", "start"]),
    help="Where: at equilibria, or at the start. Default: at stable equilibria if there are any, else at the start.",
)
def command(job: Job, at: str | None) -> None:
    """Frequencies, damping and shapes of small motions of the model in FILE."""
    job.answer("linearize", at=at)
