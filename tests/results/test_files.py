"""Files of results: everything comes back, without pickle, complete or not at all; wrong input is refused in four parts."""

import csv
import io
import json
import math
import os
import pickle
import sys
import zipfile

import numpy as np
import pytest
from errors.checks import refused

import dalembert as da
from dalembert.cli.shared.perform import data_of
from dalembert.demo import slider_crank
from dalembert.results import files


@pytest.fixture(scope="module")
def planar():
    return da.simulate(slider_crank(), until=0.5, output=0.05)


@pytest.fixture(scope="module")
def spatial():
    m = da.Mechanism("swing", plane=False, gravity=(0, 0, -9.81))
    bar = m.body("bar", da.rod(1.0, radius=0.02, mass=2.0), at=(0.5, 0, 0))
    ball = m.particle("ball", mass=0.5, at=(1.0, 0.3, 0))
    m.revolute("A", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))
    m.spring("S", bar.end, (ball, (0, 0, 0)), stiffness=40.0, damping=0.3, free_length=0.3)
    m.measure("tip", point=bar.end, along=(0, 0, 1))
    return da.simulate(m, until=0.5, output=0.05)


def saved(run, tmp_path):
    path = tmp_path / "run.npz"
    run.save(path)
    return da.load(path)


def test_bodies_come_back(planar, spatial, tmp_path):
    for run, name in ((planar, "crank"), (spatial, "bar")):
        back = saved(run, tmp_path)[name]
        here = run[name]
        words = ("position", "velocity", "acceleration", "spin", "spin_rate")
        for what in (*words, *(("angle",) if run.plane else ("rotation", "quaternion"))):
            assert np.array_equal(getattr(back, what), getattr(here, what)), what
            assert getattr(back, what).unit == getattr(here, what).unit
            assert getattr(back, what).axes == getattr(here, what).axes


def test_loads_come_back_on_every_body(planar, spatial, tmp_path):
    for run in (planar, spatial):
        back = saved(run, tmp_path)
        for kind in ("joint", "driver", "force"):
            for part in run.model.parts(kind):
                for what in ("force", "torque", "power"):
                    assert np.array_equal(getattr(back[part.name], what), getattr(run[part.name], what))
                for body in part.bodies:
                    assert np.array_equal(back[part.name].on(body).force, run[part.name].on(body).force)
                    assert np.array_equal(back[part.name].on(body.name).torque, run[part.name].on(body).torque)
        assert np.array_equal(back["A"].multipliers, run["A"].multipliers)
    assert np.array_equal(saved(planar, tmp_path)["motor"].effort, planar["motor"].effort)
    assert np.array_equal(saved(spatial, tmp_path)["S"].effort, spatial["S"].effort)


def test_measures_and_energies_come_back(planar, spatial, tmp_path):
    for run in (planar, spatial):
        back = saved(run, tmp_path)
        assert np.array_equal(back.t, run.t)
        for name in run.model.measure_names():
            # coordinates of bodies are stored as their positions: equal to round-off, all others exactly
            tight = 0.0 if name.rpartition(".")[0] not in run.system.body_names else 1e-14
            assert np.allclose(back[name], run[name], rtol=0, atol=tight), name
            assert np.allclose(back[name].rate, run[name].rate, rtol=0, atol=100 * tight), name
            assert (back[name].unit, back[name].rate.unit) == (run[name].unit, run[name].rate.unit)
        for what in ("kinetic", "potential", "total"):
            assert np.array_equal(getattr(back.energy, what), getattr(run.energy, what))
    assert np.array_equal(saved(planar, tmp_path)["O"].angle, planar["O.angle"])


def test_what_the_file_says_about_the_run(planar, tmp_path):
    back = saved(planar, tmp_path)
    assert back.model == "slider-crank" and back.status == "ok" and back.complete and back.plane
    assert back.audit == str(planar.audit)
    assert back.about["rtol"] == 1e-8 and back.about["version"] == files.VERSION
    assert back.table(3) == planar.table(3)
    assert "slider-crank" in repr(back) and "crank" in back.names()


