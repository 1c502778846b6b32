"""Rollers and knife edges: where they touch, what they carry, and motions that textbooks know in closed form.

Tolerances: runs at rtol = 1e-12 of motions of size 1 over some seconds are right to 1e-9; single evaluations to round-off.
"""

import numpy as np
import pytest

import dalembert as da

FINE = {"rtol": 1e-12, "atol": 1e-13}
RADIUS, TUBE = 0.4, 0.1


def tilted(roller, *, table=False, **options):
    """A body of revolution, tilted, with its mass centre off its axis, on the ground or on a table that moves."""
    m = da.Mechanism("roller", plane=False, gravity=(0, 0, -9.81))
    base = m.ground
    if table:
        base = m.body("table", mass=3.0, inertia=(0.4, 0.5, 0.8), at=(0.1, 0, 0))
        m.universal("gimbal", m.ground, base, at=(0, 0, -0.2), axes=("x", "y"))
    body = m.body(
        "body", mass=1.0, inertia=(0.02, 0.02, 0.03), center=(0.01, 0.02, 0.03), at=(0, 0, RADIUS), rotation=((1, 0, 0), -1.2)
    )  # fmt: skip
    if roller != "rolling_sphere":
        options["axis"] = body.axis(0, 0, 1)
    part = getattr(m, roller)("floor", base, body, **options)
    m.start(part.x, rate=1.0)
    m.start(part.y, rate=0.3)
    m.start(part.yaw, rate=0.7)
    return m


DISK = ("rolling_disk", {"radius": RADIUS})
TORUS = ("rolling_disk", {"radius": RADIUS, "tube": TUBE})
SPHERE = ("rolling_sphere", {"radius": RADIUS})
EGG = ("rolling_surface", {"meridian": "0.4*sqrt(1 - (z/0.6)**2)*(1 + 0.2*z)", "span": (-0.6, 0.6)})
ROLLERS = {"disk": DISK, "torus": TORUS, "sphere": SPHERE, "egg": EGG}


def surface(kind, n=721):
    """Points of the roller in its own axes."""
    around = np.linspace(0, 2 * np.pi, n)
    if kind == "egg":
        z = 0.6 * np.sin(np.linspace(-np.pi / 2, np.pi / 2, n))
        rim, height = 0.4 * np.sqrt(np.maximum(1 - (z / 0.6) ** 2, 0)) * (1 + 0.2 * z), z
    elif kind == "sphere":
        polar = np.linspace(0, np.pi, n)
        rim, height = RADIUS * np.sin(polar), RADIUS * np.cos(polar)
    else:
        tube = TUBE if kind == "torus" else 0.0
        polar = np.linspace(0, 2 * np.pi, n if tube else 2)
        rim, height = RADIUS - tube + tube * np.cos(polar), tube * np.sin(polar)
    x, y = np.cos(around)[:, None] * rim, np.sin(around)[:, None] * rim
    return np.stack([x.ravel(), y.ravel(), np.broadcast_to(height, x.shape).ravel()], axis=1)


@pytest.mark.parametrize("table", [False, True], ids=["ground", "moving table"])
@pytest.mark.parametrize("kind", ROLLERS)
def test_lowest_point_touches_and_does_not_slip(kind, table):
    roller, options = ROLLERS[kind]
    m = tilted(roller, table=table, **options)
    run = da.simulate(m, until=0.4, output=0.1)
    assert run.status == "ok", run.audit
    points = surface(kind)
    for k in range(len(run.t)):
        rotation = np.asarray(run["body"].rotation[k])
        centre = np.asarray(run["body"].position[k])
        turn, origin = (np.eye(3), np.zeros(3))
        if table:
            turn, origin = np.asarray(run["table"].rotation[k]), np.asarray(run["table"].position[k])
        place = (centre + points @ rotation.T - origin) @ turn
        contact = turn.T @ (np.asarray(run["floor"].contact[k]) - origin)
        # the plane is where it was at the start in the axes of the table, and no point of the roller is below it
        if k == 0:
            level = contact[2]
        assert contact[2] == pytest.approx(level, abs=1e-11)
        lowest = np.argmin(place[:, 2])
        # points of the sample are 0.01 apart; next to the lowest one the surface rises with the square of the distance
        assert place[lowest, 2] == pytest.approx(level, abs=1e-4)
        assert np.linalg.norm(place[lowest] - contact) < 0.02
        # velocities of both bodies at the contact
        at = np.asarray(run["floor"].contact[k])
        v = run["body"].velocity[k] + np.cross(run["body"].spin[k], at - centre)
        if table:
            v = v - run["table"].velocity[k] - np.cross(run["table"].spin[k], at - origin)
        assert v == pytest.approx([0, 0, 0], abs=1e-11)


