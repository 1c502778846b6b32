"""A fully driven mechanism followed in time."""
