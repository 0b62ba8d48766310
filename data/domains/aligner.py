"""Values and slots of examples: those of a gold query found in its question, and templates filled."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from ..sql.sources import SqlLiteral, sql_literals
from ..values.literals import find, narrow, readings
from ..values.numerals import value_of
from ..values.slots import SLOT, Value, ValueMention, bind

_GIVEN = "given__"  # slot type that marks a template's own slots while others are found
_STRING = re.compile(r"'(?:[^']|'')*'")


@dataclass(frozen=True)
class SlotValue:
    """A value of a template: the type of its slot, its text in the question, and its text in SQL."""

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

    A value that is not in the question becomes a constant of the query; further numbers and times of the question are
    bound too.

    Args:
        template: the question; each match of ``names`` in it is replaced by the text of that value.
        sql: the query with ``{name}`` where the values stand.
        values: by name.
        names: group ``name`` is a key of ``values``.
        language: of the question.
        align: finds slots for the query's constants as well; None leaves them.
        now: see `literals.find`, where there is no ``align``.
    """
    question, filled, done = "", list[tuple[str, ValueMention]](), 0
    for match in names.finditer(template):
        name, value = match["name"], values[match["name"]]
        question += template[done : match.start()]
        literal = literal_of(name, sql) or ("number" if value.type == "number" else "string")
        mention = ValueMention(len(question), len(question) + len(value.say), value.say, value.type, value.sql, literal)
        filled.append((name, mention))
        question, done = question + value.say, match.end()
    question += template[done:]
    order = [*dict.fromkeys(name for name, _ in filled)]
    known = tuple(mention for _, mention in filled)

    def put(match: re.Match[str]) -> str:
        name = match[1] + match[2]
        if name in order:
            return f"{{{_GIVEN}{order.index(name)}}}"
        if name not in values:
            return match[0]
        return _quoted(values[name].sql) if literal_of(name, sql) == "string" else values[name].sql

    marked = SLOT.sub(put, sql)
    if align is None:
        free = [m for m in find(question, language=language, now=now) if not _overlaps(m, known)]
        bound = bind([*known, *free])
    else:
        marked, bound = align(question, marked, known)
    slots = {(v.mention.type, v.mention.sql): v.slot for v in bound}
    own = [slots[values[name].type, values[name].sql] for name in order]
    return Slotted(question, re.sub(rf"\{{{_GIVEN}(\d+)\}}", lambda m: "{" + own[int(m[1])] + "}", marked), bound)


def literal_of(name: str, sql: str) -> Literal["string", "number"] | None:
    """Return how ``{name}`` stands in ``sql``: in quotes, or bare; None if it is not there."""
    slot = "{" + name + "}"
    if any(slot in match[0] for match in _STRING.finditer(sql)):
        return "string"
    return "number" if slot in sql else None


_AFFIX = re.compile(r"(?: 00:00:00| 23:59:59|-01-01|-12-31|-01|-(?:28|29|30|31))(?:\.0+)?")
"""The text that a query adds to a date or year: «in 2013» is BETWEEN '2013-01-01' AND '2013-12-31'."""


@dataclass(frozen=True)
class _FoundLiteral:
    """A literal of the query, its mention in the question, and the text that the query has around it."""

    literal: SqlLiteral
    mention: ValueMention
    before: str = ""
    after: str = ""


def align(
    question: str,
    sql: str,
    *,
    dialect: str = "sqlite",
    language: str = "en",
    types: Callable[[str], str | None] | None = None,
    known: Sequence[ValueMention] = (),
    now: datetime | None = None,
) -> tuple[str, tuple[Value, ...]]:
    """Put slots in place of the literals of ``sql`` that ``question`` mentions.

    Strings are found by their text (case-insensitively; the core of a LIKE pattern), longest first, then among the
    readings of the numbers and times of the question; numbers are found by value. A number behind ``=`` stays if a
    range or a limit already uses the only mention of its value: it is a flag. All other literals stay constants.

    Args:
        question: the text with its values filled in.
        sql: the gold query, strings in single quotes.
        dialect: of the query.
        language: see `literals.find`.
        types: entity type of a column (its bare name in lower case), None for the column's own name.
        known: mentions that the source has marked, which take precedence.
        now: see `literals.find`.

    Returns:
        The slotted query and every value bound in the question: those aligned, those of ``known``,
        and the other numbers and times. ``fill_sql(slotted, values) == sql``.
    """
    mentions = [m for m in find(question, language=language, now=now) if not _overlaps(m, known)]
    found: list[_FoundLiteral] = []
    literals = sql_literals(sql, dialect)
    by_value: dict[str, _FoundLiteral] = {}
    for literal in sorted((x for x in literals if x.string), key=lambda x: -len(_core(x.value))):
        if (match := by_value.get(literal.value)) is None:
            kind = (types(literal.column) if types else None) or slot_type(literal.column)
            taken = [*known, *(f.mention for f in found)]
            match = next(_strings(question, literal, kind, mentions, taken, language), None)
        if match is not None:
            by_value.setdefault(literal.value, match)
            found.append(replace(match, literal=literal))
    strings = [f.mention for f in found if f.mention.literal == "string"]
    numbers = [m for m in (*known, *mentions) if m.literal == "number" and not _overlaps(m, strings)]
    found += _numbers(literals, numbers, language)
    aligned: dict[tuple[int, int], ValueMention] = {}
    # one mention is written one way; a literal that wants another stays a constant
    found = [f for f in found if aligned.setdefault((f.mention.start, f.mention.end), f.mention) == f.mention]
    rest = [_same_form(m, aligned.values()) for m in (*known, *mentions) if not _overlaps(m, aligned.values())]
    values = bind([*aligned.values(), *rest])
    return _slotted(sql, found, values), values


