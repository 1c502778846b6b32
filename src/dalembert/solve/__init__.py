"""How the equations are solved: integrators, time loop, projection.  Knows arrays, never joints."""
