"""Mechanisms as formulas: absolute coordinates, joint coordinates of a spanning tree, with parameters kept as symbols."""
