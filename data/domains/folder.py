"""Domain folders: ``domain.toml``, ``schema.sql``, ``examples.jsonl`` and, if wanted, ``entities.jsonl``.

Functions of the domain's own stand in ``functions.toml`` (see `functions`).

A domain in several languages has ``examples.LANGUAGE.jsonl`` (``entities.LANGUAGE.jsonl`` likewise).
A folder with ``prototypes/*.toml`` has its examples made of them (see `prototypes`); before that it has none.
An example gives its values filled in, and they are looked for in question and query::

    {"id": "1", "question": "what is TI-101 now", "sql": "SELECT … = 'TI-101'", "prototype": "now"}

or with slots, for values that no search would find::

    {"id": "1", "question": "what is the {tag0} now", "sql": "SELECT … = '{tag0}'", "prototype": "now",
     "values": {"tag0": {"say": "top temperature", "sql": "TI-101"}}}

``split`` (train, dev or test) puts an example into that part under both splits, and
``{"question": …, "query": …}`` into one under each; without it a hash of the id and of the
prototype decide. An example without prototype has its slotted query for one.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

from ..errors import did_you_mean
from ..parsing import tidy
from ..records import PARTS, Part, Record, file_in, hashed_part, read_jsonl
from ..sql.sources import SqlLiteral, sql_literals
from ..values.slots import SLOT, ValueMention, fill_sql
from .aligner import Slotted, SlotValue, align, fill
from .domain import Domain, Entity, Example
from .manifest import Manifest, schema_in
from .prototypes import FOLDER as PROTOTYPES

_TYPE = re.compile(r"[A-Za-z_](?:[A-Za-z_0-9]*[A-Za-z_])?")


def read_entities(path: Path, *, language: str | None = None) -> tuple[Entity, ...]:
    """Read ``{"sql", "type", "says": [...]}`` lines; ``says`` may also be ``{"zh": [...], "en": [...]}``.

    Args:
        path: the file.
        language: keep the names in this language alone; None keeps all.

    Raises:
        DomainError: a line is no such object.
    """
    return tuple(_entity(record, language) for record in read_jsonl(path))


def _entity(record: Record, language: str | None) -> Entity:
    kind = record.text("type")
    if not _TYPE.fullmatch(kind) or kind in {"number", "time"}:
        hint = "use ASCII letters and _, digits inside only; number and time are taken"
        raise record.error(f"{kind!r} cannot name a slot", "type", hint)
    says = record.data.get("says", [])
    if isinstance(says, dict):
        by_language = cast("dict[str, object]", says)
        wanted = [by_language.get(language, [])] if language else [*by_language.values()]
        says = [*dict.fromkeys(say for ways in wanted for say in record.texts("says", ways))]
    return Entity(record.text("sql"), kind, record.texts("says", says))


class Gazetteer:
    """Finds entities that a query names in the question that asks it.

    Args:
        entities: all there are.
        queries: gold queries; columns compared with entities get the type of most of them.
        dialect: of the queries.
    """

    def __init__(self, entities: Iterable[Entity], queries: Iterable[str], dialect: str) -> None:
        self._dialect = dialect
        self._entities: dict[str, list[Entity]] = {}
        for entity in entities:
            self._entities.setdefault(entity.sql.lower(), []).append(entity)
        votes: dict[str, Counter[str]] = {}
        for literal in (x for sql in queries for x in sql_literals(sql, dialect) if x.column):
            # an entity of several types is no evidence
            for entity in self._named(literal)[:1] if len(self._named(literal)) == 1 else ():
                votes.setdefault(literal.column, Counter())[entity.type] += 1
        self._types = {column: count.most_common(1)[0][0] for column, count in votes.items()}

    def type_of(self, column: str) -> str | None:
        """Return the entity type of a column (bare, lower case), None if it holds no entities."""
        return self._types.get(column)

    def mentions(self, question: str, sql: str) -> tuple[ValueMention, ...]:
        """Return the mentions in ``question`` of the entities that ``sql`` names, longest names first."""
        named = [(literal, entity) for literal in sql_literals(sql, self._dialect) if (entity := self._entity(literal))]
        ways = {(say, entity) for _, entity in named for say in (entity.sql, *entity.says)}
        found: list[ValueMention] = []
        for say, entity in sorted(ways, key=lambda way: (-len(way[0]), way[0], way[1].sql)):
            for match in _word(say).finditer(question):
                start, end = match.span()
                if not any(m.start < end and start < m.end for m in found):
                    found.append(ValueMention(start, end, match[0], entity.type, entity.sql))
        return tuple(found)

    def _named(self, literal: SqlLiteral) -> list[Entity]:
        return self._entities.get(literal.value.lower(), []) if literal.string else []

    def _entity(self, literal: SqlLiteral) -> Entity | None:
        named = self._named(literal)
        wanted = self._types.get(literal.column)
        return next((e for e in named if e.type == wanted), named[0] if named else None)


def _word(say: str) -> re.Pattern[str]:
    """Match ``say`` whatever its case, not inside a longer Latin word or number; Chinese may touch it."""
    left = r"(?<![A-Za-z0-9])" if say[0].isascii() and say[0].isalnum() else ""
    right = r"(?![A-Za-z0-9])" if say[-1].isascii() and say[-1].isalnum() else ""
    return re.compile(left + re.escape(say) + right, re.IGNORECASE)


_FIELDS = ("id", "question", "sql", "prototype", "split", "values", "tags")
_NAME = re.compile(r"\{(?P<name>[A-Za-z_][A-Za-z_0-9]*?\d+)\}")


def read(path: str | Path, *, language: str | None = None, shipped: bool = False) -> Domain:
    """Read a domain folder.

    Args:
        path: the folder.
        language: one of the domain's languages; None takes the first.
        shipped: whether it comes with Querent; the database that ships under its name is then its own.

    Raises:
        DomainError: a file is missing, or a line or field is wrong.
        SchemaError: ``schema.sql`` cannot be read.
    """
    folder = Path(path)
    manifest = Manifest.read(file_in(folder, "domain.toml"), shipped=shipped)
    language = manifest.pick(language)
    schema = schema_in(folder, manifest.dialect)
    names = (f"examples.{language}.jsonl", "examples.jsonl")
    unfilled = (folder / PROTOTYPES).is_dir() and not any((folder / name).is_file() for name in names)
    records = [] if unfilled else list(read_jsonl(file_in(folder, *names)))
    entities: tuple[Entity, ...] = ()
    for name in (f"entities.{language}.jsonl", "entities.jsonl"):
        if not entities and (folder / name).is_file():
            entities = read_entities(folder / name)
    examples = _Examples(records, manifest.dialect, language, schema.names, entities, manifest.now)
    return Domain(
        name=manifest.name,
        language=language,
        dialect=manifest.dialect,
        schema=schema,
        examples=examples.read(),
        entities=entities,
        database=manifest.database(),
        source=manifest.name if shipped else str(path),
        now=manifest.now,
        grouping=manifest.grouping,
    )


@dataclass
class _Examples:
    """The lines of an examples file, and what is needed to read them."""

    records: list[Record]
    dialect: str
    language: str
    names: frozenset[str]
    entities: tuple[Entity, ...]
    now: datetime | None

    def read(self) -> tuple[Example, ...]:
        texts = [r.data["sql"] for r in self.records if isinstance(r.data.get("sql"), str) and "values" not in r.data]
        self.gazetteer = Gazetteer(self.entities, [self._tidy(text) for text in texts], self.dialect)
        lines: dict[str, int] = {}
        examples: list[Example] = []
        for record in self.records:
            example = self._example(record)
            first = lines.setdefault(example.id, record.line)
            if first != record.line:
                raise record.error(f"{example.id!r} is taken", "id", f"it stands on line {first} too")
            examples.append(example)
        return tuple(examples)

    def _tidy(self, sql: str) -> str:
        return tidy(sql, dialect=self.dialect, names=self.names)

    def _example(self, record: Record) -> Example:
        record.known(_FIELDS, f"put notes of your own under 'tags'; fields are {_FIELDS}")
        name = record.text("id")
        filled = self._explicit(record) if "values" in record.data else self._aligned(record)
        try:
            sql = fill_sql(filled.slotted, filled.values)
        except ValueError as error:
            raise record.error(str(error), "sql", "put the slot in quotes") from error
        prototype = record.text("prototype") if "prototype" in record.data else filled.slotted
        question_split, query_split = _parts(record, name, prototype)
        return Example(
            id=name,
            question=filled.question,
            sql=sql,
            slotted=filled.slotted,
            values=filled.values,
            prototype=prototype,
            question_split=question_split,
            query_split=query_split,
            line=record.line,
            tags={tag: str(text) for tag, text in record.table("tags", 'write {"name": "text"}').items()},
        )

    def _aligned(self, record: Record) -> Slotted:
        question, sql = record.text("question"), self._tidy(record.text("sql"))
        for field, text in (("question", question), ("sql", sql)):
            if slot := SLOT.search(text):
                hint = f'add "values": {{"{slot[0][1:-1]}": {{"say": …, "sql": …}}}}'
                raise record.error(f"slot {slot[0]} has no value", field, hint)
        known = self.gazetteer.mentions(question, sql)
        types = self.gazetteer.type_of
        slotted, values = align(
            question, sql, dialect=self.dialect, language=self.language, types=types, known=known, now=self.now
        )
        return Slotted(question, slotted, values)

    def _explicit(self, record: Record) -> Slotted:
        values = _values(record)
        question, sql = record.text("question"), self._tidy(record.text("sql"))
        for field, text in (("question", question), ("sql", sql)):
            for slot in _NAME.finditer(text):
                if slot["name"] not in values:
                    hint = did_you_mean(slot["name"], values) or "add it to 'values'"
                    raise record.error(f"slot {slot[0]} has no value", field, hint)
        for name in values:
            if "{" + name + "}" not in question:
                raise record.error(
                    f"value {name!r} stands nowhere in the question", "values", f"write {{{name}}} there"
                )
        return fill(question, sql, values, names=_NAME, language=self.language, align=None, now=self.now)


def _values(record: Record) -> dict[str, SlotValue]:
    values: dict[str, SlotValue] = {}
    for name, value in record.tables("values", 'write {"tag0": {"say": …, "sql": …}}').items():
        if not _NAME.fullmatch("{" + name + "}"):
            raise record.error("not a slot's name", f"values.{name}", "write a type and a number, like tag0")
        values[name] = SlotValue(name.rstrip("0123456789"), value.text("say"), value.text("sql"))
    return values


def _parts(record: Record, name: str, prototype: str) -> tuple[Part, Part]:
    split: object = record.data.get("split", {})
    both = record.table("split") if isinstance(split, dict) else {"question": split, "query": split}
    question, query = both.get("question", hashed_part(name)), both.get("query", hashed_part(prototype))
    return record.choice("split", PARTS, question, "part"), record.choice("split", PARTS, query, "part")
