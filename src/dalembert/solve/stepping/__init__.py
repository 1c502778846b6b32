"""The compiled time loop, part by part: records, the equations as it sees them, attempt, looks inside, outputs, switches, the loop."""
