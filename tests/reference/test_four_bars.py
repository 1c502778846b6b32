"""Four-bars built in different ways: massless coupler, redundant revolutes in space, dimensions that disagree.

Source: the same device in another formulation.  (1) A coupler without mass is a distance link: the equations of motion with singular mass
(PLANAR 6.3, existence theorem) against those without the body.  (2) A four-bar of four revolutes in space has three dependent rows; turned
anywhere it moves like the planar one, with the planar joint forces in its plane.

Tolerance: two runs at a local error of 1e-12 over 2 s with errors growing about a hundredfold: 1e-9.
"""

import math

import numpy as np
import pytest

import dalembert as da

# joints of the linkage as drawn; Grashof: the crank turns fully
O, P, Q, R = (0.0, 0.0), (0.0, 0.3), (0.9, 0.7), (0.8, 0.0)
TIMES = np.linspace(0.0, 2.0, 21)


def middle(a, b):
    return tuple(0.5 * (np.array(a) + np.array(b)))


def planar(coupler="body"):
    m = da.Mechanism("four-bar", gravity=(0, -9.81))
    crank = m.body("crank", mass=1.0, inertia=0.05, at=middle(O, P), spin=4.0)
    rocker = m.body("rocker", mass=1.5, inertia=0.1, at=middle(R, Q))
    m.revolute("O", m.ground, crank, at=O)
    m.revolute("R", m.ground, rocker, at=R)
    if coupler == "link":
        m.distance("rod", crank.point(*np.subtract(P, middle(O, P))), rocker.point(*np.subtract(Q, middle(R, Q))))
        return m
    mass = {"massless": 0.0, "body": 0.8}.get(coupler, coupler)
    rod = m.body("coupler", mass=mass, inertia=0.075 * mass, at=middle(P, Q))
    m.revolute("P", crank, rod, at=P)
    m.revolute("Q", rod, rocker, at=Q)
    return m


def test_massless_coupler_is_a_link():
    body = da.simulate(planar("massless"), until=2.0, rtol=1e-12, atol=1e-13, output=TIMES)
    link = da.simulate(planar("link"), until=2.0, rtol=1e-12, atol=1e-13, output=TIMES)
    assert "saddle point" in repr(body.system)
    assert "range space" in repr(link.system)
    for name in ("crank", "rocker"):
        assert body[name].angle == pytest.approx(np.asarray(link[name].angle), abs=1e-9)
        assert body[name].spin == pytest.approx(np.asarray(link[name].spin), abs=1e-8)
    # the pin at Q passes the force of the link on the rocker; the pin at P the opposite on the crank
    assert np.asarray(body["Q"].force) == pytest.approx(np.asarray(link["rod"].force), abs=1e-7)
    assert np.asarray(body["P"].on("crank").force) == pytest.approx(np.asarray(link["rod"].on("crank").force), abs=1e-7)
    assert np.asarray(body["O"].force) == pytest.approx(np.asarray(link["O"].force), abs=1e-7)
    assert body.status == link.status == "ok"


def test_light_coupler_approaches_the_massless_one():
    """Both solvers with a bad scaling against the limit: the difference is proportional to the mass."""
    limit = da.simulate(planar("massless"), until=0.5, rtol=1e-11, atol=1e-12, output=[0.0, 0.5])
    differences = []
    for mass in (1e-3, 1e-4, 1e-5, 1e-6):
        run = da.simulate(planar(mass), until=0.5, rtol=1e-11, atol=1e-12, output=[0.0, 0.5])
        # masses that differ by more than 1e4 are for the saddle-point solver
        assert ("range space" if mass >= 1e-3 else "saddle point") in repr(run.system)
        assert run.status == "ok"
        differences.append(run["crank"].angle[-1] - limit["crank"].angle[-1])
    # a tenth of the mass, a tenth of the difference; the square of the mass shows in the first of them only
    assert np.divide(differences[:-1], differences[1:]) == pytest.approx([10.0] * 3, rel=5e-3)


def turned(rotation, shift, tilt=0.0):
    """The planar linkage carried to any place in space, hinges along the normal of its plane; `tilt` bends the last axis."""

    def place(point):
        return rotation @ np.array([*point, 0.0]) + shift

    normal = rotation[:, 2]
    m = da.Mechanism("four-bar", plane=False, gravity=rotation @ [0, -9.81, 0])
    data = {
        "crank": (1.0, 0.05, middle(O, P)),
        "rocker": (1.5, 0.1, middle(R, Q)),
        "coupler": (0.8, 0.06, middle(P, Q)),
    }
    bodies = {
        name: m.body(name, mass=mass, inertia=(0.02, inertia, inertia), at=place(at), rotation=rotation)
        for name, (mass, inertia, at) in data.items()
    }
    m.revolute("O", m.ground, bodies["crank"], at=place(O), axis=normal)
    m.revolute("R", m.ground, bodies["rocker"], at=place(R), axis=normal)
    m.revolute("P", bodies["crank"], bodies["coupler"], at=place(P), axis=normal)
    if tilt:
        bent = normal + tilt * rotation[:, 0]
        m.revolute("Q", bodies["coupler"], bodies["rocker"], at=place(Q), axis=(tuple(normal), tuple(bent)))
    else:
        m.revolute("Q", bodies["coupler"], bodies["rocker"], at=place(Q), axis=normal)
    m.start(m["O"].angle, rate=4.0)
    return m


