"""Constrained multibody dynamics of mechanisms: exact constraints, compiled speed, answers that explain themselves.

import dalembert as da
m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
m.revolute("A", m.ground, bar, at=(0, 0))
run = da.simulate(m, until=1.0)
run["A"].force
"""

from __future__ import annotations

from typing import Any

from .errors import (
    AssemblyError,
    ConvergenceError,
    DalembertError,
    ExpressionError,
    MethodError,
    ModelError,
    ModelFileError,
    SingularError,
    SingularPositionError,
)
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
    lump,
    plate,
    rectangle,
    ring,
    rod,
    semicircle,
    sphere,
    triangle,
    tube,
    void,
)
from .model.wrench import Wrench, reduce
from .state import State

__version__ = "0.1.0"

# names that need numba or SciPy are imported when they are used first, so that `import dalembert` stays fast
_LAZY = {
    "simulate": "analyses.simulate",
    "assemble": "analyses.assemble",
    "strike": "analyses.strike",
    "mobility": "analyses.mobility",
    "reactions": "analyses.reactions",
    "free_body": "analyses.free_body",
    "kinematics": "analyses.kinematics",
    "inverse_dynamics": "analyses.inverse_dynamics",
    "holding_load": "analyses.holding_load",
    "equilibrium": "analyses.equilibrium",
    "linearize": "analyses.linearize",
    "verify": "analyses.verify",
    "classify": "analyses.classify",
    "Classification": "analyses.classify",
    "equations": "analyses.equations",
    "lagrangian_of": "analyses.lagrangian_of",
    "compare_equations": "analyses.comparison.symbols",
    "export": "symbolic.export.export",
    "compare": "symbolic.comparison",
    "conserved": "symbolic.conserved",
    "expand": "symbolic.expansion",
    "small_oscillations": "symbolic.small_oscillations",
    "Equations": "analyses.equations",
    "compile": "system.system",
    "System": "system.system",
    "Result": "results.result",
    "AuditWarning": "results.record",
    "Audit": "results.audit",
    "load": "results.files",
    "read_model": "io.files",
    "write_model": "io.files",
    "plot": "results.plot",
    "show": "viewer.show",
}


def __getattr__(name: str) -> Any:
    if name == "io":
        from importlib import import_module

        return import_module(".io", __name__)
    if name in _LAZY:
        from importlib import import_module

        value = getattr(import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'dalembert' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])


__all__ = [
    "AssemblyError", "Audit", "AuditWarning", "Classification", "ConvergenceError", "DalembertError", "Equations", "ExpressionError",
    "Lagrangian", "MassProperties", "Mechanism", "MethodError", "ModelError", "ModelFileError", "Result", "SingularError", "SingularPositionError", "Spline",
    "State", "System", "Wrench", "assemble", "block", "box", "classify", "compare", "compare_equations", "compile", "composite", "cone", "conserved", "cylinder", "disk", "equations",
    "equilibrium", "expand", "export", "free_body", "functions", "holding_load", "inverse_dynamics", "kinematics", "lagrangian_of", "linearize", "load", "lump",
    "mobility", "plate", "plot", "reactions", "read_model", "rectangle", "reduce", "ring", "rod", "semicircle", "show", "simulate", "small_oscillations", "sphere", "spline",
    "strike", "triangle", "tube", "verify", "void", "write_model",
]  # fmt: skip
