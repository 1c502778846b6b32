"""The drawing in a real browser: arrows stay inside its frame, bodies can be hidden or seen through, names do not lie on each other, and the page fits on paper."""

import json
from pathlib import Path

import pytest

import dalembert as da
from dalembert.viewer.page import page

from .machines import door, engine
from .test_browser import COVERED, PICTURE, needs_bundle

# an arrow as large as it gets, and how it is drawn then: strokes that leave the frame
LONGEST = (
    """(name) => { const s = document.getElementById(name); s.value = s.max; s.dispatchEvent(new Event('input')); }"""
)
# arrows are watched where they are drawn, tips in pixels of the drawing
WATCH = """() => { window.tips = []; const old = CanvasRenderingContext2D.prototype.lineTo;
  CanvasRenderingContext2D.prototype.lineTo = function (x, y) { if (this.canvas.id === 'drawing') window.tips.push([x, y]); return old.call(this, x, y); }; }"""


@pytest.fixture(scope="module")
def flat():
    m = engine()
    m.force("push", m["piston"], (-2000.0, 0.0))
    return page(da.simulate(m, until=0.2, output=0.01))


@pytest.fixture(scope="module")
def space():
    m = door()
    m.force("wind", m["leaf"], (0, 30, 0), at=(1, 0, 1))
    return page(da.simulate(m, until=0.5, output=0.02))


def test_arrows_of_reactions_end_inside_the_frame(flat, opened):
    tab = opened(flat)
    tab.evaluate(LONGEST, "force-size")
    tab.evaluate(WATCH)
    tab.click("#forth")
    tips, (w, h) = (
        tab.evaluate("window.tips"),
        tab.evaluate(
            "(() => { const c = document.getElementById('drawing'); return [c.clientWidth, c.clientHeight]; })()"
        ),
    )
    assert len(tips) > 20
    assert all(-12 <= x <= w + 12 and -12 <= y <= h + 12 for x, y in tips)


@needs_bundle
def test_arrows_in_space_end_inside_the_frame(space, opened):
    """The rim of the drawing, as wide as a stroke, has no colour of an arrow, however long arrows are."""
    tab = opened(space)
    reds = """() => { const c = document.getElementById('drawing'), x = c.getContext('2d'), red = (l, t, w, h) => {
      const d = x.getImageData(l, t, w, h).data; let n = 0;
      for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 100 && d[i] > 120 && d[i] > 2 * d[i + 1];
      return n; };
      return [red(0, 0, c.width, 3) + red(0, c.height - 3, c.width, 3) + red(0, 0, 3, c.height) + red(c.width - 3, 0, 3, c.height), red(0, 0, c.width, c.height)]; }"""
    tab.evaluate(LONGEST, "force-size")
    rim, all_ = tab.evaluate(reds)
    assert all_ > 200
    assert rim == 0


@pytest.mark.parametrize("kind", ["flat", "space"])
def test_bodies_are_hidden_and_seen_through(kind, request, opened):
    text = request.getfixturevalue(kind)
    if kind == "space":
        m = door()
        m.body("lamp", da.sphere(0.2, mass=1.0), at=(2, 1, 1))
        text = page(da.simulate(m, until=0.2, output=0.02))
    tab = opened(text)
    tab.click("#looks summary")
    choices = tab.locator("#bodies label select")
    assert choices.count() >= 2
    before, covered = tab.evaluate(PICTURE), tab.evaluate(COVERED)
    choices.nth(0).select_option("seen through")
    assert tab.evaluate(PICTURE) != before
    assert tab.locator("#looks summary").text_content() == "bodies (1 not fully shown)"
    tab.locator("#bodies > select").select_option("hidden")
    assert tab.evaluate(COVERED) < covered
    # nothing that is hidden has a name
    tab.check("#names")
    names = {text for text, *_ in json.loads(tab.locator("#drawing").get_attribute("data-names"))}
    assert not names & {"crank", "rod", "piston", "leaf", "lamp"}
    tab.uncheck("#names")
    tab.locator("#bodies > select").select_option("shown")
    assert tab.locator("#looks summary").text_content() == "bodies"
    if kind == "flat":
        assert tab.evaluate(PICTURE) == before


def test_names_do_not_lie_on_each_other(opened):
    tab = opened(page(da.simulate(engine(), until=0.1, output=0.01)))
    tab.check("#names")
    read = lambda: json.loads(tab.locator("#drawing").get_attribute("data-names"))  # noqa: E731
    for _ in range(5):
        tab.click("#forth")
        boxes = read()
        assert len(boxes) >= 6
        for i, (_, a, b, c, d) in enumerate(boxes):
            assert not any(a < r and p < c and b < s and q < d for _, p, q, r, s in boxes[:i])
    # a name stays on its side while what it names moves a little
    here = {text: (x, y) for text, x, y, *_ in read()}
    tab.click("#forth")
    moved = [abs(x - here[text][0]) + abs(y - here[text][1]) for text, x, y, *_ in read()]
    assert sorted(moved)[len(moved) // 2] < 60


def test_the_page_fits_on_paper(flat, opened):
    tab = opened(flat, 1200, "dark")
    size = tab.evaluate("document.getElementById('drawing').width")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate("document.body.getBoundingClientRect().width") == pytest.approx(186 / 25.4 * 96, abs=1.0)
    # drawn again for the paper, white in a dark room too; nothing is wider than the paper, and what only works on a screen is gone
    assert tab.evaluate("document.getElementById('drawing').width") != size
    assert tab.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()") == "#ffffff"
    assert tab.evaluate(
        "Math.max(...[...document.querySelectorAll('body *')].map((e) => e.getBoundingClientRect().right)) <= 186 / 25.4 * 96 + 40"
    )
    assert not tab.locator("#play").is_visible() and not tab.locator("#options").is_visible()
    # reactions are those of a time, which paper says too
    assert tab.locator("#now").is_visible()
    tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.locator("#play").is_visible()


def test_wide_tables_fit_on_paper(opened):
    """Six components of eighteen joints in space and when they are largest stay inside of their card."""
    machine = Path(da.__file__).with_name("machines") / "stewart-platform.toml"
    tab = opened(page(da.inverse_dynamics(da.read_model(machine), [0.0, 0.7])))
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    right = "(e) => e.getBoundingClientRect().right"
    assert tab.eval_on_selector("#reactions", right) <= tab.eval_on_selector(".card:has(#reactions)", right)
