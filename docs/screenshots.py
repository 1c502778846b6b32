"""Screenshots of pages for the documentation: python docs/screenshots.py, with Playwright, Pillow and Chromium (Debian: apt install chromium).

Writes docs/images/page-{plane,space}-{light,dark,phone}.png.
"""

from __future__ import annotations

import importlib
import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
# example, share of the run that has passed, what is switched on
SHOWN = {
    "plane": ("machines.quick_return", 0.28, ["forces"]),
    "space": ("machines.stewart_platform", 0.3, ["forces"]),
}
LOOKS = {
    "light": {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 860}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "device_scale_factor": 2},
}
LARGEST = 200_000  # bytes of a picture
MOVE = "(share) => { const t = document.getElementById('time'); t.value = Math.round(share * t.max); t.dispatchEvent(new Event('input')); }"


def small(png: bytes) -> bytes:
    """The picture with as many colours as fit into the size allowed."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for colors in (256, 128, 64, 32):
        made = io.BytesIO()
        picture.quantize(colors, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
        if made.tell() < LARGEST:
            break
    return made.getvalue()


def main() -> None:
    """Write all pictures."""
    import dalembert as da

    chromium = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    if chromium is None:
        sys.exit("docs/screenshots.py needs Chromium (Debian: apt install chromium)")
    sys.path[:0] = [str(HERE.parent / "examples"), str(HERE.parent / "examples" / "machines")]
    with sync_playwright() as p, tempfile.TemporaryDirectory() as folder:
        browser = p.chromium.launch(executable_path=chromium, args=FLAGS)
        for kind, (example, share, wanted) in SHOWN.items():
            run = importlib.import_module(example.removeprefix("machines.")).run
            file = da.show(run, Path(folder) / kind, open=False)
            for look, options in LOOKS.items():
                page = browser.new_page(**options)
                page.goto(file.as_uri())
                page.evaluate(MOVE, share)
                for name in wanted:
                    page.check(f"#{name}")
                page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
                target = HERE / "images" / f"page-{kind}-{look}.png"
                target.write_bytes(small(page.screenshot()))
                print(f"{target.relative_to(HERE.parent)}: {target.stat().st_size / 1000:.0f} kB")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
