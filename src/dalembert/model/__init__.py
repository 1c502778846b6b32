"""What a mechanism is: bodies, joints, forces, drivers, measures.  No solver settings, no indices, no drawing."""
