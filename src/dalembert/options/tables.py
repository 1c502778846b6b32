"""The options of every verb.  A new option is a line here, and an argument of the verb that does something with it."""

from __future__ import annotations

from .option import NEEDED, Option

_FILES, _PYTHON = "files", "python"

START = Option("state", "State to start from; default: the drawing, assembled.", only=_PYTHON)
PROGRESS = Option("flag", "Show progress of long work; default: on a terminal.", only=_PYTHON)
INSTANT = Option("number", "Time, reached by simulating; default: the start.", None, "s", only=_FILES)
SEED = Option("count", "Seed of what is random.", 0, range="0 <= x")
TIME = Option(
    "number", "Time at which drivers and forces are taken, if there is no start.", 0.0, "s", why="a time is finite"
)
METHODS = (
    8, 5, "auto", "dop853", "dormand_prince", "radau", "radau1", "radau3", "radau5", "radau9", "generalized_alpha", "hht", "variational", "variational4",
    "moreau", "partitioned",
)  # fmt: skip
FORMS = (
    "minimal", "absolute", "newton-euler", "dalembert", "virtual-work", "lagrange", "routh", "multipliers", "reduced", "hamilton",
    "hamilton-principle", "variational", "jourdain", "maggi", "kane", "gibbs-appell", "gauss", "udwadia-kalaba", "lagrange-1", "lagrange-2", "noncentroidal", "all",
)  # fmt: skip

# of a motion that the drivers prescribe; what files and the command line say instead of times is only for them
_DRIVEN = {
    "times": Option("numbers", "Times of the outputs.", NEEDED, "s", fallback="until and output"),
    "until": Option("number", "End; default: that of the file, else 1 s.", None, "s", only=_FILES, fallback=1.0),
    "output": Option("step", "Step of the outputs.", None, "s", only=_FILES),
    "start": START,
    "progress": PROGRESS,
}

