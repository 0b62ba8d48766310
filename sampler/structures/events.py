"""Queries for what people did to what: «what Ann ordered», «who borrowed this book»."""

from ..facts.paths import Path
from ..parts.draws import Draft, Draw
from ..parts.join_filters import name_of
from ..parts.phrases import Phrase, Slot, Text
from .shape import Structure, columns


def _slots(path: Path, value: str) -> dict[str, Slot]:
    return {
        "v": Text(value), "t": path.entity.noun, "p": path.who.parent.noun, "verb": path.verb.base,
        "past": path.verb.past, "passive": path.verb.passive,
    }  # fmt: skip


def _what(draw: Draw) -> Draft:
    """``SELECT DISTINCT book.title FROM member JOIN loan … JOIN book … WHERE member.name = 'Ann'``."""
    path = draw.one(draw.frame.paths)
    where, value = name_of(draw, path.who.parent)
    sql = f"SELECT DISTINCT {columns(path.entity.names, True)} FROM {path.source} WHERE {where}"
    rule = "did-only" if path.only and draw.chance(0.5) else "did-what"
    return Draft(sql, Phrase(rule, _slots(path, value), "passive" if path.verb.passive else ""))


def _who(draw: Draw) -> Draft:
    """``SELECT DISTINCT member.name FROM member JOIN loan … JOIN book … WHERE book.title = 'Emma'``."""
    path = draw.one(draw.frame.paths)
    where, value = name_of(draw, path.entity)
    sql = f"SELECT DISTINCT {columns(path.who.parent.names, True)} FROM {path.source} WHERE {where}"
    return Draft(sql, Phrase("did-who", _slots(path, value)))


def _how_many(draw: Draw) -> Draft:
    """``SELECT COUNT(DISTINCT book.id) FROM member JOIN loan … JOIN book … WHERE member.name = 'Ann'``."""
    path = draw.one([p for p in draw.frame.paths if len(p.entity.table.primary_key) == 1])
    key = path.entity.column(path.entity.table.primary_key[0])
    where, value = name_of(draw, path.who.parent)
    what = "" if key is None else key.ref(True)
    sql = f"SELECT COUNT(DISTINCT {what}) FROM {path.source} WHERE {where}"
    return Draft(sql, Phrase("did-how-many", _slots(path, value)))


EVENTS: dict[str, Structure] = {"event-what": _what, "event-who": _who, "event-count": _how_many}
