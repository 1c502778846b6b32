"""verify: independent formulations agree on everything that can be built, and a planted error is traced to its part.

Tolerances: 1e-8 is that of `verify`, far above rounding (1e-13 for well-conditioned models, bounded here by 1e-11) and far below
the planted errors, which are 1e-6 to 1e-1 of the quantity they change.
"""

from __future__ import annotations

import dataclasses
import math
from importlib.util import find_spec

import numpy as np
import pytest
from contracts.samples import case_id, force_cases, joint_cases, sample
from errors.checks import refused
from identities.random_mechanisms import World, build, draw

import dalembert as da
from dalembert.analyses.comparison import embedding, formulations, plain, ways
from dalembert.analyses.comparison.embedding import Embedded
from dalembert.analyses.pose.pose import Pose
from dalembert.kernels import layout as at
from dalembert.model.measure import Measure
from tests.soak import share

from .machines import PIN, fb4

SYMPY = find_spec("sympy") is not None
ROUNDING = 1e-11


def tilted(p):
    """Rotation by 0.7 rad about (1, 2, 2)/3."""
    n, x = np.array([1.0, 2.0, 2.0]) / 3.0, np.array(p)
    return tuple(x * math.cos(0.7) + np.cross(n, x) * math.sin(0.7) + n * (n @ x) * (1 - math.cos(0.7)))


def machine():
    """FB4 with a spring, a torsion spring and a driver: something of everything to be spoilt."""
    m = fb4()
    m.spring(
        "S", m.ground.point(2.0, 3.0), m["coupler"].point(0.5, 0.1), stiffness=700.0, damping=20.0, free_length=1.0
    )
    m.torsion_spring("T", m["D"].angle, stiffness=300.0, free_angle=0.2)
    m.drive("motor", m["A"].angle, "1.5707963267948966 + 0.8*t + 0.1*sin(3*t)")
    return m


# -- agreement -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "m",
    [fb4(), fb4(plane=False), fb4(plane=False, turn=tilted), machine()],
    ids=["plane", "space", "tilted", "driven"],
)
def test_fb4(m):
    found = da.verify(m)
    assert found.agree and found.spread < ROUNDING and found.parted == () and found.outlier == ""
    expected = ("range space", "plain assembly", "saddle point", "null space", "partitioning")
    planar = ("in space", *(("symbols",) if SYMPY else ()), "joint coordinates")
    # in space the equations written out are too long for SymPy to take part in every verification
    assert found.ways == (*expected, *(planar if m.plane else ("joint coordinates",)))
    assert any("symbols left out" in note for note in found.notes) == (not m.plane or not SYMPY)
    assert found.states == 4 and found.left_out == 0


@pytest.mark.parametrize(("tag", "plane"), joint_cases(), ids=case_id)
def test_every_joint(tag, plane):
    found = da.verify(sample(tag, plane).model, states=3)
    assert found.agree, found


@pytest.mark.parametrize(("tag", "plane"), force_cases(), ids=case_id)
def test_every_force(tag, plane):
    found = da.verify(sample(tag, plane).model, states=3)
    assert found.agree, found


@pytest.mark.parametrize("seed", range(share(60, 8)))
def test_random_mechanisms(seed):
    """Trees and loops with all joints, elements, couplings and drivers; redundant rows and massless bodies among them."""
    found = da.verify(build(draw(seed)), states=2, seed=seed)
    assert found.agree, found


@pytest.mark.parametrize("length", [1e-4, 1e5, 1e3, 1.0][: share(4, 2)])
@pytest.mark.parametrize("seed", [2, 38, 5, 51, 153, 167, 222, 9][: share(8, 3)])
def test_units_do_not_matter(seed, length):
    """Redundant rows, massless bodies and loops in tens of kilometres, millimetres and tenths of micrometres; 5 and 9 have no massless bodies."""
    found = da.verify(build(draw(seed), World(length=length)), states=3)
    assert found.agree, found


