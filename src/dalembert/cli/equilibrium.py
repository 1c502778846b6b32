"""dalembert equilibrium: where it rests."""

from .shared.flags import question

command = question(
    "equilibrium",
    "Positions of rest of the model in FILE, and whether they are stable.",
    "equilibrium pendulum.toml",
)
