"""The memory that kernels work on: three flat arrays and their layout.

    I  integers: a header (the names below), then tables              constant after `compile`
    P  numbers:  masses, points and axes, offsets, law constants      constant after `compile`
    F  numbers:  body records, rows, factors, multipliers             scratch; one per thread

Kernels take these three and nothing else, because an array argument costs seven registers and a table of arrays some hundred
stores per call (measured: 5.9 instead of 0.3 microseconds for a double pendulum).  Offsets inside tables are absolute: a kernel reads
`F[I[...]]` and never adds a base.  The last body is the ground, with zero inverse mass, so that no kernel needs a branch for it.

Scaled coordinates.  With M = G G^T, a row j of the Jacobian is stored as G^-1 j, the velocity as G^T v and the force as
G^-1 Q.  Then J M^-1 J^T is a plain product of stored rows, forces and reactions are added without dividing by a mass, and a rate
is a plain dot product.  A model with singular mass uses G = 1 (see `saddle.py`); the same kernels serve both.
"""

from __future__ import annotations

# --- header of I: sizes ----------------------------------------------------------------------------------------------
(
    PLANE,  # 1 in the plane, 0 in space
    N_BODIES,  # moving bodies
    SADDLE,  # 1: unscaled rows and the saddle-point solver, 0: range space
    N_ROWS,  # constraint rows
    N_FREE,  # free rows (inputs of laws and composites); watched rows follow
    N_BLOCKS,  # blocks: the rows of a joint or driver
    N_COMPOSITES,  # rows made of free rows
    N_LAWS,  # force laws
    N_DRIVERS,  # driven rows
    N_ANGLES,  # counted angles
    N_UNKNOWNS,  # unknowns of the saddle-point system
    N_ENTRIES,  # entries below its diagonal
    N_NODES,  # bodies of the saddle-point system: those of the model, a body with many joints several times
    N_WELDS,  # rows that hold the copies of such a body together
    REFINE,  # times that a solution of the saddle-point system is refined
    VALUED,  # 1: an evaluation needs values and rates of free rows (for laws and expressions)
    N_STATES,  # auxiliary states z: the first free rows have their values, the first laws are their rates
) = range(17)

# --- header of I: where tables begin in I ------------------------------------------------------------------------------
(
    ITEM0,  # (n_blocks + 3) first item of each block, then of the free and of the watched items, then the end
    ITEM,  # records ITEM_SIZE
    ROW,  # records ROW_SIZE, one more at the end
    ROW_BODY,  # offset of each body of a row in the scaled vectors (width * body)
    ROW_RATE,  # 1: the row is a condition on velocities only
    BLOCK,  # records BLOCK_SIZE, one more at the end
    SLOT,  # offset of each body of a block in the scaled vectors
    OFF,  # records OFF_SIZE, one more at the end: off-diagonal blocks
    PAIR,  # (place in k, place in l) of the wrenches on a shared body
    UPD,  # (place of X_kp, of X_lp, rows of p, place of D_p): earlier columns that fill an off-diagonal block
    DRIVER,  # row of each driver
    COMPOSITE0,  # (row, kind, first part), one more at the end
    PART,  # (row, slot of its first body, slot of its second body)
    LAW,  # (kind, row, first switch of a stop)
    PROGRAM,  # records of the programs: sides and values of drivers and composites, sides and values of laws (see program.py)
    SPLINE_FIRST,  # first knot of each table
    SPLINE_LAST,  # end of that list
    SAD_PERM,  # unknown (velocity 0 ... nv-1, then rows) of each position of the saddle-point factor
    SAD_PTR,  # first entry of each row of the factor, and the end
    SAD_COL,  # column of each entry, row by row
    SAD_AT,  # its place in the factor, which is stored by columns
    SAD_FIRST,  # first place of each column, and the end
    SAD_BELOW,  # row of each place
    SAD_NODE,  # (body, number of its copies) of each node
    SAD_MASS,  # places of the mass entries: i >= 0 below the diagonal, -i-1 on it
    SAD_JAC0,  # first entry of each row in SAD_JAC
    SAD_JAC,  # places of the entries of the rows
    SAD_PAIR0,  # first entry of each row in SAD_PAIR
    SAD_PAIR,  # places of the products of entries of a weighted row
    SAD_WELD,  # places of the two entries of each weld
) = range(17, 47)

# --- header of I: where arrays begin in P ------------------------------------------------------------------------------
(
    GRAVITY,  # acceleration of gravity, three numbers
    MASS,  # mass records
    OFFSET,  # reading of each row that counts as zero
    SCALE,  # factor of each row that makes residuals comparable
    LAW_NUMBERS,  # LAW_SIZE constants of each law
    COEFFICIENT,  # of the parts of composites
    WEIGHT,  # w of each row in M + J^T w J, where masses are singular
    LENGTH,  # length of the model
    RULE_NUMBERS,  # numbers that derivatives brought into the formulas
    NUMBERS,  # numbers of the expressions
    SPLINE_KNOTS,  # points of the tables
    SPLINE_COEFFICIENTS,  # four of each interval
    SPLINE_END,  # end of both
) = range(47, 60)

