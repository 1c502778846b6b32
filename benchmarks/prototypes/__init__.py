"""Hand-written yardsticks for speed, not for style: what the general code is measured against in the same run."""
