"""The same mechanism by independent formulations, and where they part."""
