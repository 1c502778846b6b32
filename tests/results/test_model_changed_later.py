"""A result belongs to the model as it was: what the user does to the model afterwards changes nothing in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from trust.test_passes import changes, crank

import dalembert as da
from dalembert.system import system as compiled


def everything(run: Any, folder: Any) -> dict[str, Any]:
    """What a user may ask of a run, as numbers and texts."""
    again = run.resample([0.05, 0.15])
    found: dict[str, Any] = {f"audit {k}": str(r.audit).split("  steps")[0] for k, r in enumerate((run, again))}
    found |= {"table": run.table(), "balance": again.status, "state": run.at(0.07).q, "powers": again.powers}
    for kind in ("joint", "force", "driver"):
        for part in run.parts(kind):
            load = again[part.name]
            found |= {f"{part.name} {what}": getattr(load, what) for what in ("force", "torque", "power", "work")}
    for name in run.system.body_names:
        found[name] = again[name].position
        found[f"{name}.x"] = run[f"{name}.x"]
    found["energy"], found["momentum"], found["center"] = again.energy.total, again.momentum, again.center
    found |= {"potential": run.energy.potential, "works": str(run.work), "about": run.angular_momentum(about="center")}
    found["crossings"] = run.crossings("bore.slide", float(np.mean(run["bore.slide"])))
    found["instant"] = run.instant(0.1).second_rate("bore.slide")
    found["balance of momentum"] = str(run.balance())
    found["variation"] = da.first_variation(run).values
    found["expression"] = run.measure("2*bore.slide + t")
    run.save(folder / "run.npz")
    saved = da.load(folder / "run.npz")
    found |= {f"saved {key}": x for key, x in saved._arrays.items()} if hasattr(saved, "_arrays") else {}
    found["saved parameters"], found["gravity"] = str(saved.about["parameters"]), str(saved.about["gravity"])
    frame = run.to_pandas()
    found["columns"], found["frame"] = str(list(frame.columns)), frame.to_numpy()
    run.to_csv(folder / "run.csv")
    found["csv"] = (folder / "run.csv").read_text()
    run.draw(folder / "run.svg")
    found["drawing"] = (folder / "run.svg").read_text()
    return found


def machine() -> da.Mechanism:
    m = crank()
    m.field("wind", value=("0.3*y", 0.1))
    m.measure("width", "2*piston.x")
    return m


def further(m: da.Mechanism) -> dict[str, Callable[[], Any]]:
    """Changes of all kinds, one after the other too."""

    def joined() -> None:
        body = m.body("other", mass=1.0, inertia=1.0, at=(0.3, 0.3))
        m.revolute("late", m.ground, body, at=(0.3, 0.3))
        m.spring("late spring", body, m["piston"], stiffness=10.0)
        m.state("z", rate="1")

    def all_of_them() -> None:
        for change in changes(m).values():
            change()

    return {**changes(m), "joined": joined, "all": all_of_them}


@pytest.mark.parametrize("what", further(machine()))
def test_nothing_changes_in_a_result(what: str, tmp_path: Any) -> None:
    m, fresh = machine(), machine()
    run, other = (da.simulate(x, until=0.2, progress=False) for x in (m, fresh))
    further(m)[what]()
    folders = [tmp_path / name for name in ("now", "before")]
    for folder in folders:
        folder.mkdir()
    now, before = everything(run, folders[0]), everything(other, folders[1])
    assert run.status == "ok" and now.keys() == before.keys()
    for name, value in now.items():
        assert np.array_equal(value, before[name]), name


def test_a_measure_is_read_without_compiling_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    run = da.simulate(machine(), until=0.1, progress=False)
    monkeypatch.setattr(compiled, "collect", lambda *x, **y: pytest.fail("the model was compiled again"))
    assert run["piston.x"].shape == run["width"].shape == run.t.shape
    assert np.isfinite(run.instant(0.05).second_rate("width"))


def swing() -> da.Lagrangian:
    m = da.Lagrangian(["theta", "x"], parameters={"m": 2.0, "l": 0.7}, gravity=(0, -9.81), name="swing")
    m.particle("ball", mass="m", at=("x + l*sin(theta)", "-l*cos(theta)"))
    m.body("cart", mass=1.0, inertia=0.1, at=("x", 0), angle=0)
    m.force("push", "cart", ("sin(3*t)", 0))
    m.constraint("rail", "x - 0.1*t")
    m.start("theta", 0.5)
    return m


def of_system(run: da.LagrangianResult) -> dict[str, Any]:
    names = ["theta", "x", "rail", "m*l", "x + theta"]
    found: dict[str, Any] = {name: run[name] for name in names}
    found |= {"at": run.at(0.33).q, "again": run.resample([0.2, 0.4]).lam, "work": str(run.work), "table": run.table()}
    found |= {
        "ball": run["ball"].acceleration,
        "push": run["push"].work,
        "momentum": run.momentum,
        "energy": run.energy.jacobi,
    }
    found |= {
        "frame": run.to_pandas().to_numpy(),
        "columns": str(list(run.to_pandas().columns)),
        "reaction": run.reaction("rail"),
    }
    return found | {
        "instant": run.instant(0.2).second_rate("theta"),
        "crossings": run.crossings("theta"),
        "q": str(run.model.q),
    }


def test_nothing_changes_in_a_result_of_a_lagrangian() -> None:
    m = swing()
    run, other = da.simulate(m, until=0.5), da.simulate(swing(), until=0.5)
    m.parameter("late", 3.0)
    m.particle("late ball", mass=1.0, at=("x", 1))
    m.force("late push", "cart", (1.0, 0))
    m.constraint("late row", "theta - 0.5")
    m.state("z", rate="theta")
    now, before = of_system(run), of_system(other)
    for name, value in now.items():
        assert np.array_equal(value, before[name]), name
    assert run.status == "ok" and "late ball" not in run.model.parts
