"""Compiled arithmetic: arrays in, arrays out. Imports nothing of the package outside this folder."""
