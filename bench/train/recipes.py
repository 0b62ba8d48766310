"""A recipe: data sets with their hashes, and stages, each of which makes one thing from data and earlier stages.

    encoder = "e5"
    frozen = 6                                    # lower layers of the encoder that do not learn

    [data.spider-train]
    read = "spider:multi/spider-train"            # FORMAT:PATH, in the data folder, or {repo}/… in the clone
    sha256 = "…"                                  # of all its files; --hash prints it
    source = "Spider's training part (Yu et al. 2018)"
    license = "CC BY-SA 4.0"

    [stages.questions]
    kind = "lessons"
    lines = [{ family = "asked", sets = ["spider-train"] }]

    [stages.first]
    kind = "train"
    lessons = ["questions"]
    epochs = 2
    lr = 5e-4

A kind is a function whose options are its parameters behind the star, and so is a family of lessons. A parameter's type
says what a value must be, and whether it names stages or data sets. ``like = "NAME"`` takes over the options of another
stage.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

from querent.data.domains.collection import COLLECTION_FORMATS
from querent.data.errors import InputError, did_you_mean

__all__ = ["FORMATS", "DataSet", "Lines", "Recipe", "SetName", "StageName", "StageTable", "read_recipe"]

ROOT = Path(__file__).resolve().parents[2]

StageName: TypeAlias = Annotated[str, "earlier stage"]
"""The name of an earlier stage; an empty one names none."""
SetName: TypeAlias = Annotated[str, "data set"]
"""The name of a data set."""
Lines: TypeAlias = Annotated[list[dict[str, Any]], "lines"]
"""Lines of lessons: ``family``, ``sets``, and the family's own options."""

FORMATS = (*COLLECTION_FORMATS, "questions", "dialogues", "knowbench", "file")
"""Collections; questions or dialogues on the databases of a collection; KnowBench; a file that one stage reads."""

Kinds: TypeAlias = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """One data set of a recipe.

    Attributes:
        read: ``FORMAT:PATH``, with one of `FORMATS`.
        sha256: of its files.
        source, license: as the model card names them.
        on: the collection whose databases the questions or dialogues are on.
        labels: a file with CHASE's labels of dialogues.
    """

    name: str
    read: str
    sha256: str
    source: str
    license: str
    on: str = ""
    labels: str = ""

    @property
    def format(self) -> str:
        """Return what stands before the colon."""
        return self.read.partition(":")[0]

    def place(self, data: Path) -> Path:
        """Return its file or folder."""
        return _placed(self.read.partition(":")[2], data)

    def labels_file(self, data: Path) -> Path | None:
        """Return the file of its labels, if it has any."""
        return _placed(self.labels, data) if self.labels else None

    def digest(self, data: Path) -> str:
        """Return the SHA-256 of its file, or of names and contents of all its files; empty where there are none."""
        place, labels = self.place(data), self.labels_file(data)
        files = {f.relative_to(place).as_posix(): f for f in sorted(place.rglob("*")) if f.is_file()} or {"": place}
        files |= {} if labels is None else {"labels": labels}
        if not all(file.exists() for file in files.values()):
            return ""
        each = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
        return each[""] if len(each) == 1 and "" in each else hashlib.sha256(json.dumps(each).encode()).hexdigest()


def _placed(path: str, data: Path) -> Path:
    return Path(path.format(repo=ROOT)) if path.startswith("{repo}") else data / path


@dataclass(frozen=True)
class StageTable:
    """One stage of a recipe.

    Attributes:
        kind: names the function that makes it.
        options: of that function.
        stages, sets: the earlier stages and the data sets that it reads, each once.
        place: the file of the clone that ships what the stage makes; empty where nothing of it ships.
    """

    name: str
    kind: str
    options: Mapping[str, Any]
    stages: tuple[str, ...]
    sets: tuple[str, ...]
    place: str = ""


