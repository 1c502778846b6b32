"""Mechanisms written out: absolute and joint coordinates against the sources, against the compiled system, and in motion.

Tolerances: 1e-10 relative is that of the issue; single evaluations reach 1e-13.  Motions are compared at rtol = 1e-13 over some tenths of a
second to a few seconds, where the integration itself is good to 1e-12.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from analyses.machines import fb4
from contracts.samples import case_id, force_cases, joint_cases, sample
from errors.checks import refused
from identities.random_mechanisms import build, draw

import dalembert as da
from dalembert.symbolic.mechanism import forms
from tests.soak import share

from .machines import same

TOLERANCE = 1e-10


def sym(*names):
    return sp.symbols(" ".join(names), real=True)


# -- machines ----------------------------------------------------------------------------------------------------------------


def pendulum():
    """P3 with all dimensions as parameters: bar of half length l, pivot at its end."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, "-g"))
    m.parameter("g", 9.81)
    l, mass = m.parameter("l", 0.7), m.parameter("m", 2.0)
    bar = m.body("bar", da.rod(length=2 * l, mass=mass), at=(0, -l), angle=-math.pi / 2)
    m.revolute("O", m.ground, bar, at=(m.ground.point(0, 0), bar.start))
    m.start(m["O"].angle, rate=2 * math.pi)
    return m


def slider_crank(spring=False):
    """P4: bars of half lengths l1, l2, the end of the second on the x axis."""
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, "-g"))
    m.parameter("g", 9.81)
    l1, l2 = m.parameter("l1", 0.3), m.parameter("l2", 0.5)
    m1, m2 = m.parameter("m1", 1.3), m.parameter("m2", 2.1)
    a = 0.6
    b = -math.asin(0.3 * math.sin(a) / 0.5)
    crank = m.body("crank", da.rod(length=2 * l1, mass=m1), at=(l1 * math.cos(a), l1 * math.sin(a)), angle=a)
    at = (2 * l1 * math.cos(a) + l2 * math.cos(b), 2 * l1 * math.sin(a) + l2 * math.sin(b))
    rod = m.body("rod", da.rod(length=2 * l2, mass=m2), at=at, angle=b)
    m.revolute("O", m.ground, crank, at=(m.ground.point(0, 0), crank.start))
    m.revolute("A", crank, rod, at=(crank.end, rod.start))
    m.absolute_y("B", rod, value=0.0, at=rod.end)
    if spring:
        k, c = m.parameter("k", 300.0), m.parameter("c", 4.0)
        m.spring("S", m.ground.point(2.5, 0.1), rod.end, stiffness=k, damping=c, free_length=0.6)
        m.torque("motor", crank, value="3*cos(2*t)")
    return m


def double_pendulum(axis=(0.3, 1.0, 0.2)):
    """Two boxes on hinges whose axes are not parallel, with a damper in the second hinge."""
    m = da.Mechanism("double pendulum", plane=False, gravity=(0, 0, -9.81))
    l = m.parameter("l", 0.8)
    upper = m.body("upper", da.box(0.1, 0.2, l, mass=2.0), at=(0, 0, -l / 2))
    lower = m.body("lower", da.box(0.15, 0.1, 0.6, mass=1.0), at=(0, 0, -l - 0.3))
    m.revolute("A", m.ground, upper, at=(0, 0, 0), axis=(1, 0, 0))
    m.revolute("B", upper, lower, at=(m["upper"].point(0, 0, -l / 2), lower.point(0, 0, 0.3)), axis=axis)
    m.torsion_spring("spring", m["B"].angle, stiffness=1.5, free_angle=0.4, damping=0.1)
    m.start(m["A"].angle, value=1.0, rate=0.5)
    m.start(m["B"].angle, value=-0.7, rate=2.0)
    return m


