"""A contact that pulls (rolling with a normal force of -10 N) was "ok": it warns, with time and contact, and the status says it."""

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.results.record import AuditWarning

G = 10.0


def lifted(tag, lift="20"):
    """A roller of 1 kg on the floor, pulled up by a force: the normal force is 10 N minus the lift."""
    plane = tag == "rolling_on_line"
    m = da.Mechanism("lifted", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    if plane:
        body = m.body("wheel", da.disk(0.4, mass=1.0), at=(0, 0.4))
        m.rolling_on_line("floor", m.ground, body, radius=0.4)
        m.force("hoist", body, (0, lift), at=body.center)
        return m
    body = m.body("wheel", mass=1.0, inertia=(0.04, 0.08, 0.04), at=(0, 0, 0.4))
    options = {"rolling_sphere": {"radius": 0.4}, "rolling_disk": {"radius": 0.4, "axis": "y"}}
    options["rolling_surface"] = {"height": "sqrt(0.16*(1 - d**2) + 0.09*d**2)", "axis": "y"}
    getattr(m, tag)("floor", m.ground, body, **options[tag])
    m.force("hoist", body, (0, 0, lift), at=body.center)
    return m


def quiet(m, until=1.0, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        return da.simulate(m, until=until, **options)


@pytest.mark.parametrize("tag", ["rolling_on_line", "rolling_sphere", "rolling_disk", "rolling_surface"])
def test_a_contact_that_pulls_is_not_ok(tag):
    with pytest.warns(AuditWarning, match="contact 'floor' pulls"):
        run = da.simulate(lifted(tag), until=0.1)
    assert run.status == "doubtful" and run.audit.passed
    (note,) = run.warnings
    assert note.kind == "contact pulls" and note.parts == ("floor",) and note.unit == "N"
    assert note.value == pytest.approx(-10.0, abs=1e-9)
    assert quiet(lifted(tag, "9"), 0.1).status == "ok"


def test_the_time_is_told_even_between_outputs():
    """Outputs at 0 and 1 s only; it pulls between 0.4 and 0.6 s."""
    m = lifted("rolling_on_line", "20*exp(-((t - 0.5)/0.05)**2)")
    run = quiet(m, output=1.0, max_step=0.02)
    assert len(run.t) == 2 and run.status == "doubtful"
    (note,) = run.warnings
    assert 0.45 < note.t < 0.55 and note.value == pytest.approx(-10.0, rel=0.1)
    # lift = weight at 0.5 - 0.05 sqrt(ln 2)
    first = float(note.text.split("from t = ")[1].split(" s")[0])
    assert first == pytest.approx(0.5 - 0.05 * np.sqrt(np.log(2)), abs=0.021)


def test_reactions_equilibrium_and_inverse_dynamics_say_it():
    m = lifted("rolling_on_line")
    found = da.reactions(m)
    assert found["floor"].normal == pytest.approx(-10.0)
    assert found.warnings[0].kind == "contact pulls" and "WARNING: contact 'floor' pulls" in str(found)
    assert not da.reactions(lifted("rolling_on_line", "1")).warnings
    m.spring("hold", m["wheel"], m.ground.point(0, 0.4), stiffness=5.0)
    rest = da.equilibrium(m)
    assert rest[0].warnings[0].parts == ("floor",) and "WARNING: 0: contact 'floor' pulls" in str(rest)
    driven = lifted("rolling_on_line")
    driven.drive("motor", driven["floor"].x, "0.1*t")
    with pytest.warns(AuditWarning, match="contact 'floor' pulls"):
        efforts = da.inverse_dynamics(driven, times=[0.0, 0.5, 1.0])
    assert efforts.run.status == "doubtful" and "WARNING" in str(efforts)


def test_files_and_the_doctor_say_it(tmp_path):
    from dalembert.cli.shared.doctor import examine

    run = quiet(lifted("rolling_on_line"), 0.1)
    run.save(tmp_path / "run")
    saved = da.load(tmp_path / "run")
    assert saved.status == "doubtful" and "contact 'floor' pulls" in saved.audit
    found = examine(lifted("rolling_on_line"))
    assert found.code != 0 and "contact 'floor' pulls" in found.text
