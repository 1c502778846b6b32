"""A sampled controller moves a carriage that carries a load on a stiff belt: the belt alone would hold explicit steps at 50 microseconds."""

import dalembert as da

height, kp, kd = 0.3, 2000.0, 150.0  # m, N/m, N s/m
belt, damping, load_mass, g = 2e7, 1e5, 3.0, 9.81

m = da.Mechanism("servo slide", plane=True, gravity=(0, -g))
carriage = m.body("carriage", da.block(0.12, 0.04, mass=1.0))
load = m.body("load", da.block(0.08, 0.06, mass=load_mass), at=(0, 0.1))
rail = m.prismatic("rail", m.ground, carriage, along=(0, 1))
between = m.prismatic("belt_guide", carriage, load, along=(0, 1))
m.input("u", 39.24, unit="N")
m.actuator("motor", rail, force="u")
m.spring("coupling", between, stiffness=belt, damping=damping)

weight = (1.0 + load_mass) * g
control = {"u": f"{kp}*({height} - rail.slide) - {kd}*rate(rail.slide) + {weight}"}
run = da.simulate(m, until=1.0, output=0.005, control=control, sample=0.005)

# It arrives, the motor carries both weights, and the belt gives by that of the load.
assert abs(rail_end := run["rail"].slide[-1] - height) < 1e-5
assert abs(run["u"][-1] - weight) < 0.02
assert abs(run["belt_guide"].slide[-1] + load_mass * g / belt) < 1e-9
assert "radau9" in [part.method for part in run.methods]

if __name__ == "__main__":
    print(
        f"{1e3 * rail_end:.4f} mm from the goal after 1 s; the belt gives by {1e6 * load_mass * g / belt:.2f} micrometres"
    )
    print(run.audit)
    run.draw("out/servo_slide.png", at=[0.0, 0.1, 1.0])