def slot_type(column: str) -> str:
    """Return the column's name as slots can carry it: ASCII letters, digits and ``_``, no digit at the end."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", column).lower()
    if not re.search(r"[a-z]", name):
        return "value"
    name = name if name[0] not in "0123456789" else f"_{name}"
    return f"{name}_" if name[-1].isdigit() or name in {"number", "time"} else name


def _strings(  # noqa: PLR0917 - the question with its values, the literal with its type
    question: str,
    literal: SqlLiteral,
    kind: str,
    mentions: Sequence[ValueMention],
    taken: Sequence[ValueMention],
    language: str,
) -> Iterator[_FoundLiteral]:
    """Yield the possible mentions of a string in a question, the surest first."""
    core = _core(literal.value)
    if not core.strip():
        return
    before, _, after = literal.value.partition(core)
    for mention in taken:  # marked by the source, or the same value in another pattern
        if mention.sql.lower() == core.lower() and mention.literal == "string":
            yield _FoundLiteral(literal, replace(mention, sql=core), before, after)
    free = [m for m in mentions if not _overlaps(m, [t for t in taken if (t.start, t.end) != (m.start, m.end)])]
    times = [m for m in free if m.type == "time"]
    yield from (_FoundLiteral(literal, m, before, after) for m in times if m.sql == core)
    for mention in times:
        if core.startswith(mention.sql) and _AFFIX.fullmatch(core, len(mention.sql)):
            yield _FoundLiteral(literal, mention, before, core[len(mention.sql) :] + after)
    read = {m: (m.sql, *readings(m.text, language=language)) for m in mentions}
    yield from (_FoundLiteral(literal, replace(m, sql=core), before, after) for m in times if core in read[m][1:])
    spans = [*_search(question, core, mentions, taken)]
    spans += [(m.start, m.end) for m in mentions if not _overlaps(m, taken) and core in read[m]]
    for start, end in spans:
        yield _FoundLiteral(literal, ValueMention(start, end, question[start:end], kind, core), before, after)
    for mention in free:  # the year that begins a date
        if mention.type == "number" and re.fullmatch(rf"{mention.sql}-(?:01-01|12-31)", core) and len(core) == 10:
            yield _FoundLiteral(literal, mention, before, core[4:] + after)


def _core(pattern: str) -> str:
    return pattern.strip("%")


def _search(
    question: str, core: str, mentions: Sequence[ValueMention], taken: Sequence[ValueMention]
) -> Iterator[tuple[int, int]]:
    """Yield where a question has a text, letters' case and the separators inside codes aside.

    A mere part of a longer number or time is left out, such as the 2 of 12月2日.
    """
    parts = [re.escape(part) for part in re.split(r"[-_\s]+", core) if part]
    left = r"(?<![A-Za-z0-9])" if core[0].isascii() and core[0].isalnum() else ""
    right = r"(?![A-Za-z0-9])" if core[-1].isascii() and core[-1].isalnum() else ""
    for body in (re.escape(core), r"[-_\s]*".join(parts)) if parts else ():
        for match in re.finditer(left + body + right, narrow(question), re.IGNORECASE):
            start, end = match.span()
            longer = [m for m in mentions if m.end - m.start > end - start]
            if not any(m.start < end and start < m.end for m in (*taken, *longer)):
                yield start, end


def _numbers(literals: Sequence[SqlLiteral], mentions: Sequence[ValueMention], language: str) -> list[_FoundLiteral]:
    found: list[_FoundLiteral] = []
    numbers = [x for x in literals if not x.string]
    uses = Counter(value_of(x.value) for x in numbers if x.likely)
    for literal in sorted(numbers, key=lambda x: not x.likely):
        value = value_of(literal.value)
        same = [m for m in mentions if value_of(m.sql) == value]
        same = same or [m for m in mentions if any(value_of(r) == value for r in readings(m.text, language=language))]
        if not same or (not literal.likely and uses[value] and len(same) < 2):
            continue
        found.append(_FoundLiteral(literal, replace(same[0], sql=literal.value)))
    return found


def _same_form(mention: ValueMention, aligned: Iterable[ValueMention]) -> ValueMention:
    """Write a number as the query writes another mention of the same value, so that both share a slot."""
    if mention.type != "number":
        return mention
    value = value_of(mention.sql)
    return next(
        (replace(mention, sql=m.sql) for m in aligned if m.type == "number" and value_of(m.sql) == value), mention
    )


def _overlaps(mention: ValueMention, others: Iterable[ValueMention]) -> bool:
    return any(m.start < mention.end and mention.start < m.end for m in others)


def _slotted(sql: str, found: Sequence[_FoundLiteral], values: Sequence[Value]) -> str:
    slots = {(v.mention.type, v.mention.sql): v.slot for v in values}
    text = sql
    for item in sorted(found, key=lambda f: -f.literal.start):
        slot = "{" + slots[item.mention.type, item.mention.sql] + "}"
        quote = "'" if item.literal.string else ""
        written = f"{quote}{_quoted(item.before)}{slot}{_quoted(item.after)}{quote}"
        text = text[: item.literal.start] + written + text[item.literal.end :]
    return text


def _quoted(text: str) -> str:
    return text.replace("'", "''")