def spring_pendulum():
    """A ball on a rod that slides through a turning sleeve, held by a spring–damper: cylindrical joint, universal joint, spring."""
    m = da.Mechanism("spring pendulum", plane=False, gravity=(0, 0, -9.81))
    sleeve = m.body("sleeve", da.box(0.2, 0.2, 0.3, mass=1.0), at=(0, 0, -0.15))
    rod = m.body("rod", da.cylinder(radius=0.05, length=1.0, axis="z", mass=1.5), at=(0, 0, -0.6))
    m.universal("U", m.ground, sleeve, at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)))
    m.cylindrical("C", sleeve, rod, at=(0, 0, -0.3), axis=(0, 0, 1))
    m.spring("S", sleeve.point(0.1, 0, 0.15), rod.point(0.05, 0, -0.5), stiffness=200.0, damping=3.0, free_length=0.9)
    m.start(m["U"].angle_i, value=0.4, rate=1.0)
    m.start(m["U"].angle_j, value=-0.3, rate=0.2)
    m.start(m["C"].angle, rate=3.0)
    return m


def rolling_disk():
    """A tilted disk that rolls on the ground: rows on velocities."""
    m = da.Mechanism("disk", plane=False, gravity=(0, 0, -9.81))
    turn = ((1, 0, 0), math.pi / 2 + 0.3)
    disk = m.body(
        "disk", da.disk(0.5, mass=2.0, thickness=0.02), at=(0, 0, 0.5 * math.cos(0.3)), rotation=turn, spin=(0.2, 3.0, 0.5)
    )  # fmt: skip
    m.rolling_disk("roll", m.ground, disk, radius=0.5, axis=disk.axis(0, 0, 1))
    return m


# -- the sources -------------------------------------------------------------------------------------------------------------


def test_p3_matrix_6_3_20_is_written():
    """The whole matrix and right side of 6.3.20, in symbols."""
    e = da.equations(pendulum(), form="absolute")
    m, l, g, phi, w = sym("m", "l", "g", "phi_bar", "phi_bar'")
    c, s = sp.cos(phi), sp.sin(phi)
    matrix = sp.BlockMatrix([[e.M, e.J.T], [e.J, sp.zeros(2, 2)]]).as_explicit()
    printed = sp.Matrix([
        [m, 0, 0, 1, 0],
        [0, m, 0, 0, 1],
        [0, 0, m * l**2 / 3, l * s, -l * c],
        [1, 0, l * s, 0, 0],
        [0, 1, -l * c, 0, 0],
    ])  # fmt: skip
    right = sp.Matrix([0, -m * g, 0, -l * c * w**2, -l * s * w**2])
    assert all(same(a, b) for a, b in zip(matrix, printed))
    assert all(same(a, b) for a, b in zip(sp.Matrix.vstack(e.Q, e.gamma), right))
    x, y = sym("x_bar", "y_bar")
    assert all(same(a, b) for a, b in zip(e.phi, [x - l * c, y - l * s]))
    assert e.row_names == ("O.gap_x", "O.gap_y") and [x.name for x in e.v] == ["x_bar'", "y_bar'", "phi_bar'"]


def test_p3_in_its_joint_coordinate():
    """phi'' = -3 g cos(phi) / (4 l): one equation, M = 4 m l^2 / 3."""
    e = da.equations(pendulum(), form="minimal")
    m, l, g, theta = sym("m", "l", "g", "theta_O")
    assert e.M.shape == (1, 1) and same(e.M[0], sp.Rational(4, 3) * m * l**2)
    assert same(e.Q[0], -m * g * l * sp.cos(theta)) and e.J.shape == (0, 1)
    (equation,) = da.equations(pendulum(), form="lagrange").equations
    solved = sp.solve(equation, e.a[0])
    assert same(solved[0], -3 * g * sp.cos(theta) / (4 * l))


