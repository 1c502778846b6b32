"""dalembert reactions: what each joint carries."""

from .shared.flags import question

command = question(
    "reactions",
    "Forces and torques in the joints of FILE at an instant, each marked as unique or not.",
    "reactions slider-crank.toml --at '0.25 s'",
)
