"""Equilibria: no verdict from rounding, no "no equilibrium" where the drawing is one, and a list that says how complete it is."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.rest.seeds import missing

G = 9.81


def slider(law, at=0.0, gravity=0.0, by="slide"):
    """A mass of 1 kg on a straight guide with a restoring law of its slide, or of the distance to the origin."""
    m = da.Mechanism("slider", gravity=(gravity, 0))
    body = m.body("mass", mass=1.0, inertia=1.0, at=(at, 0))
    guide = m.prismatic("guide", m.ground, body, along=(1, 0))
    ends = (guide.slide,) if by == "slide" else (m.ground.point(0, 0), body.point(0, 0))
    m.spring("spring", *ends, force=law)
    return m


def particle(law):
    """The same as a Lagrangian system."""
    force = law.replace("l", "x").replace("sixh", "sinh")
    return da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": f"-({force})"}, name="slider")


def of_energy(names, energy):
    kinetic = " + ".join(f"rate({x})**2/2" for x in names.split())
    return da.Lagrangian(names, kinetic=kinetic, potential=energy, name="energy")


def chain(n):
    """Bars of different lengths and masses, pinned one to the next, drawn level."""
    m = da.Mechanism(f"chain of {n}", gravity=(0, -G))
    before, x = m.ground, 0.0
    for k in range(n):
        length = 1.0 + 0.3 * math.sin(2.0 * k)
        bar = m.body(f"bar {k}", da.rod(length=length, mass=1.0 + 0.2 * k), at=(x + length / 2, 0))
        m.revolute(f"pin {k}", before, bar, at=(x, 0))
        before, x = bar, x + length
    return m


def lagrangian_chain(n):
    """Point masses on rods of 1 m, by the angles of the rods with the vertical."""
    m = da.Lagrangian(" ".join(f"a{k}" for k in range(n)), gravity=(0, -G), name=f"chain of {n}")
    for k in range(n):
        place = ("+".join(f"sin(a{i})" for i in range(k + 1)), "".join(f"-cos(a{i})" for i in range(k + 1)))
        m.particle(f"mass {k}", 1.0, place)
    return m


# -- verdicts ----------------------------------------------------------------------------------------------------------------

# law, verdict, power of the energy
LAWS = [
    ("l**5", "stable", 6),
    ("l**3 + l**5", "stable", 4),
    ("sinh(l) - l", "stable", 4),
    ("l*abs(l)**3", "stable", 5),
    ("1e9*l**5", "stable", 6),
    ("-l**5", "unstable", 6),
    ("-l**3", "unstable", 4),
    ("l**2", "unstable", 3),
]


@pytest.mark.parametrize("law, verdict, power", LAWS)
@pytest.mark.parametrize("make", [slider, particle])
def test_laws_without_stiffness_are_judged_by_their_energy(make, law, verdict, power):
    """The stiffness -4e-12 of l**5 is an error of differences: it was called unstable, and -l**5 stable."""
    (e,) = da.equilibrium(make(law))
    assert e.verdict == verdict and abs(e.state.q[0]) < 1e-12
    assert f"|s|^{power}" in e.reason and e.reason in str(e)
    assert abs(float(e.eigenvalues[0])) <= e._zero


@pytest.mark.parametrize("by", ["slide", "distance"])
@pytest.mark.parametrize("law, value", [("tanh(1e6*l)", 1e6), ("l*abs(l)**3", 0.0)])
def test_the_drawing_is_an_equilibrium_of_a_steep_and_of_a_flat_law(law, value, by):
    """Both were "no equilibrium"."""
    (e,) = da.equilibrium(slider(law, by=by))
    assert e.verdict == "stable" and abs(e.state.q[0]) < 1e-12
    assert float(e.eigenvalues[0]) == pytest.approx(value, rel=1e-6, abs=1e-20)


@pytest.mark.parametrize("make", [slider, particle])
@pytest.mark.parametrize("law, within", [("tanh(1e6*(l - 0.3333))", 1e-15), ("(l - 0.3333)**5", 1e-8)])
def test_steep_and_flat_laws_away_from_the_drawing(make, law, within):
    """A fifth power is 1e-40 N at 1e-8 m already."""
    (e,) = da.equilibrium(make(law))
    assert e.verdict == "stable" and e.state.q[0] == pytest.approx(0.3333, abs=within)


def test_rounding_of_loads_that_cancel():
    """Gravity against 9.81 + (l - 1/3)**3: forces of 1e-15 N are rounding, so the place is known to 1e-5 m only, and listed once."""
    (e,) = da.equilibrium(slider("9.81 + (l - 0.3333)**3", gravity=G))
    assert e.verdict == "stable" and "|s|^4" in e.reason and e.state.q[0] == pytest.approx(0.3333, abs=1e-4)


@pytest.mark.parametrize("law", ["0*l", "100*max(l - 0.02, 0) + 100*min(l + 0.02, 0)"])
def test_nothing_holds_where_no_force_acts(law):
    """No law, or play of 2 cm to either side: degenerate, and the drawing stands for the family."""
    (e,) = da.equilibrium(slider(law))
    assert e.verdict == "degenerate" and "indifferent" in e.reason and e.state.q[0] == 0.0


def test_a_force_that_jumps_is_not_judged_but_listed():
    found = da.equilibrium(slider("sign(l) + l"))
    assert len(found) == 0 and [s.q[0] for s in found.singular] == pytest.approx([0.0], abs=1e-12)
    assert "where a force jumps" in str(found)


ENERGIES = [
    # straight ahead the energy grows like 2 x^4; with y relaxed to 3 x^2/2 it falls like -x^4/4
    ("y**2 - 3*x**2*y + 2*x**4", "unstable"),
    ("y**2 - 2*x**2*y + 2*x**4", "stable"),
    ("x**4 + y**4", "stable"),
    ("x**4 - y**4", "unstable"),
    ("x**3 - 3*x*y**2", "unstable"),
    ("x**4 + 0*y", "degenerate"),
    # falls only within 0.1 rad of one direction
    ("(x**2 + y**2)**2 - 1.04*(cos(0.2)*x + sin(0.2)*y)**4", "unstable"),
]


@pytest.mark.parametrize("energy, verdict", ENERGIES)
def test_energies_of_two_coordinates(energy, verdict):
    (e,) = da.equilibrium(of_energy("x y", energy), starts=4)
    assert e.verdict == verdict and np.max(np.abs(e.state.q)) < 1e-4


def test_wells_of_the_same_depth_are_two():
    """Equal energies and no stiffness do not make two places one."""
    found = da.equilibrium(of_energy("x", "(x**2 - 1)**4"))
    assert [(e.verdict, round(float(e.state.q[0]), 4)) for e in found] == [
        ("stable", -1),
        ("stable", 1),
        ("unstable", 0),
    ]


def test_without_an_energy_zero_is_degenerate():
    """Two sliders, each with a force that depends on the other one as well: no potential, and no verdict."""
    m = da.Mechanism("no energy")
    for name, y in (("a", 0.0), ("b", 1.0)):
        body = m.body(f"mass_{name}", mass=1.0, inertia=1.0, at=(0, y))
        m.prismatic(name, m.ground, body, along=(1, 0))
    m.spring("first", m["a"].slide, force="l**3 + 2*b.slide**3")
    m.spring("second", m["b"].slide, force="l**3")
    (e,) = da.equilibrium(m, starts=1)
    assert e.verdict == "degenerate" and "no energy" in e.reason


def test_forces_that_feed_motion():
    """A spring holds the mass, but the force 0.2 v along its velocity drives it away: it was called stable."""
    for sign, verdict in (("-", "unstable"), ("+", "stable")):
        assert [e.verdict for e in da.equilibrium(slider(f"4*l {sign} 0.2*v"))] == [verdict]


# -- completeness ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make, n", [(chain, 4), (chain, 5), (lagrangian_chain, 4), (lagrangian_chain, 6)])
def test_all_equilibria_of_chains(make, n):
    """2^n: every bar up or down.  13 of 16 and 14 of 32 were printed as if they were all."""
    found = da.equilibrium(make(n))
    assert len(found) == 2**n
    angles = [e.state.q[2::3] + math.pi / 2 if make is chain else e.state.q for e in found]
    up = {tuple(np.round(np.cos(a)).astype(int)) for a in angles}
    assert len(up) == 2**n and all(np.max(np.abs(np.sin(a))) < 1e-9 for a in angles)
    # one of each set of bars that stand up: as many of index i as there are sets of i bars
    index = [int(np.sum(e.eigenvalues < 0.0)) for e in found]
    assert [index.count(i) for i in range(n + 1)] == [math.comb(n, i) for i in range(n + 1)]
    assert found.search.morse == 2**n and found.search.missing == 0
    assert found.complete is None and "more may exist" in str(found)


def test_morse_counts_what_is_missing():
    assert missing(2, [0, 1, 1, 2]) == 0
    assert missing(2, [0, 1, 1]) == 1
    assert missing(2, [0, 0, 1, 1, 2]) == 1  # two minima need a third saddle
    assert missing(2, [0, 0, 1, 1, 1, 2]) == 0
    assert missing(3, [0]) == 7


def test_no_count_where_the_energy_has_edges():
    """A spring with a free length turns its force round where its length is zero: Morse's inequalities do not hold there."""
    for free, counts in ((0.0, True), (0.3, False)):
        m = chain(3)
        m.spring("spring", m.ground.point(1, 1), m["bar 2"].point(0.4, 0), stiffness=40.0, free_length=free)
        found = da.equilibrium(m, starts=6)
        assert (found.search.morse == 8) is counts and found.search.missing == 0 and found.complete is None
    for edge, least in (("sin(a)**2", 4), ("abs(sin(a))", 0)):
        found = da.equilibrium(of_energy("a b", f"-cos(a) - cos(b) + 0.1*{edge}"), starts=6)
        assert found.search.morse == least and found.search.missing == 0