def test_the_run_goes_on_from_a_file(planar, tmp_path):
    back = saved(planar, tmp_path)
    further = da.simulate(slider_crank(), until=1.0, start=back.at(0.5))
    assert abs(further["O.angle"][-1] - (math.pi / 3 + 2 * math.pi)) < 1e-11


def test_times_between_outputs_are_refused(planar, tmp_path):
    back = saved(planar, tmp_path)
    with pytest.raises(da.MethodError, match="nearest to it are at 0.1, 0.15, 0.2") as error:
        back.at(0.1625)
    assert error.value.do and error.value.why
    for wrong in (math.nan, "0.1", None, True, 7.0):
        with pytest.raises(da.MethodError):
            back.at(wrong)


def test_plain_numpy_reads_it_without_pickle(planar, tmp_path):
    planar.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        assert np.array_equal(file["A.force"], planar["A"].force)
        assert np.array_equal(file["A.on(crank).force"], planar["A"].on("crank").force)
        assert np.array_equal(file["O.angle"], planar["O.angle"])
        about = json.loads(str(file["about"]))
        assert about["format"] == "dalembert results" and {e["key"] for e in about["arrays"]} <= set(file.files)
        assert all(file[name].dtype.kind in "fU" for name in file.files)


def test_same_run_same_bytes(planar, tmp_path):
    planar.save(tmp_path / "a.npz")
    planar.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_names_that_clash_with_the_file(tmp_path):
    # parts called like arrays of the file, like arguments of numpy, like folders
    m = da.Mechanism("names", plane=True, gravity=(0, -9.81))
    energy = m.body("energy", da.rod(1.0, mass=1.0), at=(0.5, 0))
    m.revolute("about", m.ground, energy, at=(0, 0))
    m.measure("file", point=energy.end, along=(0, 1))
    m.measure("a/b", point=energy.end, along=(1, 0))
    m.measure("q", "2*energy.x")
    run = da.simulate(m, until=0.2, output=0.1)
    back = saved(run, tmp_path)
    assert np.array_equal(back["energy"].position, run["energy"].position)
    assert np.array_equal(back.energy.total, run.energy.total)
    for name in ("file", "a/b", "q"):
        assert np.array_equal(back[name], run[name])
    assert np.array_equal(back.q, run.q)
    assert np.array_equal(back["about"].force, run["about"].force)


