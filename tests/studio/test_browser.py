"""The studio in a real browser: sliders move the machine, the file is edited, bodies follow the hand; nothing is asked elsewhere."""

import shutil
from pathlib import Path

import pytest

from .conftest import PENDULUM, TEXT, Client, studio

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt install chromium)")

FLAGS = ("--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
# a machine under load may be slow; waiting longer than needed costs nothing
PATIENCE = 600_000


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        made = p.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield made
        made.close()


class Page:
    """An open page that notes everything that went wrong."""

    def __init__(self, browser, live, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1300, "height": 950}, **options})
        self.page = self.context.new_page()
        self.wrong = []
        own = (live.url, "data:", "blob:")
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda e: self.wrong.append(str(e)))
        self.page.on("request", lambda r: None if r.url.startswith(own) else self.wrong.append(r.url))
        self.page.set_default_timeout(PATIENCE)
        self.page.goto(live.url)
        self.shown()

    def heard(self, message):
        # reading the picture back, which only a test does, is slow
        if message.type in ("error", "warning") and "GL Driver Message" not in message.text:
            self.wrong.append(message.text)

    def shown(self):
        self.page.wait_for_selector("#studio[data-last=full]")

    def until(self, true):
        """Wait; the policy of the page forbids to evaluate texts inside of it, so it is asked from outside."""
        for _ in range(PATIENCE // 100):
            if self.page.evaluate(true):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"not reached: {true}")

    def picture(self):
        return self.page.evaluate("document.getElementById('drawing').toDataURL()")

    def updates(self):
        return int(self.page.get_attribute("#studio", "data-updates"))

    def error(self):
        return self.page.evaluate("document.documentElement.dataset.error || ''")

    def close(self):
        assert self.wrong == [] and self.error() == ""
        self.context.close()


@pytest.fixture
def opened(browser, live):
    made = Page(browser, live)
    yield made
    made.close()


