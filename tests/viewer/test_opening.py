"""What a page opens with: first plots, what is rounding, axes that can be read, lists that fit, shapes of modes."""

import json
import math

import numpy as np
import pytest
from scipy.linalg import eigh

import dalembert as da
from dalembert.viewer.packing import packed
from dalembert.viewer.page import page, page_data, written

from .machines import engine
from .test_page import quantity
from .test_subjects import double


def names(data, plot):
    return [data["quantities"][k]["name"] for k in data["first"][plot]]


# -- first plots and rounding ------------------------------------------------------------------------------------------


def test_the_effort_of_a_motor_is_among_the_first_plots():
    m = engine()
    m.drive("turn", m["O"].angle, "4*pi*t")
    run = da.simulate(m, until=0.1)
    data = page_data(run)
    assert [names(data, k) for k in range(4)] == [
        ["O.angle", "A.angle"],
        ["turn.effort"],
        ["O.force"],
        ["kinetic", "potential", "total"],
    ]
    # without a driver, a torque that changes in time; a constant one says nothing
    assert all("effort" not in name for k in range(3) for name in names(page_data(da.simulate(engine(), until=0.1)), k))
    m = engine()
    m.torque("starter", m["crank"], "1 - 2*t")
    assert names(page_data(da.simulate(m, until=0.1)), 1) == ["starter.effort"]


def falling():
    """Two rods in one line, pinned to each other, fall without turning: the pin carries nothing."""
    m = da.Mechanism("falling", plane=True, gravity=(0, -9.81))
    a, b = m.body("a", da.rod(0.7, mass=1.3), at=(0.35, 0)), m.body("b", da.rod(0.9, mass=2.1), at=(1.15, 0))
    m.revolute("A", a, b, at=(0.7, 0))
    m.start("a.x", rate=1.1)
    m.start("a.angle", 0.4, rate=0.0)
    m.start("A.angle", 0.0, rate=0.0)
    return m


def test_rounding_is_no_plot():
    run = da.simulate(falling(), until=0.5)
    data = page_data(run)
    _, about = quantity(data, "A.force")
    # weight 2.1 * 9.81 N and as much inertia
    assert about["zero"] == pytest.approx([1e-9 * 2 * 2.1 * 9.81])
    assert np.max(np.abs(run["A"].force)) < about["zero"][0]
    assert all("force" not in name for plot in data["first"] for name in [data["quantities"][k]["name"] for k in plot])
    # what matters is far above its level; errors, which have no unit, have none but their own
    for name in ("a.position", "kinetic"):
        values, about = quantity(data, name)
        assert np.max(np.abs(values)) > 1e6 * about["zero"][0] > 0.0
    values, about = quantity(data, "constraints.position error")
    assert about["zero"][0] <= 1e-9 * np.max(np.abs(values), initial=1e-300) + 1e-300


def test_rounding_of_lagrangian_coordinates():
    m = da.Lagrangian("x y", "(rate(x)**2 + rate(y)**2)/2", "(x**2 + y**2)/2")
    m.start("x", 1.0)
    m.start("y", 1e-14)
    data = page_data(da.simulate(m, until=1.0))
    assert names(data, 0) == ["x"]


def test_a_crank_that_turns_on_does_not_flatten_what_moves():
    """A piston of centimetres beside many turns of its crank, in radians and metres: the piston comes first."""
    m = engine()
    m.drive("turn", m["O"].angle, "40*pi*t")
    data = page_data(da.simulate(m, until=1.0))
    first = [quantity(data, name) for name in names(data, 0)]
    assert not any(about["what"].startswith("O.") for _, about in first[:1])
    # each goes there and back
    steps = np.diff(first[0][0][:, 0])
    assert min(steps[steps > 0].sum(), -steps[steps < 0].sum()) > 0.02 * np.abs(steps).sum()


def test_what_never_changes_is_no_first_plot():
    m = da.Lagrangian("x y", "(rate(x)**2 + rate(y)**2)/2", "y**2/2")
    m.start("x", 3.0)
    m.start("y", 0.0, rate=2.0)
    assert names(page_data(da.simulate(m, until=0.5)), 0) == ["y"]


