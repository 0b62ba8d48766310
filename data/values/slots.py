"""Values that a question names, and the slots that stand for them.

A **slot** is the n-th value of a type in a question (``state_name0``, ``number1``). In slotted
text it is written in braces: ``… in {state_name0}`` and ``STATE_NAME = '{state_name0}'``; string
slots stand inside the quotes, so ``LIKE '%{name0}%'`` needs nothing special, number slots stand
bare (``> {number0}``).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

SLOT = re.compile(r"\{([A-Za-z_][A-Za-z_0-9]*?)(\d+)\}")
"""A slot in braces; group 1 is its type, group 2 its index."""

_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
STRING_OR_SLOT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"{}]|\"\")*\"|`(?:[^`{}]|``)*`|" + SLOT.pattern)
"""A string literal whole, slots in it included, a quoted name, or a slot outside of quotes; groups as in `SLOT`."""


@dataclass(frozen=True)
class ValueMention:
    """A value that a question names.

    Attributes:
        start: first character in the question.
        end: one past the last character; ``question[start:end] == text``.
        text: the value as the question has it.
        type: ``number``, ``time``, or the name of an entity type or column.
        sql: the value as SQL stores it, without quotes (``TI-101``, ``2013-08-12``, ``0.3``).
        literal: how it is written in SQL: in quotes, or bare.
    """

    start: int
    end: int
    text: str
    type: str
    sql: str
    literal: Literal["string", "number"] = "string"


@dataclass(frozen=True)
class Value:
    """A mention bound to a slot; ``slot`` is its type and its rank among that type's mentions."""

    slot: str
    mention: ValueMention


def bind(mentions: Iterable[ValueMention]) -> tuple[Value, ...]:
    """Number the mentions of each type by position: the n-th ``tag`` becomes ``tag{n}``.

    Mentions of one type with the same SQL form share one slot, the first one's.
    """
    seen: dict[tuple[str, str], str] = {}
    counts: dict[str, int] = {}
    values: list[Value] = []
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end, m.type)):
        key = (mention.type, mention.sql)
        if key in seen:
            continue
        index = counts.get(mention.type, 0)
        counts[mention.type] = index + 1
        seen[key] = f"{mention.type}{index}"
        values.append(Value(seen[key], mention))
    return tuple(values)


def quoted(text: str) -> str:
    """Return a text as it stands in SQL, in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def fill_sql(slotted: str, values: Iterable[Value], *, dialect: str = "sqlite") -> str:
    """Replace each slot of a slotted query by its value.

    Inside quotes a value's own quotes are doubled, and in MySQL its backslashes, so that no value can end the
    literal it stands in. Outside of quotes only numbers may stand.

    Raises:
        KeyError: a slot has no value.
        ValueError: a slot outside of quotes has a value that is no number.
    """
    known = {v.slot: v.mention.sql for v in values}

    def quoted(match: re.Match[str]) -> str:
        value = known[match[1] + match[2]].replace("'", "''")
        return value.replace("\\", "\\\\") if dialect == "mysql" else value

    def bare(match: re.Match[str]) -> str:
        value = known[match[1] + match[2]]
        if not _NUMBER.fullmatch(value):
            raise ValueError(f"{value!r} is no number, and {match[0]} stands outside of quotes")
        return value

    def literal(match: re.Match[str]) -> str:
        filled = SLOT.sub(quoted if match[0].startswith("'") else bare, match[0])
        # `-3 :: TEXT` is the negative of a text
        cast = filled.startswith("-") and match.string[match.end() :].lstrip().startswith("::")
        return f"({filled})" if cast else filled

    return STRING_OR_SLOT.sub(literal, slotted)


def fits(word: str, values: Iterable[Value]) -> bool:
    """Return whether `fill_sql` can fill all slots of a word."""
    try:
        fill_sql(word, values)
    except (KeyError, ValueError):
        return False
    return True
