"""All joints, one file each.  A new joint is a new file and one line here."""

from ._base import JOINTS, AxisJoint, Joint, PairJoint, Relaxation, SlideJoint, orientation_rows
from .absolute_angle import AbsoluteAngle
from .absolute_x import AbsoluteX
from .absolute_y import AbsoluteY
from .belt import Belt
from .cam import Cam
from .constant_velocity import ConstantVelocity
from .constraint import Constraint
from .cylindrical import Cylindrical
from .differential import Differential
from .distance import Distance
from .fixed import Fixed
from .gear import Gear
from .knife_edge import KnifeEdge
from .parallel_axes import ParallelAxes
from .pfaffian import Pfaffian
from .pin_in_slot import PinInSlot
from .planar import Planar
from .point_on_line import PointOnLine
from .point_on_plane import PointOnPlane
from .prismatic import Prismatic
from .rack import Rack
from .revolute import Revolute
from .revolute_translational import RevoluteTranslational
from .rolling_disk import RollingDisk
from .rolling_on_line import RollingOnLine
from .rolling_sphere import RollingSphere
from .rolling_surface import RollingSurface
from .screw import Screw
from .spherical import Spherical
from .universal import Universal

__all__ = [
    "JOINTS", "AbsoluteAngle", "AbsoluteX", "AbsoluteY", "AxisJoint", "Belt", "Cam", "ConstantVelocity", "Constraint", "Cylindrical",
    "Differential", "Distance", "Fixed", "Gear", "Joint", "KnifeEdge", "PairJoint", "ParallelAxes", "Pfaffian", "PinInSlot", "Planar",
    "PointOnLine", "PointOnPlane", "Prismatic", "Rack", "Relaxation", "Revolute", "RevoluteTranslational", "RollingDisk", "RollingOnLine",
    "RollingSphere", "RollingSurface", "Screw", "SlideJoint", "Spherical", "Universal", "orientation_rows",
]  # fmt: skip
