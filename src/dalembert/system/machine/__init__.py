"""Graphs of formulas as machine code, by LLVM."""
