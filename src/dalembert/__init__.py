"""Constrained multibody dynamics of mechanisms: exact constraints, compiled speed, answers that explain themselves."""
