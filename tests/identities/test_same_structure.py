"""A structure that is known costs numbers only: what is renewed is bit for bit what a compilation in full gives."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.system import tables
from dalembert.system.known import known_system
from tests.identities.random_mechanisms import World, build, draw
from tests.soak import share

MACHINES = sorted((Path(da.__file__).parent / "machines").glob("*.toml"))


def described(system):
    """All arrays of a system and what belongs to them, as values that can be compared."""
    n = system.numbering
    rows = [(row.name, row.part, row.unit, row.offset, row.rate_only, str(row.drive)) for row in n.rows]
    owners = [(str(owner), [str(switch.gap) for switch in owner.held]) for owner in n.owners]
    return (
        n.I.tobytes(), n.P.tobytes(), n.places, rows, owners, n.starts.tobytes(), system.q0.tobytes(), system.length,
        [block.part for block in n.blocks], system.arms.tobytes(), system.code.split(" (")[0], system.depends_on,
    )  # fmt: skip


def in_full(model, **options):
    """The system as it is compiled by someone who knows nothing."""
    tables._structures.clear()
    return da.compile(model, **options)


def check(model, change, **options):
    """After a change: renewed = in full; whether the structure was known."""
    in_full(model, **options)
    before = set(tables._structures)
    changed = change(model) or model
    renewed = da.compile(changed, **options)
    known = set(tables._structures) == before
    assert described(renewed) == described(in_full(changed, **options))
    return known


@pytest.mark.parametrize("path", MACHINES, ids=[path.stem for path in MACHINES])
def test_parameters_of_machines(path):
    model = da.read_model(path)
    if not isinstance(model, da.Mechanism):
        pytest.skip("not of bodies")
    for name, value in model.parameters.items():
        for starts in ("", "values", "rates"):
            for factor in (1.0 + 1e-3, 1.0 - 1e-3):
                check(model, lambda m, x=value * factor, name=name: m.set_parameter(name, x), starts=starts)
        model.set_parameter(name, value)


@pytest.mark.parametrize("seed", range(share(500)))
def test_random_mechanisms(seed):
    """Turned, moved and in millimetres: numbers that are other or become 0 or 1."""
    plan = draw(seed)
    turn = 0.3 + seed
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
    for world in (World(length=1000.0), World(rotation=rotation, shift=np.array([0.3, -0.2, 0.0])), World()):
        check(build(plan), lambda m, world=world: build(plan, world))


def crank(mass=1.0):
    m = da.Mechanism("crank", gravity=(0, -9.81))
    r, length = m.parameter("r", 0.2), m.parameter("l", 0.6)
    k, weight, end = m.parameter("k", 100.0), m.parameter("m", mass), m.parameter("end", 0.9)
    one = m.body("crank", da.rod(length=r, mass=1.0), at=(r / 2, 0))
    two = m.body("rod", da.rod(length=length, mass=weight), at=(r + length / 2, 0))
    three = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(r + length, 0))
    m.revolute("O", m.ground, one, at=(0, 0))
    m.revolute("A", one, two, at=(r, 0))
    m.revolute("B", two, three, at=(r + length, 0))
    m.prismatic("bore", m.ground, three, along=(1, 0))
    m.spring("spring", (m.ground, (1.5, 0)), (three, (0, 0)), stiffness=k, free_length=0.2)
    m.stop("buffer", m["bore"].slide, upper=end, stiffness=1e4)
    m.start("O.angle", rate=1.0)
    return m


@pytest.mark.parametrize("name", ["r", "l", "k", "m", "end"])
def test_lengths_masses_and_stiffnesses_need_no_structure(name, monkeypatch):
    """A length, a mass, a stiffness, a limit: simulated again, nothing but numbers is written, and the answer is the same."""
    model = crank()
    da.simulate(model, until=0.1, progress=False)
    value = model.parameters[name]
    with monkeypatch.context() as patch:
        patch.setattr(tables, "_structure", lambda *_: pytest.fail("compiled in full"))
        model.set_parameter(name, 1.01 * value)
        run = da.simulate(model, until=0.1, progress=False)
    tables._structures.clear()
    other = crank()
    other.set_parameter(name, 1.01 * value)
    again = da.simulate(other, until=0.1, progress=False)
    assert np.array_equal(run.q, again.q) and np.array_equal(run.lam, again.lam)


def test_numbers_that_decide_are_part_of_the_structure():
    # a body without mass needs the other solver, and so do masses that are very uneven
    assert not check(crank(), lambda m: m.set_parameter("m", 0.0))
    assert not check(crank(), lambda m: m.set_parameter("m", 1e6))
    assert check(crank(), lambda m: m.set_parameter("m", 3.0))


def test_nobody_writes_what_is_constant():
    model = crank()
    system = known_system(model)
    for array in (system.I, system.P, system.q0):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    before = described(system)
    run = da.simulate(model, until=0.05, progress=False)
    run.at(0.02)
    for verb in (da.mobility, da.reactions, da.equilibrium, da.linearize, da.equations, da.verify):
        with contextlib.suppress(
            da.DalembertError
        ):  # what it finds is not asked here, but that the arrays stay as they are
            verb(model)
    assert described(known_system(model)) == before
