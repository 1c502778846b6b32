"""Rows that depend on each other: which, for how long, what they can carry, and how to be rid of them."""
