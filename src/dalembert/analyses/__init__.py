"""Analyses: one verb per file."""
