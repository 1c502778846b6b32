"""The same device built twice: in the plane and in space, turned, renamed and reordered, in other units.  Motion over one second."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

from .random_mechanisms import World

# tolerances at which the error of one second is below 1e-12, so that 1e-10 measures the models and not the integration
TIGHT = {"rtol": 1e-13, "atol": 1e-14, "output": 0.05}


def rotation_about(axis, angle):
    """Rotation matrix by Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


# ---- models, written once for the plane and for space -------------------------------------------------------------------


def slider_crank(plane, world=None, order=1, rename=str):
    """Crank 0.2 m, connecting rod 0.5 m, piston; thrown by a start rate, with gravity, a spring and a damper on the piston."""
    crank, rod = np.array([0.2, 0.0]), np.array([0.5, 0.0])
    lift = 0.6
    a = 0.2 * np.array([np.cos(lift), np.sin(lift)])
    b = np.array([a[0] + np.sqrt(0.25 - a[1] ** 2), 0.0])
    tilt = float(np.arctan2(b[1] - a[1], b[0] - a[0]))
    bodies = [
        ("crank", 1.0, 0.004, a / 2, lift, [(-crank / 2), crank / 2]),
        ("rod", 2.0, 0.05, (a + b) / 2, tilt, [-rod / 2, rod / 2]),
        ("piston", 0.5, 0.001, b, 0.0, [np.zeros(2)]),
    ]
    joints = [
        ("revolute", "O", "ground", "crank", np.zeros(2)),
        ("revolute", "A", "crank", "rod", a),
        ("revolute", "B", "rod", "piston", b),
        ("prismatic", "bore", "ground", "piston", b),
    ]
    forces = [
        (
            "spring",
            "gas",
            ("ground", np.array([1.0, 0.0])),
            ("piston", np.zeros(2)),
            {"stiffness": 30.0, "damping": 0.5, "free_length": 0.2},
        )
    ]
    return assemble("slider-crank", plane, bodies, joints, forces, ("O", 3.0), world, order, rename)


def four_bar(plane, world=None, order=1, rename=str, rate=4.0):
    """Four-bar of lengths 0.3, 0.8, 0.6 on a base of 0.9 m, under gravity, with a torsion spring at the crank."""
    lift = 1.1
    a = 0.3 * np.array([np.cos(lift), np.sin(lift)])
    base = np.array([0.9, 0.0])
    # intersection of the circles about a (coupler) and the base (rocker)
    d = base - a
    size = np.linalg.norm(d)
    along = (0.8**2 - 0.6**2 + size**2) / (2 * size)
    height = np.sqrt(0.8**2 - along**2)
    b = a + along * d / size + height * np.array([-d[1], d[0]]) / size
    angle = lambda p, q: float(np.arctan2(q[1] - p[1], q[0] - p[0]))  # noqa: E731
    bodies = [
        ("crank", 1.0, 0.01, a / 2, lift, []),
        ("coupler", 2.0, 0.11, (a + b) / 2, angle(a, b), []),
        ("rocker", 1.5, 0.05, (b + base) / 2, angle(base, b), []),
    ]
    joints = [
        ("revolute", "O", "ground", "crank", np.zeros(2)),
        ("revolute", "A", "crank", "coupler", a),
        ("revolute", "B", "coupler", "rocker", b),
        ("revolute", "C", "ground", "rocker", base),
    ]
    forces = [
        (
            "spring",
            "tie",
            ("ground", np.array([0.4, -0.5])),
            ("coupler", np.array([0.1, 0.1])),
            {"stiffness": 40.0, "free_length": 0.3},
        )
    ]
    return assemble("four-bar", plane, bodies, joints, forces, ("O", rate), world, order, rename)


def assemble(name, plane, bodies, joints, forces, thrown, world, order, rename):
    """Mechanism from planar data: in space the plane is z = 0 of the world, with inertia about the other axes besides."""
    world = World() if world is None else world
    length = world.length
    flat = lambda p: length * p if plane else world.place(np.array([*p, 0.0]))  # noqa: E731
    gravity = length * (np.array([0.0, -9.81]) if plane else world.rotation @ [0.0, -9.81, 0.0])
    m = da.Mechanism(rename(name), plane=plane, gravity=gravity)
    for body, mass, polar, at, angle, _ in bodies[::order]:
        if plane:
            m.body(rename(body), mass=mass, inertia=length**2 * polar, at=flat(at), angle=angle)
        else:
            inertia = length**2 * np.array([0.6, 0.7, 1.0]) * polar
            m.body(
                rename(body),
                mass=mass,
                inertia=inertia,
                at=flat(at),
                rotation=world.rotation @ rotation_about((0, 0, 1), angle),
            )
    part = lambda key: m.ground if key == "ground" else m[rename(key)]  # noqa: E731
    for tag, key, i, j, at in joints[::order]:
        options = {"at": flat(at)}
        if tag == "prismatic":
            options["along"] = (1.0, 0.0) if plane else world.rotation[:, 0]
        elif not plane:
            options["axis"] = world.rotation[:, 2]
        getattr(m, tag)(rename(key), part(i), part(j), **options)
    for tag, key, (i, p), (j, q), options in forces[::order]:
        local = lambda x: length * x if plane else length * np.array([*x, 0.0])  # noqa: E731
        first = m.ground.point(*flat(p)) if i == "ground" else part(i).point(*local(p))
        sizes = {k: x * length if k == "free_length" else x for k, x in options.items()}
        getattr(m, tag)(rename(key), first, part(j).point(*local(q)), **sizes)
    if thrown[1] is not None:
        m.start(m[rename(thrown[0])].angle, rate=thrown[1])
    return m


