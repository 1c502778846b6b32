"""The page in a real browser, worked as people work it: it moves, its controls change the picture, it asks nothing of the network."""

import pytest
from contracts.samples import case_id, force_cases, joint_cases, sample

import dalembert as da
from dalembert.viewer import page as pages
from dalembert.viewer.page import framed, page, page_data, written

from .machines import door, engine, symbols

# all pixels of the drawing, as a text that can be compared
PICTURE = "() => document.getElementById('drawing').toDataURL()"
# how many pixels are drawn at all
COVERED = """() => { const c = document.getElementById('drawing'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 200; return n; }"""
COLORS = """() => { const c = document.getElementById('drawing'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
  for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size; }"""
# a pointer goes over the drawing until something tells the name; where that was
FIND = """(name) => { const c = document.getElementById('drawing'), box = c.getBoundingClientRect();
  for (let y = 4; y < box.height; y += 6) for (let x = 4; x < box.width; x += 6) {
    c.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + x, clientY: box.top + y, buttons: 0 }));
    const tip = document.getElementById('tip');
    if (!tip.hidden && tip.textContent.split('\\n').includes(name)) return [box.left + x, box.top + y];
  } return null; }"""
BUILT = (pages.files("dalembert.viewer") / "static" / pages.BUNDLE).is_file()
needs_bundle = pytest.mark.skipif(not BUILT, reason="needs the bundle of three.js (python viewer/build.py)")


@pytest.fixture(scope="module")
def flat():
    return page(da.simulate(engine(piston="<b>piston</script>"), until=1.0, output=0.02))


@pytest.fixture(scope="module")
def space():
    m = door()
    m.force("wind", m["leaf"], (0, 30, 0), at=(1, 0, 1))
    return page(da.simulate(m, until=1.0, output=0.02))


def value(tab, name):
    return float(tab.locator(f"#{name}").input_value())


def changes(tab, act):
    """Whether an action changes the picture."""
    before = tab.evaluate(PICTURE)
    act()
    return tab.evaluate(PICTURE) != before


@pytest.mark.parametrize("kind", ["flat", "space"])
@pytest.mark.parametrize(("width", "theme"), [(1200, "light"), (1200, "dark"), (390, "light")])
def test_controls_change_the_picture(kind, width, theme, request, opened):
    tab = opened(request.getfixturevalue(kind), width, theme)
    assert tab.evaluate(COLORS) > 20
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    # play, pause
    before = tab.evaluate(PICTURE)
    tab.click("#play")
    tab.wait_for_function("() => Number(document.getElementById('time').value) > 2")
    tab.click("#play")
    assert tab.evaluate(PICTURE) != before and tab.locator("#play").get_attribute("aria-label") == "play"
    # step on and back is where we were
    k, here = value(tab, "time"), tab.evaluate(PICTURE)
    assert changes(tab, lambda: tab.click("#forth")) and value(tab, "time") == k + 1
    tab.click("#back")
    assert value(tab, "time") == k and tab.evaluate(PICTURE) == here
    # scrub: a press in the middle of the slider is the middle of the run
    box = tab.locator("#time").bounding_box()
    assert changes(tab, lambda: tab.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2))
    assert abs(value(tab, "time") / 50 - 0.6) < 0.06
    for name in ("names", "ghosts", "forces", "velocities", "accelerations", *(["frames"] if kind == "space" else [])):
        assert changes(tab, lambda name=name: tab.check(f"#{name}")), name
    assert changes(tab, lambda: tab.locator("#force-size").fill("0.5"))
    tab.click("#traces summary")
    assert changes(tab, lambda: tab.locator("#points input").first.click())
    assert changes(tab, lambda: tab.click("#larger")) and changes(tab, lambda: tab.click("#fit"))


@pytest.mark.parametrize(("kind", "joint", "text"), [("flat", "A", "A: revolute"), ("space", "low", "low: spherical")])
def test_names_on_hover(kind, joint, text, request, opened):
    tab = opened(request.getfixturevalue(kind))
    found = tab.evaluate(FIND, text)
    assert found, joint
    tab.mouse.move(1, 1)
    tab.mouse.move(*found)
    assert tab.locator("#tip").is_visible() and text in tab.locator("#tip").inner_text()


