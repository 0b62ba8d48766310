"""Recipes to kill: ``python killed_recipes.py RECIPE``, see `killing`."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from killing import at, killed_at

sys.path.append(str(Path(__file__).parents[2]))  # which has the package bench
from tiny_recipe import walk

from bench.train import lessons, networks
from querent.parser.learning import training
from querent.parser.learning.training import Training


def main(recipe: Path) -> None:
    """Kill a recipe while lessons are made, within an epoch, and between two stages."""
    torch.set_num_threads(1)
    training.CHECKPOINT_SECONDS = 0.0
    points = {
        "lessons of talks": lambda: at(2, lessons, "pack"),
        "a step": lambda: at(7, Training, "_loss"),
        "between stages": lambda: at(2, networks, "unpack"),
    }
    data = recipe.parents[1]
    killed_at(points, lambda name: walk(recipe, recipe.parent / name, data).run())


main(Path(sys.argv[1]))
