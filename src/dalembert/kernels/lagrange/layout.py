"""Places in the memory of a Lagrangian system.  The header begins like that of mechanisms, which the time loop reads."""

from __future__ import annotations

from ..layout import HEADER

# --- header of I, after that of mechanisms -------------------------------------------------------------------------------
(
    N,  # coordinates
    AUGMENTED,  # 1: M is singular, and M + J^T W J is factored in its place
    EVALUATION,  # program of an evaluation: first and last place of its code in I, register of its first result in F, results
    ROWS_PROGRAM,  # program of the constraint rows
    INPUTS,  # place of t, q, v among the registers in F
    M_AT,  # mass matrix, rows of its lower triangle padded to n
    L_AT,  # its factor
    F_AT,  # forces without reactions
    J_AT,  # constraint rows (m x n)
    X_AT,  # L^-1 J^T (m x n)
    S_AT,  # J M^-1 J^T and its factor (m x m)
    GAMMA_AT,
    W_AT,  # J v - nu
    Q_AT,  # applied forces without potential, then those of dissipation
    TIME_AT,  # partial rate of the Lagrangian, dL/dt
    SPLINES,  # first knot of each table in I
    WEIGHTS,  # weights of the rows in M + J^T W J, in P
    SIDES_PROGRAM,  # program of the sides of switches; 0 if there are none
    MOMENTA_PROGRAM,  # program of momenta and of what changes them
    MOMENTA_AT,  # p = dL/dq'
    PULL_AT,  # dL/dq, applied forces and those of dissipation
) = range(HEADER, HEADER + 21)
LAGRANGE_HEADER = HEADER + 21
# in the order in which they are written
PROGRAMS = (EVALUATION, ROWS_PROGRAM, MOMENTA_PROGRAM, SIDES_PROGRAM)

# powers that are kept: forces without potential, dissipation, explicit time in L, moving constraints
POWERS = ("forces", "dissipation", "time", "constraints")
