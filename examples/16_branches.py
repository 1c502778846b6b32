"""A rough drawing of a four-bar linkage is put together, in both ways there are, and each way runs."""

import math

import numpy as np

import dalembert as da

m = da.Mechanism("two ways", gravity=(0, -9.81))


def bar(length):
    return da.rod(length, section=(0.1, 0.1), density=1000.0)


crank = m.body("crank", bar(1.0), at=(0.1, 0.5), angle=1.4)
coupler = m.body("coupler", bar(4.0), at=(1.8, 1.9), angle=0.5)
rocker = m.body("rocker", bar(3.0), at=(3.8, 1.5), angle=1.7)
m.revolute("A", m.ground, crank, at=(0, 0), on=crank.start)
m.revolute("B", crank, coupler, on=[crank.end, coupler.start])
m.revolute("C", coupler, rocker, on=[coupler.end, rocker.end])
m.revolute("D", m.ground, rocker, at=(4, 0), on=rocker.start)
m.drive("motor", "A.angle", "pi/2 + 2*t")

found = da.assemble(m, branches=True)
(other,) = found.alternatives

# Pin C lies on circles of 4 m about (0, 1) and of 3 m about (4, 0): two crossings.
root = math.sqrt(128.0)
pins = [((48 + s * root) / 17, (5 + 4 * s * root) / 17) for s in (1, -1)]

run = da.simulate(m, until=math.pi, start=found.state)
crossed = da.simulate(m, until=math.pi, start=other.state)
for each, pin in zip((run, crossed), pins):
    assert np.allclose(each["coupler"].point(coupler.end).position[0], pin, atol=1e-10)

# A crank that turns fully keeps its branch: after a turn both are back where they were.
assert found.branch.kind == "open" and other.branch.kind == "crossed"
for each, start in ((run, found), (crossed, other)):
    end = da.assemble(m, start=each.at(math.pi))
    assert end.branch == start.branch
    assert abs(end.state.q[8] - start.state.q[8]) < 1e-9

if __name__ == "__main__":
    print(found)
    print(run.table())
    print(run.audit)
    run.plot(path="out/16_branches.png")
