"""The recipe of a tuned model, kept beside its weights: the model is to be prompted as it was tuned."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..data.errors import InputError
from ..data.shipped import is_shipped
from ..data.texts import json_of
from .prompts.templates import shipped_prompts

ADAPTER = "adapter_config.json"
"""The file by which the folders of peft are known."""

PROMPTS = "prompts"
"""The folder of the prompt files that the model was tuned with, in its own."""

_FILE = "recipe.json"


@dataclass(frozen=True)
class Recipe:
    """The recipe of a tuned model.

    Attributes:
        model: the base, as `load_model` takes it; in a later stage the folder of the stage before.
        examples: the domain of the solved questions that it learnt, as `load_domain` takes it; None with collections.
        language: of the questions and the prompts.
        shots: how many similar solved questions stood before each.
        retriever: the bi-encoder that found them, None for E5.
        program: whether a program stood before each query.
        schema: whether prompts had tables and functions.
        training: the options of the training, by name.
        collections: the collections of the questions that it learnt, as `read_collection` takes them.
        stage: of the training on collections: sft, dpo or correct; empty for a domain.
    """

    model: str
    examples: str | None
    language: str
    shots: int = 1
    retriever: str | None = None
    program: bool = False
    schema: bool = False
    training: Mapping[str, float] = field(default_factory=dict[str, float])
    collections: tuple[str, ...] = ()
    stage: str = ""

    def __post_init__(self) -> None:
        if (self.examples is None) == (not self.collections):
            raise InputError("a domain is wanted, or collections, and not both", field="collections")
        if self.shots < 0:
            raise InputError(f"{self.shots} is less than 0", field="shots")


def placed(recipe: Recipe) -> Recipe:
    """Return a recipe with the full paths of folders and files, so that it holds wherever it is read from."""

    def place(name: str) -> str:
        kind, colon, path = name.rpartition(":")  # a public set is FORMAT:PATH
        return f"{kind}{colon}{Path(path).resolve()}" if Path(path).exists() and not is_shipped(name) else name

    return replace(
        recipe,
        model=place(recipe.model),
        examples=None if recipe.examples is None else place(recipe.examples),
        retriever=None if recipe.retriever is None else place(recipe.retriever),
        collections=tuple(map(place, recipe.collections)),
    )


def begin(recipe: Recipe, out: Path) -> bool:
    """Write the recipe and the prompts, unless they are there; return whether the run in the folder is finished.

    Raises:
        InputError: the folder holds something else, or a run of another recipe.
    """
    there = read_recipe(out)
    if there is None and out.is_dir() and any(out.iterdir()):
        raise InputError("the folder holds something else", file=out, field="--out", hint="give a new folder")
    if there is None:
        out.mkdir(parents=True, exist_ok=True)
        shutil.copytree(shipped_prompts(recipe.language), out / PROMPTS, dirs_exist_ok=True)
        text = json.dumps(asdict(recipe), ensure_ascii=False, indent=1)  # last, when all that it needs is there
        (out / _FILE).write_text(f"{text}\n", encoding="utf-8")
    elif there != recipe:
        old, wanted = asdict(there), asdict(recipe)
        name = next(name for name in wanted if old[name] != wanted[name])
        problem = f"a run with {name} {old[name]!r} is there, not {wanted[name]!r}"
        raise InputError(problem, file=out, field="--out", hint="give a new folder, or the same options")
    return (out / ADAPTER).is_file()


def read_recipe(folder: Path) -> Recipe | None:
    """Return the recipe in a folder; None if there is none.

    Raises:
        InputError: it is no recipe.
    """
    file = folder / _FILE
    if not file.is_file():
        return None
    try:
        data: Any = json_of(file.read_text(encoding="utf-8"))
        data["collections"] = tuple(data.get("collections", ()))
        return Recipe(**data)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"not a recipe: {error}", file=file, hint="tune again") from error
