"""Settings of the documentation: `make docs` builds it into docs/_build/html."""

import sys
from pathlib import Path

from sphinx.ext.napoleon import NumpyDocstring

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import dalembert  # noqa: E402

project = "dalembert"
author = "the dalembert authors"
release = version = dalembert.__version__
copyright = f"{author}, under the licence BSD-3-Clause"  # noqa: A001  the line at the foot of every page

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "equations",  # ours: formulas as MathML, no script and no network
    "gallery",  # ours: runs the examples
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
exclude_patterns = ["_build", "_templates", "extensions", "images"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 4
# pages link to scripts and folders of the repository as people read them there
suppress_warnings = ["myst.header"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # types are in the docstrings, in words
autosummary_generate = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_attr_annotations = False  # as above
# several attributes with one description, "steps, rejected", as of parameters; else all but the last are taken for a type
_fields_of = NumpyDocstring._consume_fields
NumpyDocstring._consume_fields = lambda self, parse_type=True, prefer_type=False, multiple=False: _fields_of(
    self, parse_type, prefer_type, True
)

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"dalembert {release}"
html_static_path = ["_static"]
html_css_files = ["gallery.css"]
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
html_show_sourcelink = False
pygments_style = "friendly"
pygments_dark_style = "native"
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
