"""Values of a domain that its database lacks: other names of cells, and values of its pairs alone."""

from collections import Counter, defaultdict
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..data.domains.aligner import slot_type
from ..data.domains.domain import Domain, Example
from ..data.schema.schema import Schema
from ..data.sql.sources import compared_columns, sql_literals
from ..data.values.slots import SLOT
from .cells.building import write_index
from .cells.cells import SAMPLES, ColumnCells
from .cells.found import FoundValue, Kind
from .index import ValueIndex

_LITERAL_TYPES = frozenset({"number", "time"})
"""The types that need no database; all others are entity types."""

Columns = tuple[tuple[str, str], ...]
"""(table, column), as the schema spells them."""

_CONSTANTS = 24
"""The largest number of values of queries that are in no question; the most frequent ones."""


def write_known(path: Path, domain: Domain, examples: Sequence[Example], types: Mapping[str, Columns]) -> None:
    """Write an index file of a domain's entities and of the values in its examples."""
    cells: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    synonyms: defaultdict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for text, value, kind in _named(domain, examples):
        for place in types.get(kind, ()):
            cells[place][value] += 1
            if text != value:
                synonyms[place][text, value] += 1
    found = [
        ColumnCells(
            table.name,
            column.name,
            cells=cells[table.name, column.name].most_common(),
            samples=[value for value, _ in cells[table.name, column.name].most_common(SAMPLES)],
            synonyms=[(text, value, n) for (text, value), n in synonyms[table.name, column.name].most_common()],
            distinct=len(cells[table.name, column.name]),
        )
        for table, column in domain.schema.columns()
    ]
    path.unlink(missing_ok=True)
    write_index(path, "known", found)


def _named(domain: Domain, examples: Sequence[Example]) -> Iterator[tuple[str, str, str]]:
    """Yield (text in a question, value, type)."""
    for entity in domain.entities:
        for text in (entity.sql, *entity.says):
            yield text, entity.sql, entity.type
    for example in examples:
        for value in example.values:
            if value.mention.type not in _LITERAL_TYPES:
                yield value.mention.text, value.mention.sql, value.mention.type


def columns_of_types(domain: Domain, examples: Iterable[Example]) -> dict[str, Columns]:
    """Return the columns that examples' queries compare values of each type with.

    A type that no query uses is that of the columns of its name.
    """
    found: defaultdict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for slotted in dict.fromkeys(example.slotted for example in examples):
        for value, table, column in compared_columns(slotted, domain.schema, domain.dialect):
            if slot := SLOT.search(value):
                found[slot[1]][table, column] = None
    for kind in dict.fromkeys(entity.type for entity in domain.entities):
        if kind not in found:
            named = [(t.name, c.name) for t, c in domain.schema.columns() if slot_type(c.name) == kind]
            found[kind] = dict.fromkeys(named)
    return {kind: tuple(places) for kind, places in found.items()}


def constants(domain: Domain, examples: Sequence[Example], without: Container[str] = ()) -> tuple[FoundValue, ...]:
    """Return the values of queries that are in no question, the most frequent first.

    «major cities» are those with a population above 150000.

    Args:
        without: numbers that are left out.
    """
    counts: Counter[tuple[str, Kind]] = Counter()
    places: defaultdict[tuple[str, Kind], dict[tuple[str, str], None]] = defaultdict(dict)
    for slotted, count in Counter(example.slotted for example in examples).items():
        for literal in sql_literals(slotted, domain.dialect):
            if SLOT.search(literal.value) is None and (literal.string or literal.value not in without):
                kind = "cell" if literal.string else "number"
                counts[literal.value, kind] += count
        for value, table, column in compared_columns(slotted, domain.schema, domain.dialect):
            kind: Kind = "cell" if value.startswith("'") else "number"
            places[value.strip("'").replace("''", "'"), kind][table, column] = None
    return tuple(
        FoundValue(0, 0, "", value, kind, "constant", tuple(places[value, kind]), 0.0)
        for (value, kind), _ in counts.most_common(_CONSTANTS)
    )


def given(example: Example, types: Mapping[str, Columns]) -> tuple[FoundValue, ...]:
    """Return an example's own values as if they had been found."""
    found: list[FoundValue] = []
    for value in example.values:
        mention = value.mention
        kind: Any = mention.type if mention.type in _LITERAL_TYPES else "cell"
        if kind == "cell" and mention.literal == "number":
            kind = "number"
        how = "literal" if kind in _LITERAL_TYPES else "exact"
        columns = types.get(mention.type, ())
        found.append(FoundValue(mention.start, mention.end, mention.text, mention.sql, kind, how, columns, 1.0))
    return tuple(found)


def with_meanings(known: Sequence[FoundValue], found: Sequence[FoundValue]) -> list[FoundValue]:
    """Return known values together with the periods and flags that were found, which examples do not have.

    A value in the words of a period gets that period; a period within the name of a cell is none.
    """
    spans = {(one.start, one.end): one.span for one in found if one.span is not None}
    dated = [replace(one, span=spans.get((one.start, one.end))) for one in known]
    own = {(one.start, one.end) for one in dated if one.span is not None}
    cells = [one for one in known if one.how != "literal"]
    flags = [one for one in found if one.yes is not None]
    rest = [one for one in found if one.span is not None and (one.start, one.end) not in own]
    free = (one for one in rest if all(cell.end <= one.start or one.end <= cell.start for cell in cells))
    return [*flags, *dated, *free]


@contextmanager
def open_values(
    domain: Domain, examples: Sequence[Example], database: str | Path, schema: Schema
) -> Generator[ValueIndex]:
    """Open the index of a database's values together with the domain's entities and the values of ``examples``.

    Args:
        database: a SQLite file or a URL.
        schema: whose cells are found.

    Raises:
        DatabaseError: the database cannot be read.
    """
    with TemporaryDirectory() as folder:
        known = Path(folder) / "values.sqlite"
        write_known(known, domain, examples, columns_of_types(domain, examples))
        with ValueIndex.open(database, schema, known=known) as index:
            yield index