TABLES: dict[str, dict[str, Option]] = {
    "assemble": {
        "fixed": Option("held", "Bodies that stay where they are drawn, and measures that keep their values or have given ones.", ()),
        "start": START,
        "t": TIME,
        "complete": Option("flag", "Refuse unless the conditions are as many as the degrees of freedom, and independent.", False),
        "branches": Option("flag", "Look for all other configurations.", False),
        "tries": Option("count", "Random starts of that search.", 40, range="0 <= x <= 99999"),
        "seed": Option("count", "Their seed.", 0, range="0 <= x <= 99999"),
    },
    "classify": {
        "method": Option("choice", "By formulas, by numbers, or both.", "auto", words=("auto", "symbolic", "numeric")),
        "depth": Option("count", "Longest brackets to be tried.", 12, range="1 <= x <= 40", why="it is a number of brackets, from 1 to 40"),
    },
    "conserved": {},
    "equations": {
        "form": Option("choice", "Form of the equations; default: minimal for a mechanism, lagrange or multipliers else.", words=FORMS),
        "independent": Option("names", "Coordinates whose rates are independent."),
        "quasi_velocities": Option("texts", "With reduced, jourdain, maggi, kane, gibbs-appell, gauss: velocities by name, linear in the rates."),
        "unknown": Option("text", "With virtual-work: the load that holds the system."),
        "ignore": Option("names", "With routh: coordinates to be eliminated; default: all ignorable ones."),
        "about": Option("points", "With noncentroidal: the joint whose point is meant; default: any point.", None, "m"),
    },
    "equilibrium": {
        "start": START,
        "method": Option("choice", "How to search.", "auto", words=("auto", "energy", "force", "settle")),
        "spinning": Option("pair", "Measure and speed of a steady turn.", None, "rad/s"),
        "along": Option("parameter", "Parameter along which equilibria are followed."),
        "between": Option("numbers", "Its first and last value."),
        "starts": Option("count", "Number of starts of the search, for several free motions.", None, range="1 <= x <= 100000", do="give starts=24"),
        "turns": Option("number", "How far to look where springs count turns.", 1.0, "1", "0 < x <= 100"),
        "seed": SEED,
        "t": TIME,
    },
    "free_body": {
        "body": Option("body", "The body.", NEEDED),
        "about": Option("point", "Point for moments; default: the mass centre.", None, "m"),
        "inertia": Option("flag", "Add the inertia force and couple as loads.", False),
        "t": INSTANT,
    },
    "holding_load": {"unknown": Option("names", "Forces, drivers or measures whose load holds the pose; of a Lagrangian system loads, rows, coordinates or expressions.", NEEDED)},
    "inverse_dynamics": dict(_DRIVEN),
    "kinematics": dict(_DRIVEN),
    "linearize": {
        "at": Option("choice", "Where: at equilibria, or at the start; default: at stable equilibria if there are any, else at the start.", words=("equilibrium", "start"), only=_FILES),
        "turning": Option("number or list", "Angular velocity of the axes from which a steady motion is seen.", None, "rad/s"),
    },
    "mobility": {
        # a tilt up to a tenth is an error of manufacture, not another machine
        "tilt": Option("number", "Tilt of a joint's axis for the verdict fragile.", 1e-3, "rad", "0 < x <= 0.1", why="a tilt is an angle between 0 and 0.1 rad"),
    },
    "potential_energy": {"t": INSTANT},
    "reactions": {"t": Option("number", "Time, reached by simulating; default: the start.", None, "s", only=_FILES, flag="at")},
    "simulate": {
        "until": Option("number", "End; default: that of the file, else 1 s.", NEEDED, "s", why="the end time is a finite number", do="give until=1.0", fallback=1.0),
        "start": START,
        "at": Option("choice", "Where it begins: at rest in the stable equilibrium nearest to the drawing, or at the start.", words=("equilibrium", "start"), only=_FILES),
        "velocities": Option("choice", "What to do with initial velocities that contradict the joints.", "error", words=("error", "solve", "impulsive")),
        "keep": Option("names", "With velocities solve: measures and bodies that keep theirs."),
        "rtol": Option("number", "Relative tolerance.", 1e-8, "1", "1e-14 <= x < 1", why="a tolerance is a number between 0 and 1, and not below the rounding of numbers"),
        "atol": Option("number", "Absolute tolerance, in units of the model's length, radians and 1/s.", 1e-10, "1", "0 < x < 1", why="a tolerance is a number between 0 and 1"),
        "output": Option("step", "Step of the outputs, their times, or every step; default: 200 equal steps.", None, "s", words=("steps",)),
        "method": Option("choice", "Order or name of the method.", "auto", words=METHODS, do="give method='auto', 8, 5 or 'radau'"),
        "rho_inf": Option("number", "Of generalized-alpha and HHT: what a step leaves of infinitely fast motions; default: 0.8.", None, "1", "0 <= x <= 1", do="give rho_inf=0.8"),
        "backward": Option("flag", "Integrate backwards in time.", False),
        "max_step": Option("number", "Largest step.", None, "s", "0 < x", why="a step is a positive number", do="give max_step=0.01"),
        "step": Option("number", "Length of every step of the variational methods and of moreau.", None, "s", "0 < x", why="a step is a positive number", do="give step=0.001"),
        "control": Option("texts", "Formulas of inputs, taken at every sample and held in between.", None),
        "sample": Option("number", "Period of the controller.", None, "s", "0 < x", why="a period is a positive number", do="give sample=0.01"),
        "progress": PROGRESS,
        "audit": Option("flag", "Check the run: constraints, energy, residuals.", True),
    },
    "small_oscillations": {
        "about": Option("table", "Position of rest, by coordinate."),
        "independent": Option("names", "Coordinates that are kept."),
    },
    "strike": {
        "impulse": Option("table", "Impulses by body or point.", None, "N s"),
        "couple": Option("table", "Impulsive couples by body.", None, "N m s"),
        "restitution": Option("table", "Coefficients of restitution by measure.", None, "1"),
        "velocities": Option("choice", "What to do with velocities that contradict the joints.", "error", words=("error", "impulsive"), do="give velocities='impulsive' if joints catch the bodies"),
    },
    "verify": {
        "states": Option("count", "Number of states: the start, then random ones.", 4, range="1 <= x <= 1000"),
        "seed": Option("count", "Seed of the random states.", 1, range=f"0 <= x <= {2**63 - 1}"),
        "tolerance": Option("number", "Largest relative difference that counts as agreement.", 1e-8, "1", "0 < x < 1", do="give tolerance=1e-8"),
        "until": Option("number", "End of a run through events that is compared with steps of one length.", None, "s", "0 < x", why="a run has a length", do="give until=1.0"),
        "step": Option("number", "Length of these steps.", 1e-3, "s", "0 < x", why="a step is a positive number", do="give step=0.001"),
        "forms": Option("flag", "Write the equations in all forms by name, and compare these too.", False),
    },
}  # fmt: skip

# verbs with a time axis; those of a motion that the drivers prescribe take times, which files also give by their end and step
DRIVEN = tuple(verb for verb, table in TABLES.items() if "times" in table)
MOTIONS = ("simulate", *DRIVEN)

# of functions that Python alone has: they are no analyses of a file
OTHERS: dict[str, dict[str, Option]] = {
    "compare_equations": {
        "form": Option("choice", "Coordinates of the equations.", "absolute", words=("absolute", "minimal")),
        "states": Option("count", "Number of random states.", 4, range="1 <= x <= 1000"),
        "seed": Option("count", "Seed of the random states.", 1, range="0 <= x"),
    },
    "first_variation": {
        "count": Option("count", "Number of random variations.", 5, range="1 <= x"),
        "seed": Option("count", "Their seed.", 1, range="0 <= x"),
    },
    "studio": {
        "port": Option("count", "Port to listen on; 0 is any free one.", 0, range="0 <= x <= 65535", do="give 0 for any free port, or a number from 1024 on"),
        "open": Option("flag", "Whether to open the page in the browser.", True),
        "wait": Option("flag", "Whether to stay until Ctrl-C.", True),
    },
    "sweep": {
        "processes": Option("count", "Number of processes; default: this one, with help of all cores where it takes long.", None, range="1 <= x", do="give processes=4, or leave it out"),
        "progress": PROGRESS,
    },
}  # fmt: skip


def for_files(verb: str) -> dict[str, Option]:
    """Options that a model file may have: what a text can say."""
    return {name: option for name, option in TABLES[verb].items() if option.only != _PYTHON}
