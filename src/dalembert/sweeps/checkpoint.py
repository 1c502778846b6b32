"""Finished cases on disk: one line of JSON each, written as the case finishes, so that a killed sweep goes on where it was."""

from __future__ import annotations

import json
import math
import os
import stat
from typing import Any

from .. import __version__, locks
from ..errors import MethodError, shown
from ..paths import read_path

HEADER = "dalembert sweep"


class Checkpoint:
    """File of finished cases.  Lines are found again by key, and a last line that was torn by a kill is cut off."""

    def __init__(self, path: Any) -> None:
        self.asked = f"sweep with checkpoint {shown(path)}"
        self.path = read_path(self.asked, path)
        self.done: dict[str, dict[str, Any]] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._number = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise self._refused(error) from error
        try:
            # a device such as /dev/full gives bytes without end
            if not stat.S_ISREG(os.fstat(self._number).st_mode):
                why = "finished cases are read back from an ordinary file"
                found = "a device, pipe or folder"
                raise MethodError(self.asked, found, why, "choose another path, such as sweep.jsonl")
            # two sweeps at once would compute everything twice, and cut off each other's last lines
            if not locks.take(self._number):
                why, do = "its lines would be torn", "wait until that has ended, or choose another path"
                raise MethodError(self.asked, "another sweep writes it now", why, do) from FileExistsError(str(path))
            self._read(self.path.read_bytes())
        except OSError as error:
            self.close()
            raise self._refused(error) from error
        except BaseException:
            self.close()
            raise

    def _refused(self, error: OSError) -> MethodError:
        return MethodError(self.asked, error.strerror or str(error), "the file cannot be used", "choose another path")

    def _read(self, raw: bytes) -> None:
        if not raw:
            self._write({"file": HEADER, "format": 1, "version": __version__})
            return
        lines = raw.split(b"\n")
        begin = b'{"file": "' + HEADER.encode() + b'"'
        if not raw.startswith(begin) and not begin.startswith(raw):
            why = "its first line is not that of a file of finished cases, and it will not be overwritten"
            raise MethodError(self.asked, "another kind of file", why, "choose another path, for example sweep.jsonl")
        torn = len(lines[-1])
        if torn:
            # a kill came while this line was written
            os.ftruncate(self._number, len(raw) - torn)
            if len(lines) == 1:
                self._read(b"")
                return
        for line in lines[1:-1]:
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and isinstance(found.get("key"), str):
                self.done[found["key"]] = _read_numbers(found)

    def add(self, key: str, values: dict[str, Any], record: dict[str, Any]) -> None:
        """Write a finished case."""
        self._write(_written({"key": key, "case": values, **record}))

    def _write(self, x: dict[str, Any]) -> None:
        line = (json.dumps(x, allow_nan=False) + "\n").encode()
        try:
            # one call for the whole line: Ctrl-C falls before or after it
            while line:
                line = line[os.write(self._number, line) :]
            os.fsync(self._number)
        except OSError as error:
            do = "free some space and run the same sweep again: finished cases are kept"
            raise MethodError(self.asked, error.strerror or str(error), "the file cannot be written", do) from error

    def close(self) -> None:
        """Close the file."""
        if self._number >= 0:
            os.close(self._number)
            self._number = -1


def _written(x: Any) -> Any:
    """JSON has no numbers that are not finite."""
    if isinstance(x, float) and not math.isfinite(x):
        return {"number": repr(x)}
    if isinstance(x, dict):
        return {key: _written(item) for key, item in x.items()}
    return [_written(item) for item in x] if isinstance(x, list) else x


def _read_numbers(x: Any) -> Any:
    if isinstance(x, dict):
        if list(x) == ["number"] and x["number"] in ("nan", "inf", "-inf"):
            return float(x["number"])
        return {key: _read_numbers(item) for key, item in x.items()}
    return [_read_numbers(item) for item in x] if isinstance(x, list) else x
