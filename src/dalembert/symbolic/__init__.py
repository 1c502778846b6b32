"""Equations one can read: Lagrangian systems in SymPy, their forms, constants, expansions.  SymPy is imported inside functions only."""
