"""The memory that kernels work on: three flat arrays and their layout, of which this table is the one description.

    I  integers: a header (the names below), then tables              constant after `compile`
    P  numbers:  masses, points and axes, offsets, law constants      constant after `compile`
    F  numbers:  body records, rows, factors, multipliers             scratch; one per thread

Kernels take these three and nothing else, because an array argument costs seven registers and a table of arrays some hundred
stores per call (measured: 5.9 instead of 0.3 microseconds for a double pendulum).  Offsets inside tables are absolute: a kernel reads
`F[I[...]]` and never adds a base.  Below, an entry of the header takes the next number and says what it holds, a part of F also its size;
`system/memory.py` gives out places by it, and `docs/memory.md` is written from it.  The last body is the ground, with zero inverse mass, so that no kernel needs a branch for it.

Scaled coordinates.  With M = G G^T, a row j of the Jacobian is stored as G^-1 j, the velocity as G^T v and the force as
G^-1 Q.  Then J M^-1 J^T is a plain product of stored rows, forces and reactions are added without dividing by a mass, and a rate
is a plain dot product.  A model with singular mass uses G = 1 (see `saddle.py`); the same kernels serve both.
"""

from __future__ import annotations

from typing import NamedTuple

from .row_status import OFF as OFF
from .row_status import REDUNDANT as REDUNDANT


class Part(NamedTuple):
    """A part of F: its name as a view, its entry of the header, and its size as factors, numbers or names of counts."""

    name: str
    entry: int
    size: tuple[str | int, ...]


ENTRIES: list[str] = []  # what each entry of the header of I holds
PARTS: list[Part] = []  # of F, in the order in which they lie there
COUNTED: dict[str, int] = {}  # entry of the header that holds a count
COUNTS = {  # what is counted: the counts below that stand in the header follow these
    "bodies and ground": "moving bodies, and the ground as the last",
    "record": "numbers of a body: PLANE_BODY or SPACE_BODY",
    "velocities": "velocities of a body: 3 in the plane, 6 in space",
    "all rows": "constraint rows, free rows, watched rows",
    "wrenches": "bodies of all rows, and six to write to for the ground",
    "diagonal": "entries of the diagonal blocks",
    "off": "entries of the off-diagonal blocks",
    "parts": "free rows that composites are made of",
    "powers": "laws and drivers",
    "saddle velocities": "velocities, if the saddle-point system is used",
    "saddle rows": "rows, if the saddle-point system is used",
    "switches": "switches of expressions and stops",
    "registers": "registers of the longest program",
}


def entry(holds: str) -> int:
    """Next entry of the header."""
    ENTRIES.append(holds)
    return len(ENTRIES) - 1


def count(name: str, counted: str) -> int:
    """Entry that holds how many there are of something."""
    COUNTS[name], COUNTED[name] = counted, len(ENTRIES)
    return entry(counted)


def part(name: str, *size: str | int, holds: str) -> int:
    """Entry that says where a part of F begins."""
    PARTS.append(Part(name, len(ENTRIES), size))
    return entry(holds)


# --- header of I: sizes ----------------------------------------------------------------------------------------------
PLANE = entry("1 in the plane, 0 in space")
N_BODIES = count("bodies", "moving bodies")
SADDLE = entry("1: unscaled rows and the saddle-point solver, 0: range space")
N_ROWS = count("rows", "constraint rows")
N_FREE = count("free", "free rows: inputs of laws and composites; watched rows follow")
N_BLOCKS = count("blocks", "blocks: the rows of a joint or driver")
N_COMPOSITES = count("composites", "rows that are made of free rows")
N_LAWS = count("laws", "force laws, those of auxiliary states first")
N_DRIVERS = count("drivers", "driven rows")
N_ANGLES = count("angles", "angles in space whose turns are counted")
N_UNKNOWNS = count("unknowns", "unknowns of the saddle-point system, 0 where it is not used")
N_ENTRIES = count("entries", "entries below the diagonal of the saddle-point system")
N_NODES = count("nodes", "bodies of the saddle-point system: those of the model, a body with many joints several times")
N_WELDS = count("welds", "rows that hold the copies of such a body together")
REFINE = entry("times that a solution of the saddle-point system is refined")
VALUED = entry("1: an evaluation needs values and rates of free rows (for laws and expressions)")
N_STATES = count("states", "auxiliary states z: the first free rows have their values, the first laws are their rates")

# --- header of I: where tables begin in I ------------------------------------------------------------------------------
ITEM0 = entry("(n_blocks + 3) first item of each block, then of the free and of the watched items, then the end")
ITEM = entry("records ITEM_SIZE")
ROW = entry("records ROW_SIZE, one more at the end")
ROW_BODY = entry("offset of each body of a row in the scaled vectors (width * body)")
ROW_RATE = entry("1: the row is a condition on velocities only")
BLOCK = entry("records BLOCK_SIZE, one more at the end")
SLOT = entry("offset of each body of a block in the scaled vectors")
COUPLING = entry("records COUPLING_SIZE, one more at the end: off-diagonal blocks")
PAIR = entry("(place in k, place in l) of the wrenches on a shared body")
UPD = entry("(place of X_kp, of X_lp, rows of p, place of D_p): earlier columns that fill an off-diagonal block")
DRIVER = entry("row of each driver")
COMPOSITE0 = entry("(row, kind, first part), one more at the end")
PART = entry("(row, slot of its first body, slot of its second body)")
LAW = entry("(kind, row, first switch of a stop)")
PROGRAM = entry("records of the programs of drivers and composites, then of laws: sides and values (see program.py)")
SPLINE_FIRST = entry("first knot of each table")
SPLINE_LAST = entry("end of that list")
SAD_PERM = entry("unknown (velocity 0 ... nv-1, then rows) of each position of the saddle-point factor")
SAD_PTR = entry("first entry of each row of the factor, and the end")
SAD_COL = entry("column of each entry, row by row")
SAD_AT = entry("its place in the factor, which is stored by columns")
SAD_FIRST = entry("first place of each column, and the end")
SAD_BELOW = entry("row of each place")
SAD_NODE = entry("(body, number of its copies) of each node")
SAD_MASS = entry("places of the mass entries: i >= 0 below the diagonal, -i-1 on it")
SAD_JAC0 = entry("first entry of each row in SAD_JAC")
SAD_JAC = entry("places of the entries of the rows")
SAD_PAIR0 = entry("first entry of each row in SAD_PAIR")
SAD_PAIR = entry("places of the products of entries of a weighted row")
SAD_WELD = entry("places of the two entries of each weld")