def test_p4_jacobian_6_3_11_and_gamma():
    """Source rows = T times ours (see tests/sources/test_p4_slider_crank.py); symbols throughout."""
    e = da.equations(slider_crank(), form="absolute")
    assert e.row_names == ("O.gap_x", "O.gap_y", "A.gap_x", "A.gap_y", "B.y")
    T = sp.Matrix([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, -1, 0, -1, 1]])
    l1, l2, p1, p2, w1, w2 = sym("l1", "l2", "phi_crank", "phi_rod", "phi_crank'", "phi_rod'")
    c1, s1, c2, s2 = sp.cos(p1), sp.sin(p1), sp.cos(p2), sp.sin(p2)
    jacobian = sp.Matrix([
        [1, 0, l1 * s1, 0, 0, 0],
        [0, 1, -l1 * c1, 0, 0, 0],
        [0, 0, 2 * l1 * s1, 1, 0, l2 * s2],
        [0, 0, -2 * l1 * c1, 0, 1, -l2 * c2],
        [0, 0, 2 * l1 * c1, 0, 0, 2 * l2 * c2],
    ])  # fmt: skip
    gamma = -sp.Matrix([
        l1 * c1 * w1**2,
        l1 * s1 * w1**2,
        2 * l1 * c1 * w1**2 + l2 * c2 * w2**2,
        2 * l1 * s1 * w1**2 + l2 * s2 * w2**2,
        -2 * l1 * s1 * w1**2 - 2 * l2 * s2 * w2**2,
    ])  # fmt: skip
    assert all(same(a, b) for a, b in zip(T * e.J, jacobian))
    assert all(same(a, b) for a, b in zip(T * e.gamma, gamma))


def test_p4_in_joint_coordinates():
    """Two angles and one closing row, 2 l1 s1 + 2 l2 sin(theta_O + theta_A)."""
    e = da.equations(slider_crank(), form="minimal")
    l1, l2, a, b = sym("l1", "l2", "theta_O", "theta_A")
    assert [x.name for x in e.q] == ["theta_O", "theta_A"] and e.row_names == ("B y",)
    assert same(e.phi[0], 2 * l1 * sp.sin(a) + 2 * l2 * sp.sin(a + b))
    assert same(e.J[0, 1], 2 * l2 * sp.cos(a + b))


# -- parameters ----------------------------------------------------------------------------------------------------------------


def test_parameters_stay_symbols_and_numbers_numbers():
    e = da.equations(slider_crank(), form="absolute")
    m1, m2, l1, l2 = sym("m1", "m2", "l1", "l2")
    assert e.M == sp.diag(m1, m1, m1 * l1**2 / 3, m2, m2, m2 * l2**2 / 3)
    assert e.Q[1] == -sp.Symbol("g", real=True) * m1
    numbers = da.equations(fb4(), form="absolute").M
    assert not numbers.free_symbols and numbers[0, 0] == 10 and numbers[5, 5] == sp.Rational(1601, 30)


@pytest.mark.parametrize("form", ["absolute", "minimal"])
def test_written_once_valid_for_other_parameters(form):
    """Equations of one drawing describe the machine with other dimensions: parameters are not frozen anywhere."""
    m = slider_crank(spring=True)
    written = da.equations(m, form=form)
    before = written.numbers(0.3, [0.2] * len(written.q), [0.4] * len(written.q))
    for name, value in (("l1", 0.25), ("l2", 0.55), ("m1", 3.0), ("m2", 0.7), ("k", 120.0), ("c", 1.0), ("g", 4.0)):
        m.set_parameter(name, value)
    after = written.numbers(0.3, [0.2] * len(written.q), [0.4] * len(written.q))
    fresh = da.equations(m, form=form).numbers(0.3, [0.2] * len(written.q), [0.4] * len(written.q))
    for name in ("M", "phi", "J", "gamma", "Q"):
        assert after[name] == pytest.approx(fresh[name], rel=1e-12, abs=1e-12)
        assert name == "phi" or np.abs(before[name] - after[name]).max() > 1e-3
    assert da.compare_equations(m, form).agree


