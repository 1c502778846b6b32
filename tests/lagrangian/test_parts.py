"""Parts of Lagrangian systems in runs and pictures: motion, rotation, spin, Euler angles, and the rods that hold them."""

from __future__ import annotations

import math
import pickle
from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.results.moving import euler_angles

G = 9.81


@pytest.fixture(scope="module")
def spun():
    """A free body in the z-y-z angles of LAGRANGE 1.5, carried along a curve."""
    m = da.Lagrangian("phi th psi x", parameters={"A": 1.0, "B": 2.0, "C": 3.0}, name="spun")
    turns = [("z", "phi"), ("y", "th"), ("z", "psi")]
    m.body("top", 1.5, ("A", "B", "C"), at=("x", "x**2/4", "sin(t)"), turns=turns)
    for name, value, rate in (("phi", 0.3, 0.7), ("th", 0.9, -0.4), ("psi", -0.2, 3.0), ("x", 0.0, 0.5)):
        m.start(name, value, rate=rate)
    return da.simulate(m, until=4.0, rtol=1e-11, atol=1e-12)


def test_rotation_and_angular_velocity(spun):
    phi, th, psi = (np.asarray(spun[x]) for x in ("phi", "th", "psi"))
    dphi, dth, dpsi = (np.asarray(spun.rate(x)) for x in ("phi", "th", "psi"))
    omega = np.column_stack(
        [
            -np.sin(phi) * dth + np.cos(phi) * np.sin(th) * dpsi,
            np.cos(phi) * dth + np.sin(phi) * np.sin(th) * dpsi,
            dphi + np.cos(th) * dpsi,
        ]
    )
    top = spun["top"]
    assert np.max(np.abs(top.spin - omega)) < 1e-12
    assert np.max(np.abs(top.euler("zyz") - np.column_stack([phi, th, psi]))) < 1e-12
    turned = Rotation.from_euler("ZYZ", np.column_stack([phi, th, psi])).as_matrix()
    assert np.max(np.abs(top.rotation - turned)) < 1e-12
    assert np.max(np.abs(Rotation.from_quat(np.roll(top.quaternion, -1, axis=1)).as_matrix() - turned)) < 1e-12
    assert (top.spin.unit, top.spin_rate.unit, top.acceleration.unit) == ("rad/s", "rad/s²", "m/s²")


def test_accelerations_are_rates(spun):
    """Against differences of the run itself, and against the equations: a free body keeps its angular momentum about its mass centre."""
    h = 1e-4
    near = spun.resample([1.3 - h, 1.3, 1.3 + h])["top"]
    for slow, fast in (("position", "velocity"), ("velocity", "acceleration"), ("spin", "spin_rate")):
        a, b = np.asarray(getattr(near, slow)), np.asarray(getattr(near, fast))
        assert (a[2] - a[0]) / (2 * h) == pytest.approx(b[1], abs=1e-6)
    assert np.max(np.abs(spun.angular_momentum("center").rate)) < 1e-11
    p, u = near.point(0.1, 0.2, -0.3), np.array([0.1, 0.2, -0.3])
    assert p.position == pytest.approx(np.asarray(near.position) + np.asarray(near.rotation) @ u, abs=1e-14)
    assert (p.position[2] - p.position[0]) / (2 * h) == pytest.approx(p.velocity[1], abs=1e-6)
    assert (p.velocity[2] - p.velocity[0]) / (2 * h) == pytest.approx(p.acceleration[1], abs=1e-5)


def test_euler_angles_about_all_axes():
    rng = np.random.default_rng(3)
    turns = Rotation.random(6, random_state=rng)
    for axes in ("".join(a) for a in product("xyz", repeat=3) if a[0] != a[1] != a[2]):
        found = euler_angles("turns", turns.as_matrix(), axes, np.arange(6.0))
        assert Rotation.from_euler(axes.upper(), found).as_matrix() == pytest.approx(turns.as_matrix(), abs=1e-14)
    for axes in ("zz", "zzx", "abc", None):
        with pytest.raises(da.MethodError, match="three letters"):
            euler_angles("turns", turns.as_matrix(), axes, np.arange(6.0))
    with pytest.raises(da.SingularError, match="the middle angle is 0"):
        euler_angles("turns", np.eye(3)[None], "zyz", [0.0])


