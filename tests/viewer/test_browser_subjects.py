"""Lists, free bodies, equations, plots over any quantity and saved files, in a real browser."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import dalembert as da
from dalembert.viewer.page import page

from .machines import door, engine
from .test_browser import PICTURE, changes, value
from .test_subjects import double


@pytest.fixture(scope="module")
def flat():
    return page(da.simulate(engine(), until=1.0, output=0.02), equations=True)


@pytest.fixture(scope="module")
def rests():
    return da.equilibrium(double())


def numbers(row):
    """Numbers in the cells of a row of a table."""
    found = []
    for cell in row.locator("td").all_inner_texts():
        text = cell.replace("−", "-")
        if re.fullmatch(r"-?[\d.]+(e-?\d+)?", text):
            found.append(float(text))
    return found


@pytest.mark.parametrize("width", [1200, 390])
def test_modes_play_and_can_be_chosen(rests, opened, width):
    tab = opened(page(da.linearize(rests[0]._model, rests[0])), width)
    # they move on their own
    tab.wait_for_function(
        "() => Number(document.getElementById('time').value) > Number(document.getElementById('time').min) + 2"
    )
    tab.click("#play")
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert tab.locator("#now").inner_text().startswith("mode 0")
    tab.press("body", "Home")
    assert changes(tab, lambda: tab.locator("#listing tbody tr").nth(1).click())
    assert tab.locator("#now").inner_text() == "mode 1, 0°"
    assert (
        changes(tab, lambda: tab.locator("#amplitude").fill("6"))
        and tab.locator("#amplitude-now").inner_text() == "0.4"
    )
    first = value(tab, "time")
    tab.evaluate("document.activeElement.blur()")
    tab.press("body", "End")
    assert value(tab, "time") - first == 23
    # ghosts and traces are those of the mode that is shown
    assert changes(tab, lambda: tab.check("#ghosts"))


def test_equilibria_are_clicked_through(rests, opened):
    tab = opened(page(rests))
    assert not tab.locator("#player").is_visible() and not tab.locator(".plot").first.is_visible()
    assert [tab.locator("#listing tbody tr").nth(k).locator("td").nth(2).inner_text() for k in range(2)] == [
        "stable",
        "unstable",
    ]
    tab.locator("#listing input").first.focus()
    assert changes(tab, lambda: tab.keyboard.press("ArrowDown"))
    assert (
        tab.locator("#listing tr.chosen").inner_text().startswith("1")
        or "unstable" in tab.locator("#listing tr.chosen").inner_text()
    )
    # the upper rod points down, the lower one up: both angles in the table of values
    shown = tab.locator("#values tr").nth(1).inner_text().replace("−", "-")
    assert abs(abs(float(shown.split()[1])) - np.pi) < 1e-4


@pytest.mark.parametrize("make", [engine, door])
def test_free_body_balances_at_any_time(make, opened):
    """The page adds the loads itself and multiplies mass and acceleration itself: both rows of sums agree."""
    m = make()
    if not m.plane:
        m.force("wind", m["leaf"], (0, 30, 0), at=(1, 0, 1))
    tab = opened(page(da.simulate(m, until=0.5, output=0.02)))
    tab.click("#sheet-card > summary")
    for body in range(len(m.bodies)):
        tab.locator("#sheet-body").select_option(str(body))
        for about in (0, 1):
            tab.locator("#sheet-about").select_option(str(about))
            for key in ("Home", "End"):
                tab.evaluate("document.activeElement.blur()")
                tab.keyboard.press(key)
                total, rate = (numbers(tab.locator("#sheet tr.total").nth(k)) for k in (0, 1))
                size = max(1.0, *np.abs(total))
                assert len(total) == (3 if m.plane else 6) and np.allclose(total, rate, atol=2e-3 * size), (
                    body,
                    about,
                    key,
                )
    # d'Alembert: with inertia everything is in balance
    tab.check("#sheet-inertia")
    assert np.allclose(numbers(tab.locator("#sheet tr.total").first), 0.0, atol=1e-2)


def test_equations_are_drawn(flat, opened):
    tab = opened(flat)
    assert not tab.locator("#equations math").first.is_visible(), "closed at first"
    tab.click("#equations-card > summary")
    # headings have mathematics too
    box = tab.locator("#equations math[displaystyle]").first.bounding_box()
    assert box["width"] > 20 and box["height"] > 10
    assert "sin" in tab.locator("#equations").inner_text() and tab.locator("#equations mfrac").count() > 3
    # r sin, not rsin
    assert tab.locator("#equations mo[lspace]").count() > 3
    # nothing but mathematics is taken over
    assert tab.locator("#equations script, #equations img, #equations [onclick]").count() == 0


def test_markup_in_equations_is_not_taken(opened):
    made = page(da.simulate(engine(), until=0.1))
    evil = '{"forms":[{"title":"x","markup":"\\u003cdiv onclick=1\\u003e\\u003cimg src=x onerror=window.hit=1\\u003e\\u003cscript\\u003ewindow.hit=1\\u003c/script\\u003e\\u003c/div\\u003e"}],"why":""}'
    tab = opened(made.replace('"equations":null', f'"equations":{evil}'))
    assert tab.evaluate("window.hit === undefined")
    assert tab.locator("#equations img, #equations script, #equations [onclick]").count() == 0


def test_plot_over_another_quantity(flat, opened):
    tab = opened(flat)
    plot = tab.locator(".plot").first
    look = "() => document.querySelector('.plot canvas').toDataURL()"
    before = tab.evaluate(look)
    over = plot.locator("select").nth(1)
    over.select_option(label="over piston.position x [m]")
    assert tab.evaluate(look) != before
    # a press on a curve goes to that output
    tab.press("body", "Home")
    box = plot.locator("canvas").bounding_box()
    tab.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert value(tab, "time") > 0


def test_numbers_and_pictures_are_saved(flat, opened):
    tab = opened(flat)
    with tab.expect_download() as found:
        tab.locator(".plot").first.get_by_text("CSV").click()
    lines = Path(found.value.path()).read_text(encoding="utf-8").splitlines()
    assert found.value.suggested_filename == "engine-plot.csv"
    assert lines[0] == '"t [s]","O.angle [rad]","A.angle [rad]"' and len(lines) == 52
    run = da.simulate(engine(), until=1.0, output=0.02)
    assert np.allclose(
        [float(x) for x in lines[-1].split(",")], [1.0, run["O.angle"][-1], run["A.angle"][-1]], rtol=1e-6
    )
    tab.check("#names")
    with tab.expect_download() as found:
        tab.click("#save-svg")
    text = Path(found.value.path()).read_text(encoding="utf-8")
    assert text.startswith("<svg xmlns=") and text.count("<path") > 20 and ">piston</text>" in text
    ElementTree.fromstring(text)
    with tab.expect_download() as found:
        tab.click("#save-png")
    assert Path(found.value.path()).read_bytes()[:4] == b"\x89PNG"
    assert tab.evaluate(PICTURE)
