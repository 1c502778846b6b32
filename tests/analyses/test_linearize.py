"""linearize: closed forms of oscillators, modes, steady motions; the reduced matrices against `equilibrium` and against simulation.

Tolerances: matrices come from differences of fourth order of exact accelerations, accurate to about 1e-10 of their largest part;
eigenvalues then to 1e-8 relative.  Zero eigenvalues of free turns come in pairs, which differences split by the root of that: 1e-4.
"""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da

from .machines import bar, fb4
from .test_equilibrium import BAR, HOOP, G, bead, pendulum, rotated, spatial, springy, ziegler


def oscillator(m=2.0, c=0.6, k=50.0):
    made = da.Mechanism("oscillator")
    body = made.body("mass", mass=m, inertia=1.0)
    made.prismatic("guide", made.ground, body, along=(1, 0))
    made.spring("spring", made["guide"].slide, stiffness=k, damping=c)
    made.force("F", body, (0.0, 0.0))
    return made


# -- one and two free motions ------------------------------------------------------------------------------------------------


def test_damped_oscillator():
    m, c, k = 2.0, 0.6, 50.0
    made = da.linearize(oscillator(m, c, k))
    s = complex(-c / (2 * m), math.sqrt(k / m - (c / (2 * m)) ** 2))
    assert made.steady and made.stable
    assert sorted(made.eigenvalues, key=lambda x: x.imag) == pytest.approx([s.conjugate(), s], rel=1e-9)
    (mode,) = made.modes
    assert mode.eigenvalue == pytest.approx(s, rel=1e-9)
    assert mode.omega == pytest.approx(math.sqrt(k / m), rel=1e-9)
    assert mode.frequency == pytest.approx(s.imag / (2 * math.pi), rel=1e-9)
    assert mode.damping_ratio == pytest.approx(c / (2 * math.sqrt(k * m)), rel=1e-8)
    assert made.frequencies == pytest.approx([mode.frequency]) and made.damping_ratios == pytest.approx(
        [mode.damping_ratio]
    )
    # M, C, K for the free motion Z: the motion itself has unit size, so they are those of x
    scale = made.motions[0, 0] ** 2
    assert [made.M[0, 0] / scale, made.C[0, 0] / scale, made.K[0, 0] / scale] == pytest.approx([m, c, k], rel=1e-9)
    assert "damping ratio" in str(made) and "equilibrium" in str(made)


@pytest.mark.parametrize("entry", ["guide.slide", "spring", "F.x"])
def test_transfer_function_of_the_oscillator(entry):
    """x = F/(m s^2 + c s + k), from a force on the measure, the effort of the spring, or the component of a load."""
    m, c, k = 2.0, 0.6, 50.0
    made = da.linearize(oscillator(m, c, k))
    omega = np.array([0.0, 1.0, 5.0, 20.0])
    exact = 1.0 / (k - m * omega**2 + 1j * c * omega)
    assert made.transfer(entry, "mass.x").response(omega) == pytest.approx(exact, rel=1e-8)
    assert made.transfer(entry, "rate(guide.slide)").response(omega) == pytest.approx(
        1j * omega * exact, rel=1e-8, abs=1e-14
    )
    assert made.transfer(entry, "mass.x")(2.0 + 1.0j) == pytest.approx(
        1 / (m * (2 + 1j) ** 2 + c * (2 + 1j) + k), rel=1e-8
    )


def test_state_space_unpacks():
    made = da.linearize(oscillator())
    a, b, c, d = made.state_space(["guide.slide"], ["mass.x", "rate(mass.x)"])
    assert a.shape == (2, 2) and b.shape == (2, 1) and c.shape == (2, 2) and np.array_equal(d, np.zeros((2, 1)))
    assert np.sort_complex(np.linalg.eigvals(a)) == pytest.approx(np.sort_complex(made.eigenvalues), rel=1e-12)
    assert c @ b == pytest.approx(
        np.array([[0.0], [1.0 / 2.0]]), abs=1e-9
    )  # a unit force gives the velocity 1/m per second
    empty = made.state_space()
    assert empty.B.shape == (2, 0) and empty.C.shape == (0, 2)


