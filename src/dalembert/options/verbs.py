"""How a verb is reached other than from Python: in model files, on the command line, in the studio, by sweeps.  Its options are in `tables.py`."""

from __future__ import annotations

from dataclasses import dataclass

MECHANISM, LAGRANGIAN = "mechanism", "lagrangian"
BOTH = (MECHANISM, LAGRANGIAN)


@dataclass(frozen=True)
class Verb:
    """How a verb is reached."""

    command: str = ""  # command, line: its command, and what the list of commands says about that
    line: str = ""
    # about, example: help and example of a command that asks nothing but this verb; empty where it has a file of its own in `cli`
    about: str = ""
    example: str = ""
    of: tuple[str, ...] = BOTH  # kinds of models that it is for
    label: str = ""  # label, live: what the studio calls it, and the kinds of models for which it is offered there
    live: tuple[str, ...] = ()
    swept: bool = False  # whether a sweep may ask it


VERBS: dict[str, Verb] = {
    "simulate": Verb(
        "dynamics", "motion in time, with reactions, energies and audit",
        """Motion of the model in FILE, with reactions, energies and an audit.

        Options that are not given here are those of [simulate] in the file.
        """,
        "dynamics slider-crank.toml --until '2 s' --output '10 ms'", label="dynamics", live=BOTH, swept=True,
    ),
    "kinematics": Verb(
        "kinematics", "motion of a fully driven machine",
        """Motion of a fully driven machine, without integrating; lock-up and branching are located.

        Every degree of freedom needs a driver.
        """,
        "kinematics slider-crank.toml --until '1 s'", label="kinematics", live=(MECHANISM,), swept=True,
    ),
    "inverse_dynamics": Verb(
        "inverse", "what the drivers must supply",
        "Forces and torques that the drivers in FILE must supply, found in three ways, and the shaking force.",
        "inverse slider-crank.toml --until '1 s'", of=(MECHANISM,), label="inverse dynamics", live=(MECHANISM,), swept=True,
    ),
    "equilibrium": Verb(
        "equilibrium", "where it rests, and whether that is stable",
        "Positions of rest of the model in FILE, and whether they are stable.",
        "equilibrium pendulum.toml", label="equilibrium", live=BOTH, swept=True,
    ),
    "linearize": Verb(
        "modes", "frequencies, damping and shapes of small motions",
        "Frequencies, damping and shapes of small motions of the model in FILE.",
        "modes pendulum.toml --at start", label="modes", live=BOTH, swept=True,
    ),
    "reactions": Verb(
        "reactions", "what each joint carries",
        "Forces and torques in the joints of FILE at an instant, each marked as unique or not.",
        "reactions slider-crank.toml --at '0.25 s'", label="reactions at the start", live=(MECHANISM,), swept=True,
    ),
    "mobility": Verb("check", of=(MECHANISM,), label="check", live=(MECHANISM,)),
    "assemble": Verb(label="assembly", live=(MECHANISM,)),
    "equations": Verb("equations", "equations of motion to read, also as LaTeX", label="equations of motion", live=BOTH),
    "verify": Verb(
        "verify", "do independent formulations give the same?",
        "Compare independent formulations of the model in FILE; exit code 1 if they disagree.",
        "verify slider-crank.toml --states 8", label="verify", live=BOTH,
    ),
    "free_body": Verb(of=(MECHANISM,)),
    "potential_energy": Verb(
        "potential", "potential energy, where forces have one",
        "Potential energy of all forces of the model in FILE at rest, or which loads have none.",
        "potential pendulum.toml",
    ),
    "holding_load": Verb(),
    "conserved": Verb(of=(LAGRANGIAN,)),
    "small_oscillations": Verb(of=(LAGRANGIAN,)),
}  # fmt: skip