def test_energies_that_are_rounding_are_no_plot():
    """A linkage that a spring holds at rest where it starts: what it has of energy is left of rounding."""
    m = da.Mechanism("rest", plane=True)
    block = m.body("block", mass=2.0, inertia=0.1, at=(0.0, 0.0))
    m.prismatic("G", m.ground, block, at=(0, 0), along=(1, 0))
    m.start("G.slide", 0.0, rate=1e-14)
    m.spring("k", m.ground.point(-1, 0), block.point(0, 0), stiffness=100.0, free_length=1.0)
    m.force("push", block, (5.0, 0.0))
    m.force("pull", block, (-5.0, 0.0))
    data = page_data(da.simulate(m, until=0.2))
    assert all("kinetic" not in names(data, k) for k in range(len(data["first"])))


# -- shapes of modes ---------------------------------------------------------------------------------------------------


def read(rows):
    return {row[0]: float(row[1].replace("−", "-")) for row in rows}


def test_modes_show_their_shape():
    """Two equal rods: M = m l² [[4/3, 1/2], [1/2, 1/3]], K = m g l diag(3/2, 1/2) in the angles of the rods."""
    m = double()
    modes = da.linearize(m, da.equilibrium(m)[0])
    data = page_data(modes)
    details = data["listing"]["details"]
    _, vectors = eigh(9.81 * np.diag([1.5, 0.5]), np.array([[4 / 3, 1 / 2], [1 / 2, 1 / 3]]))
    for rows, x in zip(details["rows"], vectors.T):
        found = read(rows)
        # A.angle is the angle of the upper rod, B.angle that of the lower one from the upper one
        expected = np.array([x[0], x[1] - x[0]])
        expected = expected / expected[np.argmax(np.abs(expected))]
        assert [found["A.angle"], found["B.angle"]] == pytest.approx(list(expected), rel=1e-4)
        assert len(rows[0]) == 3, "signs, no phases"
    # what is plotted are changes from rest: zero mean, as large as the amplitude asked for
    for k, windows in enumerate(data["listing"]["windows"]):
        values, about = quantity(data, "Δ A.angle")
        first, last = windows[0]
        assert about["unit"] == "rad" and abs(np.mean(values[first : last + 1])) < 1e-3
        shape = read(details["rows"][k])
        assert values[first, 0] / quantity(data, "Δ B.angle")[0][first, 0] == pytest.approx(
            shape["A.angle"] / shape["B.angle"], rel=0.01
        )
    assert names(data, 0) == ["Δ A.angle", "Δ B.angle"]


def test_shapes_of_lagrangian_systems_and_phases():
    """A damper on one of two masses: the coordinates do not pass through zero together."""
    m = da.Lagrangian(
        "x y", "(rate(x)**2 + rate(y)**2)/2", "(x**2 + (y - x)**2)/2", dissipation="rate(x)**2/10", name="two masses"
    )
    modes = da.linearize(m)
    details = page_data(modes)["listing"]["details"]
    assert details["head"] == ["coordinate", "amplitude", "", "phase [°]"]
    for mode, rows in zip(modes.modes, details["rows"]):
        s = mode.eigenvalue
        # first row of the equations: (s² + s/5 + 2) x = y
        ratio = s * s + s / 5 + 2
        x, y = (float(r[1]) * np.exp(1j * math.radians(float(r[3].replace("−", "-")))) for r in rows)
        assert y / x == pytest.approx(ratio, abs=2e-3)


# -- axes and lists in a browser ---------------------------------------------------------------------------------------

# what every canvas says since it was cleared last, with its box
HEARD = """
window.heard = new Map();
const fill = CanvasRenderingContext2D.prototype.fillText, clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...args) { window.heard.set(this.canvas, []); return clear.apply(this, args); };
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const w = this.measureText(text).width, left = { left: x, right: x - w, center: x - w / 2 }[this.textAlign] ?? x;
  if (text) (window.heard.get(this.canvas) || []).push({ text, left, right: left + w, y });
  return fill.call(this, text, x, y);
};
"""
SAID = "() => [...document.querySelectorAll('.plot canvas')].map((c) => window.heard.get(c))"


