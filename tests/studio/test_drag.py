"""Bodies moved by hand: joints hold, and the point comes as near to the hand as they allow."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.studio.drag import dragged

from .conftest import PENDULUM, TEXT


def crank():
    m = da.Mechanism("slider-crank", plane=True)
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.12, 0.08, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    return m


@pytest.mark.parametrize("turn", [0.4, 1.2, 2.5, -2.0, 3.0])
def test_the_crank_points_to_the_hand(turn):
    system = da.compile(crank())
    q = dragged(system, system.q0, 0, np.array([0.1, 0.0]), 0.5 * np.array([math.cos(turn), math.sin(turn)]))
    # the nearest point of the circle of radius r lies in the direction of the hand
    assert math.remainder(q[2] - turn, 2 * math.pi) == pytest.approx(0.0, abs=1e-3)
    pin = 0.2 * np.array([math.cos(q[2]), math.sin(q[2])])
    # the joints hold: the pin, the length of the rod, the bore
    assert np.allclose(q[3:5] - 0.3 * np.array([math.cos(q[5]), math.sin(q[5])]), pin, atol=1e-8)
    assert np.allclose(q[6:9], [pin[0] + math.sqrt(0.36 - pin[1] ** 2), 0, 0], atol=1e-8)


def test_a_point_that_can_be_reached_is_reached():
    m = da.Mechanism("arm", plane=True)
    upper = m.body("upper", da.rod(1.0, mass=1.0), at=(0.5, 0))
    lower = m.body("lower", da.rod(1.0, mass=1.0), at=(1.5, 0.0))
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, lower, at=upper.end)
    system, q = da.compile(m), None
    q = system.q0
    # from the stretched arm over a few positions of the hand, as they come from the screen
    for target in ([1.7, 0.3], [1.4, 0.6], [0.9, 0.9]):
        q = dragged(system, q, 1, np.array([0.5, 0.0]), np.array(target))
    tip = q[3:5] + 0.5 * np.array([math.cos(q[5]), math.sin(q[5])])
    assert np.allclose(tip, [0.9, 0.9], atol=1e-4)


def test_a_ball_joint_in_space():
    m = da.Mechanism("top", plane=False)
    bar = m.body("bar", da.box(0.1, 0.1, 1.0, mass=1.0), at=(0, 0, 0.5))
    m.spherical("foot", m.ground, bar, at=(0, 0, 0))
    system = da.compile(m)
    q = dragged(system, system.q0, 0, np.array([0, 0, 0.5]), np.array([0.5, 0.5, 1.0]))
    tip = 2.0 * q[:3]
    assert np.linalg.norm(tip) == pytest.approx(1.0, abs=1e-8)
    assert np.allclose(tip, np.array([0.5, 0.5, 1.0]) / math.sqrt(1.5), atol=1e-3)


def test_what_cannot_move_stays():
    m = crank()
    m.drive("motor", m["O"].angle, "t")
    system = da.compile(m)
    assert np.allclose(dragged(system, system.q0, 0, np.array([0.1, 0.0]), np.array([0.0, 1.0])), system.q0, atol=1e-9)


def test_drivers_let_go_and_the_motion_starts_where_it_was_left(client):
    session = client.open()
    given = {"session": session, "values": {}, "body": 0, "point": [0.1, 0.0]}
    q = client.ask("drag", q=[0.1, 0, 0, 0.5, 0, 0, 0.8, 0, 0], target=[0.0, 0.3], **given)["q"]
    assert q[2] == pytest.approx(math.pi / 2, abs=1e-3)
    for bad in ({"target": [0.0]}, {"target": [0, 0, 0]}, {"body": 7}, {"q": [0.0]}):
        whole = {"q": q, "target": [0.0, 0.3], **given, **bad}
        assert client.ask("drag", **whole)["error"]["do"]
    client.ask("edit", session=session, text=PENDULUM)
    q = client.ask("drag", session=session, values={}, body=0, point=[0.5, 0], q=[0.5, 0, 0], target=[0, -2])["q"]
    assert q[2] == pytest.approx(-math.pi / 2, abs=1e-3)
    found = client.ask("run", session=session, analysis="simulate", values={}, start=q, until=0.2)
    assert found["data"]["report"]["status"] == "ok"
    # hanging straight down it stays nearly at rest, and would have swung far from where the file starts it
    from .test_sessions import series

    assert np.ptp(series(found, "bar.position")[:, 0]) < 1e-3
    client.ask("edit", session=session, text=TEXT)
    client.ask("close", session=session)
