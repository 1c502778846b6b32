"""What comes out: arrays by name with units, reactions, energies, the audit."""