# --- header of I: where arrays begin in P ------------------------------------------------------------------------------
GRAVITY = entry("acceleration of gravity, three numbers")
MASS = entry("mass records")
OFFSET = entry("reading of each row that counts as zero")
SCALE = entry("factor of each row that makes residuals comparable")
LAW_NUMBERS = entry("LAW_SIZE constants of each law")
COEFFICIENT = entry("of the parts of composites")
WEIGHT = entry("w of each row in M + J^T w J, where masses are singular")
LENGTH = entry("length of the model")
RULE_NUMBERS = entry("numbers that derivatives brought into the formulas")
NUMBERS = entry("numbers of the expressions")
SPLINE_KNOTS = entry("points of the tables")
SPLINE_COEFFICIENTS = entry("four of each interval")
SPLINE_END = entry("end of both")

# --- header of I: where arrays begin in F ------------------------------------------------------------------------------
BODY = part("body", "bodies and ground", "record", holds="body records, written by bodies.py")
VHAT = part("vhat", "bodies and ground", "velocities", holds="scaled velocity, written by bodies.py")
ACC = part("acc", "bodies and ground", "velocities", holds="scaled force, then scaled acceleration")
VALUE = part("value", "all rows", holds="s of every row, written by measures")
BIAS = part("bias", "all rows", holds="second rate of s at zero acceleration, written by measures")
PARTIAL = part("partial", "all rows", holds="explicit time part of the rate, written by composite.py")
RATE = part("rate", "all rows", holds="rates of the free rows")
DRIVE = part("drive", 3, "rows", holds="c, c', c'' of the constraint rows")
JAC = part("jac", "wrenches", "velocities", holds="scaled wrenches")
FLOOR = part("floor", "rows", holds="status: smallest pivot taken of a row that is held; REDUNDANT or OFF")
DIAG = part("diag", "diagonal", holds="packed diagonal blocks: unit lower factor, reciprocal pivots")
LOWER = part("lower", "off", holds="off-diagonal blocks X = L D")
Y = part("y", "rows", holds="right-hand side, then forward solution")
LAM = part("lam", "rows", holds="multipliers")
FORCE = part("force", "laws", holds="f of each law")
POWER = part("power", "powers", holds="power of each law, then of each driver")
CALLED = part("called", "laws", holds="values of Python laws, filled outside")
ANGLE_AT = part("angle", "angles", holds="counted angles at time F[ANGLE_TIME]")
ANGLE_RATE = part("angle_rate", "angles", holds="their rates there")
ANGLE_TIME = part("angle_time", 1, holds="time at which angles were counted")
SAD = part("sad", "entries", holds="strictly lower part of the saddle-point factor")
SAD_D = part("sad_d", "unknowns", holds="its diagonal, then the reciprocal pivots")
SAD_SIZE = part("sad_size", "unknowns", holds="sum of the sizes of the terms that each pivot is the sum of")
SAD_X = part("sad_x", "unknowns", holds="dense scratch row")
SAD_FORCE = part("sad_force", 2, "saddle velocities", holds="right-hand side: forces Q, then what is left of them")
SAD_REST = part("sad_rest", "saddle rows", holds="what is left of gamma")
TIME = part("time", 1, holds="t, for the formulas")
SLOPE = part("slope", "parts", holds="derivatives of composites by their parts")
SIDE = part(
    "side", "switches", holds="of each switch: of a condition 0 or 1, of a sign -1, 0, 1, of a floor a whole number"
)
FROZEN = part("frozen", 1, holds="0: sides are taken from the state, 1: held (by the time loop, during a step)")
USED = part(
    "used",
    "switches",
    holds="sides of the last evaluation: those held, or of the state where laws have no value with these",
)
STATE_AT = part("state", "states", holds="values of the auxiliary states, filled outside")
REGISTER = part("register", "registers", holds="registers of the programs")
HEADER = len(ENTRIES)

# --- records -----------------------------------------------------------------------------------------------------------
# item: kind, places of the records of bodies i, j and f in F, parameters in P, row, places of the wrenches on i and j in F,
#       counted angle or -1, place of phi_i and phi_j in q (-1 for the ground)
ITEM_SIZE = 11
# row: place of its first wrench in F, distance to the next, first entry of ROW_BODY (absolute in I)
ROW_SIZE = 3
# block: rows, first row, wrenches in F, diagonal block in F, first entry of SLOT, first item, first entry of COUPLING
BLOCK_SIZE = 7
# off-diagonal block (k, l): rows of l, place in LOWER, first entry of PAIR, first entry of UPD, diagonal block of l, multipliers of l
COUPLING_SIZE = 6
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
