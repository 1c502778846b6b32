"""Five ways to integrate M a + J^T lam = Q with Phi(q) = 0, as small as they can be, on the arrays of `da.equations`.

`python docs/index_reduction.py` draws docs/images/index-reduction.png.  What is seen is on the page `docs/index-reduction.md`; runs of the
package use none of these (they solve J a = gamma and project).  One method for all, BDF2 with steps of one length, so that only the
equations differ:

    v1 = (3 q1 - 4 q0 + q-1)/(2h),   a1 = (3 v1 - 4 v0 + v-1)/(2h),   M a1 + J^T lam1 = Q(q1, v1)

and in place of the constraints

    "index 3"     Phi = 0
    "index 2"     J v = nu
    "GGL"         Phi = 0 and J v = nu, with J^T mu added to the rate of q
    "index 1"     J a = gamma
    "Baumgarte"   J a - gamma + 2 ALPHA (J v - nu) + ALPHA^2 Phi = 0
    "penalty"     lam = STIFFNESS Phi + DAMPING (J v - nu)
"""

from pathlib import Path

import numpy as np

import dalembert as da

PICTURE = Path(__file__).parent / "images" / "index-reduction.png"
FORMS = ("index 3", "index 2", "GGL", "index 1", "Baumgarte", "penalty")
ALPHA = 20.0  # 1/s: deviations die out in a twentieth of a second
STIFFNESS, DAMPING = 1e6, 1e3  # of every row, N/m and N s/m


def machine():
    """A slider-crank that goes round: three bodies, nine coordinates, eight rows."""
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.12, 0.08, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.start(m["O"].angle, 0.0, rate=5.0)
    return m


def gains(form, s):
    """Factors (p, r, w, c) of p Phi + r (J v - nu) + w (J a - gamma) - c lam = 0, the row of a form; s = 3/(2h)."""
    return {
        "index 3": (1, 0, 0, 0), "GGL": (1, 0, 0, 0), "index 2": (0, 1 / s, 0, 0), "index 1": (0, 0, 1 / s**2, 0),
        "Baumgarte": (ALPHA**2 / s**2, 2 * ALPHA / s**2, 1 / s**2, 0),
        "penalty": (1, DAMPING / STIFFNESS, 0, 1 / STIFFNESS),
    }[form]  # fmt: skip


def integrate(m, form, h, before, state, until):
    """States and multipliers (t, q, v, lam) from two states at the distance h; in the plane, where q' = v."""
    s, n = 1.5 / h, len(state.q)
    p, r, w, c = gains(form, s)
    old, now, found = before, state, []
    e = da.equations(m, state)
    rows = len(e.phi)
    extra = rows if form == "GGL" else 0
    lam, mu = e.lam.copy(), np.zeros(extra)
    for k in range(round((until - state.t) / h)):
        t = state.t + (k + 1) * h
        q = now.q + h * now.v  # a guess
        for _ in range(20):
            # e.jac belongs to the place before the last correction: J changes little in it
            v = s * q - (4 * now.q - old.q) / (2 * h) + (e.jac.T @ mu if extra else 0)
            a = s * v - (4 * now.v - old.v) / (2 * h)
            e = da.equations(m, da.State(t, q, v))
            slip = e.jac @ v - e.nu
            residual = [
                e.M @ a + e.jac.T @ lam - e.Q,
                p * e.phi + r * slip + w * (e.jac @ a - e.gamma) - c * lam,
                slip[:extra],
            ]
            # d v = s dq + J^T dmu and d a = s dv; derivatives of Q and J are left out, which costs an iteration or two
            weight = p + r * s + w * s**2
            matrix = np.block(
                [
                    [s**2 * e.M, e.jac.T, s * (e.M @ e.jac.T)[:, :extra]],
                    [weight * e.jac, -c * np.eye(rows), np.zeros((rows, extra))],
                    [s * e.jac[:extra], np.zeros((extra, rows)), (e.jac @ e.jac.T)[:extra, :extra]],
                ]
            )
            step = np.linalg.solve(matrix, -np.concatenate(residual))
            q, lam, mu = q + step[:n], lam + step[n : n + rows], mu + step[n + rows :]
            if np.max(np.abs(step[:n])) < 1e-13:
                break
        v = s * q - (4 * now.q - old.q) / (2 * h) + (e.jac.T @ mu if extra else 0)
        old, now = now, da.State(t, q, v)
        found.append((t, q, v, lam))
    return found


def exact(m, times):
    """The same motion by `simulate`, with small tolerances: states and multipliers at these times."""
    run = da.simulate(m, until=times[-1], output=list(times), rtol=1e-12, atol=1e-13)
    states = [run.at(t) for t in times]
    return states, [da.equations(m, state).lam for state in states]


def solve(m, form, steps, until=1.0):
    """Times, |Phi| and |J v - nu| at every step, and errors of q and of lam (relative) at the end."""
    h = until / steps
    (first, second, last), (*_, lam) = exact(m, [0.0, h, until])
    found = integrate(m, form, h, first, second, until)
    left = [da.equations(m, da.State(t, q, v)) for t, q, v, _ in found]
    return {
        "t": np.array([t for t, *_ in found]),
        "position": np.array([np.max(np.abs(e.phi)) for e in left]),
        "velocity": np.array([np.max(np.abs(e.jac @ v - e.nu)) for e, (_, _, v, _) in zip(left, found)]),
        "q": np.max(np.abs(found[-1][1] - last.q)),
        "lam": np.max(np.abs(found[-1][3] - lam)) / np.max(np.abs(lam)),
    }


def draw(path=PICTURE, steps=(50, 100, 200, 400), long=1000, until=10.0):
    """Drift of positions and velocities over a long run, and errors after half a second over the step."""
    import matplotlib.pyplot as plt

    m, half = machine(), 0.5
    h = half / np.array(steps)
    figure, ((one, two), (three, four)) = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for form in FORMS:
        run = solve(m, form, long, until)
        errors = [solve(m, form, n, half) for n in steps]
        for axes, name in ((one, "position"), (two, "velocity")):
            axes.loglog(run["t"], np.maximum.accumulate(np.maximum(run[name], 1e-17)))
        for axes, name in ((three, "q"), (four, "lam")):
            axes.loglog(h, [x[name] for x in errors], "o-", label=form if name == "q" else None)
    for axes, name in ((three, "q"), (four, "lam")):
        axes.loglog(h, errors[0][name] * (h / h[0]) ** 2, "k:", label="h²" if name == "q" else None)
        axes.set_xticks(h, [f"{1000 * x:g}" for x in h])
        axes.minorticks_off()
    for axes, title, x in (
        (one, f"|Φ| [m], largest until t, h = {1000 * until / long:g} ms", "t [s]"),
        (two, f"|J v − ν| [m/s], largest until t, h = {1000 * until / long:g} ms", "t [s]"),
        (three, f"error of positions after {half:g} s [m, rad]", "step h [ms]"),
        (four, f"error of multipliers after {half:g} s, relative", "step h [ms]"),
    ):
        axes.set(title=title, xlabel=x)
        axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=7)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    draw()
