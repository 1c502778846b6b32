"""reactions: loads of joints and drivers, and the certificate of what is unique.

Sources: hand analysis of a door on two hinges (which pairs of loads at two points of a line balance), dense solutions of the equations
with other choices of rows, formulas 6.6.8-9 of PLANAR and their spatial counterpart written out here, closed forms of P6 and B3.
"""

import math

import numpy as np
import pytest
from identities.random_mechanisms import build, draw

import dalembert as da
from dalembert.analyses.dependence import self_stress
from dalembert.analyses.pose.pose import Pose
from dalembert.demo import slider_crank
from tests.soak import share

from .machines import fb4

G = 9.81
# loads of some 200 N through the algebra of 10 rows: 1e-12 of round-off, 1e-9 is what the user is promised
TOLERANCE = 1e-9


def rotation(seed):
    if seed is None:
        return np.eye(3)
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def door(low, high, A=None, scale=1.0, rate=3.0):
    """A door of 20 kg on two joints on the z axis, 2 m apart; all turned by A, all lengths times `scale`."""
    A = np.eye(3) if A is None else A
    m = da.Mechanism("door", plane=False, gravity=tuple(A @ (0, 0, -G * scale)))
    shape = da.box(1.0 * scale, 0.04 * scale, 2.0 * scale, mass=20.0)
    spin = tuple(rate * A[:, 2])
    leaf = m.body("leaf", shape, at=tuple(scale * A @ (0.5, 0, 1)), rotation=A, spin=spin)
    for name, kind, z in (("low", low, 0.0), ("high", high, 2.0)):
        axis = {"spherical": {}, "point_on_line": {"along": tuple(A[:, 2])}}.get(kind, {"axis": tuple(A[:, 2])})
        getattr(m, kind)(name, m.ground, leaf, at=tuple(scale * A @ (0, 0, z)), **axis)
    return m


# joints below and above; components of both that they carry and that are unique, in body axes; number of self-stresses
#   The load of one joint can be balanced by the other where both can carry it: transverse forces through the couple or the force of the
#   other, axial forces along the common line.
DOORS = [
    ("revolute", "revolute", "", "", 5),
    ("revolute", "cylindrical", "Fz", "", 4),
    ("revolute", "spherical", "", "", 3),
    ("spherical", "cylindrical", "Fz", "", 2),
    ("spherical", "point_on_line", "Fx Fy Fz", "Fx Fy", 0),
    ("spherical", "spherical", "Fx Fy", "Fx Fy", 1),
]
CARRIED = {
    "revolute": "Fx Fy Fz Tx Ty",
    "cylindrical": "Fx Fy Tx Ty",
    "spherical": "Fx Fy Fz",
    "point_on_line": "Fx Fy",
}


def named(one, flags):
    return " ".join(c for c, flag in zip(one.components, flags) if flag)


@pytest.mark.parametrize("seed", [None, 5, 6])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize(("low", "high", "low_unique", "high_unique", "count"), DOORS)
def test_door_on_two_joints(low, high, low_unique, high_unique, count, scale, seed):
    A = rotation(seed)
    found = da.reactions(door(low, high, A, scale))
    assert found.dependent == count
    for name, kind, unique in (("low", low, low_unique), ("high", high, high_unique)):
        one = found[name].frame("body")
        assert named(one, one.carried) == CARRIED[kind]
        assert named(one, one.carried & one.unique) == unique
        # what it does not carry is zero, and unique
        assert np.abs(one.values[~one.carried]) == pytest.approx(0.0, abs=TOLERANCE * scale**2)
        assert one.unique[~one.carried].all()
    net = found.net("leaf")
    assert net.unique.all() and len(net.free) == 0
    # weight and centripetal force m w^2 r at the mass centre, no couple: the door turns freely
    expected = 20 * G * scale * A[:, 2] - 20 * 9 * 0.5 * scale * A[:, 0]
    assert net.force == pytest.approx(expected, abs=TOLERANCE * scale)
    assert net.torque == pytest.approx(np.zeros(3), abs=TOLERANCE * scale**2)