MODELS = pytest.mark.parametrize("model", [slider_crank, four_bar])
NAMES = {"slider_crank": ("O", "A", "B", "bore"), "four_bar": ("O", "A", "B", "C")}
BODIES = {"slider_crank": ("crank", "rod", "piston"), "four_bar": ("crank", "coupler", "rocker")}


@MODELS
def test_planar_mechanism_in_space(model):
    # in space the loop has three redundant rows; motion and in-plane reactions are unique all the same
    flat, deep = (da.simulate(model(plane), until=1.0, **TIGHT) for plane in (True, False))
    assert flat.status == deep.status == "ok"
    assert len(deep.audit.redundant_rows) == 3 and not flat.audit.redundant_rows
    assert flat.audit.degrees_of_freedom == deep.audit.degrees_of_freedom == 1
    for body in BODIES[model.__name__]:
        assert np.ptp(flat[body].angle) > 0.05 or body == "piston"
        assert np.max(np.abs(flat[body].position - deep[body].position[:, :2])) < 1e-10
        assert np.max(np.abs(deep[body].position[:, 2])) < 1e-12
        assert np.max(np.abs(flat[body].velocity - deep[body].velocity[:, :2])) < 1e-9
        turned = np.arctan2(deep[body].rotation[:, 1, 0], deep[body].rotation[:, 0, 0])
        assert np.max(np.abs(np.exp(1j * turned) - np.exp(1j * np.asarray(flat[body].angle)))) < 1e-10
    size = max(float(np.max(np.abs(flat[name].force))) for name in NAMES[model.__name__])
    for name in NAMES[model.__name__]:
        # relative to the largest reaction: forces of some hundred newtons carry the accelerations' errors
        assert np.max(np.abs(flat[name].force - deep[name].force[:, :2])) < 1e-10 * size
        assert np.max(np.abs(flat[name].torque - deep[name].torque[:, 2])) < 1e-10 * size


WORLDS = {
    "turned": World(rotation=rotation_about((1.0, -2.0, 0.5), 1.9), shift=np.array([0.3, -1.2, 0.7])),
    "upside down": World(rotation=rotation_about((0.0, 1.0, 0.0), np.pi)),
}


@pytest.mark.parametrize("world", WORLDS.values(), ids=list(WORLDS))
@MODELS
def test_turned_in_space(model, world):
    here, there = (da.simulate(model(False, w), until=1.0, rtol=1e-12, atol=1e-13, output=0.1) for w in (None, world))
    assert here.status == there.status == "ok"
    for body in BODIES[model.__name__]:
        turned = np.array([world.place(x) for x in np.asarray(here[body].position)])
        assert np.max(np.abs(turned - there[body].position)) < 1e-9
        assert np.max(np.abs(world.rotation @ np.asarray(here[body].rotation) - there[body].rotation)) < 1e-9
        assert np.max(np.abs(np.asarray(here[body].velocity) @ world.rotation.T - there[body].velocity)) < 1e-9
    for name in NAMES[model.__name__]:
        # reactions in the plane of the mechanism are unique; those across it are not (three redundant rows)
        normal = world.rotation[:, 2]
        flat = lambda f, n: f - np.outer(f @ n, n)  # noqa: E731
        mine = flat(np.asarray(here[name].force) @ world.rotation.T, normal)
        size = max(1.0, float(np.max(np.abs(mine))))
        assert np.max(np.abs(mine - flat(np.asarray(there[name].force), normal))) < 1e-9 * size


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
@MODELS
def test_renamed_and_reordered(model, plane):
    rename = lambda name: f"part {name[::-1]}"  # noqa: E731
    here = da.simulate(model(plane), until=1.0, rtol=1e-12, atol=1e-13, output=0.1)
    there = da.simulate(model(plane, order=-1, rename=rename), until=1.0, rtol=1e-12, atol=1e-13, output=0.1)
    assert here.system.body_names == [name[5:][::-1] for name in there.system.body_names[::-1]]
    for body in BODIES[model.__name__]:
        assert np.max(np.abs(here[body].position - there[rename(body)].position)) < 1e-9
        assert np.max(np.abs(here[body].velocity - there[rename(body)].velocity)) < 1e-9
    for name in NAMES[model.__name__]:
        mine, theirs = (np.asarray(run[key].force)[:, :2] for run, key in ((here, name), (there, rename(name))))
        assert np.max(np.abs(mine - theirs)) < 1e-9 * max(1.0, float(np.max(np.abs(mine))))


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
@MODELS
def test_millimetres(model, plane):
    # kilogram, millimetre, second: forces in mN, torques in uN m
    here = da.simulate(model(plane), until=1.0, rtol=1e-12, atol=1e-13, output=0.1)
    there = da.simulate(model(plane, World(length=1000.0)), until=1.0, rtol=1e-12, atol=1e-13, output=0.1)
    for body in BODIES[model.__name__]:
        assert np.max(np.abs(here[body].position - there[body].position / 1000)) < 1e-9
        assert np.max(np.abs(here[body].spin - there[body].spin)) < 1e-8
    for name in NAMES[model.__name__]:
        mine, theirs = np.asarray(here[name].force)[:, :2], np.asarray(there[name].force)[:, :2] / 1000
        assert np.max(np.abs(mine - theirs)) < 1e-9 * max(1.0, float(np.max(np.abs(mine))))