def test_a_mechanism_says_the_same():
    """A double pendulum of bars, both ways."""
    m = da.Lagrangian("a b", gravity=(0, -G), name="bars")
    m.body("one", 2.0, 2 / 12, at=("cos(a)/2", "sin(a)/2"), angle="a")
    m.body("two", 1.0, 0.64 / 12, at=("cos(a) + 0.4*cos(b)", "sin(a) + 0.4*sin(b)"), angle="b")
    w = da.Mechanism("bars", gravity=(0, -G))
    one, two = w.body("one", da.rod(1.0, mass=2.0), at=(0.5, 0)), w.body("two", da.rod(0.8, mass=1.0), at=(1.4, 0))
    w.revolute("O", w.ground, one, at=(0, 0))
    w.revolute("A", one, two, at=(1, 0))
    mine, other = (da.simulate(x, until=1.0, rtol=1e-12, atol=1e-13) for x in (m, w))
    for name in ("one", "two"):
        for what in ("position", "velocity", "acceleration"):
            found = np.asarray(getattr(mine[name], what))[:, :2]
            assert found == pytest.approx(np.asarray(getattr(other[name], what)), abs=1e-9)
        assert mine[name].spin[:, 2] == pytest.approx(np.asarray(other[name].spin), abs=1e-9)
        assert mine[name].angle == pytest.approx(np.asarray(other[name].angle), abs=1e-9)
        assert mine[name].momentum[:, :2] == pytest.approx(np.asarray(other[name].momentum), abs=1e-9)
    assert mine.angular_momentum("two").rate[:, 2] == pytest.approx(
        np.asarray(other.angular_momentum("two").rate), abs=1e-8
    )


def double_pendulum():
    m = da.Lagrangian("a b", gravity=(0, -G), name="double pendulum")
    m.particle("one", 1.0, at=("0.3 + sin(a)", "-cos(a)"))
    m.particle("two", 1.0, at=("0.3 + sin(a) + 0.8*sin(b)", "-cos(a) - 0.8*cos(b)"))
    m.start("a", 1.0)
    m.start("b", 2.0)
    return m


def test_pictures_have_rods(tmp_path):
    pytest.importorskip("matplotlib")
    run = da.simulate(double_pendulum(), until=0.5)
    da.draw(run, tmp_path / "dp.svg", ghosts=2)
    text = (tmp_path / "dp.svg").read_text()
    assert text.count('id="link:') == 2 and "support:" in text
    m = da.Lagrangian("th", gravity=(0, -G), name="bar")
    m.body("bar", 1.0, 1 / 12, at=("sin(th)/2", "-cos(th)/2"), angle="th - pi/2")
    m.start("th", 0.5)
    from dalembert.viewer.path_scene import PathScene

    scene = PathScene(da.simulate(m, until=0.5)).scene({})
    (bar,) = (item for item in scene["bodies"][0]["items"] if item["kind"] == "bar")
    # as long as a uniform rod of that inertia: 1 m
    assert np.asarray(bar["points"]) == pytest.approx(np.array([[-0.5, 0], [0.5, 0]]), abs=1e-9)
    page = tmp_path / "page.html"
    da.show(run, page, open=False)
    assert '"glyph":"link"' in page.read_text().replace(" ", "")


def test_files_keep_motion(tmp_path, spun):
    spun.save(tmp_path / "run")
    again = da.load(tmp_path / "run.npz")
    for what in ("acceleration", "rotation", "quaternion", "spin", "spin_rate"):
        assert np.array_equal(getattr(again["top"], what), getattr(spun["top"], what))


def test_refusals(spun):
    run = da.simulate(double_pendulum(), until=0.1)
    for ask in (lambda: run["one"].spin, lambda: run["one"].rotation, lambda: run["one"].point(0.1, 0)):
        with pytest.raises(da.ModelError, match="a particle does not turn"):
            ask()
    with pytest.raises(da.ModelError, match="other axes than z"):
        _ = spun["top"].angle
    with pytest.raises(da.ModelError, match="did you mean 'velocity'"):
        _ = spun["top"].velocty
    with pytest.raises(da.ModelError, match="two or three numbers"):
        spun["top"].point("a", 1)
    assert math.isclose(run["one"].mass, 1.0) and "acceleration" in repr(run["one"])


def test_a_model_from_another_process_knows_no_addresses():
    """Rates that are known stand by the address of their node, which means something else after pickling."""
    m = da.Lagrangian("x y", parameters={"m": 1.3})
    m.particle("one", "m", ("sin(x)", "cos(x)*y"))
    assert m._rates._known
    other = pickle.loads(pickle.dumps(m))
    assert not other._rates._known
    for model in (m, other):
        model.particle("two", "m", ("x*y", "t*x"))
    assert other.kinetic == m.kinetic