@pytest.mark.parametrize(
    "model", [pendulum(), pendulum(False), pendulum(False, turn=rotated(1))], ids=["plane", "space", "turned"]
)
def test_bar_pendulum(model):
    hanging, upright = da.equilibrium(model)
    assert da.linearize(model, hanging).modes[0].omega ** 2 == pytest.approx(BAR, rel=1e-9)
    made = da.linearize(model, upright.state)
    assert sorted(made.eigenvalues.real) == pytest.approx([-math.sqrt(BAR), math.sqrt(BAR)], rel=1e-9)
    assert not made.stable


@pytest.mark.parametrize("rods", [False, True], ids=["distance joints", "massless rods"])
def test_double_pendulum_of_two_points(rods):
    """Equal masses and lengths: omega^2 = (2 -+ sqrt 2) g/l, with the second displacement 1 +- sqrt 2 times the first."""
    m = da.Mechanism("double pendulum", gravity=(0, -G))
    if rods:
        one = m.body("one", mass=1.0, inertia=0.0, center=(0, -0.5), at=(0, 0))
        two = m.body("two", mass=1.0, inertia=0.0, center=(0, -0.5), at=(0, -0.5))
        m.revolute("A", m.ground, one, at=(0, 0))
        m.revolute("B", one, two, at=(0, -0.5))
    else:
        one = m.particle("one", mass=1.0, at=(0, -0.5))
        two = m.particle("two", mass=1.0, at=(0, -1.0))
        m.distance("A", m.ground.point(0, 0), one.point(0, 0))
        m.distance("B", one.point(0, 0), two.point(0, 0))
    made = da.linearize(m)
    assert [mode.omega**2 for mode in made.modes] == pytest.approx(
        [(2 - math.sqrt(2)) * G / 0.5, (2 + math.sqrt(2)) * G / 0.5], rel=1e-8
    )
    point = (
        (lambda body: m.measure(f"{body.name} x", point=body.point(0, -0.5), along=(1, 0)))
        if rods
        else (lambda body: body.x)
    )
    first, second = point(one), point(two)
    ratios = [mode.amplitude(second) / mode.amplitude(first) for mode in made.modes]
    assert ratios == pytest.approx([1 + math.sqrt(2), 1 - math.sqrt(2)], rel=1e-7)


# -- against other routes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [springy(), springy(False), spatial(), ziegler(1.0)], ids=["FB4", "FB4 in space", "spatial", "follower"]
)
def test_stiffness_agrees_with_equilibrium(model):
    """Derivatives of accelerations here, derivatives of J^T lam - Q there; eigenvalues do not depend on the basis."""
    e = da.equilibrium(model, starts=3)[0]
    made = da.linearize(model, e)
    there = np.sort(np.linalg.eigvals(np.linalg.solve(e.M, e.K)).real)
    here = np.sort(np.linalg.eigvals(np.linalg.solve(made.M, made.K)).real)
    assert here == pytest.approx(there, rel=1e-7)
    assert np.abs(made.C).max() <= 1e-8 * np.abs(made.K).max()


@pytest.mark.parametrize("model", [springy(), spatial()], ids=["FB4", "spatial"])
def test_small_motion_against_simulation(model):
    """x(t) = exp(A t) x(0) against the time loop, for a start displaced and thrown by 1e-5; the rest is 1e-5 of it, times curvature."""
    for body in model.bodies:
        if model.plane:
            model.damper(f"drag {body.name}", body.x, damping=5.0)
    e = da.equilibrium(model, starts=3).stable[0]
    made = da.linearize(model, e)
    n = len(made.M)
    random = np.random.default_rng(2)
    y, rate = random.normal(size=(2, n)) * 1e-5
    from dalembert.analyses.pose.pose import Pose

    pose = Pose.of(model, e.state, asked="test")
    pose.q = pose.shifted(made.motions @ y)
    pose.onto()
    pose.v = made.motions @ rate
    pose.velocity_onto()
    outputs = [f"{body.name}.{axis}" for body in model.bodies for axis in ("x", "y")]
    space = made.state_space((), outputs)
    run = da.simulate(model, until=0.4, start=pose.state, rtol=1e-12, atol=1e-14, output=[0.0, 0.2, 0.4])
    still = da.simulate(model, until=1e-3, start=e.state, output=[0.0, 1e-3])
    rest = np.array([float(still[name][0]) for name in outputs])
    moved = np.array([[float(run[name][k]) for name in outputs] for k in range(len(run.t))]) - rest
    expected = np.array([space.C @ expm(space.A * t) @ np.concatenate([y, rate]) for t in run.t])
    assert moved == pytest.approx(expected, abs=3e-4 * np.abs(expected).max())


