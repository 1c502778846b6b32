"""Events of a run: a list of parts with a situation each, and what happens between them."""
