"""Contacts in files, on the command line, on pages and in saved results; mistakes in four parts."""

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.main import main
from dalembert.pictures.drawing import read
from dalembert.pictures.quantities import gather
from dalembert.viewer.page import page_data

FILE = """
format = 1
name = "ball and crate"
gravity = [0, -9.81]
[bodies.ball]
shape = { disk = { radius = "10 cm", mass = 1 } }
at = [0, 1]
[bodies.crate]
shape = { block = { width = 0.4, height = 0.2, mass = 2 } }
at = [1, 0.3]
angle = "0.2 rad"
[forces.floor]
type = "contact"
between = ["ground", "ball"]
restitution = 0.5
[forces.corners]
type = "contact"
between = ["ground", "crate"]
hypothesis = "poisson"
[forces.soft]
type = "contact"
between = ["ground", "crate"]
through = [0, -0.5]
points = [{ body = "crate", point = [0, -0.1] }]
radius = "20 mm"
young = "2 MPa"
poisson = 0.4
[simulate]
until = 1.0
"""


def test_a_file_and_back(tmp_path):
    path = tmp_path / "ball.toml"
    path.write_text(FILE)
    m = da.read_model(path)
    assert set(m.impacts) == {
        "floor",
        *(f"corners.{c}" for c in ("bottom_left", "bottom_right", "top_right", "top_left")),
    }
    # 4/3 E* sqrt(r), E* = E/(2 (1 - nu^2))
    assert m.value(m["soft"].stiffness) == pytest.approx(4 / 3 * 2e6 / (2 * 0.84) * 0.02**0.5, rel=1e-14)
    again = tmp_path / "again.toml"
    da.write_model(m, again)
    runs = [da.simulate(da.read_model(p), until=1.0) for p in (path, again)]
    assert np.array_equal(runs[0].q, runs[1].q) and [x.text for x in runs[0].events] == [x.text for x in runs[1].events]
    saved = tmp_path / "run.npz"
    runs[0].save(saved)
    assert len(da.load(saved).events) == len(runs[0].events) > 3


def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "ball.toml"
    path.write_text(FILE)
    with pytest.raises(SystemExit) as left:
        main(["run", str(path), "--no-files"])
    told = capsys.readouterr().out
    assert left.value.code == 0 and "floor: impact" in told and "audit: passed" in told