# -- steady motions --------------------------------------------------------------------------------------------------------------


def test_bead_on_a_free_and_on_a_driven_hoop():
    """Driven: omega^2 sin^2(theta).  Free: the spin answers, and the frequency follows from V + p^2/(2 I(theta))."""
    m, rate = bead(8.0, driven=True)
    theta = math.acos(G / (64.0 * HOOP))
    driven = da.linearize(m, da.equilibrium(m, spinning=(m["axle"].angle, rate))[0])
    mass = 0.3 * HOOP**2
    share = mass / (mass + 1e-9)
    assert driven.steady and np.abs(driven.eigenvalues.imag) == pytest.approx(
        [8 * math.sin(theta) * math.sqrt(share)] * 2, rel=1e-8
    )
    assert driven.turning == pytest.approx([0, 0, 8.0], abs=1e-8)
    m, rate = bead(8.0)
    free = da.linearize(m, da.equilibrium(m, spinning=(m["axle"].angle, rate))[0])
    total = 0.2 + 1e-9 + mass * math.sin(theta) ** 2
    first, second = 2 * mass * math.sin(theta) * math.cos(theta), 2 * mass * math.cos(2 * theta)
    k = 0.3 * G * HOOP * math.cos(theta) + 64.0 * (first**2 / total - second / 2)
    assert free.steady
    assert free.modes[-1].omega == pytest.approx(math.sqrt(k / (mass + 1e-9)), rel=1e-7)
    assert np.abs(free.eigenvalues)[:2] == pytest.approx([0, 0], abs=1e-3)


@pytest.mark.parametrize("omega", [1e-6, 3.0, 1e3, 1e6])
def test_middle_axis_of_a_free_body(omega):
    """Growth omega sqrt((J2 - J1)(J3 - J2)/(J1 J3)) about the middle axis; seen from the axes of the body."""
    m = da.Mechanism("rotor", plane=False)
    m.body("body", mass=1.0, inertia=(1.0, 2.0, 2.5), spin=(0, omega, 0))
    made = da.linearize(m)
    assert made.steady and not made.stable
    assert made.turning == pytest.approx([0, omega, 0])
    assert made.eigenvalues.real.max() == pytest.approx(omega * math.sqrt(1.0 * 0.5 / 2.5), rel=1e-7)
    assert made.eigenvalues.real.min() == pytest.approx(-omega * math.sqrt(1.0 * 0.5 / 2.5), rel=1e-7)


def test_steady_precession_of_a_top():
    """Nutation frequency of a heavy symmetric top precessing at W with tilt a and axial spin: from its one-dimensional potential."""
    mass, h, across, along, tilt, turn = 2.0, 0.3, 0.25, 0.1, 0.6, 3.0
    big = across + mass * h**2
    # steady: mass g h = along n W - big W^2 cos(tilt), n the spin about the axis
    n = (mass * G * h + big * turn**2 * math.cos(tilt)) / (along * turn)
    axis = np.array([math.sin(tilt), 0, math.cos(tilt)])
    spin = n * axis + turn * (np.array([0, 0, 1.0]) - math.cos(tilt) * axis)
    m = da.Mechanism("top", plane=False, gravity=(0, 0, -G))
    body = m.body(
        "top",
        mass=mass,
        inertia=(across, across, along),
        at=tuple(h * axis),
        rotation=((0, 1, 0), tilt),
        spin=tuple(spin),
    )
    m.spherical("tip", m.ground, body, at=(0, 0, 0))
    made = da.linearize(m)
    assert made.steady
    assert made.turning == pytest.approx([0, 0, turn], abs=1e-7)
    # V(a) = (b - c cos a)^2/(2 big sin^2 a) + m g h cos a with c = along n and b = big W sin^2 a + c cos a
    c = along * n
    b = big * turn * math.sin(tilt) ** 2 + c * math.cos(tilt)
    potential = lambda a: (b - c * math.cos(a)) ** 2 / (2 * big * math.sin(a) ** 2) + mass * G * h * math.cos(a)  # noqa: E731
    d = 1e-3
    second = (
        -potential(tilt + 2 * d)
        + 16 * potential(tilt + d)
        - 30 * potential(tilt)
        + 16 * potential(tilt - d)
        - potential(tilt - 2 * d)
    ) / (12 * d * d)
    assert max(mode.omega for mode in made.modes) == pytest.approx(math.sqrt(second / big), rel=1e-6)


