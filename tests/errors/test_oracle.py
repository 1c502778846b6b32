"""The oracle that tells which answers of verbs differ between two versions."""

import math

import dalembert as da
from tests.oracle import differences, off, told


def pendulum(length=1.0):
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=length, mass=2.0), at=(length / 2, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return m


def lines(length, until=0.1):
    return {"test": [{"verb": "simulate", **told(da.simulate(pendulum(length), until=until))}]}


def test_the_same_answer_is_the_same_and_another_is_told():
    assert list(differences(lines(1.0), lines(1.0))) == []
    (found,) = differences(lines(1.0), lines(1.001))
    assert found[:2] == ("test", "simulate") and found[2].startswith("last values differ by")
    (found,) = differences(
        lines(1.0), {"test": [{"verb": "simulate", "kind": "ModelError", "words": "", "numbers": []}]}
    )
    assert found[2] == "Result, then ModelError of simulate"
    assert [x[2] for x in differences(lines(1.0), {})] == ["only before"]


def test_distances_of_numbers():
    assert off([1.0, math.inf], [1.0, math.inf]) == 0.0
    assert off([2.0, 1.0], [2.0, 1.5]) == 0.25
    assert off([1.0], [1.0, 2.0]) == math.inf