def test_equations_of_a_compliant_contact():
    """Symbols and independent formulations see the same law."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -9.81))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.3, 0.08), velocity=(0.1, -0.2), spin=1.0)
    m.contact("floor", m.ground, ball, normal=(0.1, 1.0), stiffness=1e4, damping=0.5)
    assert "all ways agree" in str(da.verify(m))


def body_in(plane=True, shape=None, **options):
    m = da.Mechanism("m", plane=plane)
    body = m.body("body", shape or da.disk(0.1, mass=1.0), at=(0, 1) if plane else (0, 0, 1), **options)
    return m, body


def lump(m):
    return m.body("lump", mass=1.0, inertia=1.0, at=(2, 2))


MISTAKES = {
    "no radius": (lambda m, b: m.contact("c", m.ground, lump(m)), "give radius="),
    "the same body": (lambda m, b: m.contact("c", b, b), "name the other body"),
    "ground touches": (lambda m, b: m.contact("c", b, m.ground), "the ground"),
    "restitution": (lambda m, b: m.contact("c", m.ground, b, restitution=1.5), "from 0 to 1"),
    "hypothesis": (lambda m, b: m.contact("c", m.ground, b, hypothesis="hertz"), "'newton' or 'poisson'"),
    "negative radius": (lambda m, b: m.contact("c", m.ground, b, radius=-1.0), "radius"),
    "both stiffnesses": (lambda m, b: m.contact("c", m.ground, b, stiffness=1e3, young=1e9), "give stiffness="),
    "damping alone": (lambda m, b: m.contact("c", m.ground, b, damping=0.1), "give stiffness="),
    "no speed": (lambda m, b: m.contact("c", m.ground, b, stiffness=1e3, restitution=0.5), "speed"),
    "plastic": (lambda m, b: m.contact("c", m.ground, b, stiffness=1e3, restitution=0.0, speed=1.0), "restitution"),
    "damping and e": (
        lambda m, b: m.contact("c", m.ground, b, stiffness=1e3, restitution=0.5, damping=1.0), "leave one",
    ),
    "poisson": (lambda m, b: m.contact("c", m.ground, b, young=1e9, poisson=0.6), "at most 0.5"),
    "exponent": (lambda m, b: m.contact("c", m.ground, b, stiffness=1e3, exponent=0.5), "give 1"),
    "exponent of a rigid one": (lambda m, b: m.contact("c", m.ground, b, exponent=1.0), "give stiffness="),
    "exponent of Hertz": (lambda m, b: m.contact("c", m.ground, b, young=1e9, exponent=1.0), "Hertz' law has 3/2"),
    "poisson alone": (lambda m, b: m.contact("c", m.ground, b, poisson=(0.3, 0.4)), "give young="),
    "poisson and stiffness": (lambda m, b: m.contact("c", m.ground, b, stiffness=1e3, poisson=0.4), "give young="),
    "soft impacts": (lambda m, b: m.contact("c", m.ground, b, stiffness=1e3, hypothesis="poisson"), "no impacts"),
    "hertz of corners": (
        lambda m, b: m.contact("c", m.ground, b, points=[b.point(0, 0)], young=1e9), "no radius of curvature",
    ),
    "rough ball": (lambda m, b: m.contact("c", m.ground, b, rough=True), "rolls"),
    "rough and soft": (
        lambda m, b: m.contact("c", m.ground, b, points=[b.point(0, 0)], rough=True, stiffness=1.0), "rigid",
    ),
    "inside a plane": (lambda m, b: m.contact("c", m.ground, b, inside=True), "inside"),
    "too large": (lambda m, b: m.contact("c", m.ground, b, radii=(0.1, 0.2), inside=True), "R > r"),
    "radii and radius": (lambda m, b: m.contact("c", m.ground, b, radii=(1, 2), radius=1), "leave one"),
    "points": (lambda m, b: m.contact("c", m.ground, b, points=3), "list of points"),
    "axis in the plane": (lambda m, b: m.contact("c", m.ground, b, radius=0.1, axis=(0, 1)), "leave it out"),
    "corners on a ball": (
        lambda m, b: m.contact("c", b, m.body("k", da.block(1, 1, mass=1.0), at=(3, 3))), "both are balls",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes(what):
    call, text = MISTAKES[what]
    m, body = body_in()
    with pytest.raises(da.ModelError) as refused:
        call(m, body)
    error = refused.value
    assert all((error.asked, error.found, error.why, error.do)) and text in str(error)
    assert "c" not in m and not m.impacts


def test_a_rim_that_lies_flat_is_refused():
    m = da.Mechanism("tin", plane=False)
    tin = m.body("tin", da.cylinder(0.1, 0.2, mass=1.0), at=(0, 0, 0.1))
    with pytest.raises(da.ModelError, match="whole circle"):
        m.contact("floor", m.ground, tin)
    # on three points of the rim it stands
    m.contact(
        "floor",
        m.ground,
        tin,
        points=[tin.point(0.1, 0, -0.1), tin.point(-0.05, 0.08, -0.1), tin.point(-0.05, -0.08, -0.1)],
    )
    m.gravity = (0, 0, -9.81)
    run = da.simulate(m, until=0.2)
    assert run["floor"].normal == pytest.approx(9.81) and run.status == "ok"


def test_bodies_that_overlap_at_the_start():
    m, ball = body_in()
    m.contact("c", m.ground, ball, through=(0, 0.95))
    with pytest.raises(da.MethodError, match="do not overlap") as refused:
        da.simulate(m, until=0.1)
    assert "gap of 'c' is -0.05" in refused.value.found


def test_a_label_that_is_none():
    m = da.Mechanism("block", gravity=(0, -9.81))
    m.contact("c", m.ground, m.body("block", da.block(0.4, 0.2, mass=1.0), at=(0, 0.1)))
    run = da.simulate(m, until=0.1)
    with pytest.raises(da.ModelError, match="bottom_left"):
        run["c"].of("botom_left")
    assert run["c"].of("bottom_left").force[-1][1] + run["c"].of("bottom_right").force[-1][1] == pytest.approx(9.81)
    assert m["c.bottom_left"] is m["c"].gaps["bottom_left"] and run["c.bottom_left"][-1] == pytest.approx(
        0.0, abs=1e-12
    )


def test_pictures_and_pages_show_the_force():
    """A ball at rest: one arrow up, as long as its weight says; the page has the force by name."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -9.81))
    ball = m.body("ball", da.disk(0.1, mass=2.0), at=(0, 0.1))
    m.contact("floor", m.ground, ball)
    run = da.simulate(m, until=0.1)
    (mark,) = page_data(run)["scene"]["marks"]
    assert mark["name"] == "floor" and "force" in mark
    subject = read("draw", run, None)
    (arrows,) = gather("draw", subject, subject.panels[0].pose, {"reactions": None})
    assert arrows.vectors == pytest.approx(np.array([[0.0, 2 * 9.81]]), abs=1e-9)