def test_planar_turntable():
    """Mass on a spring in a radial guide of a turntable driven at w: k/m - w^2; the place r = k l/(k - m w^2)."""
    m = da.Mechanism("turntable")
    table = m.body("table", mass=1.0, inertia=1.0)
    m.revolute("bearing", m.ground, table, at=(0, 0))
    mass = m.body("mass", mass=0.5, inertia=0.1, at=(0.4, 0))
    m.prismatic("guide", table, mass, along=(1, 0))
    m.spring("spring", table.point(0, 0), mass.point(0, 0), stiffness=20.0, free_length=0.3)
    m.drive("motor", m["bearing"].angle, "4*t")
    e = da.equilibrium(m, spinning=(m["bearing"].angle, 4.0)).stable[0]
    assert abs(e.state.q[3]) == pytest.approx(20 * 0.3 / (20 - 0.5 * 16), rel=1e-10)
    made = da.linearize(m, e)
    assert made.steady and made.turning == pytest.approx([0, 0, 4.0], abs=1e-9)
    assert made.modes[0].omega ** 2 == pytest.approx(20 / 0.5 - 16, rel=1e-8)


def test_friction_is_a_damper_at_rest():
    """F0 v/sqrt(v^2 + v0^2) has the slope F0/v0."""
    m = oscillator(2.0, 0.0, 50.0)
    m.friction("rub", m["guide"].slide, force=0.3, speed=0.5)
    made = da.linearize(m)
    assert made.modes[0].damping_ratio == pytest.approx(0.3 / 0.5 / (2 * math.sqrt(100.0)), rel=1e-6)


# -- any state -------------------------------------------------------------------------------------------------------------------


def test_a_state_that_is_not_steady():
    """Frozen: a swinging pendulum; the coefficients are those of a'' = -(m g l/2)/J cos(a) at this angle, and it says so."""
    m = pendulum()
    made = da.linearize(m, da.State(0.0, [0.5 * math.cos(-1.0), 0.5 * math.sin(-1.0), -1.0], [0.0, 0.0, 0.0]))
    assert not made.steady and "not steady" in str(made)
    assert made.K[0, 0] / made.M[0, 0] == pytest.approx(-BAR * math.sin(-1.0), rel=1e-6)
    with pytest.raises(da.MethodError, match="not an equilibrium or a steady motion"):
        made.transfer("A.angle", "A.angle")
    refused(da.MethodError, "not an equilibrium or a steady motion", lambda: made.stable)
    assert da.linearize(m).state.q == pytest.approx([0.5, 0, 0]), "the drawing is the default"


# -- pictures --------------------------------------------------------------------------------------------------------------------


def test_states_of_a_mode():
    m = springy()
    e = da.equilibrium(m)[0]
    (mode,) = da.linearize(m, e).modes
    states = mode.states(frames=12, amplitude=0.1)
    assert len(states) == 12
    for state in states:
        assert np.abs(da.equations(m, state).phi).max() < 1e-12
    angles = np.array([state.q[2] for state in states]) - e.state.q[2]
    shape = mode.shape[2].real
    expected = 0.1 * shape * np.cos(2 * math.pi * np.arange(12) / 12)
    assert angles == pytest.approx(expected, abs=0.01 * abs(shape)), "to second order in the amplitude"
    upright = da.equilibrium(pendulum())[1]
    falling = da.linearize(pendulum(), upright.state).modes[-1].states(frames=3, amplitude=0.1)
    turned = [state.q[2] - upright.state.q[2] for state in falling]
    assert turned[1] == pytest.approx(0.0, abs=1e-12) and turned[0] == pytest.approx(-turned[2], rel=1e-3)


