"""Functions of a model as source code: C, NumPy, SymPy; one file for each language."""
