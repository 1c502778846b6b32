"""film: the machine moving, as GIF or MP4."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DalembertError, MethodError, checked_call, shown
from ..model.expression.checks import plain_number
from ..progress import Progress
from ..results.files import MissingPackageError, optional, whole_file, with_ending
from ..results.in_units import converted, units_of
from ..results.record import Record
from ..results.series import Series
from . import labels, quantities
from .board import Board
from .draw import Look, read_traces
from .drawing import Drawing, Panel, of_result, read
from .glyphs import color_of

if TYPE_CHECKING:
    from ..model.output_units import OutputUnits


# frames of one film: ten minutes at 25 per second
MOST = 15_000
STRIP = 1.7  # inches of a strip with a quantity


@checked_call
def film(
    run: Any,
    path: Any,
    *,
    fps: float = 25,
    speed: float = 1.0,
    size: Any = None,
    dpi: float = 100,
    traces: Any = (),
    arrows: Any = (),
    names: Any = False,
    quantities: Any = (),
    view: Any = None,
    scale: bool = True,
    progress: bool | None = None,
    units: Any = None,
) -> Path:
    """Write a moving picture of a run.

    Parameters
    ----------
    run
        A run.
    path
        File to write: .gif (with Pillow, which comes with matplotlib) or .mp4 (with the program ffmpeg); it is complete or not there.
    fps
        Frames per second of the film.  GIF knows hundredths of a second only: 25, 20, 50 and 10 are exact.
    speed
        Seconds of the run in one second of film.
    size, dpi
        Width of the film or (width, height) in inches, and dots per inch.
    traces, arrows, names, view, scale
        As for `draw`; with the scale goes a clock.  The past part of a trace is drawn strong.
    quantities
        Measures, names of joints (the size of their force), drivers (their effort), or arrays of the run, plotted below with a cursor that moves.
    progress
        Show a bar; default: on a terminal, for long films.
    units
        Units of scale, legend and strips: "mm, kN, deg"; default: those of the model.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import dalembert as da, tempfile, os
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> file = da.film(da.simulate(m, until=0.4), os.path.join(tempfile.mkdtemp(), "pendulum"), fps=10, size=3)
    >>> file.name
    'pendulum.gif'
    """
    asked = f"film({shown(getattr(getattr(run, 'model', run), 'name', run), 40)})"
    optional("matplotlib", "film", "plot")
    optional("PIL", "film", "plot")
    target = _target(asked, path)
    given = getattr(run, "run", run)
    if not isinstance(given, Record):
        why = "a film shows a run over time"
        raise MethodError(asked, f"a {type(run).__name__}", why, "give the result of simulate")
    if progress is not None and not isinstance(progress, bool):
        raise MethodError(asked, f"progress = {shown(progress)}", "it is True, False or None", "leave it out")
    rates = {name: _positive(asked, name, x) for name, x in (("fps", fps), ("speed", speed))}
    look = Look(asked, 0, arrows, names, size, view, scale, None, False, dpi)
    subject = read(asked, given, "start")
    look.read_names(subject)
    look.units = units_of(asked, given, units)
    points = read_traces(asked, subject, traces)
    listed = quantities if isinstance(quantities, list | tuple) else [quantities]
    strips = [converted(_series(asked, given, q), look.units) for q in listed]
    times = frame_times(asked, given, rates["fps"], rates["speed"])
    frames = Frames(subject, look, points, strips, times)
    bar = Progress("film", 0.0, float(len(times)), force=bool(progress)) if progress is not False else None
    try:
        with whole_file(target, f"film(path={shown(path)})") as file:
            (_gif if target.suffix.lower() == ".gif" else _mp4)(asked, frames, file, rates["fps"], bar)
    finally:
        if bar is not None:
            bar.close()
    return target


def _target(asked: str, path: Any) -> Path:
    target = with_ending(f"film(path={shown(path)})", path, ".gif")
    ending = target.suffix.lower()
    if ending not in (".gif", ".mp4"):
        why = "films are written as GIF or MP4"
        raise MethodError(f"film(path={shown(path)})", f"the ending {target.suffix!r}", why, "use .gif or .mp4; draw() makes .png, .svg, .pdf")  # fmt: skip
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        why, do = "MP4 films are made by it", "install ffmpeg, or write a .gif"
        raise MissingProgramError(asked, "ffmpeg is not installed", why, do)
    return target


class MissingProgramError(MissingPackageError):
    """A program beside Python is not installed."""

    __str__ = DalembertError.__str__


def _positive(asked: str, name: str, x: Any) -> float:
    number = plain_number(x)
    if number is None or not 1e-6 <= number <= 1e6:
        do = f"give {name}={25 if name == 'fps' else 1.0}"
        raise MethodError(asked, f"{name} = {shown(x)}", "it is a positive number", do)
    return float(number)


def frame_times(asked: str, run: Record, fps: float, speed: float) -> np.ndarray:
    """Times of the frames, the first output first."""
    first, last = float(run.t[0]), float(run.t[-1])
    count = int(np.floor(abs(last - first) / speed * fps * (1 + 1e-12))) + 1
    if count > MOST:
        found, why = f"{count} frames", f"a film has at most {MOST}"
        raise MethodError(asked, found, why, "give a larger speed, a smaller fps, or a shorter run")
    return first + np.sign(last - first) * np.arange(count) * speed / fps


def clock_texts(times: np.ndarray, units: OutputUnits) -> list[str]:
    """The time of every frame, all with as many decimals as tell two frames apart."""
    unit, factor = units.of("s")
    step = abs(float(times[-1] - times[0])) * factor / max(1, len(times) - 1)
    decimals = int(np.clip(-np.floor(np.log10(step)), 0, 9)) if step > 0.0 else 0
    # 1/30 s needs one decimal more than 1/10 s
    decimals += step > 0.0 and abs(step * 10.0**decimals - round(step * 10.0**decimals)) > 1e-6
    return [f"t = {t * factor + 0.0:.{decimals}f} {unit}" for t in times]


def _series(asked: str, run: Record, what: Any) -> Series:
    """A quantity over time: an array of the run, a measure, the force of a joint, the effort of a driver."""
    if isinstance(what, Series):
        if len(what) != len(run.t):
            sizes = f"quantities: {len(what)} values, {len(run.t)} outputs"
            raise MethodError(asked, sizes, "it must come from this run", "give run[...] itself")
        return what
    found = run[what]
    if isinstance(found, Series):
        return found
    for name in ("effort", "force", "position"):
        if name == "effort" and getattr(getattr(found, "part", None), "kind", "driver") != "driver":
            continue
        try:
            series = getattr(found, name)
        except (DalembertError, AttributeError):
            continue
        if isinstance(series, Series):
            return series
    do = "give an array such as run['A'].force"
    raise MethodError(asked, f"quantities: {shown(what)}", "it has no single quantity", do)


def lines_of(series: Series) -> tuple[str, np.ndarray]:
    """Label and one line: of a force its size."""
    values = np.asarray(series, dtype=float)
    name = f"{series.name} [{series.unit}]" if series.unit else series.name
    if values.ndim == 1:
        return name, values
    return f"|{series.name}| [{series.unit}]", np.linalg.norm(values.reshape(len(values), -1), axis=1)


class Frames:
    """Draws one frame after the other on one figure."""

    def __init__(self, subject: Drawing, look: Look, points: Any, strips: list[Series], times: np.ndarray) -> None:
        self.subject, self.look, self.times, self.points = subject, look, times, points
        outputs = np.asarray(subject.run.t, dtype=float)
        # frames at outputs need no further computing
        near = np.abs(outputs[:, None] - times[None]).argmin(axis=0) if len(outputs) * len(times) < 5_000_000 else None
        exact = near is not None and bool(np.all(np.abs(outputs[near] - times) <= 1e-9 * (1.0 + np.abs(times))))
        if exact:
            self.poses = [subject.output(int(k)) for k in near]  # type: ignore[union-attr]
        else:
            other = subject.run.resample(np.clip(times, *sorted((outputs[0], outputs[-1]))))
            made = of_result(look.asked, other, subject.scene)
            self.poses = [made.output(k) for k in range(len(times))]
        self.strips = [(*lines_of(s), s) for s in strips]
        self.memory: dict[str, np.ndarray] = {}
        self.clocks = clock_texts(times, look.units)
        self._prepare()

    def _prepare(self) -> None:
        subject, look = self.subject, self.look
        some = self.poses[:: max(1, len(self.poses) // 40)]
        self.paths = [(body, np.array([pose.at(place) for pose in self.poses])) for _, body, place in self.points]
        self.arrows = (
            [quantities.gather(look.asked, subject, pose, look.kinds) for pose in self.poses] if look.kinds else []
        )
        below = STRIP * len(self.strips)
        self.board = Board(subject, look, some, self.paths, 1, any(self.arrows), False, None, below)
        sheet = self.board.sheet
        self.scales = labels.scales(self.arrows[:1], sheet) if self.arrows else {}
        for kind in self.scales:
            # a typical size over time, so that peaks do not make the rest vanish
            sizes = [each.largest for panel in self.arrows for each in panel if each.kind == kind]
            self.scales[kind] *= self.arrows[0][0].largest / max(float(np.mean(sizes)), 1e-300) if sizes else 1.0
        self.figure, self.axes = sheet.figure, sheet.axes(0)
        self.cursors = [self._strip(k, *self.strips[k]) for k in range(len(self.strips))]

    def _strip(self, k: int, label: str, values: np.ndarray, series: Series) -> tuple[Any, Any, np.ndarray]:
        """Axes of one quantity below the drawing."""
        tall = self.figure.get_figheight()
        n, each = len(self.strips), STRIP / tall
        wide = self.figure.get_figwidth()
        low = (n - 1 - k) * each
        axes = self.figure.add_axes((0.72 / wide, low + 0.5 / tall, 1.0 - 0.9 / wide, each - 0.62 / tall))
        t, color = np.asarray(self.subject.run.t, dtype=float), color_of(k)
        unit, seconds = self.look.units.of("s")
        axes.plot(seconds * t, values, color=color, linewidth=1.3, alpha=0.45)
        (past,) = axes.plot([], [], color=color, linewidth=1.9)
        (dot,) = axes.plot([], [], "o", color=color, markersize=4.5)
        axes.set_xlim(seconds * float(t.min()), seconds * float(t.max()))
        axes.set_ylabel(label, fontsize=8, parse_math=False)
        axes.set_xlabel(f"t [{unit}]", fontsize=8, labelpad=1)
        axes.tick_params(labelsize=7)
        axes.grid(True, color="#e3e3e3", linewidth=0.7)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        return past, dot, values

    def __len__(self) -> int:
        return len(self.times)

    def draw(self, k: int) -> Any:
        """Image of frame k."""
        from PIL import Image

        for artist in [*self.axes.lines, *self.axes.patches, *self.axes.collections, *self.axes.texts]:
            artist.remove()
        pose, pen = self.poses[k], self.board.pen(self.axes)
        pen.memory = self.memory
        if self.subject.plane:
            pen.z = 1.5
            for _, path in self.paths:
                pen.line(path[:, :2], "#d5d9de", 1.0)
        past = [(body, path[: k + 1]) for body, path in self.paths if k or not self.subject.plane]
        self.board.draw(
            pen, Panel(pose, clock=self.clocks[k]), [], past, self.arrows[k] if self.arrows else [], self.scales
        )
        t = np.asarray(self.subject.run.t, dtype=float)
        forward, seconds = float(t[-1]) >= float(t[0]), self.look.units.factor("s")
        for past, dot, values in self.cursors:
            done = t <= pose.t if forward else t >= pose.t
            here = float(np.interp(pose.t, t if forward else t[::-1], values if forward else values[::-1]))
            past.set_data(seconds * np.append(t[done], pose.t), np.append(values[done], here))
            dot.set_data([seconds * pose.t], [here])
        self.figure.set_dpi(self.look.dpi)
        self.figure.canvas.draw()
        return Image.frombuffer(
            "RGBA", self.figure.canvas.get_width_height(), self.figure.canvas.buffer_rgba()
        ).convert("RGB")


def _gif(asked: str, frames: Frames, file: Any, fps: float, bar: Progress | None) -> None:
    """One palette for all frames, from a few of them; Pillow stores what changes."""
    from PIL import Image

    picked = sorted({0, len(frames) // 3, 2 * len(frames) // 3, len(frames) - 1})
    few = [frames.draw(k) for k in picked]
    wide, tall = few[0].size
    sample = Image.new("RGB", (wide, tall * len(few)), "white")
    for k, image in enumerate(few):
        sample.paste(image, (0, k * tall))
    palette = sample.quantize(colors=64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    # averages of nearly white pixels would make the paper grey
    colors = np.array((palette.getpalette() or [])[: 3 * 64]).reshape(-1, 3)
    colors[colors.min(axis=1) > 243] = 255
    palette = Image.new("P", (1, 1))
    palette.putpalette(colors.ravel().tolist())
    frames.memory.clear()
    made = []
    for k in range(len(frames)):
        made.append(frames.draw(k).quantize(palette=palette, dither=Image.Dither.NONE))
        if bar is not None:
            bar(k + 1.0)
    # hundredths of a second, so that the whole film has the right length
    ends = np.round(100.0 * np.arange(1, len(made) + 1) / fps)
    durations = [int(10 * max(1.0, d)) for d in np.diff(ends, prepend=0.0)]
    made[0].save(file, format="GIF", save_all=True, append_images=made[1:], duration=durations, loop=0, optimize=False)


def _mp4(asked: str, frames: Frames, file: Any, fps: float, bar: Progress | None) -> None:
    """Frames go to ffmpeg as they are drawn."""
    first = frames.draw(0)
    # the usual colour format needs even numbers of pixels
    wide, tall = (2 * (n // 2) for n in first.size)
    with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
        target = Path(folder) / "film.mp4"
        command = [
            "ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{wide}x{tall}", "-r", f"{fps:.6g}", "-i", "-",
            "-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-map_metadata", "-1", "-fflags", "+bitexact", str(target),
        ]  # fmt: skip
        with tempfile.TemporaryFile() as told:
            # what ffmpeg says goes to a file: a full pipe would stop it
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=told)
            assert process.stdin is not None
            try:
                for k in range(len(frames)):
                    image = first if k == 0 else frames.draw(k)
                    process.stdin.write(image.crop((0, 0, wide, tall)).tobytes())
                    if bar is not None:
                        bar(k + 1.0)
                process.stdin.close()
            except BrokenPipeError:
                pass  # what ffmpeg says about it is told below
            except BaseException:
                process.kill()
                raise
            finally:
                process.wait()
            told.seek(0)
            words = " ".join(told.read().decode("utf-8", "replace").split())
        if process.returncode != 0 or not target.is_file():
            raise MethodError(
                asked, f"ffmpeg stopped: {shown(words, 200)}",
                "the film could not be encoded", "write a .gif, or try another ffmpeg",
            )  # fmt: skip
        with target.open("rb") as made:
            shutil.copyfileobj(made, file)
