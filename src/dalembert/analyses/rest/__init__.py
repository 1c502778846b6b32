"""Equilibria: what holds at one, how they are found, and how they move with a parameter."""
