"""The bundle of three.js: how it is built, what happens where it cannot be, and that it asks nothing of the network."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VIEWER = ROOT / "viewer"


def loaded(path):
    spec = importlib.util.spec_from_file_location("viewer_build", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path):
    """The sources of the bundle in another place, where nothing is built yet."""
    shutil.copytree(VIEWER, tmp_path / "viewer", ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    return tmp_path


def test_bundle_is_that_of_its_sources():
    build = loaded(VIEWER / "build.py")
    if not build.TARGET.exists():
        pytest.skip("needs the bundle of three.js (python viewer/build.py)")
    assert build.is_current(), "viewer/ was changed: python viewer/build.py"
    text = build.TARGET.read_text(encoding="utf-8")
    assert text.startswith("/* fingerprint ") and "Permission is hereby granted" in text and "var THREE=" in text
    # a page with it stays below a megabyte plus data, and nothing in it ends the script or makes a request
    assert len(text) < 700_000 and "</script" not in text and "<!--" not in text
    assert set(re.findall(r"https?://[^\s\"'`)]+", text)) <= {"http://www.w3.org/1999/xhtml"}
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|\bimport\(", text)


def test_lock_file_names_versions_and_checksums_and_no_addresses():
    lock = json.loads((VIEWER / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: about for name, about in lock["packages"].items() if name}
    assert "node_modules/three" in packages
    assert all("integrity" in about and "resolved" not in about for about in packages.values())
    wanted = json.loads((VIEWER / "package.json").read_text(encoding="utf-8"))
    assert packages["node_modules/three"]["version"] == wanted["dependencies"]["three"]


def test_without_node_and_package_index_one_line_says_what_is_missing(copy, monkeypatch):
    """As on a machine without Node and without network: no program is found, no package can be fetched."""
    env = {"PATH": "", "PIP_NO_INDEX": "1", "HOME": str(copy), "SYSTEMROOT": ""}
    # -S: without what is installed here
    done = subprocess.run(
        [sys.executable, "-S", str(copy / "viewer" / "build.py")], env=env, capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0 and done.stderr == ""
    (line,) = done.stdout.splitlines()
    assert line.startswith("dalembert: pages in space will be drawn as lines") and "Node" in line
    assert not (copy / "src").exists(), "nothing half made is left"


def test_what_is_built_is_not_built_again(copy, monkeypatch):
    build = loaded(copy / "viewer" / "build.py")
    build.TARGET.parent.mkdir(parents=True)
    build.TARGET.write_text(f"/* fingerprint {build.fingerprint()} */\n")
    monkeypatch.setattr(build, "_bundle", lambda folder: pytest.fail("built again"))
    assert build.build() is None
    # a change of the sources is seen, whatever the times of the files are
    source = copy / "viewer" / "three-space.js"
    source.write_text(source.read_text() + "\n// changed\n")
    assert not build.is_current()
    monkeypatch.setattr(build, "_bundle", lambda folder: (_ for _ in ()).throw(build.MissingError("no Node")))
    assert build.build() == "dalembert: an older bundle stays in use: no Node; to try again: python viewer/build.py"
