"""Conditions on what is missing: no email, not returned yet, no manager; and on what is there."""

from ...data.schema.plain_names import words
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import Noun
from .conditions import Filter, said_of
from .draws import Draw
from .phrases import Phrase

_CONTACTS = {"email", "mail", "phone", "telephone", "mobile", "fax", "address", "邮箱", "电话", "手机"}


def null(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``email IS NULL``, or that it is not."""
    column = draw.one(
        [c for c in table.columns if c.nulls and c.role not in {"empty", "flag", "key"} and c not in draw.drawn]
    )
    return _of(draw, table, column, qualified, draw.one(["null", "given"]))


def not_yet(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``returned IS NULL``: not returned yet; now and then that it is."""
    options = [c for c in table.columns if c.nulls and c.event is not None and c.event.open and c not in draw.drawn]
    return _of(draw, table, draw.one(options), qualified, draw.one(["null", "null", "null", "given"]))


def _of(draw: Draw, table: TableFacts, column: ColumnFacts, qualified: bool, kind: str) -> Filter:
    draw.drawn.append(column)
    said = said_of(kind, table, column)
    if column.event is None or not column.event.open:  # no one is «not born yet»
        contact = table.noun.person and bool(_CONTACTS & {*words(column.column.name), *words(column.noun.one)})
        said = Phrase(kind, said.slots, "contact" if contact else "")
    elif column.event.past in {"died", "去世"}:
        said = Phrase(kind, said.slots, "died")
    return _test(kind, column, qualified, said)


def any_null(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """Return a condition on what is missing or there, foreign keys included: employees without a manager."""
    keys: list[tuple[ColumnFacts, Noun]] = [
        (join.key, join.noun) for join in draw.frame.joins if join.child is table and join.key.nulls
    ]
    if not keys or draw.chance(0.7):
        return null(draw, table, qualified)
    column, noun = draw.one(keys)
    kind = draw.one(["null", "null", "given"])
    return _test(kind, column, qualified, Phrase(f"{kind}-key", {"t": table.noun, "c": noun}))


def _test(kind: str, column: ColumnFacts, qualified: bool, said: Phrase) -> Filter:
    return Filter(f"{column.ref(qualified)} {'IS NULL' if kind == 'null' else 'IS NOT NULL'}", said)
