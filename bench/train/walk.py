"""Walks the stages of a recipe in a folder, and resumes a walk that was killed.

OUT/STAGE/           the files that the stage makes; a network is a folder `best`, as in any run
OUT/STAGE/begun.json the digest of all that it is made of
OUT/STAGE/done.json  written last: its figures, and the seconds of the call that finished it
OUT/indexes/         the value indexes of databases
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from knowbench import unpacked_file
from rich.console import Console

from querent.data.domains.collection import Collection, Pair, pair_records, read_collection
from querent.data.domains.dialogues import Dialogue, read_turns
from querent.data.errors import InputError, RunError, did_you_mean
from querent.data.hashed_folder import read_json
from querent.data.parsing import tidy
from querent.data.whole_files import write_text
from querent.encoders import Encoder, load_encoder
from querent.parser.settings.progress import bar

from .grounds import collection_of_rows, said_otherwise
from .recipes import DataSet, Recipe, StageTable

Figures = dict[str, Any]
"""The figures of a stage."""


@dataclass(frozen=True)
class Walk:
    """A recipe, its data folder, and the folder in which its stages are made.

    Attributes:
        kinds: the functions that make stages.
        device, workers: where networks are trained, and how many processes read data.
    """

    recipe: Recipe
    kinds: Mapping[str, Callable[..., Figures]]
    data: Path
    out: Path
    say: Console
    device: str = "cpu"
    workers: int = 1

    def done(self, name: str) -> Mapping[str, Any] | None:
        """Return the figures of a finished stage, None if it is not finished.

        Raises:
            RunError: the folder holds a stage of other options or data.
        """
        folder = self.out / name
        if not (folder / "begun.json").exists():
            return None
        if read_json(folder / "begun.json")["key"] != self.recipe.key(name):
            hint = f"remove {folder}, and it is made anew; or take another --out"
            raise RunError("the stage was begun with other options or data", file=folder, hint=hint)
        return read_json(folder / "done.json") if (folder / "done.json").exists() else None

    def check(self, stages: Sequence[str]) -> None:
        """Compare the data sets that stages need with their hashes.

        Raises:
            InputError: names all that are missing or differ.
        """
        used = dict.fromkeys(name for stage in stages for name in self.recipe.stages[stage].sets)
        found = {name: self.recipe.data[name].digest(self.data) for name in used}
        wrong = [name for name, digest in found.items() if not digest or digest != self.recipe.data[name].sha256]
        if wrong:
            problems = (f"{name} ({'has another hash' if found[name] else 'is not there'})" for name in wrong)
            hint = "get the files that the recipe names, or put the hashes of yours into it (--hash prints them)"
            raise InputError(f"not the data of the recipe: {', '.join(problems)}", file=self.data, hint=hint)

    def run(self, only: str = "") -> None:
        """Make the stages that are not finished, or one of them.

        Raises:
            InputError: data is not what the recipe says, or an earlier stage is not finished.
        """
        if only and only not in self.recipe.stages:
            hint = did_you_mean(only, self.recipe.stages) or "--list shows the stages"
            raise InputError(f"no stage {only!r}", file=self.recipe.file, field="only", hint=hint)
        wanted = [only] if only else list(self.recipe.stages)
        due = [name for name in wanted if self.done(name) is None]
        self.check(due)
        for name in due:
            table = self.recipe.stages[name]
            missing = [one for one in table.stages if self.done(one) is None]
            if missing:
                problem = f"{name} needs {missing[0]}, which is not finished"
                raise InputError(problem, field="only", hint="make it first")
            place = f"stage {list(self.recipe.stages).index(name) + 1} of {len(self.recipe.stages)}"
            self.say.print(f"{place}: {name} ({table.kind})", highlight=False, soft_wrap=True)
            begun, work = time.monotonic(), Work(self, table)
            work.folder.mkdir(parents=True, exist_ok=True)
            work.write("begun.json", {"key": self.recipe.key(name)})
            figures = self.kinds[table.kind](work, **table.options)
            work.write("done.json", {"seconds": round(time.monotonic() - begun, 1), **figures})


@dataclass(frozen=True)
class Work:
    """The tools of one stage.

    Attributes:
        table: the stage in the recipe.
        collections: the collections that were read so far.
    """

    walk: Walk
    table: StageTable
    collections: dict[str, Collection] = field(default_factory=dict[str, Collection])

    @cached_property
    def folder(self) -> Path:
        """Return the folder of the stage."""
        return self.of(self.table.name)

    @cached_property
    def encoder(self) -> Encoder:
        """Return the ready-made encoder of the recipe."""
        return load_encoder(self.walk.recipe.encoder)

    def of(self, stage: str) -> Path:
        """Return the folder of an earlier stage."""
        return self.walk.out / stage

    def noted(self, stage: str) -> Mapping[str, Any]:
        """Return the figures of an earlier stage."""
        return read_json(self.of(stage) / "done.json")

    def bar(self, title: str, total: int) -> AbstractContextManager[Callable[..., None]]:
        """Show a progress bar, and yield a function that moves it on by a number of steps."""
        return bar(title, total, self.walk.say)

    def collection(self, name: str) -> Collection:
        """Return a collection; questions and dialogues are on the databases of another one."""
        one = self.walk.recipe.data[name]
        if name not in self.collections:
            if one.format == "questions":
                self.collections[name] = self._with_questions(one)
            elif one.format == "names":
                self.collections[name] = said_otherwise(self.collection(one.on), one.place(self.walk.data))
            elif one.on:
                return self.collection(one.on)
            elif one.format == "rows":
                out = self.of("grounds") / name
                self.collections[name] = collection_of_rows(one.place(self.walk.data), out, one.language)
            else:
                spec = f"{one.format}:{one.place(self.walk.data)}"
                self.collections[name] = read_collection(spec, language=one.language or None)
        return self.collections[name]

    def _with_questions(self, one: DataSet) -> Collection:
        """Return the databases of one collection with the questions of a data set."""
        found, pairs = self.collection(one.on), list[Pair]()
        for number, record in enumerate(pair_records(one.place(self.walk.data))):
            database, question = record.text("db_id"), record.text("question", "").strip()
            if database in found.schemas and question:
                sql = tidy(record.text("query"), dialect="sqlite", names=found.schemas[database].names)
                pairs.append(Pair(f"{one.name}-{number}", database, question, sql))
        return Collection(one.name, one.language or found.language, tuple(pairs), found.schemas, found.databases)

    def knowbench(self, name: str) -> Path:
        """Unpack KnowBench, and return the folder that has one for each language."""
        return unpacked_file(self.walk.recipe.data[name].place(self.walk.data), self.walk.out / "unpacked")

    def dialogues(self, name: str, collection: Collection) -> tuple[Dialogue, ...]:
        """Return the dialogues of a data set that are on the databases of a collection."""
        one = self.walk.recipe.data[name]
        return read_turns(one.place(self.walk.data), collection, labels=one.labels_file(self.walk.data))

    def write(self, name: str, content: Any) -> None:
        """Write a file of the stage as JSON, whole or not at all."""
        write_text(self.folder / name, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