# -- refusals --------------------------------------------------------------------------------------------------------------------


def refused(kind, text, call, *args, **options):
    with pytest.raises(kind, match=text) as error:
        call(*args, **options)
    parts = (error.value.asked, error.value.found, error.value.why, error.value.do)
    assert all(isinstance(part, str) and part for part in parts)


def parallelogram():
    m = da.Mechanism("flat parallelogram", gravity=(0, -G))
    for name, x, length in (("left", 0.5, 1.0), ("coupler", 2.0, 2.0), ("right", 2.5, 1.0)):
        m.body(name, da.rod(length=length, mass=1.0), at=(x, 0))
    m.revolute("A", m.ground, m["left"], at=(0, 0))
    m.revolute("B", m["left"], m["coupler"], at=(1, 0))
    m.revolute("C", m["coupler"], m["right"], at=(3, 0))
    m.revolute("D", m.ground, m["right"], at=(2, 0))
    return m


def test_singular_position():
    refused(da.SingularError, "singular position: 2 free motions here", da.linearize, parallelogram())


def test_nothing_free():
    m = pendulum()
    m.drive("hold", m["A"].angle, 0.2)
    refused(da.ModelError, "nothing can move", da.linearize, m)


def test_redundant_rows_are_no_obstacle():
    """FB4 in space has three dependent rows everywhere: not a singular position."""
    assert len(da.linearize(fb4(False)).M) == 1


def test_bad_input():
    m = oscillator()
    refused(da.MethodError, "a Mechanism is needed", da.linearize, 3)
    refused(da.MethodError, "a State is needed", da.linearize, m, "rest")
    refused(da.MethodError, "turning = 'fast'", da.linearize, m, turning="fast")
    refused(da.MethodError, "unknown argument", da.linearize, m, stat=None)
    wrong = da.State(0.0, [0.0, 0.3, 0.0], [0.0, 0.0, 0.0])
    refused(da.AssemblyError, "'guide' by 0.3 m", da.linearize, m, wrong)
    other = da.equilibrium(pendulum())[0]
    refused(da.MethodError, "belongs to another mechanism", da.linearize, m, other)
    made = da.linearize(m)
    refused(da.DalembertError, "guide.slip", made.state_space, ["guide.slip"])
    refused(da.MethodError, "components F.x, F.y", made.state_space, ["F"])
    refused(da.DalembertError, "mas.x", made.transfer, "guide.slide", "mas.x")
    refused(da.MethodError, "frames = 1", made.modes[0].states, 1)
    refused(da.MethodError, "amplitude = -1", made.modes[0].states, 8, -1)


def test_transfer_function_refuses_what_has_no_value():
    made = da.linearize(oscillator()).transfer("guide.slide", "guide.slide")
    refused(da.MethodError, "omega = 'a'", made.response, "a")
    refused(da.MethodError, "omega = .*nan", made.response, [0.0, math.nan])
    refused(da.MethodError, "s = None", made, None)
    loose = da.linearize(oscillator(c=0.0, k=0.0)).transfer("guide.slide", "guide.slide")
    refused(da.SingularError, "is a pole", loose.response, 0.0)
    assert loose.response(3.0) == pytest.approx(-1 / (2.0 * 9.0), rel=1e-9)


def test_resonance_without_damping_has_no_response():
    """At its own frequency, and within the error of that number, an undamped oscillator has no response; beside it 1/(k - m w^2)."""
    made = da.linearize(oscillator(2.0, 0.0, 50.0))
    response = made.transfer("guide.slide", "guide.slide").response
    for part in (0.0, 1e-12, -1e-11):
        refused(da.SingularError, "is a pole", response, made.modes[0].omega * (1 + part))
    beside = 5.0 * (1 + 1e-6)
    # the distance to the pole, 1e-6, is known to 1e-11
    assert response(beside) == pytest.approx(1 / (50.0 - 2.0 * beside**2), rel=1e-4)
    # a little damping c: 1/(i c w)
    damped = da.linearize(oscillator(2.0, 1e-3, 50.0)).transfer("guide.slide", "guide.slide")
    assert damped.response(5.0) == pytest.approx(1 / (5e-3j), rel=1e-6)


