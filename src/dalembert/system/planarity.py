"""When motion stays planar (BASICS 8.5): forces in the plane of the mass centre, and products of inertia j_xz = j_yz = 0.

A body that turns by phi in the plane needs, about its mass centre and in its own axes, the moments

    M_x = j_xz phi'' - j_yz phi'^2         M_y = j_yz phi'' + j_xz phi'^2

(j_xz = -integral x z dm, a tensor entry), and where its mass centre lies at a height z over the plane in which joints and elements
pull, z e_z x (m a - m g) besides.  A hinge, a slider or a weld to something that is held supplies them; planar equations never see them
and are right.  A body or a group of bodies that nothing of the kind holds would leave the plane: there planar equations are wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.body import Body
from ..model.joints._base import Joint
from ..model.output_units import OutputUnits
from .geometry import Drawing

# products of inertia beside the largest moment, and heights beside the size of the model, that are rounding
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class OutOfPlane:
    """A body of a planar model that breaks a condition of planar motion.

    Attributes
    ----------
    body
        The body.
    j_xz, j_yz
        Products of inertia about the mass centre, in body axes [kg m²], tensor entries.
    height
        Height of the mass centre over the plane of the model [m].
    guides
        Joints of it that can carry moments across the plane.
    held
        Whether such joints connect it to the ground.
    """

    body: Body
    j_xz: float
    j_yz: float
    height: float
    guides: tuple[str, ...]
    held: bool

    def __str__(self) -> str:
        return self.told(OutputUnits())

    def told(self, units: OutputUnits) -> str:
        """In words, with numbers in the units given."""
        broken = []
        if self.j_xz or self.j_yz:
            unit, factor = units.of("kg m²")
            broken.append(
                f"products of inertia j_xz = {self.j_xz * factor:.6g}, j_yz = {self.j_yz * factor:.6g} {unit}"
            )
        if self.height:
            unit, factor = units.of("m")
            broken.append(f"mass centre {self.height * factor:.6g} {unit} off the plane in which forces act")
        text = f"{self.body.name!r}: {' and '.join(broken)}; "
        if self.held:
            return (
                text
                + f"the planar motion is right if {', '.join(map(repr, self.guides))} carry the moments across the plane"
            )
        return (
            text + "no hinge, slider or weld holds it in the plane: turning, it leaves the plane, so model it in space"
        )

    __repr__ = __str__


def out_of_plane(drawing: Drawing) -> tuple[OutOfPlane, ...]:
    """Bodies of a planar model that break a condition of planar motion; in space there are none."""
    model = drawing.model
    if not model.plane:
        return ()
    found = []
    for body in model.bodies:
        p = drawing.matter(body)
        if p.mass <= 0.0:
            continue
        j_xz, j_yz, height = float(p.inertia[0, 2]), float(p.inertia[1, 2]), float(p.center[2])
        tiny = ROUNDING * float(np.max(np.abs(np.diag(p.inertia))))
        if body.particle or max(abs(j_xz), abs(j_yz)) <= tiny:
            j_xz = j_yz = 0.0
        height = 0.0 if abs(height) <= ROUNDING * drawing.extent else height
        if j_xz or j_yz or height:
            found.append((body, j_xz, j_yz, height))
    if not found:
        return ()
    held = next(group for group in groups(drawing) if model.ground in group)
    made = []
    for body, j_xz, j_yz, height in found:
        guides = tuple(joint.name for joint in model.parts("joint") if _guides(joint) and body in joint.bodies)
        made.append(OutOfPlane(body, j_xz, j_yz, height, guides, body in held))
    return tuple(made)


def groups(drawing: Drawing) -> list[list[Body]]:
    """Bodies, ground included, in groups that guiding joints connect."""
    model = drawing.model
    group = {id(body): [body] for body in (model.ground, *model.bodies)}
    for joint in model.parts("joint"):
        if _guides(joint):
            one, two = (group[id(body)] for body in joint.bodies)
            if one is not two:
                one += two
                for body in two:
                    group[id(body)] = one
    return list({id(g): g for g in group.values()}.values())


def _guides(joint: Joint) -> bool:
    """Whether real joints carry moments across the plane: hinges, sliders, welds; not links, slots for a pin, gears, rollers."""
    return joint.freedom is not None and len(joint.freedom) < 2
