"""Small motions about a state: their equations and their modes."""
