"""Trainings as data: a recipe names data sets and stages, and `python -m bench.train` makes a network of it."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "accuracy"))  # whose scripts ask networks and merge databases
