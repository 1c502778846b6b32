"""The studio in a real browser: other editors, durations, runs that give way to newer wishes, a layout that does not jump."""

import json

import pytest

from .conftest import TEXT, studio

pytest.importorskip("playwright.sync_api")
from .test_browser import CHROMIUM, PATIENCE, Page, browser  # noqa: E402, F401

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt install chromium)")
# where everything stands in the page, whatever is scrolled
PLACES = """() => ['header', '.tools', '#sliders', '#machine', '#plots', '.plot', '#reactions-card', '#sheet-card', '#audit-card']
  .map((x) => document.querySelector(x).getBoundingClientRect()).map((r) => [r.left, r.top, r.width].map(Math.round))"""


def set_number(page, name, value):
    page.fill(f".slider[data-name={name}] input[type=number]", value)
    page.press(f".slider[data-name={name}] input[type=number]", "Enter")


def shows(opened, text):
    opened.until(f"document.getElementById('parameters').textContent.startsWith({json.dumps(text)})")


def a_change_restarts_a_long_run(opened):
    """Hours of work give way to what is wanted now: another duration, another text."""
    page = opened.page
    text = page.input_value("#text").replace('output = "10 ms"', "")
    count = opened.updates()
    page.fill("#text", text)
    opened.until(f"Number(document.getElementById('studio').dataset.updates) > {count}")
    for act, shown in (
        (lambda: (page.fill("#until", "0.25"), page.press("#until", "Enter")), "… 0.25 s"),
        (lambda: page.fill("#text", text.replace('until = "2 s"', 'until = "1 s"')), "… 1 s"),
    ):
        page.fill("#until", "1e6")
        page.press("#until", "Enter")
        page.wait_for_selector("#stop:not([disabled])")
        act()
        opened.until(f"document.getElementById('span').textContent.includes('{shown}')")
    # a slow machine may give way more often
    assert page.evaluate("Number(document.getElementById('studio').dataset.dropped)") >= 2


def test_the_file_is_changed_by_another_editor(browser, tmp_path):  # noqa: F811
    file = tmp_path / "crank.toml"
    file.write_text(TEXT.replace('until = "2 s"', 'until = "4*pi/n"'), encoding="utf-8")
    with studio(file, open=False, wait=False) as live:
        opened = Page(browser, live)
        page = opened.page
        before = page.evaluate(PLACES)
        # nothing of one's own would be lost: it is read again
        file.write_text(file.read_text(encoding="utf-8").replace("200 mm", "250 mm"), encoding="utf-8")
        shows(opened, "r250")
        assert page.input_value(".slider[data-name=r] input[type=number]") == "250"
        assert "changed by another program and read again" in page.inner_text("#told")
        assert page.evaluate(PLACES) == before
        # the duration follows the speed: two turns
        assert float(page.input_value("#until")) == pytest.approx(2.0)
        set_number(page, "n", "120")
        opened.until("document.getElementById('until').value === '1'")
        opened.until("document.getElementById('span').textContent.includes('… 1 s')")
        # one that was asked for stays, until the field is empty
        page.fill("#until", "0.5")
        page.press("#until", "Enter")
        opened.until("document.getElementById('span').textContent.includes('… 0.5 s')")
        set_number(page, "n", "60")
        opened.until("!document.querySelector('.slider[data-name=n]').classList.contains('changed')")
        page.fill("#until", "")
        page.press("#until", "Enter")
        opened.until("document.getElementById('span').textContent.includes('… 2 s')")
        # with a text of one's own it is asked
        page.click("#file")
        page.fill("#text", page.input_value("#text") + "# mine\n")
        file.write_text(TEXT.replace("200 mm", "222 mm"), encoding="utf-8")
        page.wait_for_selector("#read-again")
        assert page.input_value("#text").endswith("# mine\n")
        page.click("#read-again")
        shows(opened, "r222")
        assert "# mine" not in page.input_value("#text")
        # a mistake of the other editor stands at its line
        file.write_text(TEXT.replace('"prismatic"', '"prismatik"'), encoding="utf-8")
        page.wait_for_selector("#gutter b")
        file.write_text(TEXT, encoding="utf-8")
        page.wait_for_selector("#problem", state="hidden")
        a_change_restarts_a_long_run(opened)
        # a tab that is closed ends its worker
        (session,) = live._server.sessions.open.values()
        process = session.worker.process
        opened.close()
        assert process.wait(600) is not None


def test_nothing_jumps(browser, live):  # noqa: F811
    """While a slider moves, when a run fails, when it goes on: everything stays where it is."""
    opened = Page(browser, live)
    page = opened.page
    before = page.evaluate(PLACES)
    slider = page.locator(".slider[data-name=r] input[type=range]")
    box = slider.bounding_box()
    y, at = box["y"] + box["height"] / 2, lambda f: box["x"] + f * box["width"]
    page.mouse.move(at(0.43), y)
    page.mouse.down()
    count = opened.updates()
    for k in range(PATIENCE // 40):
        page.mouse.move(at(0.45 + 0.02 * (k % 10)), y)
        page.wait_for_timeout(40)
        assert page.evaluate(PLACES) == before
        if opened.updates() - count >= 3:
            break
    page.mouse.up()
    opened.until("document.getElementById('studio').dataset.last === 'full'")
    assert page.evaluate(PLACES) == before
    # a rod shorter than the crank: told over the drawing
    set_number(page, "l", "100")
    page.wait_for_selector("#problem:not([hidden])")
    assert "found" in page.inner_text("#problem") and page.evaluate(PLACES) == before
    page.click("#reset")
    page.wait_for_selector("#problem", state="hidden")
    page.click("#pin")
    assert page.evaluate(PLACES) == before
    # equations stand typeset, open and at once below the drawing
    page.select_option("#analysis", "equations")
    page.wait_for_selector("#equations math")
    assert page.is_hidden("#answer-card") and page.locator("#equations mfrac").count() > 3
    opened.close()