def test_shapes_with_symbols():
    """Mass properties of shapes as formulas: against the numbers that the shapes give themselves."""
    m = da.Mechanism("shapes", plane=False)
    a, b, c, rho = (m.parameter(n, v) for n, v in (("a", 0.3), ("b", 0.2), ("c", 0.7), ("rho", 1200.0)))
    shapes = {
        "rod": da.rod(length=c, radius=b, density=rho),
        "bar": da.rod(length=c, section=(a, b), mass=2.0),
        "block": da.block(a, b, thickness=c, density=rho),
        "disk": da.disk(a, mass=c),
        "ring": da.ring(a, width=b, thickness=c, density=rho),
        "semicircle": da.semicircle(a, thickness=b, density=rho),
        "triangle": da.triangle(a, b, mass=1.0),
        "plate": da.plate(a, b, 0.02, density=rho),
        "sphere": da.sphere(a, density=rho),
        "cylinder": da.cylinder(a, c, axis=(1, 2, 2), density=rho),
        "tube": da.tube(a, b, c, axis="x", density=rho),
        "cone": da.cone(a, c, mass=rho / 100),
        "composite": da.composite(
            da.box(c, a, b, density=rho), da.void(da.cylinder(b / 3, a, axis="y", density=rho).at(a / 3, 0, 0.01))
        ),
        "turned": da.composite(da.disk(a, mass=3.0), da.rod(c, mass=1.0).at(a, b, 0.1, angle=b)),
    }
    for k, (name, shape) in enumerate(shapes.items()):
        m.body(name, shape, at=(k, 0, 0))
    from dalembert.symbolic.mechanism.drawing import SymbolicDrawing

    drawing = SymbolicDrawing(m)
    for name, shape in shapes.items():
        found, numbers = drawing.poses[m[name]].matter, shape.mass_properties(m.value)
        assert drawing.value(found.mass) == pytest.approx(numbers.mass, rel=1e-13)
        assert [drawing.value(x) for x in found.center] == pytest.approx(list(numbers.center), abs=1e-13)
        inertia = np.array([[drawing.value(x) for x in row] for row in found.inertia])
        assert inertia == pytest.approx(numbers.inertia, rel=1e-12, abs=1e-13), name
        assert found.mass.names <= {"a", "b", "c", "rho"} and (
            name in ("bar", "triangle", "turned") or found.mass.names
        )


# -- against the compiled system -------------------------------------------------------------------------------------------------

MACHINES = [
    pendulum, slider_crank, lambda: slider_crank(True), fb4, lambda: fb4(plane=False), double_pendulum, spring_pendulum,
    rolling_disk,
]  # fmt: skip
NAMES = ["P3", "P4", "P4 with spring", "FB4", "FB4 in space", "double pendulum", "spring pendulum", "rolling disk"]


@pytest.mark.parametrize("form", ["absolute", "minimal"])
@pytest.mark.parametrize("make", MACHINES, ids=NAMES)
def test_matrices_agree_with_the_compiled_system(make, form):
    found = da.compare_equations(make(), form, states=3)
    assert found.agree and max(found.differences.values()) < 1e-12, found
    assert {"M", "Phi", "J", "gamma", "Q"} <= set(found.differences)


@pytest.mark.parametrize("form", ["absolute", "minimal"])
@pytest.mark.parametrize(("tag", "plane"), joint_cases() + force_cases(), ids=case_id)
def test_every_joint_and_force(tag, plane, form, monkeypatch):
    # long formulas in numbers by the functions that the matrices are made from; SymPy takes seconds for them
    monkeypatch.setattr(forms, "SMALL", 3000)
    # between two bodies, and in a soak on the ground with the bodies exchanged, too
    for ground, swap in ((False, False), (True, True))[: share(2)]:
        found = da.compare_equations(sample(tag, plane, ground=ground, swap=swap).model, form, states=2)
        assert found.agree and max(found.differences.values()) < 1e-11, found


def test_a_wrong_matrix_is_seen(monkeypatch):
    """The comparison fails when the formulas are wrong: gravity of the written equations spoilt."""
    m = pendulum()
    made = forms.mechanism_equations

    def spoilt(model, form, asked, readable=True):
        model.gravity = (0, "-1.001*g")
        equations = made(model, form, asked, readable)
        model.gravity = (0, "-g")
        return equations

    from dalembert.analyses.comparison import symbols

    monkeypatch.setattr(symbols, "mechanism_equations", spoilt)
    for form in ("absolute", "minimal"):
        found = da.compare_equations(m, form)
        assert not found.agree and "DISAGREE" in str(found)
        assert max(found.differences, key=found.differences.get) == "Q"


def test_verify_has_both_ways():
    found = da.verify(pendulum())
    assert found.agree and {"symbols", "joint coordinates"} <= set(found.ways)
    m = pendulum()
    m.actuator("a", m["O"].angle, force=lambda s, v, t: -s)
    found = da.verify(m)
    assert found.agree and not {"symbols", "joint coordinates"} & set(found.ways)
    assert len(found.notes) == 2 and all("actuator 'a'" in note and "Python function" in note for note in found.notes)
    assert "left out" in str(found)


