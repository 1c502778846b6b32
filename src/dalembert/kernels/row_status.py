"""Status of a constraint row: the number that stands in FLOOR where it is not the smallest pivot taken of a row that is held."""

import math

REDUNDANT = math.inf  # held, but it follows from others and is left out
OFF = 1e300  # not at work: no force, no residual; its wrenches are not even computed
