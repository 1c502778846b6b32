"""dalembert kinematics: motion that the drivers prescribe."""

from .shared.flags import question

command = question(
    "kinematics",
    """Motion of a fully driven machine, without integrating; lock-up and branching are located.

    Every degree of freedom needs a driver.
    """,
    "kinematics slider-crank.toml --until '1 s'",
)
