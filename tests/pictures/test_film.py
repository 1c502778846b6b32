"""Films: frames, times, files, what is refused."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from viewer.machines import door, engine

import dalembert as da
from dalembert.model.output_units import OutputUnits
from dalembert.pictures.film import clock_texts


@pytest.fixture(scope="module")
def run():
    return da.simulate(engine(), until=0.4, output=0.02)


def test_a_gif_has_a_frame_for_every_moment(run, tmp_path):
    from PIL import Image, ImageChops

    file = run.film(tmp_path / "a", fps=10, size=2.5, dpi=60)
    assert file == tmp_path / "a.gif" and [p.name for p in tmp_path.iterdir()] == ["a.gif"]
    film = Image.open(file)
    # t = 0, 0.1, ... 0.4
    assert film.n_frames == 5 and film.size[0] == 150
    frames, lasting = [], []
    for k in range(5):
        film.seek(k)
        lasting.append(film.info["duration"])
        frames.append(film.convert("RGB"))
    assert lasting == [100] * 5
    assert all(ImageChops.difference(a, b).getbbox() for a, b in zip(frames[:-1], frames[1:]))
    assert frames[0].getpixel((1, 1)) == (255, 255, 255)


def test_speed_and_frames(run):
    from dalembert.pictures.film import frame_times

    assert np.allclose(frame_times("test", run, 25.0, 0.5), np.arange(21) * 0.02)
    assert np.allclose(frame_times("test", run, 10.0, 2.0), [0.0, 0.2, 0.4])


def test_frames_are_the_motion_itself(run):
    from dalembert.pictures.draw import Look
    from dalembert.pictures.drawing import read
    from dalembert.pictures.film import Frames

    times = np.array([0.0, 0.013, 0.391])
    look = Look("test", 0, (), False, 2, None, True, None, False, 50)
    frames = Frames(read("test", run, "start"), look, [], [run["A"].force], times)
    exact = run.resample(times)
    for k, pose in enumerate(frames.poses):
        assert np.allclose(pose.origin[0, :2], exact["crank"].position[k], atol=1e-9)
    frames.draw(1)
    _, dot, _ = frames.cursors[0]
    # between two outputs the cursor follows the line that is drawn
    size = np.linalg.norm(run["A"].force, axis=1)
    assert dot.get_xdata()[0] == pytest.approx(0.013) and size[0] <= max(dot.get_ydata()[0], size[1])


def test_the_clock_has_as_many_decimals_as_frames_need():
    texts = lambda times: clock_texts(np.array(times), OutputUnits())  # noqa: E731
    assert texts([0.0, 0.04, 0.08]) == ["t = 0.00 s", "t = 0.04 s", "t = 0.08 s"]
    assert texts([0.0, 1 / 30, 2 / 30])[1:] == ["t = 0.033 s", "t = 0.067 s"]
    assert texts([2.0]) == ["t = 2 s"]
    assert texts([1.0, 0.5, 0.0]) == ["t = 1.0 s", "t = 0.5 s", "t = 0.0 s"]


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="needs ffmpeg")
def test_mp4(run, tmp_path):
    file = run.film(tmp_path / "a.mp4", fps=10, size=(2.51, 2.0), dpi=60, quantities=["motor", "O.angle"])
    assert b"ftyp" in file.read_bytes()[:16] and [p.name for p in tmp_path.iterdir()] == ["a.mp4"]
    if shutil.which("ffprobe"):
        asked = [
            "ffprobe",
            "-v",
            "error",
            "-count_frames",
            "-show_entries",
            "stream=nb_read_frames,width",
            "-of",
            "json",
            str(file),
        ]
        found = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)["streams"][0]
        assert found["nb_read_frames"] == "5" and found["width"] % 2 == 0


def test_in_space(tmp_path):
    from PIL import Image

    m = door()
    m["leaf"]
    run = da.simulate(m, until=0.1, output=0.05)
    assert Image.open(run.film(tmp_path / "a.gif", fps=20, size=2, dpi=50, arrows="reactions")).n_frames >= 1


def test_what_is_refused(run, tmp_path, monkeypatch):
    for options in (
        {"fps": 0}, {"fps": "x"}, {"speed": -1}, {"speed": 1e-5}, {"size": "x"}, {"dpi": 1}, {"traces": ["Z"]}, {"arrows": ["Z"]}, {"names": ["Z"]},
        {"quantities": ["Z"]}, {"quantities": [3]}, {"frames": 3},
    ):  # fmt: skip
        with pytest.raises(da.DalembertError) as error:
            run.film(tmp_path / "a.gif", **options)
        assert all(error.value.args), options
    with pytest.raises(da.MethodError, match="GIF or MP4"):
        run.film(tmp_path / "a.avi")
    with pytest.raises(da.MethodError, match="run over time"):
        da.film(engine(), tmp_path / "a.gif")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(da.MethodError) as error:
        run.film(tmp_path / "a.mp4")
    assert "ffmpeg is not installed" in str(error.value) and "do:" in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_stopped_film_leaves_nothing(run, tmp_path, monkeypatch):
    from dalembert.pictures import film

    def stop(self, k):
        raise KeyboardInterrupt

    monkeypatch.setattr(film.Frames, "draw", stop)
    with pytest.raises(KeyboardInterrupt):
        run.film(tmp_path / "a.gif")
    assert list(tmp_path.iterdir()) == []
