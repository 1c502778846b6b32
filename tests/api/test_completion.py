"""What editors see: methods of a mechanism, arguments of shapes, and documentation of both."""

from __future__ import annotations

import inspect

import jedi
import pytest

import dalembert as da
from dalembert.model import stubs
from dalembert.model.registry import FORCES, JOINTS

SHAPES = (
    "rod", "rectangle", "block", "plate", "triangle", "disk", "semicircle", "ring", "box", "sphere", "cylinder", "tube", "cone", "lump", "polygon",
    "lamina", "revolved", "composite", "void",
)  # fmt: skip


def test_stub_is_current():
    assert stubs.PATH.read_text(encoding="utf-8") == stubs.text(), "run: python -m dalembert.model.stubs"
    for tag in (*JOINTS, *FORCES):
        if (JOINTS.get(tag) or FORCES[tag]).__module__.startswith("dalembert."):
            assert f"    def {tag}(self, name: str" in stubs.text()


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_functions_with_arguments_and_a_page(name):
    # a class under another name is documented as "alias of Rod", and its arguments as fields of a dataclass
    made = getattr(da, name)
    assert inspect.isfunction(made) and made.__name__ == name
    assert made.__doc__ and (len(inspect.signature(made).parameters) < 2 or "Parameters\n" in made.__doc__)
    for p in inspect.signature(made).parameters.values():
        assert "field(" not in str(p)
        # every argument is described, alone or in a list of several
        assert name in ("void",) or p.name in made.__doc__


def test_an_editor_completes():
    text = "import dalembert as da\nm = da.Mechanism('a')\nm.rev\nm.revolute(\nda.rod(\nm.rev"
    script = jedi.Script(text)
    assert [c.name for c in script.complete(3, 5)] == ["revolute", "revolute_translational"]
    (joint,) = script.get_signatures(4, 11)
    assert [p.name for p in joint.params if p.name != "self"][:3] == ["name", "i", "j"]
    assert (
        joint.to_string().endswith("-> Revolute")
        and inspect.cleandoc(da.Mechanism.revolute.__doc__)[:40] in joint.docstring()
    )
    (rod,) = script.get_signatures(5, 7)
    assert [p.name for p in rod.params] == ["length", "between", "area", "radius", "section", "mass", "density"]
    assert "field(" not in rod.to_string() and "Length l (m)" in rod.docstring()
