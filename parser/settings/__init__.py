"""Options of a training run, its progress, and its folder, which survives a kill."""