def test_massless_link_goes_by_the_compiled_saddle_point():
    m = da.Mechanism("massless coupler", plane=True, gravity=(0, -9.81))
    a = m.body("a", mass=1.0, inertia=0.1, at=(0, 0.5))
    b = m.body("b", mass=0.0, at=(0.5, 1.1))
    c = m.body("c", mass=1.0, inertia=0.1, at=(1, 0.6))
    for name, i, j, p in (
        ("A", m.ground, a, (0, 0)),
        ("B", a, b, (0, 1)),
        ("C", b, c, (1, 1.2)),
        ("D", m.ground, c, (1, 0)),
    ):
        m.revolute(name, i, j, at=p)
    found = da.verify(m)
    assert found.agree and found.ways[0] == "compiled saddle point" and found.spread < ROUNDING, found


def test_doors_are_compared_in_what_is_unique():
    """Two coaxial hinges: the ways choose different reactions of the single hinge, and still agree."""
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -9.81))
    door = m.body("door", mass=20.0, inertia=(1.0, 4.0, 3.0), at=(0.5, 0, 0))
    for name, z in (("low", -0.8), ("high", 0.8)):
        m.revolute(name, m.ground, door, at=(0, 0, z), axis=(0, 0, 1))
    found = ways.Ways(m, Pose.of(m, asked="door"))
    found.draw(2, np.random.default_rng(0), "door")
    solved = found.records[1].solved
    assert np.max(np.abs(solved["range space"][1] - solved["saddle point"][1])) > 1.0
    assert da.verify(m).spread < ROUNDING


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
def test_turns_are_counted(plane):
    """A driver that has gone round five times, with laws that see the turns."""
    m = da.Mechanism("wheel", plane=plane)
    angle = 10 * math.pi + 0.1
    inertia, drawn = (0.3, {"angle": angle}) if plane else ((0.2, 0.2, 0.3), {})
    wheel = m.body("wheel", mass=2.0, inertia=inertia, **drawn)
    m.revolute("A", m.ground, wheel, at=(0, 0) if plane else (0, 0, 0), **({} if plane else {"axis": (0, 0, 1)}))
    m.torsion_spring("T", m["A"].angle, stiffness=3.0, torque="0.1*theta**2")
    m.drive("motor", m["A"].angle, f"{angle} + 2*t")
    found = da.verify(m)
    assert found.agree and found.spread < ROUNDING, found
    # a turn more or less would change the torque of the spring by 19 N m and more
    law = Pose.of(m, asked="wheel")
    law.force  # noqa: B018
    assert law.work.force[0] == pytest.approx(3.0 * angle + 0.1 * angle**2, rel=1e-12)


def test_singular_start_is_left_out():
    """A flat parallelogram can move in two ways: its rows are dependent there and nowhere else."""
    m = da.Mechanism("parallelogram", plane=True, gravity=(0, -9.81))
    a = m.body("a", mass=1.0, inertia=0.1, at=(0.5, 0))
    b = m.body("b", mass=1.0, inertia=0.3, at=(2.5, 0))
    c = m.body("c", mass=1.0, inertia=0.1, at=(3.5, 0))
    for name, i, j, x in (("A", m.ground, a, 0), ("B", a, b, 1), ("C", b, c, 4), ("D", m.ground, c, 3)):
        m.revolute(name, i, j, at=(x, 0))
    found = da.verify(m)
    assert found.agree and found.left_out >= 1 and found.worst.state > 0
    assert f"{found.left_out} more left out (" in str(found)


# -- states --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [machine, lambda: fb4(plane=False)], ids=["plane", "space"])
def test_states_are_random_and_consistent(make, monkeypatch):
    seen = []
    real = ways.Ways._evaluate

    def watched(self, number):
        pose = self.pose
        seen.append((pose.t, pose.q.copy(), pose.v.copy()))
        assert np.max(np.abs(pose.phi)) < 1e-10 and np.max(np.abs(pose.jac @ pose.v - pose.nu)) < 1e-10
        return real(self, number)

    monkeypatch.setattr(ways.Ways, "_evaluate", watched)
    first = da.verify(make(), seed=5)
    again = list(seen)
    seen.clear()
    second = da.verify(make(), seed=5)
    assert len(again) == 4 and all(
        np.array_equal(a[1], b[1]) and np.array_equal(a[2], b[2]) for a, b in zip(again, seen)
    )
    assert str(first) == str(second)
    seen.clear()
    da.verify(make(), seed=6)
    assert np.array_equal(again[0][1], seen[0][1]) and not np.allclose(again[1][1], seen[1][1], atol=1e-3)
    # away from the start by more than a hundredth of the model, and moving
    for _, q, v in again[1:]:
        assert np.max(np.abs(q - again[0][1])) > 0.01 and np.max(np.abs(v)) > 0.01


