"""Compile a model to plain arrays: the one place that sees both the model and the kernels."""