@dataclass(frozen=True)
class Recipe:
    """What a recipe file says.

    Attributes:
        sha256: of the file.
        network: sizes, as `NetworkConfig` has them.
    """

    file: Path
    sha256: str
    encoder: str
    frozen: int
    network: Mapping[str, Any]
    data: Mapping[str, DataSet]
    stages: Mapping[str, StageTable] = field(default_factory=dict[str, StageTable])

    def before(self, name: str) -> list[str]:
        """Return the stages that a stage needs, in order, itself the last."""
        needed = {name}
        for other in reversed(self.stages):
            needed |= set(self.stages[other].stages) if other in needed else set()
        return [one for one in self.stages if one in needed]

    def key(self, name: str) -> str:
        """Return a digest of all that a stage is made of: options, settings, data, and the stages before it."""
        own = self.stages[name]
        data = [self.data[one].sha256 for one in own.sets]
        settings = [self.encoder, self.frozen, dict(self.network)]
        told = [own.kind, dict(own.options), settings, data, [self.key(one) for one in own.stages]]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def read_recipe(file: Path, kinds: Kinds, families: Kinds) -> Recipe:
    """Read a recipe, and check that every name in it stands for something.

    Args:
        kinds: the functions that make stages.
        families: those that make lessons.

    Raises:
        InputError: names the table, what was found there, and the nearest right thing.
    """
    try:
        text = file.read_bytes()
        told = tomllib.loads(text.decode("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the recipe: {error}", file=file) from error
    check = _Check(file, families)
    check.known(told, ("encoder", "frozen", "network", "data", "stages"), "")
    data: dict[str, DataSet] = {}
    for name, table in told.get("data", {}).items():
        data[name] = DataSet(name=name, **check.options(DataSet.__init__, table, f"data.{name}", but=("name",)))
        check.one_of("format", data[name].format, FORMATS, f"data.{name}.read")
        if data[name].on or data[name].format in ("questions", "dialogues"):
            check.one_of("earlier data set", data[name].on, data, f"data.{name}.on")
    digest = hashlib.sha256(text).hexdigest()
    settings = told.get("encoder", "e5"), told.get("frozen", 6), told.get("network", {})
    stages: dict[str, StageTable] = {}
    tables: dict[str, Mapping[str, Any]] = {}
    for name, own in told.get("stages", {}).items():
        table = dict(own)
        if like := table.pop("like", None):
            check.one_of("earlier stage", like, tables, f"stages.{name}.like")
            table = {**tables[like], **table}
        tables[name] = table
        check.one_of("kind", table.get("kind", ""), kinds, f"stages.{name}.kind")
        rest = {option: value for option, value in table.items() if option not in ("kind", "place")}
        kind = kinds[table["kind"]]
        options = check.options(kind, rest, f"stages.{name}")
        named = list(dict.fromkeys(check.names(kind, rest, f"stages.{name}")))
        for what, other, place in named:
            check.one_of(what, other, stages if what == "earlier stage" else data, place)
        used = [other for what, other, _ in named if what == "data set"]
        used += [data[other].on for other in used if data[other].on]
        before = tuple(dict.fromkeys(other for what, other, _ in named if what == "earlier stage"))
        stages[name] = StageTable(
            name, table["kind"], options, before, tuple(dict.fromkeys(used)), table.get("place", "")
        )
    return Recipe(file, digest, *settings, data, stages)


class _Check:
    """Holds tables of a recipe against the functions that read them."""

    def __init__(self, file: Path, families: Kinds) -> None:
        self.file, self.families = file, families

    def one_of(self, what: str, name: str, known: Mapping[str, Any] | tuple[str, ...], place: str) -> None:
        """Refuse a name that is none of those known so far."""
        if name not in known:
            hint = did_you_mean(name, known) or f"there is {', '.join(known) or 'none yet'}"
            raise InputError(f"no {what} {name!r}", file=self.file, field=place, hint=hint)

    def known(self, table: Mapping[str, Any], names: tuple[str, ...], place: str) -> None:
        """Refuse an option that nothing reads."""
        for name in table:
            if name not in names:
                hint = did_you_mean(name, names) or f"options are {', '.join(names)}"
                raise InputError(f"no option {name!r}", file=self.file, field=place or name, hint=hint)

    def options(
        self, kind: Callable[..., Any], table: Mapping[str, Any], place: str, *, but: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Return the options of a table, which are those that a function takes, each of its type."""
        wanted = {n: one for n, one in _parameters(kind).items() if n not in but}
        self.known(table, tuple(wanted), place)
        for name, (hint, needed) in wanted.items():
            if name not in table:
                if needed:
                    raise InputError(f"the option {name!r} is missing", file=self.file, field=place)
            elif not _fits(table[name], hint):
                problem = f"{table[name]!r} is no {getattr(hint, '__name__', hint)}"
                raise InputError(problem, file=self.file, field=f"{place}.{name}")
        return dict(table)

    def names(self, kind: Callable[..., Any], table: Mapping[str, Any], place: str) -> Iterator[tuple[str, str, str]]:
        """Yield what the options of a table name: a stage or a data set, its name, and where it stands."""
        for option, value in table.items():
            here, hint = f"{place}.{option}", _parameters(kind)[option][0]
            if get_origin(hint) is Annotated and "lines" in hint.__metadata__:
                for number, line in enumerate(value, start=1):
                    yield from self._line(dict(line), f"{here} ({number})")
            else:
                yield from ((what, name, here) for what, name in _named(value, hint) if name)

    def _line(self, line: dict[str, Any], place: str) -> Iterator[tuple[str, str, str]]:
        family, sets = line.pop("family", ""), line.pop("sets", [])
        self.one_of("family", family, self.families, place)
        self.options(self.families[family], line, place)
        yield from (("data set", name, place) for name in sets)
        yield from self.names(self.families[family], line, place)


@cache
def _parameters(kind: Callable[..., Any]) -> dict[str, tuple[Any, bool]]:
    """Return the options of a function: of what type each is, and whether it has to be given."""
    hints = get_type_hints(kind, include_extras=True)
    every = inspect.signature(kind).parameters.values()
    behind = [one for one in every if one.kind is inspect.Parameter.KEYWORD_ONLY]
    return {one.name: (hints.get(one.name, Any), one.default is inspect.Parameter.empty) for one in behind}


def _fits(value: object, hint: Any) -> bool:
    """Is a value of a type? Whole numbers are decimal ones, too."""
    inner = get_args(hint)
    match get_origin(hint):
        case None:
            whole = isinstance(value, int) and not isinstance(value, bool)
            return hint is Any or (whole if hint is int else isinstance(value, hint) or (hint is float and whole))
        case origin if origin in (Annotated, UnionType):
            return any(_fits(value, one) for one in inner[:1])
        case origin if origin is list:
            return isinstance(value, list) and all(_fits(one, inner[0]) for one in value)
        case origin if origin is dict:
            return isinstance(value, dict) and all(_fits(one, inner[1]) for one in value.values())
        case _:
            return value in inner  # one of a few texts


def _named(value: Any, hint: Any) -> Iterator[tuple[str, str]]:
    """Yield the stages and data sets that a value names."""
    inner = get_args(hint)
    match get_origin(hint):
        case origin if origin is Annotated and hint.__metadata__[0] in ("earlier stage", "data set"):
            yield hint.__metadata__[0], value
        case origin if origin is UnionType:
            yield from _named(value, inner[0])
        case origin if origin in (list, dict):
            yield from (pair for one in value for pair in _named(one, inner[0]))
        case _:
            return
