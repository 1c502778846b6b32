"""dalembert verify: independent formulations compared."""

from .shared.flags import question

command = question(
    "verify",
    "Compare independent formulations of the model in FILE; exit code 1 if they disagree.",
    "verify slider-crank.toml --states 8",
)
