"""The page in a real browser: it starts without error, moves, and its controls change the picture.  Skipped where there is no Chromium.

A script is added to a copy of the page that works the controls and leaves what it saw in the title.  The browser runs on virtual time, where
no frames are drawn on their own: frames are asked for by a timer instead.
"""

import html
import json
import re
import shutil
import subprocess

import pytest

import dalembert as da
from dalembert.viewer.page import page

from .machines import door, engine, symbols

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt install chromium)")

FRAMES = "<script>window.requestAnimationFrame = (f) => setTimeout(() => f(performance.now()), 16);</script></head>"
TRIAL = """
<script>
const $ = (x) => document.getElementById(x), seen = {};
const picture = () => $("drawing").toDataURL();
const key = (k) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
const changes = (act) => { const before = picture(); act(); return picture() !== before; };
try {
  seen.step = changes(() => key("ArrowRight"));
  seen.time = $("now").textContent;
  seen.end = changes(() => key("End"));
  seen.last = Number($("time").value) === Number($("time").max);
  seen.scrub = changes(() => { $("time").value = 5; $("time").dispatchEvent(new Event("input")); });
  for (const name of ["names", "ghosts", "forces", "velocities", "accelerations"]) {
    seen[name] = $(name).closest("label").hidden ? null : changes(() => $(name).click());
  }
  seen.larger = changes(() => { $("force-size").value = 0.5; $("force-size").dispatchEvent(new Event("input")); });
  seen.trace = changes(() => $("points").querySelector("input").click());
  seen.zoom = changes(() => $("larger").click());
  seen.fit = changes(() => $("fit").click());
  // the pointer goes over the drawing row by row until something tells its name
  const area = $("drawing").getBoundingClientRect();
  seen.tips = new Set();
  for (let x = 0; x < area.width; x += 8) for (let y = 0; y < area.height; y += 8) {
    $("drawing").dispatchEvent(new PointerEvent("pointermove", { clientX: area.left + x, clientY: area.top + y, buttons: 0 }));
    if (!$("tip").hidden) $("tip").textContent.split("\\n").forEach((line) => seen.tips.add(line));
  }
  seen.tips = [...seen.tips];
  const plot = document.querySelector(".plot canvas"), chips = document.querySelectorAll(".plot")[0].querySelectorAll(".chip").length;
  const choose = document.querySelector(".plot select");
  choose.value = [...choose.options].find((o) => o.textContent.startsWith(WANTED)).value;
  choose.dispatchEvent(new Event("change"));
  seen.added = document.querySelectorAll(".plot")[0].querySelectorAll(".chip").length > chips;
  const box = plot.getBoundingClientRect();
  plot.dispatchEvent(new PointerEvent("pointerdown", { clientX: box.left + box.width / 2, clientY: box.top + 20, buttons: 1 }));
  seen.cursor = Math.abs(Number($("time").value) / Number($("time").max) - 0.5) < 0.1;
  const shown = [...document.querySelectorAll("#reactions tbody tr")].map((r) => r.textContent);
  seen.rows = shown.length;
  seen.text = document.querySelector("#tables").textContent;
  seen.wide = document.documentElement.scrollWidth <= window.innerWidth;
  seen.requests = performance.getEntriesByType("resource").map((r) => r.name);
} catch (error) { seen.failed = String(error.stack); }
key(" ");
const before = $("time").value;
setTimeout(() => {
  seen.plays = $("time").value !== before;
  seen.error = document.documentElement.dataset.error || "";
  document.title = JSON.stringify(seen);
}, 700);
</script>
</body>"""


def tried(run, tmp_path, wanted, width=1200):
    """What the trial saw, at a window of some width."""
    text = page(run)
    assert text.count("</body>") == 1
    file = tmp_path / "page.html"
    text = text.replace("</head>", FRAMES)
    file.write_text(text.replace("</body>", TRIAL.replace("WANTED", json.dumps(wanted))), encoding="utf-8")
    done = subprocess.run(
        [
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={tmp_path / 'profile'}",
            f"--window-size={width},900", "--virtual-time-budget=4000", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    (title,) = re.findall(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    seen = json.loads(html.unescape(title))
    assert seen.get("failed") is None and seen["error"] == "" and seen["requests"] == []
    return seen


@pytest.mark.parametrize("width", [1200, 500])
def test_controls_change_the_picture(tmp_path, width):
    run = da.simulate(engine(piston="<b>piston</script>"), until=1.0, output=0.02)
    seen = tried(run, tmp_path, "crank.velocity", width)
    for what in (
        "step", "end", "last", "scrub", "names", "ghosts", "forces", "larger", "velocities", "accelerations", "trace",
        "zoom", "fit", "added", "cursor", "wide", "plays",
    ):  # fmt: skip
        assert seen[what] is True, what
    assert {"O: revolute", "A: revolute", "crank"} <= set(seen["tips"])
    assert seen["time"] == "t = 0.020 s" and seen["rows"] == 4
    assert "1 degree of freedom" in seen["text"] and "audit: passed" in seen["text"]


def test_every_symbol_is_drawn_without_error(tmp_path):
    seen = tried(da.simulate(symbols(), until=1.0), tmp_path, "S.force")
    assert seen["forces"] and seen["ghosts"] and seen["plays"]


def test_space(tmp_path):
    m = door()
    m.force("wind", m["leaf"], (0, 30, 0), at=(1, 0, 1))
    seen = tried(da.simulate(m, until=1.0), tmp_path, "leaf.spin")
    assert seen["forces"] and seen["velocities"] and seen["step"] and seen["plays"]
    assert "not unique: Fz" in seen["text"]
