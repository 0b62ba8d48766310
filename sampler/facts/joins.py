"""How tables hang together: foreign keys one by one."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...data.schema.plain_names import plural, singular, words
from ...meaning.profile import KeyProfile
from .facts import ColumnFacts, TableFacts
from .verbalisation import Noun, verbalised

_KEY_WORDS = {"id", "ids", "code", "no", "num", "number", "key", "name", "fk", "pk"}
_KEY_ENDS = re.compile(r"(id|ID|编号|代码|编码|号码|号|名称|名)$")


@dataclass(frozen=True)
class Join:
    """Rows of ``child`` refer to rows of ``parent``; ``noun`` is what the parent is to the child.

    Attributes:
        many: several rows may refer to one.
        plain: the noun is the parent's own, and no other key joins the two.
    """

    child: TableFacts
    parent: TableFacts
    key: ColumnFacts
    target: ColumnFacts
    noun: Noun
    many: bool
    plain: bool


def joins(tables: Sequence[TableFacts], keys: Sequence[KeyProfile], language: str) -> list[Join]:
    """Return the keys of one column between two tables; those that nobody could tell apart are left out."""
    by_name = {table.table.name: table for table in tables}
    single: dict[tuple[str, str, str], KeyProfile] = {}
    for key in (key for key in keys if len(key.columns) == 1):
        single.setdefault((key.table, key.columns[0], key.other), key)
    targets = Counter((table, other) for table, _, other in single)
    found: list[Join] = []
    for child in tables:
        for key in (key for key in single.values() if key.table == child.table.name):
            parent = by_name.get(key.other)
            if parent is None or parent is child:
                continue
            join = _join(child, parent, key, targets[key.table, key.other] == 1, language)
            if join is not None and (join.plain or join.noun != parent.noun):
                found.append(join)
    return found


def _join(child: TableFacts, parent: TableFacts, key: KeyProfile, only: bool, language: str) -> Join | None:
    own, other = child.column(key.columns[0]), parent.column(key.references[0])
    if own is None or other is None or len(set(other.cells)) < len(other.cells):
        return None
    said = verbalised(own.column.name, own.column.description, language)
    noun = _role_noun(said, parent.noun, only)
    many = key.many and (child.rows is None or len(set(own.cells)) < len(own.cells))  # few rows tell a profile nothing
    return Join(child, parent, own, other, noun, many, only and noun == parent.noun)


def _role_noun(said: str, parent: Noun, only: bool) -> Noun:
    """Return what the parent is called by its key: a source airport; mostly just its own noun."""
    if not said.isascii():
        said = _KEY_ENDS.sub("", said)
        near = said in parent.one or parent.one in said or len(said) < 2
        return parent if (only and near) or len(said) < 2 else Noun(said, said, parent.person)
    parts = [part for part in words(said) if part not in _KEY_WORDS]
    own = {singular(part) for part in words(parent.one)}
    if (
        not parts
        or all(singular(p) in own or len(p) < 4 or any(o.startswith(p) for o in own) for p in parts)
        or (only and own & {singular(p) for p in parts})
    ):
        return parent
    text = " ".join([*parts[:-1], singular(parts[-1])])
    return Noun(text, plural(text) if parent.one != parent.many else text, parent.person)
