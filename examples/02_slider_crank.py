"""A slider-crank runs up from rest under a constant torque (benchmark G02)."""

import dalembert as da

torque = 0.1

m = da.Mechanism("slider-crank run-up", plane=True)
crank = m.body("crank", da.rod(length=0.1, mass=0.2), at=(0.05, 0))
rod = m.body("rod", da.rod(length=0.3, mass=0.2), at=(0.25, 0))
slider = m.body("slider", da.block(0.06, 0.04, mass=0.4), at=(0.4, 0))
m.revolute("O", m.ground, crank, at=(0, 0))
m.revolute("A", crank, rod, at=crank.end)
m.revolute("B", rod, slider, at=rod.end)
m.prismatic("guide", m.ground, slider, along=(1, 0))
m.torque("motor", crank, torque)

run = da.simulate(m, until=3.0, rtol=1e-10, atol=1e-12, output=0.01)
turned = run["O.angle"]

# Converged value of this problem, from an independent program: theta(3) = 121.886277508 rad.
assert abs(turned[-1] - 121.886277508) < 1e-5
# All work of the motor is kinetic energy, as nothing else does work: T = torque * theta.
assert abs(run.energy.kinetic[-1] - torque * turned[-1]) < 1e-8 * torque * turned[-1]

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot(path="out/02_slider_crank.png")
