"""What people do to entities, as the tables tell it: customers order products, by orders and their items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...data.schema.events import Verb, verb_of_table
from ...data.schema.plain_names import words
from .facts import TableFacts
from .joins import Join

_PLACES = {
    "place", "city", "address", "location", "branch", "bank", "store", "shop", "department", "office", "warehouse",
    "country", "site", "company", "organization", "supplier", "status", "category", "城市", "地址", "部门", "银行",
}  # fmt: skip
"""What is neither ordered nor borrowed, though rows of those tables refer to it."""
_SERVING = {
    "employee", "staff", "seller", "salesperson", "doctor", "physician", "nurse", "manager", "driver", "agent", "clerk",
    "representative", "librarian", "cashier", "instructor", "teacher", "professor", "host", "员工", "医生", "教师",
    "经理",
}  # fmt: skip
"""Who has to do with events of other people."""


@dataclass(frozen=True)
class Path:
    """The way from a person over what tells of an event to the entities that it is done to.

    Attributes:
        who: the events' key of the person.
        event: the table whose name has the verb.
        source: the FROM of all tables, the person's first.
        only: the person does it to no other kind of entity, so that «what» is enough.
    """

    who: Join
    event: TableFacts
    entity: TableFacts
    verb: Verb
    source: str
    only: bool


def paths(joins: Sequence[Join], language: str) -> list[Path]:
    """Return the ways from persons to entities that a verb can say."""
    found: list[Path] = []
    for who in (join for join in joins if join.parent.noun.person and join.plain and join.parent.names):
        if who.parent.noun.one.split()[-1] in _SERVING:
            continue
        verb = verb_of_table([*words(who.child.table.name), *_chinese_ends(who.child.noun.one)], language)
        if verb is None:
            continue
        start = f"{who.parent.sql} JOIN {who.child.sql} ON {who.on}"
        ways = [(entity, start + rest) for rest, entity in _entities(who.child, joins) if is_object(entity)]
        several = {entity.sql for entity, _ in ways}
        found += [Path(who, who.child, entity, verb, source, len(several) == 1) for entity, source in ways]
    return found


def is_object(table: TableFacts) -> bool:
    """Can its rows be ordered or borrowed: neither people nor places, and called by one name?"""
    return len(table.names) == 1 and not table.noun.person and table.noun.one.split()[-1] not in _PLACES


def _entities(event: TableFacts, joins: Sequence[Join]) -> Iterator[tuple[str, TableFacts]]:
    """Yield the joins to entities that an event names, by itself, by its items or by a copy that has no name."""
    for join in (join for join in joins if join.child is event and join.plain):
        if join.parent.names:
            yield f" JOIN {join.parent.sql} ON {join.on}", join.parent
            continue
        for far in (far for far in joins if far.child is join.parent and far.plain and far.parent is not event):
            yield f" JOIN {join.parent.sql} ON {join.on} JOIN {far.parent.sql} ON {far.on}", far.parent
    for item in (join for join in joins if join.parent is event and join.plain and not join.child.names):
        if not any(word in words(item.child.table.name) for word in ("item", "items", "line", "lines", "details")):
            continue
        for far in (far for far in joins if far.child is item.child and far.parent is not event and far.plain):
            yield f" JOIN {item.child.sql} ON {item.on} JOIN {far.parent.sql} ON {far.on}", far.parent


def _chinese_ends(noun: str) -> list[str]:
    """Return the ends of a Chinese noun that may be a event: 借阅记录 tells of 借阅."""
    bare = noun.removesuffix("记录").removesuffix("明细")
    return [] if noun.isascii() else [bare[-2:]]
