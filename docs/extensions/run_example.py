"""Run one example in a folder of its own: what it prints, its picture, the page of its result.  `run_example.py SCRIPT FOLDER`."""

import contextlib
import os
import runpy
import sys
from pathlib import Path

import dalembert as da


def main(script: Path, folder: Path) -> None:
    """Leave out/<name>.png (by the example itself), output.txt and page.html in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    sys.path.insert(0, str(script.parent))
    with Path("output.txt").open("w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        names = runpy.run_path(str(script), run_name="__main__")
    da.show(names["run"], "page.html", open=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
