"""A real browser: Debian's Chromium through Playwright.  Tests that need it are skipped where either is missing."""

import shutil

import pytest

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
# WebGL by software; nothing that runs on its own in the background may ask the network
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright (pip install playwright)")
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt install chromium)")
    with playwright.sync_playwright() as p:
        started = p.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Function that opens the text of a page; at the end no error was reported and nothing was asked of the network."""
    contexts, errors, requests = [], [], []

    def open_(text, width=1200, theme="light", clock=False, init=None, touch=False):
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 850}, color_scheme=theme, has_touch=touch, is_mobile=touch
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(600_000)  # a busy machine may be slow; waiting longer than needed costs nothing
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: errors.append(str(e)))
        page.on("request", lambda r: requests.append(r.url))
        if init:
            page.add_init_script(init)
        if clock:
            page.clock.install()
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        assert page.evaluate("document.documentElement.dataset.error || ''") == ""
        return page

    yield open_
    for context in contexts:
        for page in context.pages:
            errors += [e] if (e := page.evaluate("document.documentElement.dataset.error || ''")) else []
        context.close()
    assert errors == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in requests), requests
    assert sum(url.startswith("file:") for url in requests) == len(contexts), "a page is one file"
