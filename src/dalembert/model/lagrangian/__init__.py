"""Systems in coordinates of one's own choice: energies, forces and constraints as expressions."""

from .lagrangian import Lagrangian

__all__ = ["Lagrangian"]