# -- motion ----------------------------------------------------------------------------------------------------------------------


def tight(model, until):
    return da.simulate(model, until=until, rtol=1e-13, atol=1e-14, output=until / 8)


def same_motion(m, until, forms_=("absolute", "minimal")):
    run = tight(m, until)
    for form in forms_:
        other = tight(da.lagrangian_of(m, form), until)
        assert other.status == "ok"
        for body in m.bodies:
            one, two = np.asarray(run[body.name].position), np.asarray(other[body.name].position)
            size = max(np.abs(one).max(), 0.1)
            assert np.abs(two[:, : one.shape[1]] - one).max() < TOLERANCE * size, (form, body.name)
            one, two = np.asarray(run[body.name].velocity), np.asarray(other[body.name].velocity)
            assert np.abs(two[:, : one.shape[1]] - one).max() < TOLERANCE * max(1.0, np.abs(one).max())
    return run


@pytest.mark.parametrize("make", MACHINES, ids=NAMES)
def test_same_motion(make):
    same_motion(make(), 0.8)


@pytest.mark.parametrize("seed", [3, 35, 53, 17, 11, 7][: share(6, 2)])
def test_random_mechanisms_move_alike(seed):
    """Trees and loops with all joints, couplings, drivers, redundant rows and massless bodies; mass centres, which `State` holds."""
    m = build(draw(seed))
    run = da.simulate(m, until=0.2, rtol=1e-11, atol=1e-12, output=0.1)
    width, linear = (3, 2) if m.plane else (7, 3)
    for form in ("minimal", "absolute"):
        other = da.simulate(da.lagrangian_of(m, form), until=0.2, rtol=1e-11, atol=1e-12, output=0.1)
        for k, body in enumerate(m.bodies):
            one = np.array([run.at(t).q[width * k : width * k + linear] for t in run.t])
            two = np.asarray(other[body.name].position)[:, :linear]
            assert np.abs(two - one).max() < 1e-8 * max(1.0, np.abs(one).max()), (form, body.name)


def test_same_energy_and_reactions():
    """Multipliers of the closing joint are the same numbers; kinetic and potential energy too."""
    m = slider_crank(spring=True)
    run, other = tight(m, 0.5), tight(da.lagrangian_of(m), 0.5)
    assert np.asarray(other.energy.kinetic) == pytest.approx(np.asarray(run.energy.kinetic), abs=1e-10)
    e = [da.equations(m, run.at(t)) for t in run.t]
    lam = [x.lam[x.row_names.index("B.y")] for x in e]
    assert np.asarray(other["B y"]) == pytest.approx(np.array(lam), abs=1e-8)


def test_driven_and_rheonomic():
    """A driver becomes a row that depends on time; in space the driven angle makes several turns."""
    for plane in (True, False):
        m = fb4(plane=plane)
        m.drive("motor", m["A"].angle, "pi/2 + 8*t" if plane else "8*t")
        same_motion(m, 2.0, ("minimal",) if plane else ("minimal", "absolute"))
    e = da.equations(fb4_driven(), form="minimal")
    assert same(e.nu[e.row_names.index("motor")], 8)


def fb4_driven():
    m = fb4()
    m.drive("motor", m["A"].angle, "pi/2 + 8*t")
    return m


def test_turns_are_counted_in_space():
    """A torsion spring and a gear on angles that pass half a turn many times; absolute coordinates get the angle as a coordinate."""
    m = da.Mechanism("gears", plane=False, gravity=(0, 0, -9.81))
    one = m.body("one", da.cylinder(0.2, 0.1, mass=2.0), at=(0, 0, 0))
    two = m.body("two", da.box(0.5, 0.2, 0.1, mass=1.0), at=(1, 0, 0))
    m.revolute("A", m.ground, one, at=(0, 0, 0), axis=(0, 0.2, 1))
    m.revolute("B", m.ground, two, at=(0.9, 0, 0), axis=(0, 0.2, 1))
    m.gear("G", m["A"], m["B"], ratio=-2.5)
    m.torsion_spring("T", m["B"].angle, stiffness=0.05)
    m.start(m["A"].angle, rate=9.0)
    system = da.lagrangian_of(m, "absolute")
    assert {"theta_A_angle", "theta_B_angle"} <= set(system.q)
    run = same_motion(m, 2.0)
    assert np.abs(run["B"].angle).max() > 6 * math.pi
    for form, name in (("minimal", "theta_B"), ("absolute", "theta_B_angle")):
        other = tight(da.lagrangian_of(m, form), 2.0)
        assert np.asarray(other[name]) == pytest.approx(np.asarray(run["B"].angle), rel=TOLERANCE)


