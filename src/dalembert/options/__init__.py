"""Options of the verbs: one table each, from which checks, model files, command line, page and documentation follow."""
