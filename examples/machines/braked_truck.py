"""A truck brakes: its load slides on the bed, hits the front wall, and stands with the truck."""

import math

import dalembert as da

speed, braking, mu, gap = 10.0, 45e3, 0.3, 1.0  # m/s, N, friction of the crate on the bed, m to the wall
truck_mass, crate_mass, g = 4500.0, 800.0, 9.81

m = da.Mechanism("braked truck", plane=True, gravity=(0, -g))
bed, wall = da.block(6.0, 0.2, mass=4000.0).at(0, -0.1), da.block(0.2, 1.5, mass=500.0).at(3.1, 0.55)
truck = m.body("truck", da.composite(bed, wall), at=(0, 1.2))
crate = m.body("crate", da.block(1.6, 0.8, mass=crate_mass), at=(2.2 - gap, 1.6), velocity=(speed, 0))
road = m.prismatic("road", m.ground, truck, along=(1, 0))
m.actuator("brake", road, force=-braking)
m.contact("bed", truck, crate, mu=mu)
m.contact("wall", truck, crate, normal=(-1, 0), through=(3.0, 1.2), restitution=0.0)
# the brake holds, but does not push back
m.event("stands", "rate(road.slide)", direction="down", lock="road.slide", release="brake")
m.start(road.slide, 0.0, rate=speed)

run = da.simulate(m, until=3.0, output=0.01)
hit, stands = run.events.of("impact")[0], next(x for x in run.events if x.name == "stands")

# The crate slows down by mu g, the truck by what the brake has left over for it: with the difference the crate goes through the gap.
closing = (braking - mu * crate_mass * g) / truck_mass - mu * g
assert abs(hit.t - math.sqrt(2 * gap / closing)) < 1e-9
# A blow without rebound takes 1/2 m v^2 of the reduced mass.
reduced = truck_mass * crate_mass / (truck_mass + crate_mass)
assert abs(hit.dissipated - reduced * gap * closing) < 1e-6 * hit.dissipated
# Inside forces do not stop both: the brake alone does, whatever slides and hits.
assert abs(stands.t - (truck_mass + crate_mass) * speed / braking) < 1e-9
assert abs(run["crate"].velocity[-1]).max() < 1e-9

if __name__ == "__main__":
    print(f"the crate hits after {hit.t:.3f} s, the truck stands after {stands.t:.3f} s")
    print(run.audit)
    run.draw("out/braked_truck.png", at=[0.3, 0.9], arrows={"reactions": ["bed", "wall"]})