def test_redundant_rows_of_a_planar_loop_in_space():
    """FB4 in space has three rows that hold by themselves: they are not rows in joint coordinates."""
    system = da.lagrangian_of(fb4(plane=False))
    assert list(system.holonomic) == ["C gap_x", "C gap_y"] and len(system.q) == 3


def test_particles_and_massless_bodies():
    m = da.Mechanism("bead", plane=True, gravity=(0, -9.81))
    arm = m.body("arm", da.rod(length=2.0, mass=1.0), at=(1, 0))
    bead = m.particle("bead", mass=0.5, at=(0.7, 0))
    m.revolute("O", m.ground, arm, at=(0, 0))
    m.pin_in_slot("slot", arm, bead, at=(0.7, 0), along="x")
    m.spring("S", arm.point(-1, 0), bead, stiffness=50.0, free_length=0.6)
    assert da.lagrangian_of(m).q == ("theta_O", "s_slot")
    same_motion(m, 1.0)
    m = da.Mechanism("chain", plane=True, gravity=(0, -9.81))
    link = m.body("link", mass=0.0, inertia=0.0, at=(0.5, 0))
    bob = m.particle("bob", mass=1.0, at=(1, 0))
    m.revolute("O", m.ground, link, at=(0, 0))
    m.revolute("P", link, bob, at=bob)
    assert da.lagrangian_of(m).q == ("theta_O",)
    same_motion(m, 1.0)


def test_all_verbs_of_lagrangian_systems():
    """The converted system is an ordinary one: equilibrium and small oscillations of the pendulum."""
    m = pendulum()
    system = da.lagrangian_of(m)
    system.start("theta_O", -math.pi / 2 + 0.1, rate=0.0)
    period = 2 * math.pi * math.sqrt(4 * 0.7 / (3 * 9.81))
    run = da.simulate(system, until=1.2 * period, rtol=1e-10)
    # amplitude 0.1 rad lengthens the period by a^2/16
    assert run["theta_O"][np.argmin(np.abs(run.t - period))] == pytest.approx(-math.pi / 2 + 0.1, abs=2e-3)
    assert "theta_O" in str(da.equations(m, form="hamilton"))
    assert da.equations(slider_crank(), form="reduced", independent=["theta_O"]).independent == ("theta_O",)
    assert da.compare(system).agree


def test_start_can_be_changed():
    """Only independent coordinates are given; the others are guesses, so that another start can be asked for."""
    system = da.lagrangian_of(fb4())
    (given,) = system.starts
    system.start(given, value=system.starts[given].value + 0.05)
    run = da.simulate(system, until=0.1)
    assert run.status == "ok"


# -- to read -----------------------------------------------------------------------------------------------------------------------


def test_text_latex_and_page(tmp_path):
    e = da.equations(pendulum(), form="absolute")
    text = str(e)
    assert "l**2*m/3*phi_bar'' + l*sin(phi_bar)*lam_O_gap_x - l*cos(phi_bar)*lam_O_gap_y = 0" in text
    assert "y_bar - l*sin(phi_bar) = 0" in text and "m*y_bar'' + lam_O_gap_y = -g*m" in text
    assert r"\ddot\varphi_{bar}" in e.latex() and r"\frac{l^{2} m}{3}" in e.latex("M")
    e.to_html(tmp_path / "page.html")
    assert "<math" in (tmp_path / "page.html").read_text(encoding="utf-8")
    residual = [x.lhs - x.rhs for x in e.equations]
    assert len(residual) == 5 and all(x.free_symbols for x in residual)
    with refused(da.MethodError, "latex", "'K'"):
        e.latex("K")
    assert "tree" in str(da.equations(fb4(), form="minimal")) and "rows of 'C'" in str(
        da.equations(fb4(), form="minimal")
    )


