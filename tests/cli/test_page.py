"""The commands on docs/command-line.md, run in order in an empty folder, print what the page says."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.test_docs import ROOT, _comparable, blocks

from .conftest import environment


def test_commands_of_the_page(tmp_path):
    programs, here = tmp_path / "bin", tmp_path / "here"
    programs.mkdir()
    here.mkdir()
    (programs / "dalembert").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dalembert "$@"\n')
    (programs / "dalembert").chmod(0o755)
    env = environment(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    printed, compared = "", 0
    for language, body in blocks(ROOT / "docs" / "command-line.md"):
        if language == "sh":
            done = subprocess.run(
                ["sh", "-c", f"{{ {body} }} 2>&1"], cwd=here, env=env, capture_output=True, text=True, timeout=1200
            )
            printed = done.stdout
        elif language == "output":
            seen, said = _comparable(printed), _comparable(body)
            assert len(seen) == len(said), printed
            for a, b in zip(seen, said):
                assert a == b or (b.endswith("…") and a.startswith(b.rstrip("… "))), (a, b)
            compared += 1
    assert compared == 4