def test_a_failing_write_leaves_the_old_file(planar, tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    path.write_bytes(b"old")

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(da.MethodError, match="No space left") as error:
        planar.save(path)
    assert "free some space" in error.value.do
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_an_interrupted_write_leaves_nothing(planar, tmp_path, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(zipfile.ZipFile, "writestr", stop)
    with pytest.raises(KeyboardInterrupt):
        planar.save(tmp_path / "run.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="rights of files are others there")
def test_new_files_have_ordinary_rights(planar, tmp_path):
    planar.save(tmp_path / "run.npz")
    (tmp_path / "plain").touch()
    assert (tmp_path / "run.npz").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_endings_and_folders(planar, tmp_path):
    planar.save(tmp_path / "new" / "folder" / "run")
    assert [p.name for p in (tmp_path / "new" / "folder").iterdir()] == ["run.npz"]
    assert len(da.load(tmp_path / "new" / "folder" / "run").t) == 11


@pytest.mark.parametrize("path", [None, 3, "", "a\0b", ["x"]])
def test_wrong_paths(planar, path):
    for action in (planar.save, planar.to_csv, da.load):
        with pytest.raises(da.MethodError, match="path = "):
            action(path)


def test_writing_to_a_folder_or_under_a_file(planar, tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "x.npz"):
        with pytest.raises(da.MethodError) as error:
            planar.save(path)
        assert error.value.do


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("table.csv", b"t [s];x [mm]\n0;1\n", "a text file that begins with 't [s];x [mm]'"),
        ("wide.csv", "über;x\n".encode() * 40, "a text file that begins with 'über;x'"),
        ("latin.csv", "für;x\n".encode("latin-1"), "a text file that begins with 'f"),
        ("empty.npz", b"", "an empty file"),
        ("other.npz", None, "a NumPy archive of the arrays 'x', 'y'"),
        ("single.npy", b"\x93NUMPY\x01\x00", "a single NumPy array"),
        ("run.pkl", pickle.dumps({"t": 1}), "a pickle of Python"),
        ("run.mat", b"MATLAB 5.0 MAT-file", "a MATLAB file"),
        pytest.param("noise.npz", bytes(range(1, 100)), "a binary file that begins with the bytes 01 02", id="noise"),
        ("cut.npz", b"PK\x03\x04 and nothing", "it is damaged"),
    ],
)
def test_foreign_files_are_called_by_what_they_are(tmp_path, name, content, what):
    (tmp_path / name).write_bytes(_npz(x=np.zeros(3), y=np.zeros(2)) if content is None else content)
    with pytest.raises(da.MethodError) as error:
        da.load(tmp_path / name)
    assert what in error.value.found and "not a file of results" in error.value.why


def test_files_that_are_no_results(planar, tmp_path):
    planar.save(tmp_path / "good.npz")
    with pytest.raises(da.MethodError, match="did you mean 'good.npz'"):
        da.load(tmp_path / "goood.npz")
    whole = (tmp_path / "good.npz").read_bytes()
    wrong = {
        "empty.npz": b"",
        "text.npz": b"hello world, this is no archive",
        "cut.npz": whole[: len(whole) // 2],
        "single.npy": _npy(np.zeros(3)),
        "other.npz": _npz(x=np.zeros(3)),
        "format.npz": _npz(about=np.array(json.dumps({"format": "something else", "version": 1}))),
        "nojson.npz": _npz(about=np.array("{")),
        "list.npz": _npz(about=np.array("[1, 2]")),
        "gap.npz": _npz(about=np.array(json.dumps({"format": files.FORMAT, "version": files.VERSION}))),
    }
    for name, content in wrong.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(da.MethodError, match="not a file of results") as error:
            da.load(tmp_path / name)
        assert error.value.do
    with pytest.raises(da.MethodError):
        da.load(tmp_path)


def test_objects_are_not_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "sprung"),))

    np.savez(tmp_path / "trap.npz", about=np.array([Trap()], dtype=object), t=np.zeros(1))
    with pytest.raises(da.MethodError):
        da.load(tmp_path / "trap.npz")
    assert not (tmp_path / "sprung").exists()


def test_newer_files_are_refused_by_version(tmp_path):
    (tmp_path / "new.npz").write_bytes(_npz(about=np.array(json.dumps({"format": files.FORMAT, "version": 99}))))
    with pytest.raises(da.MethodError, match="version 99"):
        da.load(tmp_path / "new.npz")


def test_unknown_names_are_suggested(planar, tmp_path):
    back = saved(planar, tmp_path)
    with pytest.raises(da.ModelError, match="did you mean 'crank'"):
        back["crnk"]
    with pytest.raises(da.ModelError, match="did you mean 'position'"):
        back["crank"].positon
    with pytest.raises(da.ModelError, match="did you mean 'crank'"):
        back["A"].on("crnk")
    assert not hasattr(back["crank"], "force")


