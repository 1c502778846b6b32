"""The velocity gate: velocities that contradict the joints are refused, solved for, or accepted with an account of the blow.

The numbers of FB4 were computed independently of this package (dense [M J^T; J 0] with the three bars); here they come out to the digits
printed, and once more from a dense solution written out below.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from tests.errors.checks import four_bar, refused

from .machines import PIN, bar, fb4

REST = {"velocity": (0, 0), "spin": 0}
ABOUT_CENTRE = {"velocity": (0, 0), "spin": 5}
ABOUT_PIN = {"velocity": (-2.5, 0), "spin": 5}
# joints of four_bar: O ground-crank, A crank-coupler, B coupler-rocker, C ground-rocker
CASES = [
    (ABOUT_CENTRE, (0.08622779, -0.00389429, 0.02659184), 10.520833, 0.181438),
    (ABOUT_PIN, (0.34234994, -0.01546147, 0.10557751), 41.770833, 2.860048),
]


def mass_matrix():
    return np.diag([x for n in (1, 4, 3) for x in (bar(n, True)["mass"],) * 2 + (bar(n, True)["inertia"],)])


def pin_rows():
    """Rows of the four pins on (x, y, angle) of crank, coupler, rocker, by hand: velocity of a point r' + w (-u_y, u_x)."""
    o, a, b, c = np.zeros(2), np.array([0.0, 1.0]), np.array(PIN), np.array([4.0, 0.0])
    centres = [(o + a) / 2, (a + b) / 2, (b + c) / 2]
    rows = np.zeros((8, 9))

    def point(r, body, p, sign):
        u = p - centres[body]
        rows[r : r + 2, 3 * body : 3 * body + 3] += sign * np.array([[1, 0, -u[1]], [0, 1, u[0]]])

    for r, p, i, j in ((0, o, None, 0), (2, a, 0, 1), (4, b, 1, 2), (6, c, None, 2)):
        point(r, j, p, 1.0)
        if i is not None:
            point(r, i, p, -1.0)
    return rows


@pytest.mark.parametrize(("crank", "spins", "before", "after"), CASES, ids=["about its centre", "about its pin"])
def test_impulsive_start_of_fb4(crank, spins, before, after):
    m = four_bar(crank=crank, others=REST)
    run = da.simulate(m, until=0.1, velocities="impulsive")
    account = run.impulse
    assert [account.after.v[k] for k in (2, 5, 8)] == pytest.approx(spins, abs=5e-9)  # half a unit of the last digit
    assert [run[name].spin[0] for name in ("crank", "coupler", "rocker")] == pytest.approx(spins, abs=5e-9)
    assert account.energy_before == pytest.approx(before, abs=5e-7)
    assert account.energy_after == pytest.approx(after, abs=5e-7)
    assert run.energy.kinetic[0] == pytest.approx(account.energy_after, rel=1e-13)
    # independent: rows and masses by hand
    mass, rows = mass_matrix(), pin_rows()
    x = np.linalg.solve(
        np.block([[mass, rows.T], [rows, np.zeros((8, 8))]]),
        np.concatenate([mass @ account.before.v, np.zeros(8)]),
    )
    assert account.after.v == pytest.approx(x[:9], abs=1e-13)
    for k, name in enumerate("OABC"):
        # the row of a pin is P_j - P_i, so its impulse on j is -lambda
        assert account.impulse[name].linear == pytest.approx(-x[9 + 2 * k : 11 + 2 * k], abs=1e-12)
        assert abs(account.impulse[name].angular) < 1e-12
    jump = account.after.v - account.before.v
    assert account.energy_lost == pytest.approx(0.5 * jump @ mass @ jump, rel=1e-12)
    assert run.status == "ok"


def test_impulse_at_the_ground_pin_and_the_loss():
    account = da.simulate(four_bar(crank=ABOUT_CENTRE, others=REST), until=0.1, velocities="impulsive").impulse
    assert np.hypot(*account.impulse["O"].linear) == pytest.approx(4.555943, abs=5e-7)
    assert account.energy_lost == pytest.approx(10.339396, abs=5e-7)
    assert account.energy_change == -account.energy_lost
    text = str(account)
    assert "impulsive start of 'FB4'" in text and "0.0862278" in text and "-10.3394 J" in text


