"""Model files: mechanisms and Lagrangian systems as TOML or JSON (docs/model-files.md).

fields.py      what a file may hold: sections, fields of parts, their kinds and units
text.py        TOML and JSON to plain data and back, limits
lines.py       the line of a path, for messages
problems.py    all problems of a file at once, in the words of files
parameters.py  parameters that are formulas of others, other values for parameters
options.py     options of analyses, and their units
values.py      values to what the model takes
reader.py      plain data to a model: mechanism_reader.py, lagrangian_reader.py
encode.py      a model to plain data
files.py       read_model, write_model
schema.py      JSON Schema for editors
"""

from .fields import VERSION
from .files import ModelFile, parse_text, read_file, read_model, to_data, write_model
from .options import ANALYSES
from .schema import schema
from .text import MAX_BYTES, MAX_DEPTH, MAX_PARTS

__all__ = [
    "ANALYSES", "MAX_BYTES", "MAX_DEPTH", "MAX_PARTS", "VERSION", "ModelFile", "parse_text", "read_file", "read_model",
    "schema", "to_data", "write_model",
]  # fmt: skip