def test_uniqueness_belongs_to_directions():
    """Turned anyhow, no space component of a ball joint is unique, while the transverse directions are."""
    A = rotation(7)
    one = da.reactions(door("spherical", "spherical", A))["low"]
    assert not one.unique[:3].any() and one.unique[3:].all()
    assert one.is_unique(force=A[:, 0]) and one.is_unique(force=A[:, 1]) and not one.is_unique(force=A[:, 2])
    assert one.is_unique(torque=(1, 0, 0))
    assert named(one.frame("body"), one.frame("body").unique) == "Fx Fy Tx Ty Tz"
    # the one free load is the axial force
    (free,) = one.free
    assert np.linalg.norm(np.cross(free[:3], A[:, 2])) < 1e-9 and np.max(np.abs(free[3:])) < 1e-9
    (free,) = one.frame("body").free
    assert free == pytest.approx([0, 0, 1, 0, 0, 0], abs=1e-9)


def loads_of_rows(m, state):
    """Load of unit multipliers of each row on the door, in body axes about the mass centre, from the Jacobian alone."""
    e = da.equations(m, state)
    A = np.array(matrix(state.q[3:7]))
    unit = -e.jac.T
    return e, np.vstack([A.T @ unit[:3], unit[3:]])


def matrix(p):
    e0, e1, e2, e3 = p
    v = np.array([e1, e2, e3])
    skew = np.array([[0, -e3, e2], [e3, 0, -e1], [-e2, e1, 0]])
    return (e0**2 - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * e0 * skew


@pytest.mark.parametrize(("low", "high", "low_unique", "high_unique", "count"), DOORS)
def test_every_choice_of_rows_gives_the_unique_ones(low, high, low_unique, high_unique, count):
    """The dense system [M J^T; J 0] with any independent rows: unique components agree, the others differ between choices."""
    m = door(low, high, rotation(8))
    found = da.reactions(m)
    e, unit = loads_of_rows(m, found.state)
    rank = np.linalg.matrix_rank(e.jac)
    assert rank == len(e.jac) - count == 5
    rng = np.random.default_rng(0)
    spread = {}
    for _ in range(30):
        kept = []
        for r in rng.permutation(len(e.jac)):
            # independent enough for a solution to 1e-9
            if np.linalg.svd(e.jac[[*kept, r]], compute_uv=False)[-1] > 1e-3:
                kept.append(r)
        assert len(kept) == rank
        jac = e.jac[kept]
        matrix_ = np.block([[e.M, jac.T], [jac, np.zeros((rank, rank))]])
        lam = np.zeros(len(e.jac))
        lam[kept] = np.linalg.solve(matrix_, np.concatenate([e.Q, e.gamma[kept]]))[6:]
        for name, s in (("low", np.array([-0.5, 0, -1])), ("high", np.array([-0.5, 0, 1]))):
            rows = [k for k, row in enumerate(e.row_names) if row.startswith(name)]
            wrench = unit[:, rows] @ lam[rows]
            wrench[3:] -= np.cross(s, wrench[:3])
            one = found[name].frame("body")
            assert wrench[one.unique] == pytest.approx(one.values[one.unique], abs=TOLERANCE)
            spread.setdefault(name, []).append(wrench)
    for name, wrenches in spread.items():
        varies = np.ptp(wrenches, axis=0) > 1e-3
        assert np.array_equal(varies, ~found[name].frame("body").unique), "what is called not unique does differ"


def test_free_loads_can_be_added():
    """A free load of one hinge, balanced by the other, leaves the equations as they are; and the free loads span all there are."""
    found = da.reactions(door("revolute", "spherical", rotation(9)))
    low = found["low"].frame("body")
    # the ball carries (fx, fy, fz) two metres above; the hinge must balance (fx, fy, fz) and the couple (-2 fy, 2 fx, 0)
    expected = np.array([[1, 0, 0, 0, 2, 0], [0, 1, 0, -2, 0, 0], [0, 0, 1, 0, 0, 0]])
    assert low.free.shape == (3, 6)
    both = np.vstack([low.free, expected])
    assert np.linalg.matrix_rank(both, tol=1e-8) == 3


def test_smallest_loads_are_those_of_a_run():
    m = door("revolute", "revolute", rotation(10))
    run = da.simulate(m, until=0.3, output=0.1)
    for k in (0, 2):
        found = da.reactions(m, run.at(float(run.t[k])))
        for name in ("low", "high"):
            for frame in ("space", "body", "joint"):
                for body in ("leaf", "ground"):
                    one, same = found[name].on(body).frame(frame), run[name].on(body).frame(frame)
                    assert one.force == pytest.approx(same.force[k], abs=1e-8)
                    assert one.torque == pytest.approx(same.torque[k], abs=1e-8)


@pytest.mark.parametrize("seed", range(share(60, 12)))
def test_random_mechanisms(seed):
    """All kinds of joints, couplings, drivers and forces: free loads and net loads against the dense null space of J^T."""
    m = build(draw(seed))
    found = da.reactions(m)
    e = da.equations(m, found.state)
    sizes = np.linalg.norm(e.jac, axis=1)
    _, s, vt = np.linalg.svd((e.jac / sizes[:, None]).T)
    rank = int(np.sum(s > 1e-7))
    null = vt[rank:].T / sizes[:, None]
    assert found.dependent == null.shape[1] == len(e.jac) - rank
    parts = np.array(da.compile(m).row_parts)
    width, linear = (3, 2) if m.plane else (6, 3)
    for b, body in enumerate(m.bodies):
        columns = slice(width * b, width * b + width)
        for name in found:
            if body not in found[name].part.bodies:
                continue
            # self-stress of this part on this body, about its mass centre in body axes; moving it to another point keeps its rank
            stress = e.jac[parts == name, columns].T @ null[parts == name]
            one = found[name].on(body)
            assert len(one.free) == (np.linalg.matrix_rank(stress, tol=1e-7) if stress.size else 0)
            forces = np.linalg.norm(stress[:linear], axis=1) < 1e-7
            assert np.array_equal(one.unique[:linear], forces)
            generalized = -e.jac[parts == name, columns].T @ found.run.lam[0, parts == name]
            assert one.force == pytest.approx(generalized[:linear], abs=1e-9 * max(1.0, np.abs(generalized).max()))
        assert found.net(body).unique.all()
    # with the smallest loads the equations hold as well
    left = e.M @ e.a + e.jac.T @ found.run.lam[0] - e.Q
    assert np.abs(left).max() < 1e-9 * max(1.0, np.abs(e.Q).max(), np.abs(found.run.lam).max())


# -- formulas of the sources ------------------------------------------------------------------------------------------


def test_formulas_6_6_8_and_6_6_9():
    """F'' = -C^T A^T Phi_r^T lam, T = (s'^T B^T Phi_r^T - Phi_phi^T) lam for every joint and both bodies of a slider-crank."""
    m = slider_crank()
    found = da.reactions(m)
    e = da.equations(m, found.state)
    drawing = da.compile(m).builder.drawing
    checked = 0
    for joint in m.parts("joint"):
        rows = [k for k, part in enumerate(da.compile(m).row_parts) if part == joint.name]
        for marker, attached in zip(joint.markers, drawing.attach(*joint.markers)):
            body = marker.body
            if body.is_ground:
                continue
            b = [x.name for x in m.bodies].index(body.name)
            phi = found.state.q[3 * b + 2]
            A = np.array([[math.cos(phi), -math.sin(phi)], [math.sin(phi), math.cos(phi)]])
            B = np.array([[-math.sin(phi), -math.cos(phi)], [math.cos(phi), -math.sin(phi)]])
            phi_r, phi_phi = e.jac[rows, 3 * b : 3 * b + 2], e.jac[rows, 3 * b + 2]
            lam = e.lam[rows]
            force = -attached.axes[:2, :2].T @ A.T @ phi_r.T @ lam
            torque = (attached.point[:2] @ B.T @ phi_r.T - phi_phi) @ lam
            one = found[joint.name].on(body).frame("joint")
            assert one.force == pytest.approx(force, abs=1e-10)
            assert one.torque == pytest.approx(torque, abs=1e-10)
            checked += 1
    assert checked >= 6 and max(np.abs(found[j.name].force).max() for j in m.parts("joint")) > 1


def test_spatial_counterpart():
    """F'' = -C^T A^T Phi_r^T lam, T'' = C^T (s~' A^T Phi_r^T - Pi^T) lam, with multipliers of the equations (none redundant)."""
    A0 = rotation(11)
    m = da.Mechanism("arm", plane=False, gravity=(0.3, -0.5, -G))
    upper = m.body("upper", da.box(1.0, 0.1, 0.2, mass=3.0), at=(0.5, 0, 0))
    lower = m.body("lower", da.box(0.8, 0.2, 0.1, mass=2.0), at=(1.2, 0.3, 0.1), rotation=A0)
    m.universal("shoulder", m.ground, upper, at=(0, 0, 0), axes=((0, 0, 1), (0, 1, 0)))
    m.revolute("elbow", upper, lower, at=(1.0, 0.1, 0), axis=tuple(A0[:, 1]))
    m.start(m["elbow"].angle, rate=2.0)
    found = da.reactions(m)
    e = da.equations(m, found.state)
    assert found.dependent == 0 and all(found[name].unique.all() for name in found)
    for joint in m.parts("joint"):
        rows = [k for k, name in enumerate(e.row_names) if name.startswith(joint.name)]
        for attached in da.compile(m).builder.drawing.attach(*joint.markers):
            if attached.body.is_ground:
                continue
            b = [x.name for x in m.bodies].index(attached.body.name)
            A = matrix(found.state.q[7 * b + 3 : 7 * b + 7])
            phi_r, pi = e.jac[rows, 6 * b : 6 * b + 3], e.jac[rows, 6 * b + 3 : 6 * b + 6]
            inner = -A.T @ phi_r.T @ e.lam[rows]
            couple = -pi.T @ e.lam[rows] - np.cross(attached.point, inner)
            one = found[joint.name].on(attached.body).frame("joint")
            assert one.force == pytest.approx(attached.axes.T @ inner, abs=1e-10)
            assert one.torque == pytest.approx(attached.axes.T @ couple, abs=1e-10)


def test_p6_driven_pendulum():
    """P6 at some times: F'' = (-m l w^2 + m g sin, m g cos) in body axes, driving torque m g l cos."""
    mass, half, w = 2.0, 0.7, 2 * math.pi
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(2 * half, mass=mass), at=(0, -half), angle=-math.pi / 2)
    m.revolute("pin", m.ground, bar, at=(0, 0))
    m.drive("motor", m["pin"].angle, "-pi/2 + 2*pi*t")
    run = da.simulate(m, until=1.0, output=0.1)
    for t in (0.0, 0.13, 0.4):
        found = da.reactions(m, run.at(t))
        phi = -math.pi / 2 + w * t
        force = (-mass * half * w**2 + mass * G * math.sin(phi), mass * G * math.cos(phi))
        assert found["pin"].frame("body").force == pytest.approx(force, abs=1e-9)
        assert found["motor"].torque == pytest.approx(mass * G * half * math.cos(phi), abs=1e-9)
        assert found["motor"].on("ground").torque == pytest.approx(-mass * G * half * math.cos(phi), abs=1e-9)
        assert named(found["motor"], found["motor"].carried) == "T"


