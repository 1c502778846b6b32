"""A mechanism at one state: its rows and forces, how it gets there, and how its velocities jump."""
