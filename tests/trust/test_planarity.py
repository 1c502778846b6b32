"""A planar model took bodies that leave the plane (BASICS 8.5) in silence: two cubes at +-(0.3, 0, 0.2), 1 N m for 1 s, status "ok"."""

import math
import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.results.record import AuditWarning

CUBE = 0.05
# tensor entry -sum m x z of both cubes
J_XZ = -2 * 1.0 * 0.3 * 0.2
J_ZZ = 2 * (CUBE**2 / 6 + 0.3**2)


def dumbbell(z=0.2):
    cube = da.box(CUBE, CUBE, CUBE, mass=1.0)
    return cube.at(0.3, 0, z) + cube.at(-0.3, 0, -z)


def spinning(shape, hinged=False):
    m = da.Mechanism("dumbbell", plane=True)
    rotor = m.body("rotor", shape)
    if hinged:
        m.revolute("shaft", m.ground, rotor, at=(0, 0))
    m.torque("motor", rotor, 1.0)
    return m


def quiet(m, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        return da.simulate(m, until=1.0, **options)


def test_a_free_body_that_leaves_the_plane_is_not_ok():
    with pytest.warns(AuditWarning, match="'rotor'.*leave the plane"):
        run = da.simulate(spinning(dumbbell()), until=1.0)
    # the planar numbers are those of the planar equations
    assert run["rotor"].spin[-1] == pytest.approx(1.0 / J_ZZ, rel=1e-9)
    assert run.status == "doubtful" and run.audit.passed
    (note,) = run.warnings
    assert note.kind == "leaves the plane" and note.parts == ("rotor",) and note.doubtful and note.t == 1.0
    # |j_xz| sqrt(phi''^2 + phi'^4), largest at the end, where phi' = phi''
    alpha = 1.0 / J_ZZ
    assert note.value == pytest.approx(abs(J_XZ) * math.hypot(alpha, alpha**2), rel=1e-6)
    assert "WARNING" in str(run.audit) and "'rotor'" in str(run.audit)


def test_in_space_the_same_body_does_leave_the_plane():
    m = da.Mechanism("dumbbell", plane=False)
    rotor = m.body("rotor", dumbbell())
    m.torque("motor", rotor, (0, 0, 1.0))
    assert np.max(np.abs(da.simulate(m, until=1.0).kinematics(rotor).omega[:, :2])) > 1.0


def test_at_rest_and_without_products_nothing_is_said():
    assert quiet(spinning(dumbbell(z=0.0))).status == "ok"
    m = da.Mechanism("dumbbell", plane=True, gravity=(0, -9.81))
    m.body("rotor", dumbbell())
    assert quiet(m).status == "ok"  # it falls without turning


def test_a_hinge_carries_it_and_the_note_says_how_much():
    m = spinning(dumbbell(), hinged=True)
    run = da.simulate(m, until=1.0)
    assert run.status == "ok" and not run.warnings
    (note,) = run.audit.notes
    assert note.kind == "carried across the plane" and "'shaft'" in note.text and not note.doubtful
    # the same shaft in space: its couple across the axis is what the note says
    s = da.Mechanism("dumbbell", plane=False)
    rotor = s.body("rotor", dumbbell())
    s.revolute("shaft", s.ground, rotor, at=(0, 0, 0), axis="z")
    s.torque("motor", rotor, (0, 0, 1.0))
    couple = np.asarray(da.simulate(s, until=1.0)["shaft"].torque)[:, :2]
    assert note.value == pytest.approx(np.max(np.linalg.norm(couple, axis=1)), rel=1e-6)


def test_bodies_that_balance_each_other_stay():
    """Two free bodies welded together whose products of inertia cancel need nothing from outside; one alone does."""
    for sign, status in ((-1.0, "ok"), (1.0, "doubtful")):
        m = da.Mechanism("pair", plane=True)
        one, two = m.body("one", dumbbell()), m.body("two", dumbbell(sign * 0.2))
        m.fixed("weld", one, two, at=(0, 0))
        m.torque("motor", one, 1.0)
        assert quiet(m).status == status


def test_a_force_beside_the_plane_of_the_mass_centre():
    m = da.Mechanism("high", plane=True)
    body = m.body("high", da.box(0.2, 0.2, 0.2, mass=2.0).at(0, 0, 0.1))
    m.force("push", body, (3.0, 0.0), at=(0, 0))
    run = quiet(m)
    assert run.status == "doubtful"
    assert run.warnings[0].value == pytest.approx(0.3, rel=1e-9)  # 3 N at 0.1 m


def test_mobility_and_check_name_the_body(tmp_path):
    m = spinning(dumbbell())
    (one,) = da.mobility(m).out_of_plane
    assert (one.j_xz, one.j_yz, one.height, one.held) == (pytest.approx(J_XZ), 0.0, 0.0, False)
    assert "'rotor'" in str(da.mobility(m)) and f"{J_XZ:.6g}" in str(da.mobility(m))
    from dalembert.cli.shared.doctor import examine

    found = examine(m)
    assert found.code != 0 and "'rotor'" in found.text and "planarity" in found.text
    held = examine(spinning(dumbbell(), hinged=True))
    assert held.code == 0 and "'shaft'" in held.text
    assert not da.mobility(spinning(dumbbell(0.0))).out_of_plane
    # and the same from a file
    path = tmp_path / "dumbbell.toml"
    da.write_model(m, path)
    assert quiet(da.read_model(path)).status == "doubtful"


def test_driven_motion_and_reactions_say_it():
    m = da.Mechanism("free", plane=True)
    rotor = m.body("rotor", dumbbell())
    for name in ("absolute_x", "absolute_y"):
        getattr(m, name)(name, rotor)
    m.drive("turn", rotor.angle, "3*t**2")
    with pytest.warns(AuditWarning, match="doubtful"):
        found = da.inverse_dynamics(m, times=np.linspace(0, 1, 3))
    assert found.run.status == "doubtful" and "WARNING" in str(found)
    m = spinning(dumbbell())
    assert da.reactions(m).warnings[0].value == pytest.approx(abs(J_XZ) / J_ZZ)
