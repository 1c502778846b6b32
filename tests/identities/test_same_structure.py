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


def arm(
    law="-20*O.angle - 0.3*rate(O.angle)",
    drive="2*pi*t",
    measure="O.angle + 0.5*sin(3*A.angle)",
    table=(0.0, 1.0, 0.5),
    limit="1",
):
    """An arm of two bars: a law, a driver, a row of an expression, an auxiliary state, an event and a table, all as text."""
    m = da.Mechanism("arm", gravity=(0, -9.81))
    m.table("cam", [0, 1, 2], list(table))
    bars = [m.body(f"bar {k}", da.rod(length=0.5, mass=1.0), at=(0.5 * k + 0.25, 0)) for k in range(3)]
    for name, i, j, k in (("O", m.ground, bars[0], 0), ("A", bars[0], bars[1], 1), ("B", bars[1], bars[2], 2)):
        m.revolute(name, i, j, at=(0.5 * k, 0))
    m.actuator("law", m["O"].angle, force=law)
    m.measure("mixed", measure)
    m.actuator("other", m["mixed"], force="-3*mixed + 0.1*cam(t)")
    m.drive("motor", m["B"].angle, drive)
    m.event("there", f"A.angle - {limit}", stop=True)
    return m


LAWS = [  # before, after, whether the structure is the same
    ("-20*O.angle", "-25*O.angle", True),
    ("-20*O.angle - 0.3*rate(O.angle)", "-0.3*O.angle - 20*rate(O.angle)", True),
    ("-20*O.angle", "-1*O.angle", True),
    ("20*O.angle", "0*O.angle", False),  # a law without its measure
    ("-20*O.angle", "-40/2*O.angle", True),  # what is made of numbers only is one number
    ("20*sin(3*O.angle)", "20*sin(20*O.angle)", False),  # two numbers that are equal are one
    ("20*sin(3*O.angle)", "20*sin(21*O.angle)", True),
    ("-2*abs(O.angle)**1.5", "-2*abs(O.angle)**1.75", True),  # not multiplied out
    ("-2*abs(O.angle)**1.5", "-2*abs(O.angle)**0.5", False),
    ("-2*O.angle**3", "-2*O.angle**5", False),
    ("-2*O.angle**3", "-3*O.angle**3", True),
    ("-2*O.angle**40", "-2*O.angle**41", True),
    ("-2*O.angle**40", "-2*O.angle**32", False),
    ("-2*max(0, O.angle - 0.1)", "-2*max(0, O.angle - 0.4)", True),  # the corner is elsewhere
    ("-2*max(0, O.angle - 0.1)", "-2*min(0, O.angle - 0.1)", False),
    ("5*step(t, 0.1, 0, 0.4, 1)", "7*step(t, 0.2, 0, 0.7, 1)", True),
    ("5*step(t, 0.25, 0, 0.5, 1)", "5*step(t, 0.2, 0, 0.4, 1)", True),
    ("5*ramp(t, 0.1, 0.4)", "5*ramp(t, 0.1, 0.5)", True),
    ("if_(t < 0.2, 3, 4*O.angle)", "if_(t < 0.3, 6, 7*O.angle)", True),
    ("if_(1 < 2, 3, 4*O.angle)", "if_(2 < 1, 3, 4*O.angle)", False),
    ("-2*sign(O.angle - 0.1)", "-2*sign(O.angle - 0.2)", True),
    ("cam(2*t)", "cam(3*t)", True),
    ("-100*(O.angle - 40 deg)", "-100*(O.angle - 50 deg)", True),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "same"), LAWS)
@pytest.mark.parametrize("starts", ["", "values"])
def test_numbers_of_laws(before, after, same, starts):
    assert check(arm(law=before), lambda m: arm(law=after), starts=starts, watching=True) == same


def test_numbers_of_drivers_measures_events_and_tables():
    assert check(arm(), lambda m: arm(drive="3*pi*t"))
    assert check(arm(), lambda m: arm(drive="0.25*sin(4*t)")) is False
    assert check(arm(drive="0.25*sin(4*t)"), lambda m: arm(drive="0.5*sin(7*t)"))
    assert check(arm(), lambda m: arm(measure="O.angle + 0.25*sin(7*A.angle)"))
    # what is watched only is no part of the equations
    assert check(arm(), lambda m: arm(limit="2"), watching=True)
    assert check(arm(), lambda m: arm(limit="2*sin(t)"), watching=True)
    # tables are read from the structure
    assert check(arm(), lambda m: arm(table=(0.0, 1.0, 0.25))) is False


def test_an_error_of_a_number_is_told_though_the_structure_was_known():
    in_full(arm(law="-20/3*O.angle + O.angle/4"))
    with pytest.raises(da.ExpressionError, match="divisor is always zero"):
        da.compile(arm(law="-20/3*O.angle + O.angle/0"))


def test_runs_with_other_numbers_of_expressions_are_those_of_a_compilation_in_full(monkeypatch):
    """Laws, drivers, corners and events with other numbers: the same trajectory, bit for bit, and nothing but numbers written."""
    law = "-{}*O.angle - 0.3*rate(O.angle) + 2*max(0, O.angle + {})"
    da.simulate(arm(law=law.format(20, 0.25)), until=0.3, progress=False)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "_structure", lambda *_: pytest.fail("compiled in full"))
        run = da.simulate(arm(law=law.format(25, 0.35), drive="3*pi*t", limit="-0.2"), until=0.3, progress=False)
    tables._structures.clear()
    again = da.simulate(arm(law=law.format(25, 0.35), drive="3*pi*t", limit="-0.2"), until=0.3, progress=False)
    assert np.array_equal(run.t, again.t) and np.array_equal(run.q, again.q) and np.array_equal(run.lam, again.lam)


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
