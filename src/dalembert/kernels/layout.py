"""The arrays that kernels work on: every table and every piece of scratch memory, with shape, meaning and writer.

`Tables` is constant after `compile`; `Work` is scratch that kernels overwrite.  All arrays are flat: a record of body b
starts at b * stride.  The last body is the ground, with zero inverse mass, so that no kernel needs a branch for it.

Scaled coordinates.  With M = G G^T, a row j of the Jacobian is stored as G^-1 j, the velocity as G^T v and the force as
G^-1 Q.  Then J M^-1 J^T is a plain product of stored rows, forces and reactions are added without dividing by a mass, and a rate
is a plain dot product.  A model with singular mass uses G = 1 (see `saddle.py`); the same kernels serve both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# --- strides and offsets of the body record (Work.body) ------------------------------------------------------------
# plane: position of the mass centre, cosine, sine, angular velocity, inverse scales of force and moment, velocity
PLANE_BODY = 10
P_POS, P_COS, P_SIN, P_OMEGA, P_MU, P_IOTA, P_VEL = 0, 2, 3, 4, 5, 6, 7
# space: position, rotation matrix A by rows, angular velocity in space axes, W = L^-1 A^T by rows, inverse scale, velocity
SPACE_BODY = 28
S_POS, S_ROT, S_OMEGA, S_W, S_MU, S_VEL = 0, 3, 12, 15, 24, 25

# --- strides of the mass record (Tables.mass) ----------------------------------------------------------------------
# plane: weight factor, inverse scale, scale, inverse angular scale, angular scale, mass, polar inertia
PLANE_MASS = 7
# space: weight factor, inverse scale, scale, J' (xx xy xz yy yz zz), L^-1 (00 10 11 20 21 22), L (the same), mass
SPACE_MASS = 22

# --- kinds of measure ----------------------------------------------------------------------------------------------
POINT_GAP = 1  # P_j - P_i in space axes: three rows (two in the plane)
PARALLEL = 2  # a1_i . c_j and a2_i . c_j: two rows, axes stay parallel (space only)
AXIS_DOT = 3  # a_i . b_j (space only)
ALONG_BODY = 4  # d_i . (P_j - P_i), d fixed on body i
ALONG_SPACE = 5  # d . (P_j - P_i), d fixed in space
DISTANCE = 6  # |P_j - P_i|
ANGLE = 7  # angle of body j relative to body i (space: about an axis of i, turns counted)
RATE_POINT = 8  # rate only: d_f . (velocity of P_j - velocity of P_i), d fixed on body f
RATE_SPIN = 9  # rate only: d_f . (omega_j - omega_i), d fixed on body f
COMPOSITE = 10  # combination or expression of other measures; evaluated before the rows that use it

ROWS_OF_KIND = {POINT_GAP: (2, 3), PARALLEL: (0, 2)}  # (plane, space); every other kind gives one row

# --- kinds of law: f(s, rate, t), generalized force -J^T f ---------------------------------------------------------
LAW_LINEAR = 1  # k (s - s0) + c rate + f0
LAW_STOP = 2  # one-sided spring and damper below or above a limit, never pulling
LAW_FRICTION = 3  # F0 rate / sqrt(rate^2 + v0^2)
LAW_TAPE = 4  # an expression
LAW_CALL = 5  # a Python function, evaluated outside (slow path)
LAW_SIZE = 4  # numbers per law


class Tables(NamedTuple):
    """Everything about a system that does not change during a run."""

    plane: int  # 1 in the plane, 0 in space
    n_bodies: int  # moving bodies; the ground has index n_bodies
    saddle: int  # 1: unscaled rows and the saddle-point solver, 0: range space
    gravity: Any  # (3,)
    mass: Any  # (n_bodies * stride) mass records

    # items: one or more rows computed together; block k owns items item0[k] ... item0[k+1], free items follow
    item0: Any  # (n_blocks + 2)
    item_kind: Any
    item_i: Any  # body indices
    item_j: Any
    item_f: Any  # body that carries the direction (rate measures)
    item_par: Any  # offset into par
    item_row: Any  # first row
    item_angle: Any  # index of the counted angle, or -1
    par: Any  # points and axes in body axes

    # rows: constraint rows 0 ... n_rows-1 by block, then free rows
    n_rows: int
    row_j: Any  # offset of the first wrench of the row in Work.jac
    row_step: Any  # distance to its next wrench
    row_slot0: Any  # (n_all + 1) bodies of a row: slot_body[row_slot0[r] ...]
    row_body: Any
    row_offset: Any  # phi = s - offset - c(t)
    row_rate: Any  # 1: the row is a condition on velocities only
    drive_row: Any  # driven rows ...
    drive_tape: Any  # ... and the tape of c(t)

    # composites: row = sum over parts of coefficient * part row
    comp_row: Any
    comp_tape: Any  # tape of the expression, or -1 for a linear combination
    comp_part0: Any
    part_row: Any
    part_coef: Any
    part_input: Any  # index of the part among the inputs of the tape
    part_map: Any  # (2 * n_parts) slot of the composite for each wrench of the part, or -1

    # laws
    law_kind: Any
    law_row: Any
    law_par: Any  # (n_laws * LAW_SIZE)
    law_tape: Any
    rate_rows: Any  # free rows whose value and rate are inputs of tapes or laws

    # tapes
    tape_code: Any
    tape_const: Any
    tape_first: Any
    tape_last: Any
    tape_knot: Any
    tape_spline: Any

    # blocks of the range-space factorization, in elimination order
    n_blocks: int
    block_rows: Any  # rows of the block
    block_row0: Any
    block_j: Any  # offset of its wrenches in Work.jac
    block_d: Any  # offset of its packed diagonal block in Work.diag
    slot0: Any  # (n_blocks + 1)
    slot_acc: Any  # offset of the body in Work.acc
    off0: Any  # (n_blocks + 1) off-diagonal blocks of block k: (k, off_col[e])
    off_col: Any
    off_l: Any  # offset in Work.lower
    pair0: Any  # shared bodies of the pair: offsets of the wrenches
    pair_k: Any
    pair_l: Any
    upd0: Any  # earlier columns p that fill the pair: X_kl -= X_kp L_lp^T
    upd_x: Any
    upd_l: Any
    upd_n: Any

    # saddle-point factorization: pattern of the lower triangle by rows, in elimination order
    sad_perm: Any  # unknown (velocity 0 ... nv-1, row nv ...) of each position
    sad_ptr: Any
    sad_col: Any
    sad_weight: Any  # (n_rows) weight of the row in M + J^T w J
    sad_part0: Any  # contributions to each entry
    sad_part: Any


class Work(NamedTuple):
    """Scratch memory of one evaluation; one set per thread."""

    body: Any  # (n_bodies + 1) * stride, written by bodies.py
    vhat: Any  # (n_bodies + 1) * width: scaled velocity, written by bodies.py
    acc: Any  # (n_bodies + 1) * width: scaled force, then scaled acceleration
    value: Any  # (n_all) s, written by measures
    bias: Any  # (n_all) second rate of s at zero acceleration, written by measures
    partial: Any  # (n_all) explicit time part of the rate, written by composite.py
    rate: Any  # (n_all) rates of the rows listed in rate_rows
    drive: Any  # (3 * n_rows) c, c', c'' of driven rows
    jac: Any  # scaled wrenches
    floor: Any  # (n_rows) smallest pivot taken; infinity for a row that is left out
    diag: Any  # packed diagonal blocks: unit lower factor, reciprocal pivots
    lower: Any  # off-diagonal blocks of L
    cross: Any  # off-diagonal blocks L D of the current block row
    y: Any  # (n_rows) right-hand side, then forward solution
    lam: Any  # (n_rows) multipliers
    force: Any  # (n_laws) f of each law
    power: Any  # (n_laws + n_driven) power of each law and driver
    called: Any  # (n_laws) values of Python laws, filled outside
    inputs: Any  # tape inputs (t, values, rates)
    inputs1: Any  # first rates of the inputs
    inputs2: Any  # second rates at zero acceleration
    grad: Any  # gradient of a tape
    reg: Any  # tape registers
    reg1: Any
    reg2: Any
    angle: Any  # (n_angles) counted angle at time angle_t[0]
    angle_rate: Any
    angle_t: Any  # (1,)
    sad: Any  # values of the saddle-point factor
    sad_x: Any
    sad_d: Any
