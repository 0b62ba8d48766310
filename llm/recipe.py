"""How a model was tuned, kept beside its weights, since it is to be asked in the same way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from ..data.errors import InputError, did_you_mean
from ..data.texts import json_of

__all__ = ["PROMPTS", "Recipe", "read_recipe"]

PROMPTS = "prompts"
"""The folder of the prompt files that the model was tuned with, in its own."""

_FILE = "recipe.json"


@dataclass(frozen=True)
class Recipe:
    """How a model was tuned.

    Attributes:
        model: what was tuned, as `load_model` takes it; of a later stage the folder of the one before.
        examples: the domain whose solved questions it learnt, as `load_domain` takes it; None of collections.
        language: of the questions and the prompts.
        shots: similar solved questions that stood before each.
        retriever: the bi-encoder that chose them, None for E5.
        program: whether a program stood before each query.
        schema: whether tables and functions were told.
        training: the options of the training, by name.
        collections: of databases, whose solved questions it learnt, as `read_collection` takes them.
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

    def write(self, folder: Path) -> None:
        """Write it into a model's folder."""
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1)
        (folder / _FILE).write_text(f"{text}\n", encoding="utf-8")


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
    except (OSError, ValueError) as error:
        raise InputError("not JSON", file=file, hint="tune again") from error
    if not isinstance(data, dict):
        raise InputError("not an object", file=file, hint="tune again")
    known = [one.name for one in fields(Recipe)]
    for name in data:
        if name not in known:
            raise InputError("no such field", file=file, field=name, hint=did_you_mean(name, known))
    for name in ("model", "examples", "language"):
        if name not in data:
            raise InputError("missing", file=file, field=name, hint="tune again")
    data["collections"] = tuple(data.get("collections", ()))
    return Recipe(**data)
