"""Examples out of templates: a question and a query with names where the values stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from ..domains.examples import SLOT, Value, ValueMention, bind
from ..values.literals import find

__all__ = ["SlotValue", "Slotted", "fill", "literal_of"]

_GIVEN = "given__"  # slot type that marks a template's own slots while others are found
_STRING = re.compile(r"'(?:[^']|'')*'")


@dataclass(frozen=True)
class SlotValue:
    """A value of a template: its slot's type, how the question says it, how SQL stores it."""

    type: str
    say: str
    sql: str


@dataclass(frozen=True)
class Slotted:
    """A filled question, its query with slots, and the values bound (see `Example`)."""

    question: str
    slotted: str
    values: tuple[Value, ...]


Aligner = Callable[[str, str, tuple[ValueMention, ...]], tuple[str, tuple[Value, ...]]]
"""Takes question, query with slots, and mentions known; finds slots for the constants left."""


def fill(
    template: str,
    sql: str,
    values: Mapping[str, SlotValue],
    *,
    names: re.Pattern[str],
    language: str,
    align: Aligner | None,
    now: datetime | None = None,
) -> Slotted:
    """Fill a question's template and bind its values to slots.

    A value that the question does not say becomes a constant of the query; the numbers and times that
    it says beside its values are bound too.

    Args:
        template: the question; each match of ``names`` in it is replaced by what that value says.
        sql: the query with ``{name}`` where the values stand.
        values: by name.
        names: group ``name`` is a key of ``values``.
        language: of the question.
        align: finds slots for the query's constants as well; None leaves them.
        now: see `literals.find`, where there is no ``align``.
    """
    question, spans = _say(template, values, names)
    mentions = {
        name: ValueMention(start, end, question[start:end], said.type, said.sql, _literal(name, sql, said))
        for start, end, name in reversed(spans)  # the first time that a name is said counts
        for said in (values[name],)
    }
    every = tuple(replace(mentions[name], start=start, end=end) for start, end, name in spans)
    order = list(mentions)
    marked = _replace(sql, values, {name: f"{{{_GIVEN}{i}}}" for i, name in enumerate(order)})
    if align is None:
        free = [m for m in find(question, language=language, now=now) if not any(_overlap(m, k) for k in every)]
        bound = bind([*every, *free])
    else:
        marked, bound = align(question, marked, every)
    slots = {(v.mention.type, v.mention.sql): v.slot for v in bound}
    own = [slots[mentions[name].type, mentions[name].sql] for name in order]
    slotted = re.sub(rf"\{{{_GIVEN}(\d+)\}}", lambda m: "{" + own[int(m[1])] + "}", marked)
    return Slotted(question, slotted, bound)


def literal_of(name: str, sql: str) -> Literal["string", "number"] | None:
    """Return how ``{name}`` stands in ``sql``: in quotes, or bare; None if it is not there."""
    slot = "{" + name + "}"
    if any(slot in match[0] for match in _STRING.finditer(sql)):
        return "string"
    return "number" if slot in sql else None


def _say(
    template: str, values: Mapping[str, SlotValue], names: re.Pattern[str]
) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the filled question and (start, end, name) of each value said in it, in order."""
    question, spans, done = "", [], 0
    for match in names.finditer(template):
        question += template[done : match.start()]
        said = values[match["name"]].say
        spans.append((len(question), len(question) + len(said), match["name"]))
        question += said
        done = match.end()
    return question + template[done:], spans


def _replace(sql: str, values: Mapping[str, SlotValue], slots: Mapping[str, str]) -> str:
    """Put ``slots`` in place of the names that have one, constants in place of the others."""

    def put(match: re.Match[str]) -> str:
        name = match[1] + match[2]
        if name in slots or name not in values:
            return slots.get(name, match[0])
        text = values[name].sql
        return text.replace("'", "''") if literal_of(name, sql) == "string" else text

    return SLOT.sub(put, sql)


def _literal(name: str, sql: str, said: SlotValue) -> Literal["string", "number"]:
    return literal_of(name, sql) or ("number" if said.type == "number" else "string")


def _overlap(a: ValueMention, b: ValueMention) -> bool:
    return a.start < b.end and b.start < a.end