# -- planted errors ------------------------------------------------------------------------------------------------------


def spoil_tables(monkeypatch, change):
    """Spoil the compiled tables of the model itself, not those of its embedding."""
    real = Pose.of.__func__

    def spoilt(cls, *args, **options):
        pose = real(cls, *args, **options)
        n = pose.system.numbering
        # what is compiled is never written: numbers that may be changed are a copy
        pose.system = dataclasses.replace(pose.system, numbering=dataclasses.replace(n, P=n.P.copy()))
        change(pose.system)
        return pose

    monkeypatch.setattr(Pose, "of", classmethod(spoilt))


def inertia_of_coupler(system):
    p, o = system.numbering.P, system.numbering.I[at.MASS] + at.PLANE_MASS * system.body_index("coupler")
    p[o + 6] *= 1.01
    p[o + 4] *= math.sqrt(1.01)
    p[o + 3] /= math.sqrt(1.01)


def mass_of_rocker(system):
    p, o = system.numbering.P, system.numbering.I[at.MASS] + at.PLANE_MASS * system.body_index("rocker")
    p[o + 5] *= 1 + 1e-6


def scale_of_coupler(system):
    """The mass matrix is right, its root that the kernels divide by is not."""
    p, o = system.numbering.P, system.numbering.I[at.MASS] + at.PLANE_MASS * system.body_index("coupler")
    p[o + 3] *= 1.001


def point_of(part, by=1e-6):
    def change(system):
        block = next(k for k, b in enumerate(system.numbering.blocks) if b.part == part)
        first = system.numbering.I[system.numbering.I[at.ITEM0] + block]
        item = system.numbering.I[at.ITEM] + at.ITEM_SIZE * first
        system.numbering.P[system.numbering.I[item + 4]] += by

    return change


def constant_of(part, which):
    def change(system):
        law = next(k for k, law in enumerate(system.builder.laws) if law.part == part)
        system.numbering.P[system.numbering.I[at.LAW_NUMBERS] + at.LAW_SIZE * law + which] *= 1.0 + 1e-4

    return change


def gravity(system):
    system.numbering.P[system.numbering.I[at.GRAVITY] + 1] *= 1.0 + 1e-5


def drive(system):
    """The amplitude 0.1 among the constants of the expression."""
    p, o = system.numbering.P, system.numbering.I[at.NUMBERS]
    o += int(np.argmin(np.abs(p[o : system.numbering.I[at.SPLINE_KNOTS]] - 0.1)))
    p[o] += 1e-4


@pytest.mark.parametrize(
    ("change", "part", "whats"),
    [
        (inertia_of_coupler, "coupler", {"inertia"}),
        (mass_of_rocker, "rocker", {"mass"}),
        (point_of("B"), "B", {"row", "residual"}),
        (point_of("D", 1e-3), "D", {"row", "residual"}),
        (constant_of("S", 0), "S", {"force law"}),
        (constant_of("S", 1), "S", {"force law"}),
        (constant_of("S", 2), "S", {"force law"}),
        (constant_of("T", 1), "T", {"force law"}),
        (drive, "motor", {"residual", "velocity side", "acceleration side"}),
    ],
    ids=["inertia", "mass", "point of B", "point of D", "stiffness", "free length", "damping", "free angle", "driver"],
)
def test_spoilt_tables_are_named(monkeypatch, change, part, whats):
    assert da.verify(machine()).agree
    spoil_tables(monkeypatch, change)
    found = da.verify(machine())
    assert not found.agree and found.spread > 1e-8
    assert found.worst.part == part and found.worst.what in whats, found
    # plain assembly and the embedding say the same, so it is known who is wrong
    assert found.outlier == "range space"
    assert repr(part) in str(found).splitlines()[-1] or any(repr(part) in line for line in str(found).splitlines())


def test_spoilt_weight(monkeypatch):
    spoil_tables(monkeypatch, gravity)
    found = da.verify(machine())
    assert not found.agree and found.worst.what == "own load" and found.outlier == "range space"
    # the heaviest body has the largest error
    assert found.worst.part == "coupler"


