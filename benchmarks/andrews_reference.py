"""Andrews' squeezing mechanism: parameters, start and reference solution, shared by all contenders.

Problem and published solution: Test Set for IVP Solvers (F. Mazzia, C. Magherini, Bari), problem ANDREWS, `andrews.f`;
W. Schiehlen (ed.), Multibody Systems Handbook, 1990; E. Hairer, G. Wanner, Solving ODE II, section VII.7.
The 16 printed digits of the published solution are good only to 2.7e-10 in the angles, so errors are taken against
values refined for this project: index-1 form, Gragg-Bulirsch-Stoer extrapolation in 80-bit arithmetic (200 and 400
steps agree to 3e-13 relative), confirmed by DOP853 at rtol 1e-13 and by a second model in 21 absolute coordinates.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

END_TIME = 0.03  # [s]
NAMES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")

# Masses [kg] and central inertias [kg m2] of bodies 1..7; lengths [m]; spring [N/m], [m]; torque on the crank [N m].
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
# fmt: off
GEOMETRY = SimpleNamespace(
    xa=-0.06934, ya=-0.00227, xb=-0.03635, yb=0.03273, xc=0.014, yc=0.072,
    d=0.028, da=0.0115, e=0.02, ea=0.01421, rr=0.007, ra=0.00092,
    ss=0.035, sa=0.01874, sb=0.01043, sc=0.018, sd=0.02, ta=0.02308, tb=0.00916,
    u=0.04, ua=0.01228, ub=0.00449, zf=0.02, zt=0.04, fa=0.01421,
)
# fmt: on
SPRING_STIFFNESS = 4530.0
SPRING_FREE_LENGTH = 0.07785
DRIVE_TORQUE = 0.033

START_ANGLES = np.array(
    [
        -0.0617138900142764496,
        0.0,
        0.455279819163070380,
        0.222668390165885885,
        0.487364979543842550,
        -0.222668390165885885,
        1.23054744454982119,
    ]
)  # [rad]; all rates are zero
START_ACCELERATIONS = np.array([14222.4439199541139, -10666.8329399655854, 0.0, 0.0, 0.0, 0.0, 0.0])  # [rad/s2]
START_MULTIPLIERS = np.array([98.5668703962410896, -6.12268834425566266, 0.0, 0.0, 0.0, 0.0])  # [N]

PUBLISHED_ANGLES = np.array(
    [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
)
REFINED_ANGLES = np.array(
    [
        15.81077119515371,
        -15.75637105841185,
        0.04082224011964555,
        -0.5347301163420803,
        0.5244099658799539,
        0.5347301163420801,
        1.048080741041938,
    ]
)
REFINED_RATES = np.array(
    [
        1139.920302259106,
        -1424.37929517754,
        11.0329119106199,
        19.2933741050343,
        0.5735699148295713,
        -19.29337410503431,
        0.3231791492491641,
    ]
)  # [rad/s]


def angle_error(angles: np.ndarray) -> float:
    """Largest error of the seven angles at t = 0.03 s, in rad; infinite for a run that failed."""
    error = float(np.max(np.abs(np.asarray(angles) - REFINED_ANGLES)))
    return error if math.isfinite(error) else math.inf
