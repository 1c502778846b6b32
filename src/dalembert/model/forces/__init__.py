"""All force elements, one file each.  A new element is a new file and one line here."""

from ._base import FORCES, Force, Law, MeasureForce, TwoPointForce
from .actuator import Actuator
from .bushing import Bushing
from .contact import Contact
from .damper import Damper
from .field import Field
from .force import PointForce
from .friction import Friction
from .spring import Spring
from .stop import Stop
from .torque import Torque
from .torsion_spring import TorsionSpring

__all__ = [
    "FORCES", "Actuator", "Bushing", "Contact", "Damper", "Field", "Force", "Friction", "Law", "MeasureForce", "PointForce", "Spring", "Stop",
    "Torque", "TorsionSpring", "TwoPointForce",
]  # fmt: skip
