"""Words that stand for several: formulas, and comparisons as columns mean them; the constraint is led through."""
