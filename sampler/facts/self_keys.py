"""Keys of a table into itself: the manager of an employee, the parent of a category."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...data.schema.later_uses import referred_noun
from ...data.schema.plain_names import plural
from ...meaning.profile import KeyProfile
from .facts import ColumnFacts, TableFacts
from .verbalisation import Noun, verbalised

_IN_CHINESE = {"manager": "经理", "supervisor": "主管", "boss": "上级", "parent": "上级", "head": "负责人",
               "mentor": "导师", "leader": "组长"}  # fmt: skip


@dataclass(frozen=True)
class SelfKey:
    """Rows of a table refer to others of it by ``key``; ``noun`` is what these are to them."""

    table: TableFacts
    key: ColumnFacts
    target: ColumnFacts
    noun: Noun


def self_keys(tables: Sequence[TableFacts], keys: Sequence[KeyProfile], language: str) -> Iterator[SelfKey]:
    """Yield the keys of tables into themselves that a word tells the meaning of.

    Args:
        keys: of the database, those included that it does not declare.
    """
    nouns = {table.noun.one for table in tables}
    for table in tables:
        for key in keys:
            if not key.references or {key.table.lower(), key.other.lower()} != {table.table.name.lower()}:
                continue
            own, target = table.column(key.columns[0]), table.column(key.references[0])
            if own is None or target is None or own is target or not table.names:
                continue
            noun = _noun(own, table, language)
            if noun is not None and noun.one not in nouns:  # what is called after another table refers to that
                yield SelfKey(table, own, target, noun)


def _noun(key: ColumnFacts, table: TableFacts, language: str) -> Noun | None:
    """Return what a row refers to by its key: its manager, its parent category; None where the key only says «id»."""
    said = referred_noun(verbalised(key.column.name, key.column.description, language), table.noun.one)
    if not said:
        return None
    if language == "zh":
        said = _IN_CHINESE.get(said, said)
    return Noun(said, plural(said) if said.isascii() and language == "en" else said, table.noun.person)