def test_spoilt_root_of_the_mass(monkeypatch):
    """The mass matrix is right, the root that the kernels scale rows with is not: all rows on that body are off, and no others."""
    spoil_tables(monkeypatch, scale_of_coupler)
    found = da.verify(fb4())
    assert not found.agree and found.outlier == "range space"
    assert {d.part for d in found.parted if d.what == "row"} == {"B", "C"}
    assert not [d for d in found.parted if d.what in ("mass", "inertia")]


def test_sign_of_a_row(monkeypatch):
    real = ways.compiled_arrays

    def spoilt(pose, order):
        arrays = real(pose, order)
        if pose.system.plane:
            arrays.jac[4] *= -1.0
        return arrays

    monkeypatch.setattr(ways, "compiled_arrays", spoilt)
    found = da.verify(machine())
    # rows 0, 1 are those of A, 2, 3 of B, 4, 5 of C
    assert not found.agree and found.worst.part == "C" and found.worst.what == "row" and found.worst.size == pytest.approx(1.0, rel=0.5)  # fmt: skip
    assert found.outlier == "range space"


def test_spoilt_plain_assembly(monkeypatch):
    real = plain.Plain._bodies

    def spoilt(self):
        M, Q = real(self)
        M[5, 5] *= 1.001
        return M, Q

    monkeypatch.setattr(plain.Plain, "_bodies", spoilt)
    found = da.verify(machine())
    assert (found.worst.part, found.worst.what, found.outlier) == ("coupler", "inertia", "plain assembly")
    assert found.worst.size == pytest.approx(1e-3, rel=1e-6)
    assert found.worst.values[1] == pytest.approx(1.001 * 40.0 * 16.01 / 12.0)


def test_spoilt_embedding(monkeypatch):
    real = embedding.Embedded._marker

    def spoilt(self, marker):
        made = real(self, marker)
        if marker.body.name == "rocker" and isinstance(made.at, tuple) and made.at[0] == PIN[0]:
            made = dataclasses.replace(made, at=(made.at[0] + 1e-3, *made.at[1:]))
        return made

    monkeypatch.setattr(embedding.Embedded, "_marker", spoilt)
    found = da.verify(machine())
    assert (found.worst.part, found.outlier) == ("C", "in space") and found.worst.what in ("row", "residual")


@pytest.mark.parametrize("way", ["saddle point", "null space", "partitioning"])
@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
def test_spoilt_solution(monkeypatch, way, plane):
    real = formulations.FORMULATIONS[way]

    def spoilt(x):
        a, lam = real(x)
        a = a.copy()
        a[(3 if plane else 6) * 2 + 1] *= 1.01
        return a, lam

    monkeypatch.setitem(formulations.FORMULATIONS, way, spoilt)
    found = da.verify(fb4(plane=plane))
    assert (found.worst.part, found.worst.what, found.outlier) == ("rocker", "acceleration", way)
    assert found.worst.ways == ("range space", way)


@pytest.mark.parametrize("way", ["saddle point", "null space", "partitioning"])
def test_spoilt_reaction(monkeypatch, way):
    real = formulations.FORMULATIONS[way]

    def spoilt(x):
        a, lam = real(x)
        lam = lam.copy()
        lam[2] += 5.0
        return a, lam

    monkeypatch.setitem(formulations.FORMULATIONS, way, spoilt)
    found = da.verify(fb4())
    assert (found.worst.part, found.worst.what, found.outlier) == ("B", "reaction", way)
    # rows of a pin are forces in space axes
    assert (
        abs(found.worst.values[0] - found.worst.values[1]) == pytest.approx(5.0, abs=1e-9) and found.worst.unit == "N"
    )


def test_not_a_number_is_a_difference(monkeypatch):
    monkeypatch.setitem(
        formulations.FORMULATIONS, "null space", lambda x: (np.full(len(x.columns), np.nan), np.zeros(len(x.J)))
    )
    found = da.verify(fb4())
    assert not found.agree and found.spread == math.inf and found.worst.ways[1] == "null space"