def spatial_mechanism(world=None, order=1, rename=str):
    """Two bodies on skew hinges with a bushing, a spring and a particle on a ball joint: everything moves out of any plane."""
    world = World() if world is None else world
    m = da.Mechanism(rename("arm"), plane=False, gravity=world.rotation @ [1.0, -2.0, -9.0])
    turn = lambda axis, angle: world.rotation @ rotation_about(axis, angle)  # noqa: E731
    todo = [
        lambda: m.body(
            rename("upper"),
            mass=2.0,
            inertia=(0.1, 0.2, 0.25),
            at=world.place(np.array([0.3, 0.1, 0])),
            rotation=turn((1, 1, 0), 0.4),
        ),
        lambda: m.body(
            rename("lower"),
            mass=1.0,
            inertia=(0.05, 0.06, 0.03),
            at=world.place(np.array([0.7, 0.3, 0.2])),
            rotation=turn((0, 1, 2), 0.9),
        ),
        lambda: m.particle(rename("bob"), mass=0.5, at=world.place(np.array([1.0, 0.4, 0.2]))),
    ]
    for make in todo[::order]:
        make()
    upper, lower, bob = (m[rename(n)] for n in ("upper", "lower", "bob"))
    axis = lambda *d: world.rotation @ np.array(d, dtype=float)  # noqa: E731
    at = lambda *x: world.place(np.array(x, dtype=float))  # noqa: E731
    parts = [
        lambda: m.revolute(rename("A"), m.ground, upper, at=at(0, 0, 0), axis=axis(1, 2, 0)),
        lambda: m.universal(rename("B"), upper, lower, at=at(0.6, 0.2, 0), axes=(axis(0, 1, 1), axis(2, 0, 0))),
        lambda: m.distance(rename("C"), lower.point(0.1, 0, 0), bob.point(0, 0, 0)),
        lambda: m.bushing(
            rename("D"),
            m.ground,
            lower,
            at=at(0.5, 0.5, 0.5),
            stiffness=20.0,
            damping=0.5,
            torsion=1.0,
            torsion_damping=0.1,
        ),
        lambda: m.spring(
            rename("E"), m.ground.point(*at(1, 1, 1)), bob.point(0, 0, 0), stiffness=30.0, free_length=0.4
        ),
    ]
    for make in parts[::order]:
        make()
    m.torsion_spring(rename("F"), m[rename("A")].angle, stiffness=5.0, damping=0.2, torque="sin(2*t)*theta")
    m.start(m[rename("A")].angle, rate=1.0)
    return m


def test_spatial_mechanism_turned_and_reordered():
    rename = lambda name: f"x{name[::-1]}"  # noqa: E731
    options = {"until": 1.0, "rtol": 1e-12, "atol": 1e-13, "output": 0.1}
    here = da.simulate(spatial_mechanism(), **options)
    assert here.status == "ok", here.audit
    world = WORLDS["turned"]
    for there, w, names in (
        (da.simulate(spatial_mechanism(world), **options), world, str),
        (da.simulate(spatial_mechanism(order=-1, rename=rename), **options), World(), rename),
    ):
        for body in ("upper", "lower", "bob"):
            moved = np.array([w.place(x) for x in np.asarray(here[body].position)])
            assert np.max(np.abs(moved - there[names(body)].position)) < 1e-9
        for name in "ABCD":
            mine = np.asarray(here[name].force) @ w.rotation.T
            assert np.max(np.abs(mine - there[names(name)].force)) < 1e-9 * max(1.0, float(np.max(np.abs(mine))))
        assert np.max(np.abs(here["A"].angle - there[names("A")].angle)) < 1e-9