def test_the_first_reaction_does_not_depend_on_the_step():
    m = four_bar(crank=ABOUT_PIN, others=REST)
    options = [
        {},
        {"rtol": 1e-12},
        {"rtol": 1e-3, "atol": 1e-3},
        {"max_step": 1e-4},
        {"method": 5},
        {"output": "steps"},
    ]
    first = [da.simulate(m, until=0.02, velocities="impulsive", **o) for o in options]
    for name in "OABC":
        forces = np.array([run[name].force[0] for run in first])
        assert np.ptp(forces, axis=0).max() < 1e-10 * np.abs(forces).max()
    # and it is that of the state after the blow
    e = da.equations(m, first[0].impulse.after)
    assert -e.lam[:2] == pytest.approx(np.asarray(first[0][e.row_names[0].split(".")[0]].force[0]), rel=1e-10)


def test_a_state_that_contradicts_the_joints():
    m = four_bar()
    q = da.equations(m).state.q
    v = np.zeros(9)
    v[2] = 5.0
    start = da.State(0.3, q, v)
    with refused(
        da.AssemblyError, "simulate('FB4', start=...)", "'O' by 2.5 m/s", "'A' by 2.5 m/s", "velocities='impulsive'"
    ):
        da.simulate(m, until=0.4, start=start)
    run = da.simulate(m, until=0.4, start=start, velocities="impulsive")
    assert run["crank"].spin[0] == pytest.approx(0.08622779, abs=5e-9)
    assert run.impulse.before.v[2] == 5.0 and run.impulse.before.t == 0.3
    run = da.simulate(m, until=0.4, start=start, velocities="solve", keep="O.angle")
    assert run["crank"].spin[0] == pytest.approx(5.0, abs=1e-12) and run.impulse is None


def test_in_space_as_in_the_plane():
    """Redundant rows: the velocities and the in-plane impulses are those of the plane."""
    m = fb4(plane=False)
    q = da.equations(m).state.q
    v = np.zeros(18)
    v[0], v[5] = -2.5, 5.0  # crank upright, its centre to the left; angular velocity in body axes, z is z
    run = da.simulate(m, until=0.02, start=da.State(0.0, q, v), velocities="impulsive")
    flat = da.simulate(four_bar(crank=ABOUT_PIN, others=REST), until=0.02, velocities="impulsive")
    assert run.impulse.after.v.reshape(3, 6)[:, 5] == pytest.approx(CASES[1][1], abs=5e-9)
    for name, other in zip("ABCD", "OABC"):
        assert run.impulse.impulse[name].linear[:2] == pytest.approx(flat.impulse.impulse[other].linear, abs=1e-10)
    assert run.status == "ok"


def test_consistent_velocities_need_no_blow():
    m = fb4()
    m.start("A.angle", rate=5.0)
    state = da.equations(m).state
    for choice in ("error", "solve", "impulsive"):
        run = da.simulate(m, until=0.02, start=state, velocities=choice)
        assert run.v[0] == pytest.approx(state.v, abs=1e-12)
    assert abs(run.impulse.energy_change) < 1e-11  # the last one: impulsive
    assert max(np.abs(x.linear).max() for x in run.impulse.impulse.values()) < 1e-11


# -- solve -------------------------------------------------------------------------------------------------------------


def fb4_spins(crank):
    """v_A + w2 x (B - A) = w3 x (B - C)."""
    ba, bc = np.array(PIN) - [0, 1], np.array(PIN) - [4, 0]
    return np.linalg.solve(np.array([[-ba[1], bc[1]], [ba[0], -bc[0]]]), [crank, 0.0])


@pytest.mark.parametrize("keep", [["O.angle"], "O.angle", ["crank.angle"]])
def test_solve_keeps_what_is_named(keep):
    m = four_bar(crank=ABOUT_CENTRE, others=REST)
    run = da.simulate(m, until=0.01, velocities="solve", keep=keep)
    assert run["crank"].spin[0] == pytest.approx(5.0, abs=1e-12)
    assert [run[n].spin[0] for n in ("coupler", "rocker")] == pytest.approx(fb4_spins(5.0), abs=1e-11)
    assert run["crank"].velocity[0] == pytest.approx([-2.5, 0.0], abs=1e-12)


