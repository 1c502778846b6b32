"""Pictures of pages and of the studio for these docs: python docs/screenshots.py [name ...].

Needs Playwright, Pillow and Chromium.  Look at every picture before it is kept.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import dalembert as da

IMAGES = Path(__file__).parent / "images"
MACHINES = files("dalembert") / "machines"
FLAGS = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
DESK = {"viewport": {"width": 1280, "height": 860}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def keep(name: str, raw: bytes) -> None:
    """A picture with as many colours as it takes."""
    Image.open(io.BytesIO(raw)).convert("RGB").quantize(256).save(IMAGES / f"{name}.png", optimize=True)
    print(name)


def machine(name: str, until: float, output: float) -> Any:
    """Run of a built-in machine."""
    return da.simulate(da.read_model(str(MACHINES / f"{name}.toml")), until=until, output=output)


def double_pendulum() -> Any:
    """Two equal rods."""
    m = da.Mechanism("double pendulum", plane=True, gravity=(0, -9.81))
    upper = m.body("upper", da.rod(length=1.0, mass=1.0), at=(0, -0.5), angle=-1.5707963267948966)
    lower = m.body("lower", da.rod(length=1.0, mass=1.0), at=(0, -1.5), angle=-1.5707963267948966)
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, lower, at=(0, -1))
    return m


def lagrangian() -> Any:
    """The same rods as a Lagrangian system, with a run."""
    m = da.Lagrangian("a b", parameters={"l": 1.0}, gravity=(0, -9.81), name="double pendulum")
    m.body("upper", 1.0, "l**2/12", ("l/2*sin(a)", "-l/2*cos(a)"), angle="a - pi/2")
    m.body("lower", 1.0, "l**2/12", ("l*sin(a) + l/2*sin(b)", "-l*cos(a) - l/2*cos(b)"), angle="b - pi/2")
    m.start("a", 1.0)
    m.start("b", 2.0)
    return da.simulate(m, until=3.0, output=0.02)


def engine() -> Any:
    """A slider–crank that coasts."""
    m = da.Mechanism("engine", plane=True, gravity=(0, -9.81))
    r = m.parameter("r", 0.1, "m")
    crank = m.body("crank", da.rod(r, mass=0.2), at=(0.05, 0))
    rod = m.body("rod", da.rod(0.3, mass=0.2), at=(0.25, 0))
    piston = m.body("piston", da.block(0.06, 0.04, mass=0.4), at=(0.4, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("guide", m.ground, piston, along=(1, 0), at=(0.4, 0))
    m.torque("motor", crank, 0.1)
    return da.simulate(m, until=1.0, output=0.02)


class Camera:
    """Pages in a browser."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.browser, self.folder = browser, folder

    def page(self, result: Any, options: dict[str, Any], output: int = 0, **more: Any) -> Any:
        """Open the page of a result at an output."""
        file = da.show(result, self.folder / "page.html", open=False, **more)
        tab = self.browser.new_context(**options).new_page()
        tab.goto(file.as_uri())
        tab.wait_for_selector("html[data-ready=yes]", state="attached")
        if tab.get_attribute("#play", "aria-label") == "pause":
            tab.evaluate("document.getElementById('play').click()")
            tab.keyboard.press("Home")
        for _ in range(output // 10):
            tab.keyboard.press("Shift+ArrowRight")
        for _ in range(output % 10):
            tab.keyboard.press("ArrowRight")
        return tab

    def pair(self, name: str, result: Any, output: int) -> None:
        """Light, dark, telephone."""
        looks = {"light": DESK, "dark": {**DESK, "color_scheme": "dark"}, "phone": PHONE}
        for look, options in looks.items():
            tab = self.page(result, options, output, equations=False)
            tab.check("#forces")
            tab.wait_for_timeout(300)
            keep(f"page-{name}-{look}", tab.screenshot())
            tab.context.close()

    def plane(self) -> None:
        """A machine in the plane."""
        self.pair("plane", machine("quick-return", 2.0, 0.005), 112)

    def space(self) -> None:
        """A machine in space."""
        self.pair("space", machine("stewart-platform", 2.0, 0.01), 60)

    def friction(self) -> None:
        """A ball that slips until it rolls, and a box without friction: cone of friction and phases in space."""
        m = da.Mechanism("bowling", plane=False, gravity=(0, 0, -9.81))
        ball = m.body("ball", da.sphere(0.11, mass=6.0), at=(0, 0, 0.11), velocity=(2.5, 0.4, 0))
        slider = m.body("slider", da.box(0.3, 0.2, 0.12, mass=2.0), at=(0.3, -0.5, 0.06), velocity=(1.2, 0, 0))
        m.contact("lane", m.ground, ball, mu=0.2)
        m.contact("floor", m.ground, slider)
        tab = self.page(
            da.simulate(m, until=0.8, output=0.005), {"viewport": {"width": 1180, "height": 740}}, 20, equations=False
        )
        tab.check("#forces")
        tab.check("#names")
        tab.wait_for_timeout(300)
        keep("page-friction", tab.screenshot())

    def modes(self) -> None:
        """Modes with their shapes."""
        m = double_pendulum()
        found = da.linearize(m, da.equilibrium(m)[0])
        tab = self.page(found, {"viewport": {"width": 1180, "height": 800}}, 2, equations=False)
        tab.locator("#listing tbody tr").nth(1).click()
        tab.check("#ghosts")
        keep("page-modes", tab.screenshot())

    def lagrangian(self) -> None:
        """A Lagrangian system."""
        tab = self.page(lagrangian(), {"viewport": {"width": 1180, "height": 740}}, 22, equations=False)
        tab.check("#ghosts")
        keep("page-lagrangian", tab.screenshot())

    def sheet(self) -> None:
        """Free body and equations."""
        tab = self.page(engine(), {"viewport": {"width": 1180, "height": 860}}, 15)
        tab.click("#sheet-card > summary")
        tab.locator("#sheet-body").select_option("1")
        tab.click("#equations-card > summary")
        tab.evaluate("document.getElementById('sheet-card').scrollIntoView()")
        tab.mouse.wheel(0, -8)
        tab.wait_for_timeout(300)
        keep("page-sheet", tab.screenshot())

    def studio(self) -> None:
        """The studio with a pinned run."""
        file = self.folder / "slider-crank.toml"
        shutil.copy(str(MACHINES / "slider-crank.toml"), file)
        with da.studio(file, open=False, wait=False) as live:
            tab = self.browser.new_context(viewport={"width": 1360, "height": 1020}).new_page()
            tab.goto(live.url)
            tab.wait_for_selector("#studio[data-last=full]")
            tab.click("#pin")
            tab.fill(".slider[data-name=r] input[type=number]", "260")
            tab.press(".slider[data-name=r] input[type=number]", "Enter")
            tab.wait_for_selector(".slider.changed")
            tab.wait_for_timeout(1500)
            tab.check("#names")
            tab.check("#forces")
            tab.evaluate("document.activeElement.blur()")
            for _ in range(3):
                tab.keyboard.press("Shift+ArrowRight")
            for _ in range(3):
                tab.keyboard.press("ArrowRight")
            keep("studio", tab.screenshot())


def main() -> None:
    """Take the pictures named, or all."""
    known = ["plane", "space", "friction", "modes", "lagrangian", "sheet", "studio"]
    with sync_playwright() as p, tempfile.TemporaryDirectory() as folder:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name in sys.argv[1:] or known:
            getattr(Camera(browser, Path(folder)), name)()


if __name__ == "__main__":
    main()
