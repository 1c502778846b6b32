"""All commands: name, module of this folder (with the name of the command in it, if that is not `command`), and one line of help.  A new command is one line here and one file.

Commands that ask one verb are made from its entry in `options/verbs.py`.
"""

from __future__ import annotations

from ..options.verbs import VERBS

# printed in this order, by group; the lines end up in `dalembert --help` without importing the modules
COMMANDS: dict[str, dict[str, tuple[str, str]]] = {
    "From an idea to a machine that moves": {
        "new": ("machines:new", "write a starter file, from a menu of machines"),
        "check": ("check", "the doctor: mobility, redundancy, units, inertia, consistency"),
        "run": ("run", "do what a model file asks for; write results"),
        "show": ("show", "open the page of a result or of a model file"),
        "studio": ("studio", "change a model by hand and watch it move"),
    },
    "One question each": {
        **{verb.command: (verb.command, verb.line) for verb in VERBS.values() if verb.line},
        "sweep": ("sweep", "the same question for many values of parameters"),
        "export": ("export", "the equations of motion as C or Python code"),
    },
    "Around it": {
        "examples": ("machines:examples", "list the machines that come with the package, copy them"),
        "schema": ("schema", "JSON Schema of model files, for editors"),
        "warmup": ("warmup", "compile the kernels now instead of at the first run"),
        "completion": ("completion", "completion of commands and options in your shell"),
    },
}

# commands that ask one verb
QUESTIONS = {verb.command: name for name, verb in VERBS.items() if verb.about}
MODULES = {name: module for group in COMMANDS.values() for name, (module, _) in group.items()}
