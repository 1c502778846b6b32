"""Layering: imports point one way, and importing the package stays light."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import dalembert
import dalembert.model.shapes

PACKAGE = Path(dalembert.__file__).parent
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)

# who may import whom inside the package; modules beside the folders (errors, state, ...) are layers of their own
ALLOWED = {
    "machine": {"machine", "locks", "errors"},
    "kernels": {"kernels", "machine"},
    "model": {"model", "paths", "errors", "lazy"},  # paths: files of tables
    "lazy": {"lazy"},
    "state": {"state", "errors"},
    "errors": {"errors"},
    "derived": {"derived"},
    "options": {"options", "model", "state", "errors"},
    "progress": {"progress", "errors"},
    "locks": {"locks"},
    "paths": {"paths", "errors"},
    "system": {"system", "model", "kernels", "machine", "state", "errors"},
    "solve": {"solve", "kernels", "state", "errors"},
    "symbolic": {"symbolic", "options", "paths", "system", "kernels", "model", "state", "errors", "derived"},
    "io": {"io", "options", "paths", "model", "errors"},
    "analyses": {
        "analyses",
        "options",
        "symbolic",
        "solve",
        "system",
        "model",
        "kernels",
        "state",
        "errors",
        "derived",
        "progress",
        "compilation",
        "results",
        "pictures",  # free bodies only ask for their own picture
    },
    "results": {
        "results",
        "paths",
        "symbolic",
        "solve",
        "system",
        "model",
        "kernels",
        "state",
        "errors",
        "derived",
        "progress",
        "compilation",
        "viewer",
        "pictures",
        "__version__",
    },
    # pictures draw the scene that pages show; results only ask for their own (run.draw)
    "pictures": {"pictures", "viewer", "results", "analyses", "model", "state", "errors", "progress", "compilation"},
    # pages show results; results only ask for their own page (notebooks, run.show)
    "viewer": {"viewer", "results", "analyses", "system", "model", "state", "errors", "compilation", "__version__"},
    # many cases of any analysis
    "sweeps": {
        "sweeps",
        "options",
        "paths",
        "io",
        "analyses",
        "results",
        "model",
        "errors",
        "progress",
        "compilation",
        "locks",
        "__version__",
    },
    # the page, live: files in, analyses in processes of their own
    "studio": {
        "studio",
        "options",
        "paths",
        "io",
        "viewer",
        "results",
        "analyses",
        "system",
        "model",
        "state",
        "errors",
    },
    # the command line asks everybody, and nobody asks it
    "cli": {
        "cli",
        "options",
        "paths",
        "system",
        "sweeps",
        "io",
        "analyses",
        "symbolic",
        "results",
        "viewer",
        "pictures",
        "studio",
        "model",
        "state",
        "errors",
        "progress",
        "compilation",
        "__version__",
    },
}


STANDARD = set(sys.stdlib_module_names)
# third parties by layer: the model and the system run where only numpy is (SymPy is imported where its objects are asked for); SciPy is for results on request, and imported there
THIRD = {
    "model": {"numpy", "sympy"},
    "options": {"numpy"},
    "symbolic": {"numpy", "scipy", "sympy", "mpmath"},  # mpmath comes with SymPy
    "machine": {"numpy", "llvmlite"},
    "kernels": {"numpy"},
    "solve": {"numpy"},
    "system": {"numpy", "scipy"},
    "analyses": {"numpy", "scipy"},
    "results": {"numpy", "scipy", "matplotlib"},
    "io": {"numpy"},
    "viewer": {"numpy"},
    "sweeps": {"numpy"},
    "pictures": {"numpy", "matplotlib", "PIL"},  # Pillow comes with matplotlib
    "studio": {"numpy"},
    "cli": {"numpy", "click"},
}


def name_of(path: Path) -> str:
    """Dotted name of a module of the package, without the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def layer_of(module: str) -> str:
    return module.split(".")[0]


