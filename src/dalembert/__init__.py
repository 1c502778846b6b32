"""Constrained multibody dynamics of mechanisms: exact constraints, compiled speed, answers that explain themselves.

import dalembert as da
m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
m.revolute("A", m.ground, bar, at=(0, 0))
run = da.simulate(m, until=1.0)
run["A"].force
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # for type checkers and editors; at run time every name is imported when it is used first (see below)
    from . import errors as errors
    from . import io as io
    from . import model as model
    from . import state as state
    from .analyses.assemble import assemble
    from .analyses.classify import Classification, classify
    from .analyses.comparison.symbols import compare_equations
    from .analyses.equations import Equations, equations
    from .analyses.equilibrium import equilibrium
    from .analyses.first_variation import first_variation
    from .analyses.free_body import free_body
    from .analyses.holding_load import holding_load
    from .analyses.instant import instant
    from .analyses.inverse_dynamics import inverse_dynamics
    from .analyses.kinematics import kinematics
    from .analyses.lagrangian_of import lagrangian_of
    from .analyses.linearize import linearize
    from .analyses.mobility import mobility
    from .analyses.reactions import reactions
    from .analyses.simulate import simulate
    from .analyses.stepper import Stepper
    from .analyses.strike import strike
    from .analyses.verify import verify
    from .errors import (
        AssemblyError,
        ConvergenceError,
        DalembertError,
        ExpressionError,
        MethodError,
        ModelError,
        ModelFileError,
        ResidualError,
        SingularError,
        SingularPositionError,
    )
    from .io.files import read_model, write_model
    from .model.expression import Spline, functions, spline
    from .model.lagrangian import Lagrangian
    from .model.mechanism import Mechanism
    from .model.shapes import (
        MassProperties,
        block,
        box,
        composite,
        cone,
        cylinder,
        disk,
        lamina,
        lump,
        plate,
        polygon,
        rectangle,
        revolved,
        ring,
        rod,
        semicircle,
        sphere,
        triangle,
        tube,
        void,
    )
    from .model.wrench import Wrench, reduce
    from .pictures.draw import draw
    from .pictures.film import film
    from .results.audit import Audit
    from .results.plot import plot
    from .results.record import AuditWarning
    from .results.result import Result
    from .results.saved import load
    from .state import State
    from .studio.studio import studio
    from .sweeps.result import Sweep
    from .sweeps.sweep import sweep
    from .symbolic.comparison import compare
    from .symbolic.conserved import conserved
    from .symbolic.expansion import expand
    from .symbolic.export.export import export
    from .symbolic.small_oscillations import small_oscillations
    from .system.system import System, compile
    from .viewer.show import show

__version__ = "0.1.0"

# Where each name lives.  Nothing is imported before it is used: `dalembert --help` answers in a tenth of a second, and a program
# that only reads model files never loads the compiler.  A new name goes here, into the block above and into __all__; a test compares them.
_HOMES = {
    "errors": (
        "AssemblyError", "ConvergenceError", "DalembertError", "ExpressionError", "MethodError", "ModelError", "ModelFileError", "ResidualError",
        "SingularError", "SingularPositionError",
    ),
    "state": ("State",),
    "model.expression": ("Spline", "functions", "spline"),
    "model.lagrangian": ("Lagrangian",),
    "model.mechanism": ("Mechanism",),
    "model.shapes": (
        "MassProperties", "block", "box", "composite", "cone", "cylinder", "disk", "lamina", "lump", "plate", "polygon", "rectangle", "revolved",
        "ring", "rod", "semicircle", "sphere", "triangle", "tube", "void",
    ),
    "model.wrench": ("Wrench", "reduce"),
    "io.files": ("read_model", "write_model"),
    "system.system": ("System", "compile"),
    "analyses.classify": ("Classification", "classify"),
    "analyses.comparison.symbols": ("compare_equations",),
    "analyses.equations": ("Equations", "equations"),
    "analyses.stepper": ("Stepper",),
    "results.audit": ("Audit",),
    "results.saved": ("load",),
    "results.record": ("AuditWarning",),
    "results.result": ("Result",),
    "sweeps.result": ("Sweep",),
    "symbolic.comparison": ("compare",),
    "symbolic.expansion": ("expand",),
    "symbolic.export.export": ("export",),
    # those in a file of their own name
    **{
        f"{folder}.{name}": (name,)
        for folder, names in {
            "analyses": (
                "assemble", "equilibrium", "first_variation", "free_body", "holding_load", "instant", "inverse_dynamics", "kinematics",
                "lagrangian_of", "linearize", "mobility", "reactions", "simulate", "strike", "verify",
            ),
            "pictures": ("draw", "film"),
            "results": ("plot",),
            "studio": ("studio",),
            "sweeps": ("sweep",),
            "symbolic": ("conserved", "small_oscillations"),
            "viewer": ("show",),
        }.items()
        for name in names
    },
}  # fmt: skip
_LAZY = {name: home for home, names in _HOMES.items() for name in names}

_MODULES = ("errors", "io", "model", "state")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name in _MODULES:
            return import_module(f".{name}", __name__)
        if name in _LAZY:
            value = getattr(import_module(f".{_LAZY[name]}", __name__), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY, *_MODULES])


__all__ = [
    "AssemblyError", "Audit", "AuditWarning", "Classification", "ConvergenceError", "DalembertError", "Equations", "ExpressionError",
    "Lagrangian", "MassProperties", "Mechanism", "MethodError", "ModelError", "ModelFileError", "ResidualError", "Result", "SingularError", "SingularPositionError", "Spline",
    "State", "Stepper", "System", "Wrench", "assemble", "block", "box", "classify", "compare", "compare_equations", "compile", "composite", "cone", "conserved", "cylinder", "disk", "draw", "equations",
    "equilibrium", "expand", "export", "film", "first_variation", "free_body", "functions", "holding_load", "instant", "inverse_dynamics", "kinematics", "lagrangian_of", "lamina", "linearize", "load", "lump",
    "mobility", "plate", "plot", "polygon", "reactions", "read_model", "rectangle", "reduce", "revolved", "ring", "rod", "semicircle", "show", "simulate", "small_oscillations", "sphere", "spline",
    "strike", "studio", "Sweep", "sweep", "triangle", "tube", "verify", "void", "write_model",
]  # fmt: skip
