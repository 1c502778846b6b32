"""Kernels of Lagrangian systems: formulas as programs, dense equations of motion, the time loop on top of them."""