@pytest.mark.parametrize("kind", ROLLERS)
def test_force_acts_at_the_contact(kind):
    roller, options = ROLLERS[kind]
    run = da.simulate(tilted(roller, **options), until=0.3, output=0.1)
    force, torque = np.asarray(run["floor"].force), np.asarray(run["floor"].torque)
    arm = np.asarray(run["floor"].contact - run["body"].position)
    # about the centre of the roller; forces of 10 N at 0.4 m
    assert torque == pytest.approx(np.cross(arm, force), abs=1e-11)
    normal, friction = run["floor"].normal, run["floor"].friction
    assert force == pytest.approx(np.asarray(friction) + np.asarray(normal)[:, None] * [0, 0, 1], abs=1e-11)


@pytest.mark.parametrize("one, two", [
    (TORUS, ("rolling_surface", {"meridian": "0.3 + sqrt(0.01 - z**2)", "span": (-0.1, 0.1)})),
    (SPHERE, ("rolling_surface", {"meridian": "sqrt(0.16 - z**2)", "span": (-0.4, 0.4)})),
], ids=["torus", "sphere"])  # fmt: skip
def test_surfaces_by_their_meridian(one, two):
    # the table of the support function is right to 1e-11, its second derivative, which the forces see, to 1e-5
    runs = [da.simulate(tilted(roller, **options), until=0.5, output=0.1, rtol=1e-10) for roller, options in (one, two)]
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-8)
    assert runs[1]["floor"].contact == pytest.approx(np.asarray(runs[0]["floor"].contact), abs=1e-7)
    assert runs[1]["floor"].force == pytest.approx(np.asarray(runs[0]["floor"].force), abs=1e-3)


def test_meridian_as_a_table():
    z = np.linspace(-0.08, 0.08, 33)
    table = list(zip(z, 0.3 + np.sqrt(0.01 - z**2)))
    runs = [
        da.simulate(tilted(*x[:1], **x[1]), until=0.3, output=0.1)
        for x in (TORUS, ("rolling_surface", {"meridian": table}))
    ]
    # a cubic spline through 33 points: height to 1e-7
    assert runs[1]["body"].position == pytest.approx(np.asarray(runs[0]["body"].position), abs=1e-4)


def test_tube_of_the_whole_radius_is_a_sphere():
    runs = [da.simulate(tilted(*x[:1], **x[1]), until=0.5, output=0.1, **FINE) for x in (SPHERE, ("rolling_disk", {"radius": RADIUS, "tube": RADIUS}))]  # fmt: skip
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-11)


def test_sphere_down_a_slope():
    # a = (5/7) g sin(slope) for a homogeneous sphere; friction (2/7) m g sin(slope)
    slope, g = 0.3, 9.81
    m = da.Mechanism("ball", plane=False, gravity=(g * np.sin(slope), 0, -g * np.cos(slope)))
    ball = m.body("ball", mass=2.0, inertia=(0.4 * 2.0 * 0.01,) * 3, at=(0, 0, 0.1))
    m.rolling_sphere("slope", m.ground, ball, radius=0.1)
    run = da.simulate(m, until=1.0, output=0.5, **FINE)
    assert run["ball"].position[-1] == pytest.approx([0.5 * 5 / 7 * g * np.sin(slope), 0, 0.1], abs=1e-10)
    assert run["slope"].friction[-1] == pytest.approx([-2 / 7 * 2.0 * g * np.sin(slope), 0, 0], abs=1e-10)
    assert run["slope"].normal[-1] == pytest.approx(2.0 * g * np.cos(slope), rel=1e-12)


def test_ball_on_a_turntable_runs_on_a_circle():
    # homogeneous ball: v' = (2/7) Omega x v, a circle at two sevenths of the rate of the table, wherever the table's axis is
    # (E. A. Milne, Vectorial Mechanics, 1948); it is at rest in space where v = 0
    rate, mass, radius = 3.0, 0.5, 0.05
    m = da.Mechanism("turntable", plane=False, gravity=(0, 0, -9.81))
    table = m.body("table", mass=5.0, inertia=(0.5, 0.5, 1.0), at=(0, 0, -0.1))
    m.revolute("axle", m.ground, table, at=(0, 0, 0), axis="z")
    m.drive("motor", m["axle"].angle, f"{rate}*t")
    ball = m.body(
        "ball", mass=mass, inertia=(0.4 * mass * radius**2,) * 3, at=(0.3, 0, radius), velocity=(0.2, 0.1, 0), spin=None
    )
    m.rolling_sphere("contact", table, ball, radius=radius, normal="z", through=(0, 0, 0))
    m.start("contact.yaw", rate=-rate)  # it does not turn about the vertical
    run = da.simulate(m, until=2.0, output=0.1, **FINE)
    angle = 2 / 7 * rate * run.t
    turned = np.column_stack([0.2 * np.cos(angle) - 0.1 * np.sin(angle), 0.2 * np.sin(angle) + 0.1 * np.cos(angle)])
    assert run["ball"].velocity[:, :2] == pytest.approx(turned, abs=1e-10)
    assert run["contact"].normal == pytest.approx(np.full(21, mass * 9.81), abs=1e-10)


