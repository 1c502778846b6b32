"""Putting a drawing together: what is held, which loops there are, whether their lengths let them close."""