@needs_bundle
def test_a_solid_tells_its_name_wherever_it_is_touched(space, opened):
    """Away from joints and mass centre: only the solid itself can be hit there."""
    tab = opened(space)
    center = tab.evaluate(FIND, "leaf")
    c = tab.evaluate(
        "() => { const b = document.getElementById('drawing').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }"
    )
    assert center is not None
    tab.mouse.move(c[0], c[1] - 60)
    assert "leaf" in tab.locator("#tip").inner_text()


@pytest.mark.parametrize("kind", ["flat", "space"])
def test_speed(kind, request, opened):
    """The clock of the browser is ours here: 300 ms of it are 0.3 s of the run at speed 1, and a fifth of that at 1/5."""
    tab = opened(request.getfixturevalue(kind), clock=True)
    tab.clock.pause_at(tab.evaluate("() => Date.now()") + 10_000)
    shown = {}
    for speed in ("1", "0.2"):
        choices = tab.eval_on_selector_all("#speed option", "xs => xs.map(x => x.value)")
        tab.select_option("#speed", min(choices, key=lambda x: abs(float(x) - float(speed))))
        tab.locator("#time").fill("0")
        tab.click("#play")
        tab.clock.run_for(320)
        tab.click("#play")
        shown[speed] = value(tab, "time") * 0.02
    assert abs(shown["1"] - 0.32) < 0.07 and abs(shown["0.2"] - 0.064) < 0.045


def test_turning_in_space(space, opened):
    tab = opened(space)
    box = tab.locator("#drawing").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    start = tab.evaluate(PICTURE)

    def drag(dx, dy):
        tab.mouse.move(x, y)
        tab.mouse.down()
        tab.mouse.move(x + dx, y + dy, steps=3)
        tab.mouse.up()
        tab.mouse.move(1, 1)

    assert changes(tab, lambda: drag(90, 0)) and changes(tab, lambda: drag(0, 60))
    tab.focus("#drawing")
    for key in ("a", "d", "w", "s", "ArrowUp", "+"):
        assert changes(tab, lambda key=key: tab.keyboard.press(key)), key
    tab.keyboard.press("0")
    assert tab.evaluate(PICTURE) == start, "fit is the view that the page opened with"


def test_two_fingers_magnify(space, opened):
    tab = opened(space, width=390, touch=True)
    box = tab.locator("#drawing").bounding_box()
    x, y, send = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, tab.context.new_cdp_session(tab).send

    def touch(kind, gap):
        points = [{"x": x - gap, "y": y, "id": 1}, {"x": x + gap, "y": y, "id": 2}] if gap else []
        send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def spread():
        touch("touchStart", 20)
        for gap in (30, 45, 60):
            touch("touchMove", gap)
        touch("touchEnd", 0)

    assert changes(tab, spread)


def test_plots_and_tables(flat, opened):
    tab = opened(flat)
    first = tab.locator(".plot").first
    chips = first.locator(".chip").count()
    choose = first.get_by_label("add a quantity")
    options = choose.locator("option").all_inner_texts()
    choose.select_option(index=next(i for i, x in enumerate(options) if x.startswith("crank.velocity")))
    assert first.locator(".chip").count() > chips
    # the cursor of a plot is the time of the drawing
    box = first.locator("canvas").bounding_box()
    assert changes(tab, lambda: tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20))
    assert abs(value(tab, "time") / 50 - 0.5) < 0.1
    text = tab.locator("#tables").inner_text()
    assert "1 degree of freedom" in text and "audit: passed" in text
    assert tab.locator("#reactions tbody tr").count() == 4


def test_reactions_that_are_not_unique_are_marked(space, opened):
    assert "not unique: Fz" in opened(space).locator("#tables").inner_text()


def test_every_symbol_of_the_plane(opened):
    tab = opened(page(da.simulate(symbols(), until=1.0)))
    for name in ("forces", "ghosts", "velocities"):
        tab.check(f"#{name}")
    assert changes(tab, lambda: tab.keyboard.press("End"))


def cases():
    return [case for case in (*joint_cases(), *force_cases()) if not case[1]]


