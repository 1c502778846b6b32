"""The fixture of this folder sees the models that tests build, so that all of them go through `verify`."""

import dalembert as da


def pendulum():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return m


HERE = pendulum()


def test_models_are_seen(verified):
    """Those of the module, and those built in a test."""
    m = pendulum()
    other = da.Lagrangian("theta", kinetic="rate(theta)**2/2", potential="-cos(theta)")
    assert verified == [HERE, m, other]
