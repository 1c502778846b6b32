"""dalembert modes: small motions."""

from .shared.flags import question

command = question(
    "linearize",
    "Frequencies, damping and shapes of small motions of the model in FILE.",
    "modes pendulum.toml --at start",
)