def test_solve_keeps_a_body():
    m = four_bar(crank=ABOUT_PIN, others=REST)
    run = da.simulate(m, until=0.01, velocities="solve", keep=["crank"])
    assert [run[n].spin[0] for n in ("crank", "coupler", "rocker")] == pytest.approx([5.0, *fb4_spins(5.0)], abs=1e-11)


def test_solve_keeps_the_rates_of_the_model():
    """Velocity conditions (PLANAR 6.3.27) stay; velocities given to bodies give way."""
    m = four_bar(crank={"velocity": (1, 2), "spin": 3}, others=REST)
    m.start("O.angle", rate=-2.0)
    run = da.simulate(m, until=0.01, velocities="solve")
    assert [run[n].spin[0] for n in ("crank", "coupler", "rocker")] == pytest.approx(
        [-2.0, *fb4_spins(-2.0)], abs=1e-11
    )


def test_solve_changes_the_rest_least():
    """Double pendulum, upper rate kept: the lower rate minimizes the kinetic energy of the change over one free number."""
    m = da.Mechanism("double")
    for k, x in enumerate((0.5, 1.5)):
        m.body(f"b{k}", da.rod(length=1.0, mass=2.0), at=(x, 0), velocity=(0.3, 0.7), spin=1.0 + k)
    m.revolute("A", m.ground, "b0", at=(0, 0))
    m.revolute("B", "b0", "b1", at=(1, 0))
    run = da.simulate(m, until=0.01, velocities="solve", keep="A.angle")
    assert run["b0"].spin[0] == pytest.approx(1.0, abs=1e-12)
    # velocities (y', w) of b1: y' = 1 + w/2; change from (0.3, 0.7, 2): 1/2 m (0.3 + w/2)^2 + 1/2 m/12 (w - 2)^2
    # derivative: (0.3 + w/2)/2 + (w - 2)/12 = 0
    w = (2 / 12 - 0.15) / (1 / 4 + 1 / 12)
    assert run["b1"].spin[0] == pytest.approx(w, abs=1e-12)


def test_solve_with_a_driver():
    m = four_bar()
    m.drive("motor", "O.angle", "pi/2 + 3*t")
    state = da.State(0.0, da.equations(m).state.q, np.zeros(9))
    with refused(da.AssemblyError, "'motor' by 3 rad/s"):
        da.simulate(m, until=0.1, start=state)
    run = da.simulate(m, until=0.1, start=state, velocities="impulsive")
    assert run["crank"].spin[0] == pytest.approx(3.0, abs=1e-12)
    # from rest to the speed of the motor: half the angular impulse times the speed is the energy
    assert run.impulse.energy_change == pytest.approx(0.5 * 3.0 * run.impulse.impulse["motor"].effort, rel=1e-12)


def test_rates_of_measures_before_a_blow():
    """m.start(rate) on a measure, bodies free: the smallest motion that has it; then the joints catch."""
    m = da.Mechanism("bar")
    m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.start("A.angle", rate=4.0)
    account = da.simulate(m, until=0.1, velocities="impulsive").impulse
    assert account.before.v == pytest.approx([0, 0, 4.0], abs=1e-13)
    # angular momentum about the pin: m/12 * 4 = m/3 * w
    assert account.after.v[2] == pytest.approx(1.0, abs=1e-13)


# -- files and refusals ------------------------------------------------------------------------------------------------


def test_the_account_is_saved(tmp_path):
    run = da.simulate(four_bar(crank=ABOUT_PIN, others=REST), until=0.02, velocities="impulsive")
    run.save(tmp_path / "run.npz")
    saved = da.load(tmp_path / "run.npz").impulse
    assert saved["energy_before"] == run.impulse.energy_before and saved["after"] == run.impulse.after.v.tolist()
    assert saved["impulse"]["O"]["linear"] == run.impulse.impulse["O"].linear.tolist()
    plain = da.simulate(four_bar(), until=0.02)
    plain.save(tmp_path / "plain.npz")
    assert plain.impulse is None and da.load(tmp_path / "plain.npz").impulse is None