def test_csv_has_all_columns_and_all_digits(planar, tmp_path):
    planar.to_csv(tmp_path / "run")
    text = (tmp_path / "run.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    head, numbers = rows[0], np.array(rows[1:], dtype=float)
    assert head[0] == "t [s]" and len(set(head)) == len(head)
    assert np.array_equal(numbers[:, 0], planar.t)
    for name, values in (
        ("A.force[x] [N]", planar["A"].force[:, 0]),
        ("O.angle [rad]", planar["O.angle"]),
        ("rate(bore.slide) [m/s]", planar["bore.slide"].rate),
        ("motor.effort [N m]", planar["motor"].effort),
        ("energy.total [J]", planar.energy.total),
    ):
        assert np.array_equal(numbers[:, head.index(name)], values), name


@pytest.mark.parametrize("package", ["pandas", "xarray"])
def test_missing_packages_say_what_to_install(planar, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(da.MethodError) as error:
        getattr(planar, f"to_{package}")()
    assert isinstance(error.value, ImportError)
    assert str(error.value) == f"to_{package} needs {package}, which is not installed: pip install {package}"


def test_pandas_frame(planar):
    pytest.importorskip("pandas")
    frame = planar.to_pandas()
    assert np.array_equal(frame["A.force[x]"], planar["A"].force[:, 0]) and frame.attrs["units"]["A.force[x]"] == "N"


def test_xarray_dataset(spatial):
    pytest.importorskip("xarray")
    data = spatial.to_xarray()
    assert np.array_equal(data["A.force"].sel(axis="z"), spatial["A"].force[:, 2])
    assert data["bar.rotation"].shape == (11, 3, 3) and data["A.force"].units == "N"


def _npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def test_what_presses_and_where_reads_back(tmp_path):
    m = da.Mechanism("tappet", plane=True, gravity=(0, -9.81))
    shaft = m.revolute("O", m.ground, m.body("wheel", mass=1.0, inertia=1e-3), at=(0, 0))
    valve = m.body("valve", mass=0.3, inertia=1e-3, at=(0, 0.05))
    guide = m.prismatic("guide", m.ground, valve, along=(0, 1))
    m.drive("motor", shaft, "30*t")
    m.cam("cam", shaft, guide, lift="0.02*(1 - cos(theta))", base=0.05)
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(1.0, 0.15))
    m.contact("floor", m.ground, ball, restitution=0.5)
    run = da.simulate(m, until=0.6)
    read = saved(run, tmp_path)
    # a tip on the cam: its height, and tan alpha = s'/(base + s); it flies in between
    theta = 30 * read.t
    s, slope = 0.02 * (1 - np.cos(theta)), 0.02 * np.sin(theta)
    pressed = read["cam"].closed == 1.0
    assert 0 < pressed.sum() < len(read.t) - 1 and np.all((read["cam"].normal > 0.0) == pressed)
    assert np.allclose(np.tan(read["cam"].pressure_angle), slope / (0.05 + s), rtol=0, atol=1e-12)
    point = np.asarray(read["cam"].point)
    assert np.allclose(point[pressed], np.column_stack([0 * s, 0.05 + s])[pressed], atol=1e-9)
    assert np.all(np.isnan(point[~pressed]))
    for name, whats in (("cam", ("normal", "closed", "pressure_angle", "point")), ("floor", ("normal", "closed"))):
        for what in whats:
            one, other = getattr(read[name], what), getattr(run[name], what)
            assert np.array_equal(one, other, equal_nan=True) and (one.unit, one.axes) == (other.unit, other.axes)
    assert set(read["floor"].closed) == {0.0, 1.0}
    # programs are told the range of what is there
    assert data_of(run)["quantities"]["cam.point[y]"]["least"] == np.nanmin(point[:, 1])


# -- text for spreadsheets -------------------------------------------------------------------------------------------------


def _pendulum():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return da.simulate(m, until=0.2, output=0.1)


def test_choice_of_columns(tmp_path):
    run = _pendulum()
    run.to_csv(tmp_path / "some", columns=["t", "A.angle", "bar.position"])
    lines = (tmp_path / "some.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "t [s],A.angle [rad],bar.position[x] [m],bar.position[y] [m]"
    found = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    assert np.array_equal(found[:, 0], run.t) and np.array_equal(found[:, 1], run["A.angle"])
    assert np.array_equal(found[:, 2:], run["bar"].position)
    with refused(da.MethodError, "no column is called 'A.angel'", "did you mean 'A.angle'?"):
        run.to_csv(tmp_path / "some", columns="A.angel")
    with refused(da.MethodError, "columns = 3"):
        run.to_csv(tmp_path / "some", columns=3)


def test_decimal_commas_and_byte_order_mark(tmp_path):
    run = _pendulum()
    run.to_csv(tmp_path / "comma.csv", columns=["A.angle"], decimal=",", bom=True)
    raw = (tmp_path / "comma.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbft [s];A.angle [rad]\n")
    # and back again as a table of the package
    m = da.Mechanism("reader")
    table = m.table("angle", file=str(tmp_path / "comma.csv"))
    assert table.y == pytest.approx(run["A.angle"])
    with refused(da.MethodError, "decimal = ';'"):
        run.to_csv(tmp_path / "x.csv", decimal=";")
    with refused(da.MethodError, "bom = 1"):
        run.to_csv(tmp_path / "x.csv", bom=1)