# --- header of I: where arrays begin in F ------------------------------------------------------------------------------
(
    BODY,  # body records, written by bodies.py
    VHAT,  # scaled velocity, written by bodies.py
    ACC,  # scaled force, then scaled acceleration
    VALUE,  # s of every row, written by measures
    BIAS,  # second rate of s at zero acceleration, written by measures
    PARTIAL,  # explicit time part of the rate, written by composite.py
    RATE,  # rates of the free rows
    DRIVE,  # c, c', c'' of the constraint rows
    JAC,  # scaled wrenches
    FLOOR,  # smallest pivot taken; infinity for a row that is left out
    DIAG,  # packed diagonal blocks: unit lower factor, reciprocal pivots
    LOWER,  # off-diagonal blocks X = L D
    Y,  # right-hand side, then forward solution
    LAM,  # multipliers
    FORCE,  # f of each law
    POWER,  # power of each law, then of each driver
    CALLED,  # values of Python laws, filled outside
    ANGLE_AT,  # counted angles at time F[ANGLE_TIME]
    ANGLE_RATE,  # their rates there
    ANGLE_TIME,  # time at which angles were counted
    SAD,  # strictly lower part of the saddle-point factor
    SAD_D,  # its diagonal, then the reciprocal pivots
    SAD_SIZE,  # sum of the sizes of the terms that each pivot is the sum of
    SAD_X,  # dense scratch row
    SAD_FORCE,  # right-hand side: forces Q, then what is left of them
    SAD_REST,  # what is left of gamma
    TIME,  # t, for the formulas
    SLOPE,  # derivatives of composites by their parts
    REGISTER,  # registers of the programs
    SIDE,  # side of each switch: of a condition 0 or 1, of a sign -1, 0, 1, of a floor a whole number
    FROZEN,  # 0: sides are taken from the state, 1: they are held (by the time loop, during a step)
    STATE_AT,  # values of the auxiliary states, filled outside
) = range(60, 92)
HEADER = 92

# --- records -----------------------------------------------------------------------------------------------------------
# item: kind, places of the records of bodies i, j and f in F, parameters in P, row, places of the wrenches on i and j in F,
#       counted angle or -1, place of phi_i and phi_j in q (-1 for the ground)
ITEM_SIZE = 11
# row: place of its first wrench in F, distance to the next, first entry of ROW_BODY (absolute in I)
ROW_SIZE = 3
# block: rows, first row, wrenches in F, diagonal block in F, first entry of SLOT, first item, first entry of OFF
BLOCK_SIZE = 7
# off-diagonal block (k, l): rows of l, place in LOWER, first entry of PAIR, first entry of UPD, diagonal block of l, multipliers of l
OFF_SIZE = 6
LAW_RECORD = 3
LAW_SIZE = 4  # constants per law

# body record in the plane: position of the mass centre, cosine, sine, angular velocity, inverse scales of force and moment, velocity
PLANE_BODY = 9
P_POS, P_COS, P_SIN, P_OMEGA, P_MU, P_IOTA, P_VEL = 0, 2, 3, 4, 5, 6, 7
# in space: position, rotation matrix A by rows, angular velocity in space axes, W = L^-1 A^T by rows, inverse scale, velocity, quaternion
SPACE_BODY = 32
S_POS, S_ROT, S_OMEGA, S_W, S_MU, S_VEL, S_QUAT = 0, 3, 12, 15, 24, 25, 28

# mass record in the plane: weight factor, inverse scale, scale, inverse angular scale, angular scale, mass, polar inertia
PLANE_MASS = 7
# in space: weight factor, inverse scale, scale, J' (xx xy xz yy yz zz), L^-1 (00 10 11 20 21 22), L (the same), mass
SPACE_MASS = 22

# --- kinds of measure ----------------------------------------------------------------------------------------------------
POINT_GAP = 1  # P_j - P_i in space axes: three rows (two in the plane)
PARALLEL = 2  # a1_i . c_j and a2_i . c_j: two rows, axes stay parallel (space only)
AXIS_DOT = 3  # a_i . b_j (space only)
ALONG_BODY = 4  # d_i . (P_j - P_i), d fixed on body i
ALONG_SPACE = 5  # d . (P_j - P_i), d fixed in space
DISTANCE = 6  # |P_j - P_i|
ANGLE = 7  # angle of body j relative to body i (space: about an axis of i, turns counted)
RATE_POINT = 8  # rate only: d_f . (velocity of P_j - velocity of P_i), d fixed on body f
ALONG_PAIR = 10  # two rows of ALONG_BODY with the same points: a point on a line of body i (space only)
RATE_SPIN = 9  # rate only: d_f . (omega_j - omega_i), d fixed on body f
TWIST = 11  # 2 r_z of the quaternion r of the rotation from i to j (space only)

# --- kinds of composite --------------------------------------------------------------------------------------------------
LINEAR = 1  # a combination of its parts
EXPRESSION = 2  # f(t, s_1, ..., s_n)
ON_RATES = 3  # w(t, s_1, ..., s_n, s_1', ..., s_n'), linear in the rates

# --- kinds of law: f(s, rate, t), generalized force -J^T f ---------------------------------------------------------------
LAW_LINEAR = 1  # k (s - s0) + c rate + f0
LAW_STOP = 2  # one-sided spring and damper below or above a limit, never pulling
LAW_FRICTION = 3  # F0 rate / sqrt(rate^2 + v0^2)
LAW_EXPRESSION = 4  # an expression
LAW_CALL = 5  # a Python function, evaluated outside (slow path)

NOWHERE = -(1 << 40)  # place of an entry that belongs to the ground