def test_every_part_in_space_takes_its_turn_in_one_page(opened):
    """Every joint and force element that is registered; the page takes their data one after the other and draws all of them anew."""
    m = door()
    tab = opened(written(page_data(da.simulate(m, until=0.1)), script="window.load = load;"), width=500)
    drawn = []
    for tag, plane in cases():
        try:
            run = da.simulate(sample(tag, plane).model, until=1e-3)
        except da.DalembertError:
            continue  # random bodies of this sample do not go together
        text = written(page_data(run))
        data = text.split('<script type="application/json" id="data">')[1].split("</script>")[0]
        tab.evaluate("(text) => load(JSON.parse(text))", data)
        for name in ("forces", "ghosts", "frames"):
            if tab.locator(f"#{name}").is_visible():
                tab.check(f"#{name}")
        assert tab.evaluate(COLORS) > 20, case_id((tag, plane))
        assert tab.evaluate("document.documentElement.dataset.error || ''") == "", case_id((tag, plane))
        drawn.append(tag)
    assert len(drawn) > 0.8 * len(cases())


# -- shading, and doing without ------------------------------------------------------------------------------------------


@needs_bundle
def test_solids_are_shaded(space, opened):
    """A box covers its whole side, its lines do not; and light falls differently on each side."""
    tab = opened(space)
    assert tab.evaluate("document.documentElement.dataset.shaded") == "yes"
    lines = opened(space, init="HTMLCanvasElement.prototype.getContext = (get => function (kind, ...rest) "
                   "{ return kind === '2d' ? get.call(this, kind, ...rest) : null; })(HTMLCanvasElement.prototype.getContext);")  # fmt: skip
    assert lines.evaluate("document.documentElement.dataset.shaded") is None
    assert tab.evaluate(COVERED) > 4 * lines.evaluate(COVERED) > 4000 and tab.evaluate(COLORS) > lines.evaluate(COLORS)
    # without WebGL everything else still works
    lines.check("#forces")
    assert changes(lines, lambda: lines.click("#forth"))


@needs_bundle
def test_lines_take_over_when_the_graphics_card_is_lost(space, opened):
    keep = """HTMLCanvasElement.prototype.getContext = (get => function (kind, ...rest) {
      const made = get.call(this, kind, ...rest); if (kind === 'webgl2') window.kept = made; return made; })(HTMLCanvasElement.prototype.getContext);"""
    tab = opened(space, init=keep)
    before = tab.evaluate(PICTURE)
    tab.evaluate("() => window.kept.getExtension('WEBGL_lose_context').loseContext()")
    tab.wait_for_function(f"before => ({PICTURE})() !== before", arg=before)
    assert tab.evaluate(COLORS) > 20 and changes(tab, lambda: tab.click("#forth"))


def test_without_the_bundle_space_is_drawn_as_lines(opened, monkeypatch):
    monkeypatch.setattr(pages, "BUNDLE", "built/not-there.js")
    text = page(da.simulate(door(), until=0.2))
    assert len(text) < 250_000
    tab = opened(text)
    assert tab.evaluate("document.documentElement.dataset.shaded") is None and tab.evaluate(COLORS) > 20


@pytest.mark.parametrize("kind", ["flat", "space"])
def test_it_prints_on_white(kind, request, opened):
    tab = opened(request.getfixturevalue(kind), theme="dark")
    before = tab.evaluate(PICTURE)
    assert changes(tab, lambda: tab.evaluate("() => window.dispatchEvent(new Event('beforeprint'))"))
    tab.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(PICTURE) == before
    # a sheet with a picture and text on it
    assert len(tab.pdf()) > 30_000


def test_paths_of_a_lagrangian_system_in_space(opened):
    m = da.Lagrangian(
        "a b", gravity=(0, 0, "-g"), parameters={"m": 1.0, "l": 1.0, "g": 9.81}, name="spherical pendulum"
    )
    m.particle("bob", "m", at=("l*sin(a)*cos(b)", "l*sin(a)*sin(b)", "-l*cos(a)"))
    m.start("a", 1.0)
    m.start("b", 0.0, rate=1.0)
    tab = opened(page(da.simulate(m, until=2.0)))
    assert tab.evaluate(COLORS) > 20 and changes(tab, lambda: tab.keyboard.press("End"))


@needs_bundle
def test_in_the_frame_of_a_notebook(opened):
    """The frame may run scripts and nothing else: no storage, no requests, no access to the notebook around it."""
    inner = framed(da.simulate(door(), until=0.2))
    tab = opened(f"<!DOCTYPE html><html data-ready=yes><body>{inner}</body></html>")
    frame = tab.frames[1]
    frame.wait_for_selector("html[data-ready=yes]", state="attached")
    assert frame.evaluate("document.documentElement.dataset.shaded") == "yes"
    assert frame.evaluate("document.documentElement.dataset.error || ''") == "" and frame.evaluate(COLORS) > 20