def test_the_default_is_an_error():
    m = four_bar(crank=ABOUT_CENTRE, others=REST)
    for options in ({}, {"velocities": "error"}):
        with refused(da.AssemblyError, "initial velocities of 'FB4'", "'O' by 2.5 m/s", "velocities='solve'"):
            da.simulate(m, until=0.1, **options)


def test_unknown_choices():
    m = four_bar()
    for choice in ("ignore", None, 1, ["solve"]):
        with refused(da.MethodError, "velocities =", "'impulsive'"):
            da.simulate(m, until=0.1, velocities=choice)
    with refused(da.MethodError, "keep = ['O.angle']", "velocities='solve'"):
        da.simulate(m, until=0.1, keep=["O.angle"])
    with refused(da.DalembertError, "O.angel"):
        da.simulate(m, until=0.1, velocities="solve", keep=["O.angel"])


def test_solve_needs_to_know_what_to_keep():
    m = four_bar(crank=ABOUT_CENTRE, others=REST)
    with refused(da.MethodError, "nothing says which velocities to keep", "keep=["):
        da.simulate(m, until=0.1, velocities="solve")


def test_too_much_is_kept():
    m = four_bar(crank=ABOUT_PIN, others=REST)
    with refused(da.AssemblyError, "what is to be kept contradicts", "degrees of freedom"):
        da.simulate(m, until=0.1, velocities="solve", keep=["O.angle", "C.angle"])
    with refused(da.AssemblyError, "'crank'"):
        da.simulate(four_bar(crank=ABOUT_CENTRE, others=REST), until=0.1, velocities="solve", keep=["crank"])


def test_rates_that_contradict_each_other_before_a_blow():
    m = four_bar(crank={"spin": 5})
    m.start("crank.angle", rate=2.0)
    m.start("O.angle", rate=3.0)
    with refused(da.AssemblyError, "O.angle"):
        da.simulate(m, until=0.1, velocities="impulsive")


def test_large_angles_and_drawings_far_away():
    """The account belongs to the assembled pose, not to the drawing."""
    m = da.Mechanism("pendulum")
    rod = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.4, 0.1), angle=0.2, velocity=(0, -1.0), spin=0)
    m.revolute("A", m.ground, rod, at=(0, 0), on=rod.start)
    m.start("A.angle", value=0.5)
    account = da.simulate(m, until=0.1, velocities="impulsive").impulse
    # v across the bar: -cos(0.5); w = 3 v/(2 L)
    assert account.after.v[2] == pytest.approx(-1.5 * math.cos(0.5), abs=1e-12)


def test_drivers_against_each_other_are_told_before_a_blow():
    """Two drivers of one angle with different rates: no velocities after the blow satisfy both."""
    m = da.Mechanism("arm", plane=True)
    arm = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    pin = m.revolute("A", m.ground, arm, at=(0, 0))
    m.drive("one", pin.angle, "t")
    m.drive("two", "arm.angle", "2*t")
    with refused(da.AssemblyError, "simulate('arm')", "'one' by 0.5 rad/s", "'two' by 0.5 rad/s"):
        da.simulate(m, until=1.0, velocities="impulsive")


def test_a_pose_beside_a_singular_one_is_told_as_such():
    # a parallelogram that was drawn upright and is asked to start flat: positions settle 1e-6 beside that pose
    m = da.Mechanism("parallelogram", plane=True)
    up = math.pi / 2
    a = m.body("a", da.rod(0.3, mass=1.0), at=(0, 0.15), angle=up)
    b = m.body("b", da.rod(0.5, mass=1.0), at=(0.25, 0.3))
    c = m.body("c", da.rod(0.3, mass=1.0), at=(0.5, 0.15), angle=up)
    for name, i, j, at in (
        ("A", m.ground, a, (0, 0)),
        ("B", a, b, (0, 0.3)),
        ("C", b, c, (0.5, 0.3)),
        ("D", m.ground, c, (0.5, 0)),
    ):
        m.revolute(name, i, j, at=at)  # fmt: skip
    m.start("A.angle", 0.0, rate=-2.0)
    with pytest.raises(da.AssemblyError) as caught:
        da.simulate(m, until=0.1)
    # no row contradicts another: what is told is no rounding of 1e-16
    assert "depend on the others almost" in caught.value.found and "'B' by" in caught.value.found
    assert "singular" in caught.value.why and "e-16" not in caught.value.found
