"""The equations of a mechanism as data: its kernels, run once on symbols."""