def cars(k, masses=(1.0, 3.0)):
    """Two cars on a track, joined by a spring."""
    m = da.Mechanism("cars", plane=True)
    one, two = (m.body(name, da.block(1, 1, mass=x), at=(at, 0)) for name, x, at in zip(("one", "two"), masses, (0, 2)))
    for car in (one, two):
        m.prismatic(f"track of {car.name}", m.ground, car, along=(1, 0))
    m.spring("coupling", one, two, stiffness=k, free_length=2.0)
    m.measure("gap", "two.x - one.x")
    return m


def test_an_eigenfrequency_that_the_output_does_not_feel():
    """Two equal cars pushed alike swing as one: the gap does not move, at the eigenfrequency of the gap neither; 1/((m + m) s^2) for both."""
    m = cars(100.0, (1.0, 1.0))
    m.measure("middle", "0.5*(one.x + two.x)")
    made = da.linearize(m)
    omega = math.sqrt(2 * 100.0)
    assert made.modes[-1].omega == pytest.approx(omega, rel=1e-9)
    both = made.transfer("middle", "middle")
    # a force along the middle is shared by both cars: m x'' = F/2
    assert both.response(made.modes[-1].omega) == pytest.approx(-1 / (2.0 * omega**2), rel=1e-8)
    refused(da.SingularError, "is a pole", both.response, 0.0)
    # the gap under a force of its own: F/k at rest, although the cars together are free
    gap = made.transfer("gap", "gap")
    assert gap.response(0.0) == pytest.approx(1 / 100.0, rel=1e-8)
    refused(da.SingularError, "is a pole", gap.response, made.modes[-1].omega)


@pytest.mark.parametrize("k", [3.0, 3e4, 3e8, 3e16])
def test_free_motions_are_zero_and_named(k):
    """A pair that floats in space: one stretching mode k (1/m1 + 1/m2), all else free, beside springs of any stiffness."""
    m = da.Mechanism("pair", plane=False)
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3))
    b = m.body("b", mass=2.0, inertia=(0.3, 0.2, 0.1), at=(1.0, 0.7, 0.4))
    m.spring("s", a, b, stiffness=k, free_length=math.sqrt(1.65))
    made = da.linearize(m)
    omega = math.sqrt(1.5 * k)
    assert made.stable and [mode.free for mode in made.modes] == [True] * 22 + [False]
    assert made.modes[-1].omega == pytest.approx(omega, rel=1e-9)
    assert sum(x == 0.0 for x in made.eigenvalues) == 22
    # stated, and small beside the only frequency there is
    assert all(mode.resolution < 1e-6 * omega for mode in made.modes[:-1])
    text = str(made)
    assert "0–21" in text and "free: no stiffness holds this motion" in text and "e-0" not in text.splitlines()[2]


def test_stiffness_that_cancels_is_zero():
    """A bar that stands on a spring of exactly m g l/2: nothing is left; a millionth more or less holds it or not."""
    for part, stable in ((0.0, True), (1e-6, True), (-1e-6, False)):
        m = da.Mechanism("critical", plane=True, gravity=(0, -G))
        bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0, 0.5), angle=math.pi / 2)
        m.revolute("A", m.ground, bar, at=(0, 0))
        m.spring("k", m["A"].angle, stiffness=G * (1 + part), free_length=math.pi / 2)
        made = da.linearize(m)
        assert made.stable is stable and all(mode.free == (part == 0.0) for mode in made.modes)
        assert made.modes[-1].omega == pytest.approx(math.sqrt(1.5 * G * abs(part)), rel=1e-3)


def upright(k, spring_holds):
    """A bar that stands on its pin, beside a stiff spring: of a car of its own, or of the base that carries the pin."""
    m = da.Mechanism("upright", plane=True, gravity=(0, -G))
    base = m.body("base", mass=1.0, inertia=0.1)
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0, 0.5), angle=math.pi / 2)
    m.prismatic("track", m.ground, base, along=(1, 0))
    m.revolute("A", base if spring_holds else m.ground, bar, at=(0, 0))
    m.spring("stiff", m["track"].slide, stiffness=k)
    return da.linearize(m)


