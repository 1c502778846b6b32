"""dalembert inverse: what the drivers must supply."""

from .shared.flags import question

command = question(
    "inverse_dynamics",
    "Forces and torques that the drivers in FILE must supply, found in three ways, and the shaking force.",
    "inverse slider-crank.toml --until '1 s'",
)