def random_rotation(seed):
    p = np.random.default_rng(seed).normal(size=4)
    return da.model.reading.quaternion_matrix(p / np.linalg.norm(p))


@pytest.fixture(scope="module")
def flat():
    return da.simulate(planar(), until=2.0, rtol=1e-12, atol=1e-13, output=TIMES)


@pytest.mark.parametrize("seed", range(5))
def test_redundant_four_bar_in_space(flat, seed):
    rotation, shift = random_rotation(seed), np.random.default_rng(100 + seed).normal(size=3)
    run = da.simulate(turned(rotation, shift), until=2.0, rtol=1e-12, atol=1e-13, output=TIMES)
    for joint in ("O", "P", "R"):
        start = flat[joint].angle[0]
        assert run[joint].angle == pytest.approx(np.asarray(flat[joint].angle) - start, abs=2e-9)
    for joint in ("O", "P", "Q", "R"):
        # in its plane the forces are those of the plane; across it they are not unique
        inside = (np.asarray(run[joint].force) @ rotation)[:, :2]
        assert inside == pytest.approx(np.asarray(flat[joint].force), abs=1e-6)
    audit = run.audit
    assert audit.degrees_of_freedom == 1
    assert len(audit.redundant_rows) == 3
    assert set(audit.not_unique) == {"O", "P", "Q", "R"}
    assert audit.disagreement < 1e-12
    assert run.status == "ok"


@pytest.mark.parametrize("tilt", [1e-8, 3e-7])
@pytest.mark.parametrize("value", [None, 0.4])
def test_small_disagreement_is_reported(tilt, value):
    m = turned(random_rotation(7), np.zeros(3), tilt)
    if value is not None:
        m.start(m["O"].angle, value=value)
    run = da.simulate(m, until=0.2, output=[0.0, 0.2])
    assert run["O"].angle[0] == pytest.approx(value or 0.0, abs=3 * tilt)
    # the bent axis is a unit vector off by `tilt`; which of the dependent rows shows it is the solver's choice
    assert 0.2 * tilt < run.audit.disagreement < 3 * tilt
    assert "disagree" in str(run.audit)
    # the motion itself is that of the rows that are kept
    assert run.status == "ok"


def test_large_disagreement_is_refused():
    with pytest.raises(da.AssemblyError, match="disagree|not satisfied") as error:
        da.simulate(turned(random_rotation(7), np.zeros(3), 1e-3), until=0.2)
    assert any(f"'{joint}'" in str(error.value) for joint in "OPQR")


def test_not_redundant_with_a_ball_and_a_cylinder():
    """One hinge as a ball, another as a sleeve: the linkage is no longer overconstrained and moves in the same way."""
    rotation = random_rotation(3)

    def place(point):
        return rotation @ np.array([*point, 0.0])

    normal = rotation[:, 2]
    m = da.Mechanism("four-bar", plane=False, gravity=rotation @ [0, -9.81, 0])
    crank = m.body("crank", mass=1.0, inertia=(0.02, 0.05, 0.05), at=place(middle(O, P)), rotation=rotation)
    rocker = m.body("rocker", mass=1.5, inertia=(0.02, 0.1, 0.1), at=place(middle(R, Q)), rotation=rotation)
    coupler = m.body("coupler", mass=0.8, inertia=(0.02, 0.06, 0.06), at=place(middle(P, Q)), rotation=rotation)
    m.revolute("O", m.ground, crank, at=place(O), axis=normal)
    m.revolute("R", m.ground, rocker, at=place(R), axis=normal)
    m.cylindrical("P", crank, coupler, at=place(P), axis=normal)
    m.spherical("Q", coupler, rocker, at=place(Q))
    m.start(m["O"].angle, rate=4.0)
    run = da.simulate(m, until=1.0, rtol=1e-12, atol=1e-13, output=[0.0, 1.0])
    flat = da.simulate(planar(), until=1.0, rtol=1e-12, atol=1e-13, output=[0.0, 1.0])
    assert run["O"].angle[-1] == pytest.approx(flat["O"].angle[-1] - flat["O"].angle[0], abs=1e-9)
    assert not run.audit.redundant_rows
    assert run.audit.degrees_of_freedom == 1
    assert math.isfinite(run["P"].torque[0, 0])
    # plane motion, everything in one plane: no force across it
    assert np.abs(np.asarray(run["Q"].force) @ normal).max() < 1e-9