def test_signs_of_printed_rows():
    """A row -l sin(a + b) - r sin(a) is printed with both signs."""
    text = str(da.equations(slider_crank(), form="minimal"))
    row = da.equations(slider_crank(), form="minimal").phi[0]
    line = next(x for x in text.splitlines() if "= 0" in x and "sin" in x and "lam" not in x)
    assert same(sp.sympify(line.split("=")[0], locals={x.name: x for x in row.free_symbols}), row)


def test_without_a_form_nothing_changes():
    e = da.equations(pendulum())
    assert isinstance(e, da.Equations) and e.M.shape == (3, 3) and isinstance(e.M, np.ndarray)


# -- refusals --------------------------------------------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_refused():
    m = pendulum()
    m.actuator("a", m["O"].angle, force=lambda s, v, t: -s)
    for ask in (
        lambda: da.equations(m, form="absolute"), lambda: da.equations(m, form="minimal"), lambda: da.lagrangian_of(m),
        lambda: da.equations(m, form="lagrange"), lambda: da.export(m),
    ):  # fmt: skip
        with refused(da.ModelError, "actuator 'a'", "Python function", "spline"):
            ask()
    # a spline is a formula
    m = pendulum()
    m.actuator(
        "a", m["O"].angle, force=da.spline([-3, 0, 3], [1.0, 0.0, -2.0], name="law")(da.functions.rate("O.angle"))
    )
    assert da.compare_equations(m).agree and da.compare_equations(m, "minimal").agree


def test_bad_arguments():
    m = pendulum()
    with refused(da.MethodError, "form = 'minimum'", "minimal"):
        da.equations(m, form="minimum")
    with refused(da.MethodError, "form = 'relative'"):
        da.lagrangian_of(m, "relative")
    with refused(da.MethodError, "a Mechanism is needed"):
        da.lagrangian_of(3)
    with refused(da.MethodError, "written for all states"):
        da.equations(m, da.State(0.0, np.zeros(3), np.zeros(3)), form="absolute")
    with refused(da.MethodError, "independent"):
        da.equations(m, form="absolute", independent=["phi_bar"])
    with refused(da.MethodError, "states = 0"):
        da.compare_equations(m, states=0)
    with refused(da.MethodError, "form = 'x'"):
        da.compare_equations(m, "x")


def test_formulas_that_nobody_can_read_are_refused():
    with refused(da.MethodError, "cannot be read", "export"):
        da.equations(sample("constant_velocity", False).model, form="minimal")


def test_names_do_not_collide():
    """A parameter with the name of a coordinate, and parts whose names are no identifiers."""
    m = da.Mechanism("names", plane=True, gravity=(0, -9.81))
    m.parameter("theta_left_pin", 0.3)
    bar = m.body("left bar 1", da.rod(length=m.parameter("x_bar", 1.0), mass=1.0), at=(0.5, 0))
    m.revolute("left pin", m.ground, bar, at=(0, 0))
    assert da.lagrangian_of(m).q == ("theta_left_pin_",)
    assert da.lagrangian_of(m, "absolute").q == ("x_left_bar_1", "y_left_bar_1", "phi_left_bar_1")
    assert da.compare_equations(m, "minimal").agree and da.compare_equations(m).agree


def test_long_products_are_not_multiplied_out():
    """Writing a form down takes time with its length, not with the number of terms that it would have if it were expanded."""
    import sympy as sp

    from dalembert.symbolic.simplify import TERMS, tidy, written_terms

    names = sp.symbols("a:12")
    x = sum(names) ** 6 / sp.sqrt(1 + sum(names) ** 2)
    assert written_terms(sum(names) ** 2) == 78  # 12 squares, 66 products
    assert written_terms(x) > TERMS and tidy(x) == x


def test_joints_that_leave_no_coordinate():
    """It was told of a Lagrangian that the user never gave: "q = []"."""
    m = da.Mechanism("weld", plane=True)
    m.fixed("F", m.ground, m.body("block", mass=1.0, inertia=1.0))
    for verb in (da.lagrangian_of, da.classify, lambda model: da.equations(model, form="minimal")):
        with refused(da.ModelError, "'weld'", "joints hold every body"):
            verb(m)
    assert len(da.lagrangian_of(m, "absolute").q) == 3