def test_single_rows():
    """Loads of the rows of a joint add up to that of the joint; each is that of `equations`."""
    m = door("spherical", "point_on_line", rotation(12))
    found = da.reactions(m)
    e = da.equations(m, found.state)
    for name in found:
        rows = found[name].rows
        assert sum(r.force for r in rows.values()) == pytest.approx(found[name].force, abs=1e-10)
        assert sum(r.torque for r in rows.values()) == pytest.approx(found[name].torque, abs=1e-10)
        for row in rows.values():
            force, _ = e.reaction(row.name, "leaf")
            assert row.force == pytest.approx(force, abs=1e-10) and row.unique
    redundant = da.reactions(door("spherical", "spherical"))["low"].rows
    assert [r.unique for r in redundant.values()] == [True, True, False]


def test_b3_out_of_plane_reactions_are_shown():
    """A crank in the plane z = 0 with products of inertia and its mass centre above the plane, driven at 10 rad/s (BASICS 8.5)."""
    tensor = np.array([[0.09, 0.004, -0.013], [0.004, 0.07, 0.021], [-0.013, 0.021, 0.05]])
    center = np.array([0.12, -0.05, 0.08])
    m = da.Mechanism("crank", plane=False)
    crank = m.body("crank", mass=2.5, inertia=tensor, center=tuple(center))
    m.revolute("hinge", m.ground, crank, at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("motor", m["hinge"].angle, "10*t")
    found = da.reactions(m)
    hinge = found["hinge"].frame("body")
    force = -2.5 * 100 * np.array([center[0], center[1], 0])
    assert hinge.force == pytest.approx(force, abs=1e-10)
    # moments on the body about the centroid: n_xi = -j_yz w^2, n_eta = j_xz w^2; less those of the force at -s'
    couple = np.array([-0.021 * 100, -0.013 * 100, 0]) - np.cross(-center, force)
    assert hinge.torque == pytest.approx(couple, abs=1e-10)
    assert hinge.unique.all() and np.abs(hinge.torque[:2]).min() > 0.1
    line = next(line for line in str(found).splitlines() if line.startswith("hinge"))
    assert f"{found['hinge'].torque[0]:.6g}" in line and f"{found['hinge'].torque[1]:.6g}" in line


@pytest.mark.parametrize("seed", [None, 13])
def test_fb4_in_space(seed):
    """Four hinges in space: forces in the plane and nothing else are unique, and are those of the planar model."""
    A = rotation(seed)
    flat = da.reactions(fb4())
    found = da.reactions(fb4(plane=False, turn=lambda p: tuple(A @ p)))
    assert flat.dependent == 0 and found.dependent == 3
    assert found.not_unique == ("A", "B", "C", "D")
    for name in "ABCD":
        one = found[name]
        force = A.T @ one.force
        assert force[:2] == pytest.approx(flat[name].force, abs=1e-8)
        assert one.is_unique(force=A[:, 0]) and one.is_unique(force=A[:, 1]) and not one.is_unique(force=A[:, 2])
        assert not one.is_unique(torque=A[:, 0]) and not one.is_unique(torque=A[:, 1])
        assert one.is_unique(torque=A[:, 2])
        # nothing loads it out of the plane, so the smallest reactions have nothing there
        assert abs(force[2]) < 1e-8 and np.linalg.norm(one.torque) < 1e-8
    assert found.net("coupler").unique.all()


def test_driver_that_repeats_a_joint_is_not_unique():
    """Two motors on the two cranks of a parallelogram hold the same degree of freedom: one torque can be played against the other."""
    m = da.Mechanism("parallelogram", plane=True, gravity=(0, -G))
    links = {}
    for name, at, angle, length in (
        ("left", (0, 0.5), math.pi / 2, 1.0),
        ("right", (2, 0.5), math.pi / 2, 1.0),
        ("rod", (1, 1), 0.0, 2.0),
    ):
        links[name] = m.body(name, da.rod(length, mass=length), at=at, angle=angle)
    m.revolute("A", m.ground, links["left"], at=(0, 0))
    m.revolute("B", m.ground, links["right"], at=(2, 0))
    m.revolute("C", links["left"], links["rod"], at=(0, 1))
    m.revolute("D", links["right"], links["rod"], at=(2, 1))
    m.drive("one", m["A"].angle, "pi/2 + 0.5*t")
    m.drive("two", m["B"].angle, "pi/2 + 0.5*t")
    found = da.reactions(m)
    assert found.dependent == 1
    assert found.names == ("A", "B", "C", "D", "one", "two")
    assert not found["one"].unique[2] and not found["two"].unique[2]
    # cranks upright: the couple of one goes through the rod as a horizontal force; nothing needs it, so the smallest are zero
    assert found["one"].torque == pytest.approx(0.0, abs=1e-12)
    assert not found["C"].unique[0] and found["C"].unique[1]


# -- large models -----------------------------------------------------------------------------------------------------


def ladder(n):
    """A row of n four-bars with hinges in space that share cranks: each adds three redundant rows."""
    m = da.Mechanism("ladder", plane=False, gravity=(0, -G, 0))
    cranks = []
    for k in range(n + 1):
        crank = m.body(f"crank {k}", da.box(0.1, 1.0, 0.1, mass=2.0), at=(k, 0.5, 0))
        m.revolute(f"A{k}", m.ground, crank, at=(k, 0, 0), axis=(0, 0, 1))
        cranks.append(crank)
    for k in range(n):
        rod = m.body(f"rod {k}", da.box(1.0, 0.1, 0.1, mass=1.0), at=(k + 0.5, 1, 0))
        m.revolute(f"B{k}", cranks[k], rod, at=(k, 1, 0), axis=(0, 0, 1))
        m.revolute(f"C{k}", cranks[k + 1], rod, at=(k + 1, 1, 0), axis=(0, 0, 1))
    m.start(m["A0"].angle, rate=1.0)
    return m


@pytest.mark.parametrize("model", [lambda: door("revolute", "spherical", rotation(14)), lambda: ladder(12)])
def test_elimination_by_bodies_and_sparse_groups_give_the_same(model, monkeypatch):
    """Ways for large models against the dense ones: loads, what is unique, and free directions."""
    m = model()
    usual = da.reactions(m)
    pose = Pose.of(m, usual.state, asked="test")
    pose.detect()
    monkeypatch.setattr(self_stress, "DENSE", 0)
    null = self_stress.null_space(pose).toarray()
    assert null.shape[1] == usual.dependent == np.linalg.matrix_rank(null)
    assert np.abs(pose.jac.T @ null).max() < 1e-9 * np.abs(null).max()
    for group in (300, 0):
        monkeypatch.setattr(self_stress, "GROUP", group)
        other = da.reactions(m)
        for name in usual:
            one, two = usual[name], other[name]
            assert two.values == pytest.approx(one.values, abs=1e-7), "normal equations square the condition"
            assert np.array_equal(two.unique, one.unique)
            assert two.free == pytest.approx(one.free, abs=1e-6)
            assert {k: r.unique for k, r in two.rows.items()} == {k: r.unique for k, r in one.rows.items()}


def chain(n, double=False, loop=False):
    m = da.Mechanism("chain", plane=False, gravity=(0, 0, -G))
    before = m.ground
    for k in range(n):
        link = m.body(f"link {k}", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(k + 0.5, 0, 0))
        m.revolute(f"J{k}", before, link, at=(k, 0, 0), axis=(0, 1, 0))
        if double:
            m.revolute(f"K{k}", before, link, at=(k, 0.1, 0), axis=(0, 1, 0))
        before = link
    if loop:
        m.point_on_line("end", m.ground, before, at=(n, 0, 0), along=(1, 0, 0))
    return m


@pytest.mark.parametrize("loop", [False, True])
def test_chain_of_1000(loop):
    """Open, and closed with one row too many: in a plane, the links carry forces out of it that can be balanced along the whole chain.

    What it costs is measured in benchmarks/.
    """
    found = da.reactions(chain(1000, loop=loop))
    assert found.dependent == (1 if loop else 0)
    assert named(found["J500"], ~found["J500"].unique) == ("Fy Tz" if loop else "")


def zigzag(n, plane):
    """Links of 1 m, alternately 30 degrees up and down, from one wall to the other, with hinges everywhere."""
    m = da.Mechanism("zigzag", plane=plane, gravity=(0, -G) if plane else (0, -G, 0))
    place = (lambda x, y: (x, y)) if plane else (lambda x, y: (x, y, 0.0))
    hinge = {} if plane else {"axis": (0, 0, 1)}
    before, x, y = m.ground, 0.0, 0.0
    for k in range(n):
        c, s = math.cos(math.pi / 6), math.sin(math.pi / 6) * (-1) ** k
        turned = {"angle": math.atan2(s, c)} if plane else {"rotation": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}
        inertia = 0.1 if plane else (0.01, 0.1, 0.1)
        link = m.body(f"link {k}", mass=1.0, inertia=inertia, at=place(x + c / 2, y + s / 2), **turned)
        m.revolute(f"J{k}", before, link, at=place(x, y), **hinge)
        before, x, y = link, x + c, y + s
    m.revolute("end", m.ground, before, at=place(x, y), **hinge)
    return m


def test_long_loop_in_space_against_the_plane():
    """A loop of 320 links: the dependency along all of it is found, where pivots are round-off; forces in the plane are unique."""
    flat, found = da.reactions(zigzag(320, True)), da.reactions(zigzag(320, False))
    assert flat.dependent == 0 and found.dependent == 3
    for name in ("J0", "J1", "J160", "end"):
        one = found[name]
        assert one.unique.tolist() == [True, True, False, False, False, True]
        # conditioning of a chain grows like n^2 = 1e5; forces of 1000 N
        assert one.force[:2] == pytest.approx(flat[name].force, abs=1e-6)
        assert np.abs([one.force[2], *one.torque]).max() < 1e-6, (
            "nothing loads it out of the plane: the smallest is nothing"
        )


def test_two_hinges_in_every_joint_of_a_long_chain():
    """Null vectors stay local: five for each pair of hinges, none of them reaches another pair."""
    m = chain(800, double=True)
    found = da.reactions(m)
    assert found.dependent == 5 * 800
    null = self_stress.null_space(Pose.of(m, found.state, asked="test"))
    rows = np.diff(null.tocsc().indptr)
    assert rows.max() <= 10, "a null vector involves the ten rows of one pair"


# -- text -------------------------------------------------------------------------------------------------------------


def test_table():
    found = da.reactions(door("revolute", "cylindrical", rate=0.0))
    lines = str(found).splitlines()
    assert lines[0].startswith("reactions of 'door' at t = 0 s")
    assert "Fx [N]" in lines[1] and "Tx [N m]" in lines[1]
    low = next(line for line in lines if line.startswith("low"))
    # 196.2 N, the weight, is unique; the others carry a star; the couple about the axis is not carried
    assert "196.2 " in low and low.count("*") == 4 and low.endswith("·")
    assert lines[-1].startswith("*  not unique") and "4 independent loads between low, high" in lines[-1]
    assert "not carried" in str(found["low"]) and "free: +1 Fx" in str(found["low"])
    assert "every reaction is unique" in str(da.reactions(fb4()))
    assert repr(found) == str(found) == str(found.table())  # notebooks and sessions show the last line of a cell
    assert "Fz = 196.2 N" in repr(found["low"]) and "* N" in repr(found["low"])
    short = da.reactions(chain(60)).table(5)
    assert "… and 55 more" in short
    free = da.Mechanism("free", plane=True)
    free.body("stone", mass=1.0, inertia=1.0)
    assert "(no joints or drivers)" in str(da.reactions(free))


# -- bad input --------------------------------------------------------------------------------------------------------


def refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert all(len(text) > 3 for text in (error.asked, error.found, error.why, error.do))
    return str(error)


def test_bad_input():
    m = slider_crank()
    found = da.reactions(m)
    assert "a Mechanism is needed" in refused(da.MethodError, lambda: da.reactions("m"))
    assert "a State is needed" in refused(da.MethodError, lambda: da.reactions(m, 3.0))
    assert "unknown argument" in refused(da.MethodError, lambda: da.reactions(m, time=3))
    assert "no such joint" in refused(da.ModelError, lambda: found["Q"])
    assert "is not a joint" in refused(da.ModelError, lambda: found["crank"])
    assert "no such joint" in refused(da.ModelError, lambda: found[3])
    assert "it acts on" in refused(da.ModelError, lambda: found["A"].on("piston"))
    assert "did you mean 'joint'" in refused(da.ModelError, lambda: found["A"].frame("joints"))
    assert "one direction is needed" in refused(da.MethodError, lambda: found["A"].is_unique())
    assert "two numbers" in refused(da.MethodError, lambda: found["A"].is_unique(force=(1, 0, 0)))
    assert "a direction has a length" in refused(da.MethodError, lambda: found["A"].is_unique(force=(0, 0)))
    assert "must be finite" in refused(da.MethodError, lambda: found["A"].is_unique(torque=math.nan))
    assert "it is not a body" in refused(da.ModelError, lambda: found.net("crankk"))
    assert "does not act on" in refused(da.MethodError, lambda: found.net("crank", about="bore"))
    assert "choose one" in refused(da.ModelError, lambda: found["A"].frame("bdy"))
    assert "no such joint" in refused(da.ModelError, lambda: found[np.eye(3)])
    assert "whole number" in refused(da.MethodError, lambda: found.table(0))
    assert "whole number" in refused(da.MethodError, lambda: found.table("all"))
    spring = slider_crank()
    spring.force("push", spring["piston"], (1, 0))
    assert "force element" in refused(da.ModelError, lambda: da.reactions(spring)["push"])


def test_state_off_the_constraints():
    m = fb4()
    state = da.reactions(m).state
    off = da.State(0.0, state.q + np.array([0.01, *np.zeros(8)]), state.v)
    text = refused(da.AssemblyError, lambda: da.reactions(m, off))
    assert "'A' by 0.01 m" in text
    fast = da.State(0.0, state.q, state.v + np.array([1.0, *np.zeros(8)]))
    assert "contradict the constraints" in refused(da.AssemblyError, lambda: da.reactions(m, fast))


def test_moving_through_a_singular_position():
    """A flat parallelogram may begin to move as parallelogram or as antiparallelogram, but not as a mixture of both."""
    m = da.Mechanism("flat", plane=True)
    left = m.body("left", da.rod(1.0, mass=1.0), at=(0.5, 0))
    right = m.body("right", da.rod(1.0, mass=1.0), at=(2.5, 0))
    rod = m.body("rod", da.rod(2.0, mass=2.0), at=(2, 0))
    m.revolute("A", m.ground, left, at=(0, 0))
    m.revolute("B", m.ground, right, at=(2, 0))
    m.revolute("C", left, rod, at=(1, 0))
    m.revolute("D", right, rod, at=(3, 0))
    q = da.reactions(m).state.q
    assert da.reactions(m).dependent == 1

    def moving(left_spin, right_spin):
        turn = (right_spin - left_spin) / 2
        return [0, left_spin / 2, left_spin, 0, right_spin / 2, right_spin, 0, (left_spin + right_spin) / 2, turn]

    assert da.reactions(m, da.State(0.0, q, np.array(moving(1.0, 1.0)))).dependent == 1
    text = refused(da.SingularError, lambda: da.reactions(m, da.State(0.0, q, np.array(moving(1.0, 0.3)))))
    assert "singular position" in text


def test_force_without_a_finite_value():
    m = da.Mechanism("pendulum", plane=True)
    bar = m.body("bar", da.rod(1.0, mass=1.0), at=(0.5, 0))
    m.revolute("pin", m.ground, bar, at=(0, 0))
    m.torque("load", bar, "1/t")
    text = refused(da.ModelError, lambda: da.reactions(m))
    assert "'load'" in text


def test_rounding_of_a_long_cantilever_is_no_contradiction():
    """300 bodies in a row, each on two coaxial hinges, stiff against their weight: bending moments of 10^5 times that of one link.

    All accelerations are zero, and what the rounding of such moments leaves of them is no singular position.
    """
    m, n = da.Mechanism("cantilever", plane=False, gravity=(0, 0, -G)), 300
    before = m.ground
    for k in range(n):
        link = m.body(f"link {k}", mass=1.0, inertia=(0.01, 0.01, 0.01), at=(k + 0.5, 0, 0))
        for name, z in (("low", -0.1), ("high", 0.1)):
            m.revolute(f"{name} {k}", before, link, at=(k, 0, z), axis="z")
        before = link
    found = da.reactions(m)
    assert found.dependent == 5 * n
    low, high = found["low 0"], found["high 0"]
    # weight n g, and its moment n g n/2 about y; sums are unique.  Accelerations are rounded to 1e-7 of g here, and so are the sums
    assert abs(low.force[2] + high.force[2] - n * G) < 1e-6 * n * G
    moment = low.torque[1] + high.torque[1] + 0.1 * (high.force[0] - low.force[0])
    assert abs(moment + n * G * n / 2) < 1e-6 * n * G * n / 2


def test_smallest_reactions_do_not_depend_on_where_the_model_is_drawn():
    """The door of two hinges at the origin, far from it, and turned: the same smallest loads, in its own axes."""
    rng = np.random.default_rng(4)
    found = []
    for away, turn in ((0.0, np.eye(3)), (100.0, np.eye(3)), (3.0, np.linalg.qr(rng.normal(size=(3, 3)))[0])):
        turn = turn * np.sign(np.linalg.det(turn))
        place = lambda *p, away=away, turn=turn: tuple(turn @ np.array(p) + away)  # noqa: E731
        m = da.Mechanism("door", plane=False, gravity=tuple(turn @ np.array([0.0, 0.0, -G])))
        leaf = m.body("leaf", mass=20.0, inertia=(7.0, 6.0, 1.0), at=place(0.4, 0.0, 1.0), rotation=turn)
        for name, height in (("low", 0.2), ("high", 1.8)):
            m.revolute(name, m.ground, leaf, at=place(0.0, 0.0, height), axis=tuple(turn @ np.array([0.0, 0.0, 1.0])))
        one = da.reactions(m)
        found.append(
            np.concatenate([turn.T @ x for name in ("low", "high") for x in (one[name].force, one[name].torque)])
        )
    assert np.abs(found[0]).max() > 10.0
    for other in found[1:]:
        # 200 N at coordinates of 100 m: round-off of 1e-11
        assert other == pytest.approx(found[0], abs=1e-9)
