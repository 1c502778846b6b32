"""One view of every model: what an analysis may ask of a compiled mechanism or Lagrangian system, and how either is run in time."""
