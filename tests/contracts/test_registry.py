"""The registries are complete: no file is missing, every tag has its documentation, and a new class works at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.model import forces, joints
from dalembert.model.forces import FORCES
from dalembert.model.joints import JOINTS, PairJoint
from dalembert.model.measure import KINDS, Measure

from . import test_forces, test_joints
from .samples import joint_cases, sample

ROOT = Path(__file__).parents[2]


def code_blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)


def table(page: str) -> list[list[str]]:
    """Rows of the table whose first cell is a tag."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| `\w+` \|", line)]


@pytest.mark.parametrize("package", [joints, forces], ids=["joints", "forces"])
def test_no_file_is_missing(package):
    folder = Path(package.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    registry = JOINTS if package is joints else FORCES
    text = (folder / "__init__.py").read_text()
    assert files == {tag for tag, cls in registry.items() if cls.__module__.startswith(package.__name__)}
    for stem in files:
        assert f"from .{stem} import" in text
        # the file is called like its tag, and its class is exported
        cls = registry[stem]
        assert cls.__module__ == f"{package.__name__}.{stem}"
        assert cls.__name__ in package.__all__ and getattr(package, cls.__name__) is cls
        assert (folder / f"{stem}.py").read_text().count("\n") <= 100, (
            "a joint or force file is short: a table, not code"
        )


def test_joint_page_is_true():
    rows = {row[0].strip("`"): row[1:] for row in table("joints.md")}
    assert set(rows) == set(JOINTS)
    names: dict[str, object] = {}
    first, *rest = code_blocks("joints.md")
    exec(compile(first, "docs/joints.md", "exec", dont_inherit=True), names)
    for tag, (in_plane, in_space, coordinates, example) in rows.items():
        part = eval(example.strip("`"), names)  # the page is ours
        assert part.tag == tag
        given = {True: in_plane, False: in_space}
        for plane in (True, False):
            if plane in JOINTS[tag].planes:
                made = sample(tag, plane).part
                system = da.compile(made.model)
                assert int(given[plane]) == len(system.rows_of("part"))
                assert re.findall(r"`(\w+)`", coordinates) == list(made.coordinates())
            else:
                assert given[plane] == ""
    for block in rest:
        exec(compile(block, "docs/joints.md", "exec", dont_inherit=True), names)


def test_force_page_is_true():
    rows = {row[0].strip("`"): row[1:] for row in table("forces.md")}
    assert set(rows) == set(FORCES)
    names: dict[str, object] = {}
    first, *rest = code_blocks("forces.md")
    exec(compile(first, "docs/forces.md", "exec", dont_inherit=True), names)
    for tag, cells in rows.items():
        part = eval(cells[-1].strip("`"), names)  # the page is ours
        assert part.tag == tag
    # all examples together are a mechanism that can be evaluated
    assert np.isfinite(da.equations(names["m"]).a).all()
    for block in rest:
        exec(compile(block, "docs/forces.md", "exec", dont_inherit=True), names)


@pytest.fixture
def visitors():
    """Registries as they were: what a test adds is taken out again."""
    before = dict(JOINTS), dict(FORCES)
    yield
    for registry, old in zip((JOINTS, FORCES), before):
        for tag in set(registry) - set(old):
            del registry[tag]
            if tag in vars(da.Mechanism):
                delattr(da.Mechanism, tag)


def test_extending_page_runs_and_its_joint_keeps_the_contracts(visitors):
    names: dict[str, object] = {"__name__": __name__}
    for block in code_blocks("extending.md"):
        exec(compile(block, "docs/extending.md", "exec", dont_inherit=True), names)
    assert {"oldham", "magnet"} <= {*JOINTS, *FORCES}
    assert da.Mechanism.oldham.__doc__.startswith("Oldham coupling")
    # the whole battery, as for the joints of the package
    for plane in (True, False):
        assert ("oldham", plane) in joint_cases()
        for ground in (True, False):
            test_joints.test_drawn_pose_satisfies_the_joint("oldham", plane, ground)
            test_joints.test_row_is_derivative_of_value("oldham", plane, ground)
            test_joints.test_bias_is_derivative_of_row_times_velocity("oldham", plane, ground)
            test_joints.test_row_count_is_rank("oldham", plane, ground)
            test_joints.test_reactions_balance_and_do_no_work("oldham", plane, ground)
            test_joints.test_swapped_bodies_give_the_same_motion("oldham", plane, ground)
            test_joints.test_coordinates_have_rates("oldham", plane, ground)
            test_forces.test_generalized_force_is_virtual_work("magnet", plane, ground)
        test_forces.test_power_in_a_run_is_force_times_rate("magnet", plane)
    test_joints.test_joint_is_presentable("oldham")
    test_forces.test_force_is_presentable("magnet")


def test_extending_page_lists_all_kinds_of_measure():
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for kind in KINDS:
        assert f"`{kind}`" in text


def test_joint_defined_in_a_test_works_at_once(visitors):
    m = da.Mechanism("hook", plane=True, gravity=(0, -9.81))
    body = m.body("b", mass=1.0, inertia=0.1, at=(0.0, 0.0))
    with pytest.raises(AttributeError, match="hook_at"):
        m.hook_at("H", m.ground, body, at=(0, 0))

    @dataclass(frozen=True, eq=False, repr=False)
    class Hook(PairJoint, tag="hook_at"):
        """The point of j stays at the height of the point of i."""

        planes = (True,)

        def rows(self) -> list[Measure]:
            """No difference along y."""
            return [self.measure("height", "along_space", direction=(0.0, 1.0, 0.0))]

        @property
        def markers(self):
            from dalembert.model.frame import Marker

            return Marker(self.i, self.at[0]), Marker(self.j, self.at[1])

    # a mechanism that exists already has the method too
    m.hook_at("H", m.ground, body, at=(0.0, 0.0))
    e = da.equations(m)
    assert e.row_names == ("H.height",)
    assert e.a == pytest.approx([0.0, 0.0, 0.0], abs=1e-14)  # hung at its mass centre: it stays
    assert e.lam == pytest.approx([-9.81], rel=1e-14)  # the hook carries the weight: force -lam upwards


def test_tags_belong_to_one_class(visitors):
    with pytest.raises(da.ModelError, match="belongs to"):
        type("Other", (PairJoint,), {"__module__": __name__}, tag="revolute")
    with pytest.raises(da.ModelError, match="name of a method"):
        type("Other", (PairJoint,), {"__module__": __name__}, tag="two words")
    assert JOINTS["revolute"] is joints.Revolute

    # the same class again, as in a notebook, replaces itself
    for height in (0.0, 1.0):
        again = type("Again", (PairJoint,), {"__module__": __name__, "height": height}, tag="again")
        assert JOINTS["again"] is again