@pytest.mark.parametrize("k", [1e4, 1e12, 1e16])
def test_growth_beside_a_stiff_spring_elsewhere(k):
    """The spring is 1e8 times faster than the bar falls, s^2 = 3 g/(2 l), and has nothing to do with it."""
    made = upright(k, spring_holds=False)
    assert not made.stable
    assert made.eigenvalues.real.max() == pytest.approx(math.sqrt(1.5 * G), rel=1e-8)


def test_growth_beside_a_stiff_spring_that_holds_it():
    """On a base held by the spring: the same growth while it can be told; refused, not guessed, when rounding hides it."""
    for k in (1e6, 1e9, 1e12, 1e14):
        made = upright(k, spring_holds=True)
        assert not made.stable
        # the base gives way by part of g/k
        assert made.eigenvalues.real.max() == pytest.approx(math.sqrt(1.5 * G), rel=12.0 / k + 1e-11)
    made = upright(1e16, spring_holds=True)
    assert made.modes[0].free and made.modes[0].resolution > math.sqrt(1.5 * G)
    refused(da.SingularError, "stability of 'upright'", lambda: made.stable)


@pytest.mark.parametrize("formula", [False, True])
@pytest.mark.parametrize("k", [1e2, 1e4, 1e6])
def test_bar_that_rests_on_a_stop(k, formula):
    """Its stiffness is that of the stop, however little this is pressed in: k - m g l/2 sin(angle), inertia 1/3."""
    m = da.Mechanism("bar on a stop", gravity=(0, -G))
    rod = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, rod, at=(0, 0))
    if formula:
        m.torsion_spring("rest", m["A"], stiffness=0.0, torque=f"{k}*min(theta + 0.5, 0)")
    else:
        m.stop("rest", m["A"].angle, lower=-0.5, stiffness=k)
    resting, upright = da.equilibrium(m)
    assert (resting.verdict, upright.verdict) == ("stable", "unstable")
    angle = resting["A.angle"]
    assert k * (-0.5 - angle) == pytest.approx(0.5 * G * math.cos(angle), rel=1e-8)
    exact = 3 * (k - 0.5 * G * math.sin(angle))
    assert resting.eigenvalues == pytest.approx([exact], rel=1e-8)
    assert da.linearize(m, resting).modes[0].omega ** 2 == pytest.approx(exact, rel=1e-8)


def test_a_massless_motion_is_refused():
    m = da.Mechanism("massless")
    body = m.body("body", mass=0.0, inertia=0.0)
    m.revolute("A", m.ground, body, at=(0, 0))
    refused(da.SingularError, "without inertia", da.linearize, m)


def test_bars_with_data_of_a_table():
    """The bar of the machines: mass 10 kg, and the same frequency as its box."""
    assert bar(1.0, True)["mass"] == pytest.approx(10.0)
    m = da.Mechanism("box", gravity=(0, -G))
    body = m.body("bar", da.rectangle(1.0, 0.1, mass=10.0), at=(0, -0.5), angle=-math.pi / 2)
    m.revolute("A", m.ground, body, at=(0, 0))
    assert da.linearize(m).modes[0].omega ** 2 == pytest.approx(BAR, rel=1e-9)


def test_a_body_held_by_springs_alone_rests():
    """Without joints the springs balance the weight: the sum of all forces vanishes, and is no measure for what is left of it."""
    m = da.Mechanism("table", plane=False, gravity=(0, 0, -9.81))
    table = m.body("table", da.box(1.0, 0.6, 0.05, mass=10.0), at=(0, 0, 1.0))
    for k, (x, y) in enumerate([(0.4, 0.25), (-0.4, 0.25), (-0.4, -0.25), (0.4, -0.25)]):
        foot = m.ground.point(1.1 * x, 1.1 * y, 0)
        m.spring(f"leg {k}", foot, table.point(x, y, -0.025), stiffness=2000.0, free_length=1.1, damping=50.0)
    found = da.equilibrium(m)
    assert all(da.linearize(m, e).steady for e in found)
    assert not da.linearize(m).steady  # as drawn it is not at rest
