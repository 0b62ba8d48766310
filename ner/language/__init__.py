"""Words of questions and cells: how they are cut, folded, and which of them name nothing."""
