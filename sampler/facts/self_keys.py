"""Keys of a table into itself: the manager of an employee, the parent of a category."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from ...data.schema.later_uses import referred_noun, referred_uses
from ...data.schema.plain_names import plural
from ...data.schema.schema import ForeignKey
from ...meaning.profile import KeyProfile
from .facts import ColumnFacts, TableFacts
from .verbalisation import Noun, verbalised
from .writing import quoted

_LEADERS = {"manager", "boss", "supervisor", "head", "leader", "lead", "chief", "上级", "经理", "主管", "领导", "组长",
            "负责人"}  # fmt: skip
_IN_CHINESE = {"manager": "经理", "supervisor": "主管", "boss": "上级", "parent": "上级", "head": "负责人",
               "mentor": "导师", "leader": "组长"}  # fmt: skip


@dataclass(frozen=True)
class SelfKey:
    """Rows of a table refer to others of it by ``key``; ``noun`` is what these are to them.

    Attributes:
        again: the use of the table that is referred to, as the normal form names it and SQL writes it.
        leads: those who are referred to lead those who refer, so that these report to them.
    """

    table: TableFacts
    key: ColumnFacts
    target: ColumnFacts
    noun: Noun
    again: str
    leads: bool

    @property
    def source(self) -> str:
        """Return the FROM of both uses: who refers by the table's own name, who is referred to by the other."""
        on = f"{self.key.ref(True)} = {self.of(self.target)}"
        return f"{self.table.sql} JOIN {self.table.sql} AS {self.again} ON {on}"

    def of(self, column: ColumnFacts) -> str:
        """Return a column of what is referred to."""
        return f"{self.again}.{column.sql}"


def self_keys(
    tables: Sequence[TableFacts], keys: Sequence[KeyProfile], known: Collection[str], language: str
) -> list[SelfKey]:
    """Return the keys of tables into themselves that a word tells the meaning of.

    Args:
        keys: of the database, those included that it does not declare.
        known: lower-cased names of the schema.
    """
    return list(_found(tables, keys, known, language))


def _found(
    tables: Sequence[TableFacts], keys: Sequence[KeyProfile], known: Collection[str], language: str
) -> Iterator[SelfKey]:
    nouns = {table.noun.one for table in tables}
    for table in tables:
        found = (key for key in keys if key.table.lower() == table.table.name.lower() and key.references)
        linked = tuple(ForeignKey(key.columns, key.other, key.references) for key in found)
        for again, key in referred_uses(replace(table.table, foreign_keys=linked), known).items():
            own, target = table.column(key.columns[0]), table.column(key.references[0])
            if own is None or target is None or own is target or not table.names:
                continue
            noun = _noun(own, table, language)
            if noun is not None and noun.one not in nouns:  # what is called after another table refers to that
                leads = noun.one.split()[-1].endswith(tuple(_LEADERS))
                yield SelfKey(table, own, target, noun, quoted(again), leads)


def _noun(key: ColumnFacts, table: TableFacts, language: str) -> Noun | None:
    """Return what a row refers to by its key: its manager, its parent category; None where the key only says «id»."""
    said = referred_noun(verbalised(key.column.name, key.column.description, language), table.noun.one)
    if not said:
        return None
    if language == "zh":
        said = _IN_CHINESE.get(said, said)
    return Noun(said, plural(said) if said.isascii() and language == "en" else said, table.noun.person)
