"""A vertical slider is held by a digital controller: as a loop of one's own, and inside `simulate`, with the same answer."""

import numpy as np

import dalembert as da

mass, wanted, period = 4.0, 0.3, 0.01  # kg, m, s
kp, ki, kd = 900.0, 1500.0, 110.0  # N/m, N/(m s), N s/m


def slider():
    """A block on a vertical guide, with a motor that an input commands."""
    m = da.Mechanism("slider with a controller", plane=True, gravity=(0, -9.81))
    block = m.body("block", da.block(0.1, 0.06, mass=mass))
    m.prismatic("guide", m.ground, block, along=(0, 1))
    m.input("u", unit="N")
    m.actuator("motor", "guide", force="u")
    return m


class PID:
    """u = kp e + ki ∫ e dt - kd v, with the integral summed from sample to sample."""

    def __init__(self):
        self.total = 0.0

    def __call__(self, now):
        """Values of the inputs, from what can be read of the machine."""
        error = wanted - now.get("guide.slide")
        self.total += error * period
        return {"u": kp * error + ki * self.total - kd * now.get("rate(guide.slide)")}


m = slider()
run = da.simulate(m, until=3.0, control=PID(), sample=period)

# The same controller in a loop of one's own: steps of 2 ms, five to a sample.
live, pid = da.Stepper(m, step=period / 5), PID()
while live.t < 3.0 - 1e-9:
    live.set("u", pid(live)["u"])
    live.step(5)

# In the end the integral carries the weight, and nothing is left of the error.
assert abs(run["guide"].slide[-1] - wanted) < 1e-3
assert abs(run["u"][-1] - mass * 9.81) < 1.0
# A method of order 4 with small steps, and one with steps of its own choice.
assert abs(live.get("guide.slide") - run["guide"].slide[-1]) < 1e-8
# A proportional controller alone would hang lower, by the weight over its stiffness.
drop = da.simulate(
    m, until=20.0, control={"u": f"{kp}*({wanted} - guide.slide) - {kd}*rate(guide.slide)"}, sample=period
)
assert np.isclose(drop["guide"].slide[-1], wanted - mass * 9.81 / kp, atol=1e-6)

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot(path="out/30_pid_slider.png")