def test_one_wrong_joint_in_space(monkeypatch):
    """A universal joint whose arm is off by a milliradian, in a chain in space."""
    m = da.Mechanism("shafts", plane=False, gravity=(0, 0, -9.81))
    a = m.body("a", mass=2.0, inertia=(0.1, 0.2, 0.25), at=(0.5, 0, 0))
    b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.05), at=(1.5, 0, 0))
    m.revolute("bearing", m.ground, a, at=(0, 0, 0), axis=(1, 0, 0))
    m.universal("cross", a, b, at=(1, 0, 0), axes=((0, 1, 0), (0, 0, 1)))
    assert da.verify(m).agree

    def change(system):
        block = next(k for k, x in enumerate(system.numbering.blocks) if x.part == "cross")
        first = system.numbering.I[system.numbering.I[at.ITEM0] + block] + 1  # after the gap: the cosine
        o = system.numbering.I[system.numbering.I[at.ITEM] + at.ITEM_SIZE * first + 4]
        system.numbering.P[o] += 1e-3

    spoil_tables(monkeypatch, change)
    found = da.verify(m)
    assert found.worst.part == "cross" and found.worst.what in ("row", "residual")
    # two assemblies only: no third to judge between them
    assert found.outlier == ""


# -- embedding -----------------------------------------------------------------------------------------------------------


def planar_devices():
    slot = da.Mechanism("quick return", plane=True, gravity=(0, -9.81))
    crank = slot.body("crank", mass=1.0, inertia=0.02, at=(0.1, 0.5), center=(0.02, 0.01))
    lever = slot.body("lever", mass=3.0, inertia=0.5, at=(0.1, 0.3), angle=1.2)
    slot.revolute("O", slot.ground, crank, at=(0, 0.5))
    slot.revolute("P", slot.ground, lever, at=(0, 0))
    slot.pin_in_slot("pin", lever, crank, at=(0.2, 0.5), along=(0.2, 0.5))
    slot.torsion_spring("T", slot["P"].angle, stiffness=4.0, free_angle=0.1)
    slot.start(slot["O"].angle, rate=3.0)
    beads = da.Mechanism("beads", plane=True, gravity=(0, -9.81))
    k = beads.parameter("k", 40.0)
    one = beads.particle("one", mass=1.0, at=(0.6, 0))
    two = beads.body("two", mass=2.0, inertia=0.1, at=(1.2, 0), angle=0.4)
    beads.distance("rod", beads.ground.point(0, 0), one.point(0, 0))
    beads.spring(
        "S", one.point(0, 0), two.point(-0.1, 0), stiffness=k, damping=1.0, free_length=0.3, force="0.5*l*v + sin(t)"
    )
    beads.force("push", two, ("2*cos(3*t)", -1.0), at=two.point(0.1, 0.2), frame="body")
    beads.constraint("rail", f"two.y - 0.2*sin(two.x) + {0.2 * math.sin(1.2)}")
    return {"quick return": slot, "beads": beads, "FB4": fb4()}


@pytest.mark.parametrize("name", list(planar_devices()))
def test_embedded_mechanism_moves_like_the_planar_one(name):
    """The embedding is a mechanism in its own right: one second of motion, and the forces in the pins."""
    m = planar_devices()[name]
    options = {"until": 1.0, "rtol": 1e-11, "atol": 1e-12, "output": 0.1}
    flat = da.simulate(m, **options)
    start = flat.at(0.0)
    q, v = embedding.lifted(start.q, start.v)
    space = Embedded(m)
    angle = np.r_[start.q[2::3], 0.0]
    counted = [angle[j] - angle[i] for i, j, _ in da.compile(space).builder.angles]
    there = da.simulate(space, start=da.State(0.0, q, v, np.array(counted)), **options)
    for body in m.bodies:
        assert np.max(np.abs(there[body.name].position[:, :2] - flat[body.name].position)) < 1e-8
        assert np.max(np.abs(there[body.name].position[:, 2])) < 1e-10


def test_embedding_refuses_what_it_does_not_know():
    m = fb4()
    space = Embedded(m)
    a, b = m["A"].markers
    with refused(da.MethodError, "verify('FB4')", "'X.tilt'", "parallel"):
        space.measure_of(Measure("X.tilt", "parallel", a, b))


# -- input and output ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [None, "FB4", 3, da.Mechanism], ids=str)
def test_not_a_mechanism(model):
    with refused(da.MethodError, "verify(", "a Mechanism is needed"):
        da.verify(model)


