"""Trainings as data: a recipe names data sets and stages, and `python -m bench.train` makes a network of it."""

from bench import accuracy  # whose scripts ask networks and merge databases

__all__ = ["accuracy"]
