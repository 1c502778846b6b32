"""The JSON Schema covers the registries, and accepts what is written."""

import json

import pytest

import dalembert as da
from dalembert.io import to_data
from dalembert.model.registry import FORCES, JOINTS
from dalembert.model.shapes import SHAPES
from tests.contracts.samples import force_cases, joint_cases, sample
from tests.io.machines import cart, everything, in_space


def test_every_joint_force_and_shape_is_in_it():
    made = da.io.schema()
    assert json.loads(json.dumps(made)) == made
    for section, registry in (("joints", JOINTS), ("forces", FORCES)):
        kinds = made["else"]["properties"][section]["additionalProperties"]["oneOf"]
        assert {kind["properties"]["type"]["const"] for kind in kinds} == set(registry)
    assert set(SHAPES) <= set(made["$defs"]["shape"]["properties"])


def test_references_exist():
    made = da.io.schema()
    text = json.dumps(made)
    for name in ("numbers", "place", "shape"):
        assert f"#/$defs/{name}" in text and name in made["$defs"]


def test_written_models_are_valid_and_wrong_ones_are_not():
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(da.io.schema())
    for model in (everything(), in_space(), cart()):
        data = to_data(model, {"simulate": {"until": 1.0}})
        assert not list(check.iter_errors(data))
    for tag, plane in [*joint_cases(), *force_cases()]:
        data = to_data(sample(tag, plane).model)
        assert not list(check.iter_errors(data)), tag
    for wrong in (
        {"joints": {"A": {"type": "revolut"}}},
        {"bodis": {}},
        {"kind": "lagrangian"},
        {"bodies": {"b": {"mas": 1}}},
    ):
        assert list(check.iter_errors(wrong)), wrong