def test_a_list_that_is_not_complete_says_so(monkeypatch):
    """With one start, nothing turned over and no more rounds, the search of three bars must not look complete."""
    from dalembert.analyses.rest import problem, seeds

    monkeypatch.setattr(seeds.Flips, "axes", lambda self: [])
    monkeypatch.setattr(seeds.Flips, "is_torus", lambda self, start: True)
    monkeypatch.setattr(problem, "ROUNDS", 0)
    found = da.equilibrium(chain(3), starts=1)
    assert len(found) < 8 and found.complete is False
    assert found.search.missing == 8 - len(found) and "incomplete: at least" in str(found)


def test_one_free_motion_is_looked_through():
    """The path of a pendulum closes; a slider is followed a while, and pairs within a stride are found by the dent of the force."""
    found = da.equilibrium(chain(1))
    assert len(found) == 2 and found.complete is True and "the whole path" in str(found)
    for gap in (1e-3, 1e-5):
        found = da.equilibrium(slider(f"(l - 0.3)**2 - {gap**2}"))
        assert sorted(float(e.state.q[0]) for e in found) == pytest.approx([0.3 - gap, 0.3 + gap], abs=1e-9)
        assert [e.verdict for e in found] == ["stable", "unstable"] and found.complete is None


@pytest.mark.parametrize("make, law", [(slider, "(l - 0.3)**2 + 1e-10"), (particle, "1e-7 + l**4")])
def test_none_is_said_with_how_it_was_searched(make, law):
    """A force that nearly vanishes is no equilibrium; 1e-7 N was taken for one beside the forces far away."""
    with pytest.raises(da.ConvergenceError, match=r"no equilibrium was found on .*path.* places"):
        da.equilibrium(make(law))


def test_a_jump_beside_a_corner_is_not_judged():
    """A corner in the law does not hide that the force jumps."""
    found = da.equilibrium(slider("sign(l) + l + 3*max(l - 0.5, 0)"))
    assert len(found) == 0 and len(found.singular) == 1
