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

A kind of stage is a function, whose keyword parameters are its options, and so is a family of lessons. The type of a
parameter is that of the value, and shows whether it names stages or data sets. ``like = "NAME"`` copies the options of
another stage.
"""

import hashlib
import inspect
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from querent.data.domains.collection import COLLECTION_FORMATS
from querent.data.errors import InputError, did_you_mean

ROOT = Path(__file__).resolve().parents[2]

StageName: TypeAlias = Annotated[str, "earlier stage"]
"""The name of an earlier stage; an empty one names none."""
SetName: TypeAlias = Annotated[str, "data set"]
"""The name of a data set."""
Lines: TypeAlias = Annotated[list[dict[str, Any]], "lines"]
"""Lines of lessons: ``family``, ``sets``, and the family's own options."""

COLLECTIONS = (*COLLECTION_FORMATS, "rows")
"""The formats of data sets with databases; one of rows has no questions."""

FORMATS = (*COLLECTIONS, "questions", "names", "dialogues", "knowbench")
"""Collections; questions on the databases of a collection, other names for them, dialogues on them; KnowBench."""

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
        language: of the questions, where it is another than the format's.
    """

    name: str
    read: str
    sha256: str
    source: str
    license: str
    on: SetName = ""
    labels: str = ""
    language: str = ""

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
    """The content of a recipe file.

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
        for other in reversed(list(self.stages)):
            needed |= set(self.stages[other].stages) if other in needed else set()
        return [one for one in self.stages if one in needed]

    def key(self, name: str) -> str:
        """Return a digest of all that a stage is made of: options, settings, data, and the stages before it."""
        own = self.stages[name]
        data = [self.data[one].sha256 for one in own.sets]
        settings = [self.encoder, self.frozen, dict(self.network)]
        made_of = [own.kind, dict(own.options), settings, data, [self.key(one) for one in own.stages]]
        return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


def read_recipe(file: Path, kinds: Kinds, families: Kinds) -> Recipe:
    """Read a recipe, and check every name and type in it.

    Args:
        kinds: the functions that make stages.
        families: those that make lessons.

    Raises:
        InputError: names the table, what was found there, and the nearest right thing.
    """
    try:
        text = file.read_bytes()
        tables = tomllib.loads(text.decode("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the recipe: {error}", file=file) from error
    data, stages, read = dict[str, DataSet](), dict[str, StageTable](), dict[str, dict[str, Any]]()
    check = _Check(file, families, {"data set": data, "earlier stage": stages})
    for name in tables:
        check.one_of("option", name, ("encoder", "frozen", "network", "data", "stages"), name)
    for name, table in tables.get("data", {}).items():
        place = f"data.{name}"
        list(check.options(DataSet, {"name": name, **table}, place))
        data[name] = DataSet(name=name, **table)
        check.one_of("format", data[name].format, FORMATS, f"{place}.read")
        if data[name].format in ("questions", "dialogues"):
            check.one_of("data set", data[name].on, data, f"{place}.on")
    for name, own in tables.get("stages", {}).items():
        place, table = f"stages.{name}", dict(own)
        if like := table.pop("like", ""):
            check.one_of("earlier stage", like, read, f"{place}.like")
            table = {**read[like], **table}
        read[name] = dict(table)
        kind, ships = table.pop("kind", ""), table.pop("place", "")
        check.one_of("kind", kind, kinds, f"{place}.kind")
        named = list(dict.fromkeys(check.options(kinds[kind], table, place)))
        sets = [other for what, other in named if what == "data set"]
        sets = dict.fromkeys([*sets, *(data[other].on for other in sets if data[other].on)])
        stages[name] = StageTable(name, kind, table, tuple(o for w, o in named if w != "data set"), tuple(sets), ships)
    settings = tables.get("encoder", "e5"), tables.get("frozen", 6), tables.get("network", {})
    return Recipe(file, hashlib.sha256(text).hexdigest(), *settings, data, stages)


@dataclass(frozen=True)
class _Check:
    """Checks the tables of a recipe against the functions whose options they have.

    Attributes:
        known: the data sets and the stages that were read so far.
    """

    file: Path
    families: Kinds
    known: Mapping[str, Mapping[str, Any]]

    def one_of(self, what: str, name: str, known: Iterable[str], place: str) -> None:
        """Refuse an unknown name."""
        if name not in known:
            hint = did_you_mean(name, known) or f"there is {', '.join(known) or 'none yet'}"
            raise InputError(f"no {what} {name!r}", file=self.file, field=place, hint=hint)

    def options(self, kind: Callable[..., Any], table: Mapping[str, Any], place: str) -> Iterator[tuple[str, str]]:
        """Check the options of a function in a table, and yield the data sets and stages that they name."""
        hints = get_type_hints(kind, include_extras=True)
        every = inspect.signature(kind).parameters.values()
        wanted = {one.name: one for one in every if one.kind is inspect.Parameter.KEYWORD_ONLY}
        for name in table:
            self.one_of("option", name, wanted, place)
        for name, one in wanted.items():
            if name in table:
                yield from self.value(table[name], hints[name], f"{place}.{name}")
            elif one.default is inspect.Parameter.empty:
                raise InputError(f"the option {name!r} is missing", file=self.file, field=place)

    def value(self, value: Any, hint: Any, place: str) -> Iterator[tuple[str, str]]:
        """Check a value, and yield the data sets and stages that it names, each behind its kind.

        Raises:
            InputError: it is of another type than the option, or names something unknown.
        """
        inner, origin = get_args(hint), get_origin(hint)
        if hint == Lines:
            for number, line in enumerate(value, start=1):
                yield from self._line(dict(line), f"{place} ({number})")
        elif origin is Annotated and value:
            self.one_of(hint.__metadata__[0], value, self.known[hint.__metadata__[0]], place)
            yield hint.__metadata__[0], value
        elif origin is UnionType:
            yield from self.value(value, inner[0], place)
        elif origin is Literal:
            self.one_of("choice", value, inner, place)
        elif origin in (list, dict) and isinstance(value, origin):
            for one in value:
                yield from self.value(one, inner[0], place)
                yield from self.value(value[one], inner[1], place) if origin is dict else ()
        elif origin is not Annotated and not (origin is None and _fits(value, hint)):
            problem = f"{value!r} is no {getattr(origin or hint, '__name__', hint)}"
            raise InputError(problem, file=self.file, field=place)

    def _line(self, line: dict[str, Any], place: str) -> Iterator[tuple[str, str]]:
        family, sets = line.pop("family", ""), line.pop("sets", [])
        self.one_of("family", family, self.families, place)
        yield from self.value(sets, list[SetName], place)
        yield from self.options(self.families[family], line, place)


def _fits(value: object, kind: type) -> bool:
    """Is a value of a type? A whole number is a float, too, and bool is no number."""
    return isinstance(value, (int, float) if kind is float else kind) and isinstance(value, bool) == (kind is bool)
