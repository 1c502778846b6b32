"""The verbs for Lagrangian systems: what they need beyond the compiled equations."""
