"""Where contacts in the plane press, and their cones of friction: the force lies inside while a contact sticks, at the angle atan mu while it slips.

Gaps of one contact over a plane with the forces N_k at the points p_k press together at p = sum N_k p_k / sum N_k, where the sum of what the contact carries acts.
Cams press where their followers touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..model.forces import Contact
from ..model.joints.cam import Cam
from ..results.series import Series
from .drawn import Index

AT = "presses at"


def pressing_points(run: Any) -> Iterator[tuple[tuple[str, str], Series]]:
    """Quantities of a page: where every contact over a plane presses (time, 2), NaN where it is open."""
    value = run.system.builder.drawing.number
    for part in _over_planes(run):
        points = []
        for gap in part.gaps.values():
            plane, touching = _ends(run, gap)
            moved, carrier = run.kinematics(touching.body), run.kinematics(plane.body)
            normal = carrier.rotation @ plane.axes[:, 0]
            points.append(moved.position + moved.rotation @ touching.point - value(gap.offset) * normal)
        force = np.maximum(run[part.name].pressing(), 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = force / force.sum(axis=1, keepdims=True)
        at = np.einsum("tk,kti->ti", share, np.array(points))[:, :2]
        yield (part.name, AT), Series(at, f"{part.name}.{AT}", "m", ("x", "y"), run.t)
    for cam in _cams(run):
        yield (cam.name, AT), cam.point


def cones(run: Any, number: dict[str, int], index: Index) -> list[dict[str, Any]]:
    """Of every contact over a plane: quantities of its place and forces, [body, normal], and the half angle atan(static); 0 without friction."""
    value, released, found = run.system.builder.drawing.number, run.system.model.situation.absent, []
    for part in _over_planes(run):
        if (part.name, AT) not in index:
            continue
        plane, _ = _ends(run, next(iter(part.gaps.values())))
        rubs = [rub for rub in run.model.rubs if rub.stop.part == part.name and rub.owner.name not in released]
        owners = dict.fromkeys([part.name, *(rub.owner.name for rub in rubs)])
        found.append(
            {
                "name": part.name,
                "at": index[part.name, AT],
                "forces": [index[name, "force"] for name in owners if (name, "force") in index],
                "normal": [number.get(plane.body.name, -1), [float(x) for x in plane.axes[:2, 0]]],
                "half": float(np.arctan(rubs[0].holding(value))) if rubs else 0.0,
            }
        )
    for cam in _cams(run):
        if (cam.name, AT) in index:
            forces = [index[cam.name, "force"]]
            found.append({"name": cam.name, "at": index[cam.name, AT], "forces": forces, "normal": [-1, [1.0, 0.0]], "half": 0.0})  # fmt: skip
    return found


def _over_planes(run: Any) -> list[Any]:
    """Contacts with planes; of balls with balls there are none."""
    contacts = [part for part in run.parts("force") if isinstance(part, Contact)] if run.plane else []
    return [part for part in contacts if part.markers[0].x is not None]


def _cams(run: Any) -> list[Any]:
    """Loads of cams that are known where they touch; they are smooth."""
    found = [run[part.name] for part in run.parts("joint") if isinstance(part, Cam)]
    return [cam for cam in found if cam.known]


def _ends(run: Any, gap: Any) -> Any:
    """Plane and point of a gap in body axes."""
    measure = gap.terms[0][1]
    return run.system.builder.drawing.attach(measure.i, measure.j)
