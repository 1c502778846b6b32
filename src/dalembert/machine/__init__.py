"""Kernels to machine code: plain Python functions on numbers and arrays, translated to LLVM and kept on disk."""
