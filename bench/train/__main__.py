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
another family of lessons, write a function in bench/train/lessons.py and name it in such a line.
"""

import argparse
import sys
from pathlib import Path
from typing import Annotated

import torch
from rich.console import Console

from bench.accuracy.result_files import parsed
from querent.data.errors import QuerentError

from .answers import answers, confidence
from .heads import spans, tables, union
from .lessons import FAMILIES, lessons
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
    """Walk a recipe as the command line says, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    try:
        walked(**parsed(walked, parser, arguments))
    except QuerentError as error:
        Console(stderr=True).print(f"error: {error}", style="red", highlight=False, soft_wrap=True)
        return 2
    return 0


def walked(
    recipe: Annotated[Path, "file of the recipe"],
    *,
    data: Annotated[Path, "folder of the public data sets"] = Path("../shared/data"),
    out: Annotated[Path, "folder of the stages"] = Path("runs/base"),
    only: Annotated[str, "make this stage alone"] = "",
    list_: Annotated[bool, "show the stages, and make none"] = False,
    hash_: Annotated[bool, "show the hashes of the data, and make nothing"] = False,
    device: Annotated[str, "where networks are trained"] = "cpu",
    workers: Annotated[int, "processes that read data for a training on a GPU"] = 2,
    threads: Annotated[int, "of a training on a CPU"] = 1,
) -> None:
    """Make the stages of a recipe that are not finished, or show what there is."""
    torch.set_num_threads(threads)
    walk = Walk(read(recipe), KINDS, data, out, Console(stderr=True), device, workers)
    if hash_:
        for name, one in walk.recipe.data.items():
            print(f"{name}: {one.digest(data) or 'not there'}")
    elif list_:
        for name, table in walk.recipe.stages.items():
            done, begun = walk.done(name), "begun" if (out / name / "begun.json").exists() else "not begun"
            print(f"{name:24} {table.kind:12}", f"done in {done['seconds']} s" if done else begun, table.place)
    else:
        walk.run(only)


if __name__ == "__main__":
    sys.exit(main())