@cache
def imports(path: Path) -> tuple[tuple[str, bool, int], ...]:
    """Modules that a file imports as (dotted name, whether of this package, line); names for type checkers are left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_checkers = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    package = path.relative_to(PACKAGE).parts[:-1]
    found = []
    for node in ast.walk(tree):
        if id(node) in for_checkers:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                own = alias.name.split(".")[0] == "dalembert"
                found.append((alias.name.removeprefix("dalembert."), own, node.lineno))
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                base = package[: len(package) - node.level + 1]
                inside = ".".join([*base, *([module] if module else [])])
                names = [f"{inside}.{alias.name}".strip(".") for alias in node.names] if not module else [inside]
                found += [(name, True, node.lineno) for name in names]
            elif module.split(".")[0] == "dalembert":
                found.append((module.removeprefix("dalembert").strip("."), True, node.lineno))
            else:
                found.append((module, False, node.lineno))
    return tuple(found)


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_imports_point_one_way(path):
    layer = layer_of(name_of(path))
    allowed = ALLOWED.get(layer)
    for module, own, line in imports(path):
        where = f"{path.relative_to(PACKAGE)}:{line} imports {module}"
        if own:
            assert allowed is None or layer_of(module) in allowed, where
        else:
            top = module.split(".")[0]
            known = STANDARD | THIRD.get(layer, {"numpy", "scipy", "matplotlib"})
            assert top in known, where
            # private parts of other packages change without notice
            assert not any(part.startswith("_") and part != "__future__" for part in module.split(".")), where


def test_what_and_how_meet_in_few_places():
    # the model is what, kernels and solve are how; only these layers may see both
    both = set()
    for path in FILES:
        layers = {layer_of(module) for module, own, _ in imports(path) if own}
        if "model" in layers and layers & {"kernels", "solve"}:
            both.add(layer_of(name_of(path)))
    assert {"system"} <= both <= {"system", "analyses", "results", "warmup", "demo", ""}
    assert not any(
        "model" in {layer_of(m) for m, own, _ in imports(p) if own} for p in FILES if layer_of(name_of(p)) == "solve"
    )


def test_every_layer_has_a_rule():
    layers = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert layers <= set(ALLOWED)


def test_import_is_light():
    # modules that were loaded, by the interpreter's own account
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import dalembert"],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    loaded = {
        line.split("|")[-1].strip().split(".")[0]
        for line in done.stderr.splitlines()
        if line.startswith("import time:")
    }
    assert "dalembert" in loaded
    for heavy in ("numpy", "numba", "scipy", "matplotlib", "llvmlite", "pandas", "sympy", "click"):
        assert heavy not in loaded, f"import dalembert loads {heavy}"
    assert {word for word in done.stderr.split() if word.startswith("dalembert.")} == {"dalembert.lazy"}


FIRST = """
import sys
import dalembert as da
m = da.Mechanism("pendulum", gravity=(0, -9.81))
bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
m.revolute("A", m.ground, bar, at=(0, 0))
assert da.simulate(m, until=0.1).status == "ok"
print(*sys.modules)
"""


def test_a_first_simulation_is_light():
    """What a small mechanism does not need is not waited for: other packages, Lagrangian systems, solids."""
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, timeout=600, check=True)
    loaded = set(done.stdout.split())
    assert {"numpy", "dalembert.solve.run", "dalembert.model.shapes.rods"} <= loaded
    heavy = ["numba", "scipy", "sympy", "matplotlib", "pandas", "click", "numpy.typing"]
    heavy += [
        f"dalembert.model.{x}" for x in ("lagrangian", "shapes.solid", "shapes.planar", "shapes.integrated", "stubs")
    ]
    heavy += ["dalembert.symbolic", "dalembert.io", "dalembert.viewer", "dalembert.pictures", "dalembert.sweeps"]
    assert [name for name in heavy if name in loaded] == []


@pytest.mark.parametrize("package", [dalembert, dalembert.model.shapes], ids=["dalembert", "shapes"])
def test_type_checkers_see_the_names_of_run_time(package):
    tree = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname: node.module or "" for node in found for alias in node.names if alias.name == alias.asname}
    assert seen == package._HOMES and len(seen) == len(found)
    assert sorted(name for name, home in seen.items() if home) == sorted(package.__all__)
    for name, home in seen.items():
        # whoever has imported from the folder `studio` before sees the folder under that name
        if home and name != "studio":
            assert getattr(package, name) is getattr(importlib.import_module(f"{package.__name__}.{home}"), name)


def test_exports_exist():
    assert sorted(dalembert.__all__) == sorted(set(dalembert.__all__))
    for name in dalembert.__all__:
        assert getattr(dalembert, name) is not None
    for name in dalembert.__all__:
        assert name in dir(dalembert)