def test_a_slider_moves_the_machine(opened):
    page = opened.page
    before, count = opened.picture(), opened.updates()
    slider = page.locator(".slider[data-name=r] input[type=range]")
    box = slider.bounding_box()
    y, at = box["y"] + box["height"] / 2, lambda f: box["x"] + f * box["width"]
    page.mouse.move(at(0.43), y)
    page.mouse.down()
    for k in range(PATIENCE // 40):
        page.mouse.move(at(0.53 + 0.28 * (k % 20) / 20), y)
        page.wait_for_timeout(40)
        if opened.updates() - count >= 5:
            break
    assert opened.updates() - count >= 5, "it follows while it is dragged"
    page.mouse.move(at(0.81), y)
    page.mouse.up()
    opened.until("document.getElementById('studio').dataset.last === 'full'")
    assert opened.picture() != before
    number = float(page.input_value(".slider[data-name=r] input[type=number]"))
    assert number > 250
    opened.until(f"document.getElementById('parameters').textContent.startsWith('r{number:g} mm')")
    assert page.locator(".plot canvas").count() >= 2
    # the number beside it does the same
    page.fill(".slider[data-name=r] input[type=number]", "200")
    page.press(".slider[data-name=r] input[type=number]", "Enter")
    opened.until("document.getElementById('parameters').textContent.startsWith('r200 mm')")
    opened.until("document.getElementById('reset').disabled")


def test_analyses_are_switched(opened):
    page = opened.page
    page.select_option("#analysis", "mobility")
    page.wait_for_selector("#answer-card:not([hidden])")
    assert "0 degrees of freedom" in page.inner_text("#answer")
    page.select_option("#analysis", "equilibrium")
    page.wait_for_selector("#problem:not([hidden])")
    text = page.inner_text("#problem")
    assert all(part in text for part in ("found", "why", "do", "an equilibrium is at rest"))
    page.select_option("#analysis", "inverse_dynamics")
    opened.until("document.getElementById('tables').textContent.includes('shaking force')")
    assert page.is_hidden("#problem")
    page.fill("#until", "1")
    page.press("#until", "Enter")
    opened.until("document.getElementById('span').textContent.includes('… 1 s')")


def test_the_file_is_edited_and_mistakes_stand_at_their_lines(opened):
    page = opened.page
    page.click("#file")
    page.fill("#text", TEXT.replace('type = "prismatic"', 'type = "prismatik"'))
    page.wait_for_selector("#problem:not([hidden])")
    line = 1 + TEXT.split("\n").index('type = "prismatic"')
    assert f"line {line}" in page.inner_text("#problem") and "did you mean 'prismatic'?" in page.inner_text("#problem")
    assert page.inner_text("#gutter b").strip() == f"● {line}"
    page.fill("#text", TEXT.replace('r = "200 mm"', 'r = "222 mm"'))
    opened.until("document.getElementById('parameters').textContent.startsWith('r222 mm')")
    assert page.is_hidden("#problem") and page.locator("#gutter b").count() == 0
    # numbers of sliders go into the text
    page.fill(".slider[data-name=l] input[type=number]", "700")
    page.press(".slider[data-name=l] input[type=number]", "Enter")
    page.click("#put")
    opened.until("""document.getElementById('text').value.includes('l = "700 mm"')""")


def test_many_sliders_stand_in_a_column_beside_the_drawing(browser, tmp_path):
    """Fifteen sliders push the drawing nowhere; what the file says of each stands below it; a few of them stay above the drawing."""
    file = tmp_path / "crank.toml"
    more = "".join(f'spare{k} = "{k + 1} mm"  # what number {k} is for\n' for k in range(12))
    file.write_text(TEXT.replace("[parameters]\n", f"[parameters]\n{more}"), encoding="utf-8")
    with studio(file, open=False, wait=False) as live:
        opened = Page(browser, live)
        page = opened.page
        column, drawing = page.locator("#sliders").bounding_box(), page.locator("#machine").bounding_box()
        assert column["x"] + column["width"] <= drawing["x"] and abs(column["y"] - drawing["y"]) < 2
        assert page.evaluate(
            "document.getElementById('sliders').scrollHeight > document.getElementById('sliders').clientHeight"
        )
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.inner_text(".slider[data-name=spare3] small") == "what number 3 is for"
        number = page.locator(".slider[data-name=r] input[type=number]")
        number.scroll_into_view_if_needed()
        number.fill("250")
        number.press("Enter")
        opened.until("document.getElementById('parameters').textContent.includes('r250 mm')")
        page.click("#file")
        page.fill("#text", TEXT)
        opened.until("document.querySelectorAll('.slider').length === 3")
        assert page.locator("#studio > #sliders").count() == 1
        opened.close()


def test_saving_asks_first(browser, tmp_path):
    file = tmp_path / "crank.toml"
    file.write_text(TEXT, encoding="utf-8")
    with studio(file, open=False, wait=False) as live:
        opened = Page(browser, live)
        page = opened.page
        page.click("#file")
        page.fill("#text", TEXT + "# mine\n")
        page.click("#save")
        page.wait_for_selector("#overwrite")
        assert file.read_text(encoding="utf-8") == TEXT
        page.click("#overwrite")
        opened.until("document.getElementById('save-note').textContent.startsWith('saved')")
        assert file.read_text(encoding="utf-8") == TEXT + "# mine\n"
        with page.expect_download() as got:
            page.select_option("#download", "page")
        text = Path(got.value.path()).read_text(encoding="utf-8")
        assert got.value.suggested_filename == "crank.html" and text.startswith("<!DOCTYPE html>")
        opened.close()


def test_two_runs_are_compared(opened):
    page = opened.page
    page.evaluate("document.getElementById('forth').click()")
    plain = opened.picture()
    page.click("#pin")
    assert "r = 200 mm" in page.inner_text("#pinned")
    page.fill(".slider[data-name=r] input[type=number]", "300")
    page.press(".slider[data-name=r] input[type=number]", "Enter")
    opened.until("document.getElementById('parameters').textContent.startsWith('r300 mm')")
    both = opened.picture()
    plots = page.evaluate("document.querySelector('.plot canvas').toDataURL()")
    page.click("#pin")
    assert opened.picture() not in (both, plain)
    assert page.evaluate("document.querySelector('.plot canvas').toDataURL()") != plots


SPACE = """
name = "pendulum in space"
plane = false
gravity = [0, 0, "-9.81 m/s^2"]

[parameters]
l = "1 m"

[bodies.bar]
shape = { box = { x = "l", y = "100 mm", z = "100 mm", mass = "2 kg" } }
at = ["l/2", 0, 0]

[joints.A]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0, 0]
axis = "y"

[simulate]
until = "0.1 s"
"""


def test_two_runs_are_compared_in_space(browser, tmp_path):
    """Unlike arrows and traces, the ghost of the shaded drawing belongs to other data."""
    file = tmp_path / "space.toml"
    file.write_text(SPACE, encoding="utf-8")
    with studio(file, open=False, wait=False) as live:
        opened = Page(browser, live)
        page = opened.page
        page.click("#pin")
        page.fill(".slider[data-name=l] input[type=number]", "0.6")
        page.press(".slider[data-name=l] input[type=number]", "Enter")
        opened.until("document.getElementById('parameters').textContent.startsWith('l600 mm')")
        opened.shown()
        both = opened.picture()
        page.click("#pin")
        alone = opened.picture()
        assert alone != both
        page.click("#pin")
        page.click("#pin")
        assert opened.picture() == alone
        opened.close()


def test_a_body_follows_the_hand(browser, tmp_path):
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM, encoding="utf-8")
    with studio(file, open=False, wait=False) as live:
        opened = Page(browser, live)
        page = opened.page
        before = opened.picture()
        box = page.locator("#drawing").bounding_box()
        # the bar lies to the right of its pin at first: look for it along the row of the pin
        spot = page.evaluate(
            """() => {
              const c = document.getElementById('drawing'), box = c.getBoundingClientRect();
              for (let y = 20; y < box.height; y += 4) for (let x = box.width - 60; x > 20; x -= 4) {
                c.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + x, clientY: box.top + y, buttons: 0 }));
                if (c.style.cursor === 'pointer') return [x, y];
              }
              return null;
            }"""
        )
        assert spot is not None
        page.mouse.move(box["x"] + spot[0], box["y"] + spot[1])
        page.mouse.down()
        for k in range(PATIENCE // 30):
            far = min(k, 8) + (
                k % 2 if k > 8 else 0
            )  # to there, and then a little back and forth until the page has followed
            page.mouse.move(box["x"] + spot[0] - 12 * far, box["y"] + spot[1] + 14 * far)
            page.wait_for_timeout(30)
            if k >= 8 and page.evaluate("Number(document.getElementById('studio').dataset.drags || 0) >= 2"):
                break
        opened.until("Number(document.getElementById('studio').dataset.drags || 0) >= 2")
        page.mouse.up()
        assert opened.picture() != before
        count = opened.updates()
        page.click("#from-here")
        opened.until(f"Number(document.getElementById('studio').dataset.updates) > {count}")
        assert "starts where it was left" in page.inner_text("#hand")
        opened.close()


def test_two_tabs_and_a_stop(browser, live):
    one, two = Page(browser, live), Page(browser, live)
    one.page.click("#file")
    count = one.updates()
    one.page.fill("#text", TEXT.replace('output = "10 ms"', ""))
    one.until(f"Number(document.getElementById('studio').dataset.updates) > {count}")
    one.page.fill("#until", "1e6")
    one.page.press("#until", "Enter")
    one.page.wait_for_selector("#stop:not([disabled])")
    # the other tab goes on meanwhile
    count = two.updates()
    two.page.fill(".slider[data-name=r] input[type=number]", "250")
    two.page.press(".slider[data-name=r] input[type=number]", "Enter")
    two.until(f"Number(document.getElementById('studio').dataset.updates) > {count}")
    one.page.click("#stop")
    one.page.wait_for_selector("#stop[disabled]")
    assert len(Client(live).live._server.sessions.open) >= 2
    two.close()
    one.close()


@pytest.mark.parametrize("options", [{"viewport": {"width": 390, "height": 800}}, {"color_scheme": "dark"}])
def test_phones_and_dark_screens(browser, live, options):
    opened = Page(browser, live, **options)
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    opened.page.click("#file")
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    opened.close()
