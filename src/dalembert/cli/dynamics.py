"""dalembert dynamics: motion in time."""

from .shared.flags import question

command = question(
    "simulate",
    """Motion of the model in FILE, with reactions, energies and an audit.

    Options that are not given here are those of [simulate] in the file.
    """,
    "dynamics slider-crank.toml --until '2 s' --output '10 ms'",
)