@pytest.mark.parametrize("states", [0, -1, 1.5, True, "4", None, 10**9, np.nan])
def test_wrong_states(states):
    with refused(da.MethodError, "verify('FB4')", "states", "1 to 1000"):
        da.verify(fb4(), states=states)


@pytest.mark.parametrize("seed", [-1, 0.5, "x", None, 2**70])
def test_wrong_seed(seed):
    with refused(da.MethodError, "verify('FB4')", "seed"):
        da.verify(fb4(), seed=seed)


@pytest.mark.parametrize("tolerance", [0, -1e-8, 1.0, np.nan, np.inf, "1e-8", None])
def test_wrong_tolerance(tolerance):
    with refused(da.MethodError, "verify('FB4')", "tolerance"):
        da.verify(fb4(), tolerance=tolerance)


def test_wrong_argument():
    with refused(da.MethodError, "verify", "'state'", "states"):
        da.verify(fb4(), state=3)


def test_nothing_to_verify():
    with refused(da.ModelError, "no moving body"):
        da.verify(da.Mechanism("empty"))


def test_what_cannot_be_assembled():
    m = da.Mechanism("short", plane=True)
    bar = m.body("bar", mass=1.0, inertia=0.1, at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.revolute("B", m.ground, bar, at=(m.ground.point(3, 0), bar.point(0.5, 0)))
    with refused(da.AssemblyError, "'B'"):
        da.verify(m)


def test_massless_body():
    m = da.Mechanism("nothing", plane=True)
    m.body("air", mass=0.0, at=(0, 0))
    with refused(da.SingularError, "'air'"):
        da.verify(m)


def test_dead_centre_for_ever():
    """A bar on a pin whose end is held at its largest x: the two rows on x are dependent in all poses it can have."""
    m = da.Mechanism("stretched", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", mass=1.0, inertia=0.1, angle=0.1)
    m.revolute("A", m.ground, bar, at=(m.ground.point(0, 0), bar.point(0, 0)))
    m.absolute_x("J", bar, value=0.7, at=bar.point(0.7, 0))
    with refused(da.SingularError, "verify('stretched')", "singular position", "'A', 'J'"):
        da.verify(m)


def test_too_large():
    m = da.Mechanism("long", plane=True, gravity=(0, -9.81))
    for k in range(700):
        m.particle(f"p{k}", mass=1.0, at=(k, 0))
    with refused(da.MethodError, "2100 velocities", "shorter chain"):
        da.verify(m)


def test_law_without_a_value_at_the_start():
    m = fb4()
    m.torque("load", m["crank"], "log(t - 1)")
    with refused(da.DalembertError, "log"):
        da.verify(m)


def test_ends_of_a_spring_that_meet():
    """d/l is 0/0 where the ends meet: the written equations sit that state out, and only that one."""
    m = da.Mechanism("block", plane=True, gravity=(0, -9.81))
    body = m.body("block", mass=2.0, inertia=0.1)
    m.spring("spring", m.ground.point(0, 0), body.point(0, 0), stiffness=80.0, free_length=0.0)
    found = da.verify(m)
    assert found.agree and "symbols" in found.ways
    assert [note for note in found.notes if "state 0" in note and "'spring'" in note] and len(found.notes) == 1


def test_printed_form(monkeypatch):
    found = da.verify(machine())
    lines = str(found).splitlines()
    assert repr(found) == str(found) and len(lines) <= 12 and max(map(len, lines)) <= 200
    assert lines[0] == "verify('FB4'): all ways agree"
    for way in found.ways[1:]:
        assert any(way in line for line in lines[3:])
    spoil_tables(monkeypatch, point_of("B", 0.01))
    found = da.verify(machine())
    text = str(found)
    assert (
        text.startswith("verify('FB4'): THE WAYS PART")
        and "range space stands alone" in text
        and "revolute 'B'" in text
    )
    assert len(text.splitlines()) <= 18
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.agree = True


def test_rigid_contacts_are_told_as_left_out():
    m = da.Mechanism("crate", plane=True, gravity=(0, -9.81))
    m.contact("floor", m.ground, m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1)), mu=0.3)
    found = da.verify(m)
    assert found.agree and "not compared: 'floor.bottom_left', 'floor.bottom_right'" in str(found)