def synthetic():
    """Quantities that are hard on axes."""
    t = np.linspace(0.0, 2.0, 41)
    wave = np.sin(3.0 * t)
    made = {
        "skew": ("m", -0.4 + 4.5 * wave, 1e-9),
        "rounding": ("N", 3e-12 * wave, 1e-8),
        "offset": ("m", 1000.002 + 0.02 * wave, 1e-6),
        "top": ("N m", 30.0 * t / 2.0, 1e-9),
        "speed": ("rad/s", 1.0 + wave, 1e-9),
        "small": ("J", 2e-7 * wave, 1e-20),
        "large": ("W", 3e7 * wave, 1e-9),
    }
    data = page_data(da.simulate(double(), until=0.1))
    data |= {"t": packed(t), "scene": None, "loads": [], "sheets": [], "outputs": len(t)}
    data["quantities"] = [
        {"part": "", "what": n, "group": "g", "name": n, "unit": u, "axes": [], "zero": [z], "values": [packed(v)]}
        for n, (u, v, z) in made.items()
    ]
    data["first"] = [[0], [1], [2], [3, 4], [5], [6]]
    return data


@pytest.mark.parametrize("width", [1400, 390])
def test_axes_can_be_read(opened, width):
    tab = opened(written(synthetic()), width, init=HEARD)
    plots = tab.evaluate(SAID)
    assert len(plots) == 6
    for said in plots:
        # no text over another one: labels, units, the name of the axis
        for i, a in enumerate(said):
            for b in said[i + 1 :]:
                apart = a["right"] <= b["left"] or b["right"] <= a["left"] or abs(a["y"] - b["y"]) >= 10
                assert apart, (a, b)
        # at least three different labels on the left axis
        bottom = max(x["y"] for x in said)
        left = [x["text"] for x in said if 10 < x["y"] < bottom - 5 and x["left"] < 60]
        assert len(left) >= 3 and len(set(left)) == len(left), left
    skew, rounding, offset = ([x["text"] for x in said] for said in plots[:3])
    assert "0" in skew and "−4" in skew and "4" in skew
    # round-off is a flat line at zero, on a scale of ordinary size
    assert "−1" in rounding and "1" in rounding and not any("e−1" in x for x in rounding)
    assert tab.locator(".plot").nth(1).locator(".chip").inner_text().split("\n")[:2] == ["rounding", "= 0 N"]
    assert "1000.00" in offset and "1000.02" in offset


def test_bars_of_plots_keep_their_height_while_time_runs(opened):
    tab = opened(page(da.simulate(engine(), until=1.0, output=0.05)))
    look = "() => [...document.querySelectorAll('.plot')].map((p) => p.getBoundingClientRect().top)"
    found = set()
    for _ in range(20):
        tab.keyboard.press("ArrowRight")
        found.add(json.dumps(tab.evaluate(look)))
    assert len(found) == 1


@pytest.mark.parametrize(
    ("links", "word", "place"), [(2, "pin", ""), (4, "bearingoflink", "roomy"), (8, "bearingofthelowerlink", "below")]
)
def test_lists_of_equilibria_are_not_cut(opened, links, word, place):
    m = da.Mechanism("chain", plane=True, gravity=(0, -9.81))
    last = m.ground
    for k in range(links):
        bar = m.body(f"link{k}", da.rod(1.0, mass=1.0), at=(0, -0.5 - k), angle=-math.pi / 2)
        m.revolute(f"{word}{k}", last, bar, at=(0, -k))
        last = bar
    rest = da.equilibrium(m, start=da.assemble(m).state, starts=1)
    tab = opened(page(rest), 1400)
    box = "document.getElementById('listing').parentElement"
    assert tab.evaluate(f"{box}.scrollWidth <= {box}.clientWidth")
    assert tab.evaluate("document.querySelector('main').className.replace('still', '').trim()") == place
    # on a telephone the list scrolls by itself, the page does not
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.wait_for_function("() => document.documentElement.scrollWidth <= window.innerWidth")


def test_a_coordinate_that_repeats_another_is_not_among_the_first():
    m = da.Mechanism("press", plane=True)
    guide = m.prismatic("guide", m.ground, m.body("ram", mass=1.0, inertia=0.1), along=(1, 0))
    m.stop("wall", guide.slide, upper=1.0, stiffness=1e3)  # its value is the slide
    m.start(guide.slide, 0.0, rate=1.0)
    data = page_data(da.simulate(m, until=0.5))
    assert [data["quantities"][k]["name"] for k in data["first"][0]] == ["guide.slide"]


def test_gaps_of_contacts_are_not_among_the_first():
    m = da.Mechanism("crate", plane=True, gravity=(0, -9.81))
    m.contact("floor", m.ground, m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1)))
    data = page_data(da.simulate(m, until=0.5))
    assert [data["quantities"][k]["name"] for k in data["first"][0]] == ["crate.position"]