def test_disk_on_a_line_in_the_plane():
    # down a slope: a = (2/3) g sin(slope), and it turns by x / r
    slope, g = 0.4, 9.81
    m = da.Mechanism("disk", plane=True, gravity=(g * np.sin(slope), -g * np.cos(slope)))
    disk = m.body("disk", mass=3.0, inertia=0.5 * 3.0 * 0.2**2, at=(0, 0.2))
    m.rolling_on_line("slope", m.ground, disk, radius=0.2, through=(0, 0))
    run = da.simulate(m, until=1.0, output=0.5, **FINE)
    x = 0.5 * 2 / 3 * g * np.sin(slope)
    assert run["slope"].x[-1] == pytest.approx(x, abs=1e-10)
    assert run["disk"].angle[-1] == pytest.approx(-x / 0.2, abs=1e-9)
    assert run["slope"].normal[-1] == pytest.approx(3.0 * g * np.cos(slope), rel=1e-12)
    assert run["slope"].friction[-1] == pytest.approx([-3.0 * g * np.sin(slope) / 3, 0], abs=1e-10)
    assert run["slope"].contact[-1] == pytest.approx([x, 0], abs=1e-10)


def test_plane_through_a_point_of_a_sloppy_drawing():
    # drawn too high: it is assembled onto the plane given, or the plane is put where the drawing is
    for through, height in (((0, 0, 0), 0.1), (None, 0.13)):
        m = da.Mechanism("ball", plane=False)
        ball = m.body("ball", mass=2.0, inertia=(0.008,) * 3, at=(0, 0, 0.13))
        m.rolling_sphere("floor", m.ground, ball, radius=0.1, through=through)
        assert da.assemble(m).state.q[2] == pytest.approx(height, abs=1e-12)


def test_initial_positions_do_not_roll_there():
    # values of a start say where bodies are; conditions on velocities do not restrict them
    m = da.Mechanism("sleigh", plane=True)
    body = m.body("sleigh", mass=1.0, inertia=0.1)
    m.knife_edge("blade", m.ground, body, along=(1, 0))
    for measure, value in ((body.x, 0.3), (body.y, 0.7), (body.angle, 0.5)):
        m.start(measure, value=value)
    assert da.assemble(m).state.q == pytest.approx([0.3, 0.7, 0.5], abs=1e-12)
    run = da.simulate(m, until=0.1)
    assert run.q[0] == pytest.approx([0.3, 0.7, 0.5], abs=1e-12)


def test_moving_belt_does_work():
    # a row with a velocity of its own: the belt takes the block along, and its power is in the first law
    m = da.Mechanism("belt", plane=True)
    block = m.body("block", mass=2.0, inertia=0.1)
    m.pfaffian("belt", "rate(block.x) - 0.5*t", unit="m")
    m.absolute_y("guide", block)
    m.start(block.x, rate=0.0)
    run = da.simulate(m, until=2.0, output=1.0, **FINE)
    assert run.status == "ok", run.audit
    assert run["block"].position[-1] == pytest.approx([1.0, 0.0], abs=1e-11)
    assert run["belt"].power[-1] == pytest.approx(2.0 * 0.5 * 1.0, abs=1e-10)
    assert np.ptp(run.energy.kinetic - 0.5 * 2.0 * (0.5 * run.t) ** 2) < 1e-11