def test_events_take_away_compliant_contacts():
    """The soft floor is taken away at 0.5 s, and the ball falls from rest there."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -9.81))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.1 - 9.81e-4))
    m.contact("soft", m.ground, ball, stiffness=1e4, exponent=1.0)
    m.contact("hard", m.ground, ball, through=(0, -5))
    m.event("gone", "t", level=0.5, release="soft")
    run = da.simulate(m, until=1.0)
    assert run["ball"].position[-1, 1] == pytest.approx(0.1 - 9.81e-4 - 9.81 / 8, abs=1e-9)
    assert run["soft"].normal[0] == pytest.approx(9.81) and run["soft"].closed[-1] == 0.0


@pytest.mark.parametrize("mu", [None, 0.4])
def test_events_take_away_and_add_rigid_contacts(mu):
    """A trapdoor opens under a crate at rest at 0.2 s; a net, spread at 0.4 s, catches it lower down."""
    m = da.Mechanism("trapdoor", plane=True, gravity=(0, -9.81))
    crate = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1))
    m.contact("door", m.ground, crate, mu=mu)
    m.contact("net", m.ground, crate, through=(0, -1), mu=mu)
    m.open("net")
    m.event("opens", "t", level=0.2, release="door")
    m.event("spread", "t", level=0.4, add="net")
    run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
    assert run["door"].force[0, 1] == pytest.approx(2 * 9.81) and run["door"].force[-1, 1] == 0.0
    assert run.at(0.35).q[1] == pytest.approx(0.1 - 0.5 * 9.81 * 0.15**2, abs=1e-10)
    (hit,) = run.events.of("impact")
    assert hit.t == pytest.approx(0.2 + np.sqrt(2 / 9.81), abs=1e-10)
    assert run["crate"].position[-1] == pytest.approx([0, -0.9], abs=1e-10)
    assert run["net"].force[-1, 1] == pytest.approx(2 * 9.81)
    assert not run.audit.failures and run.work.error < 1e-9


def test_a_contact_is_added_where_nothing_overlaps():
    m = da.Mechanism("late", plane=True, gravity=(0, -9.81))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.2))
    m.contact("floor", m.ground, ball)
    m.open("floor")
    m.event("too late", "t", level=0.5, add="floor")
    with pytest.raises(da.MethodError, match="overlap"):
        da.simulate(m, until=1.0)


def test_events_take_away_stops_of_lagrangian_systems():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="9.81*y")
    m.impact("floor", "y")
    m.event("gone", "t", level=0.5, release="floor")
    run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
    assert run.q[-1, 0] == pytest.approx(-9.81 / 8, abs=1e-9)


def test_reactions_of_a_box_on_four_corners_in_space():
    """Its corners are dependent, their sum is not: weight and push, and the moment of the push about the first corner."""
    m = da.Mechanism("box", plane=False, gravity=(0, 0, -9.81))
    box = m.body("box", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1))
    m.contact("floor", m.ground, box)
    m.force("push", box, (0, 0, -10.0), at=box.point(0.1, 0.05, 0))
    found = da.reactions(m)
    assert found.dependent == 1 and found.not_unique == ()
    assert found["floor"].force == pytest.approx([0, 0, 10.0 + 2.0 * 9.81])
    weight = 2.0 * 9.81
    torque = [10.0 * 0.2 + weight * 0.15, -10.0 * 0.3 - weight * 0.2, 0]  # against both, about the corner (-0.2, -0.15)
    assert found["floor"].torque == pytest.approx(torque)
    assert "every reaction is unique; how the gaps of a contact share it is not" in str(found)


def test_a_ball_that_sticks_beside_a_box_on_four_corners():
    """Both in one model: rows of friction that sticks, and dependent rows of corners."""
    m = da.Mechanism("both", plane=False, gravity=(0, 0, -9.81))
    ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 1, 0.1), velocity=(1.0, 0, 0))
    box = m.body("box", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1))
    m.contact("lane", m.ground, ball, mu=0.2)
    m.contact("floor", m.ground, box)
    run = da.simulate(m, until=0.5)
    assert run.events[0].t == pytest.approx(2.0 / 7.0 / (0.2 * 9.81))  # it rolls at 5/7 of its speed
    assert run["floor"].force[-1] == pytest.approx([0, 0, 2.0 * 9.81])
    assert da.reactions(m, state=run.at(0.4))["lane"].force == pytest.approx([0, 0, 9.81])
