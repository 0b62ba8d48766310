"""What people do to things, as the tables tell it: customers order products, by orders and their items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .events import Verb, verb_of_table
from .facts import TableFacts
from .links import Link
from .spoken import words

__all__ = ["Path", "is_thing", "paths"]

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
"""Who has to do with deeds of other people."""


@dataclass(frozen=True)
class Path:
    """The way from a person over what tells of a deed to the things that it is done to.

    Attributes:
        who: the deeds' key of the person.
        deed: the table whose name has the verb.
        source: the FROM of all tables, the person's first.
        only: the person does it to no other kind of thing, so that «what» is enough.
    """

    who: Link
    deed: TableFacts
    thing: TableFacts
    verb: Verb
    source: str
    only: bool


def paths(links: Sequence[Link], language: str) -> list[Path]:
    """Return the ways from persons to things that a verb can say."""
    found: list[Path] = []
    for who in (link for link in links if link.parent.noun.person and link.plain and link.parent.names):
        if who.parent.noun.one.split()[-1] in _SERVING:
            continue
        verb = verb_of_table([*words(who.child.table.name), *_chinese_ends(who.child.noun.one)], language)
        if verb is None:
            continue
        start = f"{who.parent.sql} JOIN {who.child.sql} ON {who.on}"
        ways = [(thing, start + rest) for rest, thing in _things(who.child, links) if is_thing(thing)]
        several = {thing.sql for thing, _ in ways}
        found += [Path(who, who.child, thing, verb, source, len(several) == 1) for thing, source in ways]
    return found


def is_thing(table: TableFacts) -> bool:
    """Can its rows be ordered or borrowed: neither people nor places, and called by one name?"""
    return len(table.names) == 1 and not table.noun.person and table.noun.one.split()[-1] not in _PLACES


def _things(deed: TableFacts, links: Sequence[Link]) -> Iterator[tuple[str, TableFacts]]:
    """Yield the joins to things that a deed names, by itself, by its items or by a copy that has no name."""
    for link in (link for link in links if link.child is deed and link.plain):
        if link.parent.names:
            yield f" JOIN {link.parent.sql} ON {link.on}", link.parent
            continue
        for far in (far for far in links if far.child is link.parent and far.plain and far.parent is not deed):
            yield f" JOIN {link.parent.sql} ON {link.on} JOIN {far.parent.sql} ON {far.on}", far.parent
    for item in (link for link in links if link.parent is deed and link.plain and not link.child.names):
        if not any(word in words(item.child.table.name) for word in ("item", "items", "line", "lines", "details")):
            continue
        for far in (far for far in links if far.child is item.child and far.parent is not deed and far.plain):
            yield f" JOIN {item.child.sql} ON {item.on} JOIN {far.parent.sql} ON {far.on}", far.parent


def _chinese_ends(noun: str) -> list[str]:
    """Return the ends of a Chinese noun that may be a deed: 借阅记录 tells of 借阅."""
    bare = noun.removesuffix("记录").removesuffix("明细")
    return [] if noun.isascii() else [bare[-2:]]