def test_steered_wheel():
    # a tricycle from above: rear axle (two wheels), steered front wheel; the turning circle is base / tan(steer)
    m = da.Mechanism("tricycle", plane=True)
    frame = m.body("frame", mass=10.0, inertia=1.0, at=(0.5, 0))
    fork = m.body("fork", mass=1.0, inertia=0.01, at=(1, 0))
    m.revolute("head", frame, fork, at=(1, 0))
    m.drive("bar", m["head"].angle, 0.3)
    m.knife_edge("rear", m.ground, frame, at=frame.point(-0.5, 0), along=frame.axis(1, 0))
    m.knife_edge("front", m.ground, fork, at=fork.point(0, 0), along=fork.axis(1, 0))
    m.start(m["rear"].speed, rate=2.0)
    run = da.simulate(m, until=3.0, output=0.5, **FINE)
    assert run["frame"].spin == pytest.approx(np.full(7, 2.0 * np.tan(0.3)), abs=1e-10)
    assert run["rear"].speed == pytest.approx(np.full(7, 2.0), abs=1e-10)
    assert run["front"].speed == pytest.approx(np.full(7, 2.0 / np.cos(0.3)), abs=1e-10)


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
def test_blade_on_a_body_that_moves(plane):
    # no velocity across the blade against the material of the moving body below it
    m = da.Mechanism("on a raft", plane=plane, gravity=(1, -2) if plane else (1, -2, -9.81))
    n = 2 if plane else 3
    inertia = 0.4 if plane else (0.3, 0.5, 0.4)
    raft = m.body("raft", mass=2.0, inertia=inertia, center=(0.2, -0.1, 0)[:n], at=(0.1, 0.3, 0)[:n])
    sleigh = m.body("sleigh", mass=1.0, inertia=inertia, center=(0.1, 0, 0)[:n], at=(0.5, 0.2, 0)[:n])
    options = {} if plane else {"normal": (0.1, 0.2, 1.0)}
    m.knife_edge("blade", raft, sleigh, at=(0.7, 0.4, 0)[:n], along=(0.8, 0.6, -0.2)[:n], **options)
    m.start(m["blade"].speed, rate=1.0)
    m.start("raft.x", rate=0.4)
    if plane:
        m.start("raft.angle", rate=0.7)
        m.start("sleigh.angle", rate=-1.2)
    run = da.simulate(m, until=1.0, output=0.1)
    assert run.status == "ok", run.audit
    full = lambda x: np.column_stack([x, np.zeros(len(x))]) if plane else np.asarray(x)  # noqa: E731
    spin = lambda x: np.column_stack([np.zeros((len(x), 2)), x]) if plane else np.asarray(x)  # noqa: E731
    blade = run.marker(m["blade"], sleigh)
    at = run["sleigh"].point(sleigh.point(0.2, 0.2) if plane else sleigh.point(0.2, 0.2, 0.0))
    place = full(at.position)
    below = full(run["raft"].velocity) + np.cross(spin(run["raft"].spin), place - full(run["raft"].position))
    slip = full(at.velocity) - below
    axes = run.kinematics(sleigh).rotation @ blade.axes
    assert np.einsum("ti,ti->t", slip, axes[:, :, 1]) == pytest.approx(np.zeros(11), abs=1e-12)
    assert np.einsum("ti,ti->t", slip, axes[:, :, 0]) == pytest.approx(np.asarray(run["blade"].speed), abs=1e-12)


def test_results_are_saved_and_read(tmp_path):
    run = da.simulate(tilted(*TORUS[:1], **TORUS[1]), until=0.2, output=0.1)
    run.save(tmp_path / "run.npz")
    again = da.load(tmp_path / "run.npz")
    for what in ("contact", "normal", "friction", "force", "tilt", "yaw", "roll"):
        assert getattr(again["floor"], what) == pytest.approx(np.asarray(getattr(run["floor"], what)), abs=0.0)
    assert again["floor"].on("ground").friction == pytest.approx(-np.asarray(run["floor"].friction), abs=1e-12)


def test_ellipsoid_by_its_height_and_by_its_meridian():
    # H = sqrt(a^2 (1 - d^2) + b^2 d^2) exactly; as a meridian to the accuracy of its table
    exact = ("rolling_surface", {"height": "sqrt(0.16*(1 - d**2) + 0.36*d**2)"})
    table = ("rolling_surface", {"meridian": "0.4*sqrt(1 - (z/0.6)**2)", "span": (-0.6, 0.6)})
    runs = [
        da.simulate(tilted(roller, **options), until=0.5, output=0.1, rtol=1e-10) for roller, options in (exact, table)
    ]
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-8)
    assert runs[1]["floor"].contact == pytest.approx(np.asarray(runs[0]["floor"].contact), abs=1e-7)


def test_height_of_a_disk_as_an_expression():
    same = ("rolling_surface", {"height": "0.4*sqrt(1 - d**2)"})
    runs = [da.simulate(tilted(roller, **options), until=0.5, output=0.1, **FINE) for roller, options in (DISK, same)]
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-11)
    assert runs[1]["floor"].contact == pytest.approx(np.asarray(runs[0]["floor"].contact), abs=1e-11)


def test_tippe_top_is_a_sphere_off_its_centre():
    # the plane is 0.4 from the centre of the sphere, which lies 0.05 along the axis from the point given
    exact = ("rolling_surface", {"height": "0.4 - 0.05*d"})
    m = tilted(*exact[:1], **exact[1])
    run = da.simulate(m, until=0.5, output=0.1)
    centre = run["body"].position + 0.05 * np.asarray(run["body"].rotation)[:, :, 2]
    assert run["floor"].contact == pytest.approx(np.asarray(centre) - [0, 0, 0.4], abs=1e-12)
