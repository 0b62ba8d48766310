"""Makes a network of a recipe: every stage from its data on, in one folder, as often as it takes.

    python -m bench.train parser/base/recipe.toml --data ../shared/data --out runs/base

The recipe's data sets are looked for in --data, and held against their hashes first. Stages are then made one after the
other, each in a folder of --out; after a kill the same command goes on at the stage, and in a training at the step,
where it was. The last stage, of the kind `model`, is a model folder with its card:

    querent ask shop "how many orders are there?" --parser runs/base/model

Further ways to call it:

    --list                       stages, what is finished, how long it took, and where the clone ships what it makes
    --only first --device cuda   one stage, say on another machine; it needs the folders of the stages before it
    --hash                       hashes of the data sets that are there, as the recipe has them

A stage of the kind `saved` is a network that is there already, `parser = "shipped"`, to train further or to ask.
To learn another data set, add a table [data.NAME] and name it in a line of a stage of the kind `lessons`; to learn
another family of lessons, write a function in bench/train/families.py and name it in such a line.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch
from rich.console import Console

from querent.data.errors import QuerentError

from .answers import answers, confidence
from .families import FAMILIES
from .heads import spans, tables, union
from .lessons import lessons
from .names import grounding, projection
from .networks import mean, model, saved, train
from .recipes import Recipe, read_recipe
from .walk import Walk

KINDS = {
    kind.__name__: kind
    for kind in (lessons, saved, train, mean, answers, confidence, model, spans, union, tables, projection, grounding)
}
"""The kinds of stages by the names that recipes call them by."""


def read(file: Path) -> Recipe:
    """Read a recipe whose stages are of the kinds that there are."""
    return read_recipe(file, KINDS, FAMILIES)


def main(arguments: list[str] | None = None) -> int:
    """Walk a recipe, and return the exit status."""
    options = parsed(arguments)
    say = Console(stderr=True)
    torch.set_num_threads(options.threads)
    try:
        recipe = read(options.recipe)
        walk = Walk(recipe, KINDS, options.data, options.out, say, options.device, options.workers)
        if options.hash:
            for name, one in recipe.data.items():
                print(f"{name}: {one.digest(options.data) or 'not there'}")
        elif options.list:
            listed(walk)
        else:
            walk.run(options.only)
    except QuerentError as error:
        say.print(f"error: {error}", style="red", highlight=False, soft_wrap=True)
        return 2
    return 0


def listed(walk: Walk) -> None:
    """Print the stages, which of them are finished, and the seconds that each took."""
    for name, table in walk.recipe.stages.items():
        done = walk.done(name)
        begun = "begun" if (walk.out / name / "begun.json").exists() else "not begun"
        print(f"{name:24} {table.kind:12}", begun if done is None else f"done in {done['seconds']} s", table.place)


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        "python -m bench.train", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", type=Path, help="file of the recipe")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the public data sets")
    parser.add_argument("--out", type=Path, default=Path("runs/base"), help="folder of the stages (default: runs/base)")
    parser.add_argument("--only", default="", metavar="STAGE", help="make this stage alone")
    parser.add_argument("--list", action="store_true", help="show the stages, and make none")
    parser.add_argument("--hash", action="store_true", help="show the hashes of the data, and make nothing")
    parser.add_argument("--device", default="cpu", help="where networks are trained (default: cpu)")
    parser.add_argument("--workers", type=int, default=2, help="processes that read data (default: 2)")
    parser.add_argument("--threads", type=int, default=1, help="of a training on a CPU (default: 1)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
