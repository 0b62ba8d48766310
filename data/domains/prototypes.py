"""Read prototypes: question wordings with one query, slots in braces.

They stand in ``prototypes/*.toml`` of a domain folder, one file a theme, for people to edit::

    [[prototype]]
    id = "limits.upper"
    zh = ["{tag0}高报值是多少", …]           # a domain of one language may write question = […]
    en = ["high alarm setting of {tag0}", …]
    sql = "SELECT high_limit FROM t_rt_info WHERE tag_code = '{tag0}'"
    fill = { time0 = "day" }               # how a slot is filled, if not by its type alone; see `slot_rules`
    twin = "limits.lower"                  # falls into the same part of the query split
    test = { zh = ["…"], en = ["…"] }      # wordings of the test part of the question split alone
    hops = ["tag.limit"]                   # the steps from the named thing to the requested one, a tag of its pairs

A slot may stand anywhere in a wording; `numbered` counts the slots of each type by their place in
the question, as the parser will find them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from ..errors import DomainError, did_you_mean
from ..records import Record, tables_in
from ..values.slots import SLOT
from .slot_rules import Rule, parsed_rule

FOLDER = "prototypes"
"""Where prototypes stand in a domain folder."""

_FIELDS = ("id", "question", "sql", "fill", "twin", "test", "hops")
_HOP = re.compile(r"\w+\.\w+")


@dataclass(frozen=True)
class Prototype:
    """One query with the wordings that ask for it.

    Attributes:
        id: ``theme.name``, unique.
        wordings: by language; every wording holds exactly the slots of ``sql``.
        sql: slotted, in the dialect of the domain's prototypes.
        fill: how to fill a slot, by slot.
        file: where it stands.
        line: 1-based line below its head.
        twin: id of a prototype so near that both must fall into the same part of the query split.
        tests: wordings of the test part by language, with the same slots; empty where a hash parts the pairs.
        hops: ``start.target`` each, from the named thing to the requested one.
    """

    id: str
    wordings: Mapping[str, tuple[str, ...]]
    sql: str
    fill: Mapping[str, Rule]
    file: Path
    line: int = 0
    twin: str | None = None
    tests: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    hops: tuple[str, ...] = ()

    def all_wordings(self, language: str) -> tuple[str, ...]:
        """Return all wordings of a language, those of the test part last."""
        return (*self.wordings[language], *self.tests.get(language, ()))

    def error(self, problem: str, *, field: str | None = None, hint: str | None = None) -> DomainError:
        """Return an error about this prototype, to be raised."""
        text = f"prototype {self.id!r}: {problem}"
        return DomainError(text, file=self.file, line=self.line or None, field=field, hint=hint)


def read_prototypes(folder: Path, languages: Sequence[str]) -> tuple[tuple[Prototype, ...], list[DomainError]]:
    """Return the prototypes of all ``*.toml`` files that can be read, and what is wrong with the others.

    Both are in order of place, files in order of name.

    Args:
        folder: with the files.
        languages: of the domain, its own first.
    """
    found: dict[str, Prototype] = {}
    problems: list[DomainError] = []
    for file in sorted(folder.glob("*.toml")):
        try:
            entries = tables_in(file, "prototype")
        except DomainError as error:
            problems.append(error)
            continue
        for entry in (replace(one, name=f"prototype {str(one.data.get('id', '?'))!r}") for one in entries):
            try:
                prototype = _prototype(entry, languages)
                if prototype.id in found:
                    first = found[prototype.id]
                    raise entry.error("is there twice", "id", f"it stands at {first.file.name}:{first.line} too")
                found[prototype.id] = prototype
            except DomainError as error:
                problems.append(error)
    for prototype in found.values():
        if prototype.twin is not None and prototype.twin not in found:
            hint = did_you_mean(prototype.twin, found)
            problems.append(prototype.error(f"no prototype {prototype.twin!r}", field="twin", hint=hint))
    return tuple(found.values()), problems


def slots(text: str) -> list[str]:
    """Return the slots of ``text`` in order, each once."""
    return list(dict.fromkeys(match[1] + match[2] for match in SLOT.finditer(text)))


def numbered(wording: str) -> dict[str, str]:
    """Return the slot that each slot of ``wording`` becomes when its type is counted from the left."""
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for match in SLOT.finditer(wording):
        slot, kind = match[1] + match[2], match[1]
        if slot not in names:
            names[slot] = f"{kind}{counts.get(kind, 0)}"
            counts[kind] = counts.get(kind, 0) + 1
    return names


def _prototype(entry: Record, languages: Sequence[str]) -> Prototype:
    entry.known((*_FIELDS, *languages))
    alone = "question" in entry.data and len(languages) == 1
    wordings = {language: _wordings(entry, "question" if alone else language) for language in languages}
    tests, sql = _tests(entry, languages, wordings), entry.text("sql")
    for wording in (text for texts in (*wordings.values(), *tests.values()) for text in texts):
        if set(slots(wording)) != set(slots(sql)):
            hint = f"use {', '.join(slots(sql)) or 'none'}"
            raise entry.error(f"the slots of {wording!r} are not those of its query", "sql", hint)
    twin = entry.text("twin") if "twin" in entry.data else None
    return Prototype(
        entry.text("id"), wordings, sql, _fill(entry, sql), entry.file, entry.line, twin, tests, _hops(entry)
    )


def _wordings(entry: Record, field: str) -> tuple[str, ...]:
    if field not in entry.data:
        raise entry.error("missing", field, f'write {field} = ["…", "…"]')
    return _texts(entry, entry.data[field], field)


def _tests(
    entry: Record, languages: Sequence[str], wordings: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    given: object = entry.data.get("test", {})
    by_language = {languages[0]: given} if not isinstance(given, dict) and len(languages) == 1 else given
    if not isinstance(by_language, dict) or (by_language and set(by_language) != set(languages)):
        named = ", ".join(f"{language} = […]" for language in languages)
        raise entry.error("not a table with wordings in each language", "test", f"write test = {{ {named} }}")
    tests = {
        language: _texts(entry, texts, "test") for language, texts in cast("dict[str, object]", by_language).items()
    }
    for language, texts in tests.items():
        if twice := next((text for text in texts if text in wordings[language]), None):
            raise entry.error(f"{twice!r} is a wording of the other parts too", "test")
    return tests


def _hops(entry: Record) -> tuple[str, ...]:
    given: object = entry.data.get("hops", [])
    if not isinstance(given, list) or not all(isinstance(hop, str) and _HOP.fullmatch(hop) for hop in given):
        raise entry.error("not a list of hops", "hops", 'write hops = ["title.author"]')
    return tuple(cast("list[str]", given))


def _texts(entry: Record, given: object, field: str) -> tuple[str, ...]:
    wordings = entry.texts(field, [given] if isinstance(given, str) else given)
    if not wordings:
        raise entry.error("not a list of texts", field, f'write {field} = ["…", "…"]')
    if twice := next((w for i, w in enumerate(wordings) if w in wordings[:i]), None):
        raise entry.error(f"{twice!r} is there twice", field)
    return wordings


def _fill(entry: Record, sql: str) -> dict[str, Rule]:
    given = entry.table("fill", 'write fill = { number0 = "few" }')
    if unknown := next((slot for slot in given if slot not in slots(sql)), None):
        raise entry.error(f"the query has no slot {unknown!r}", "fill", did_you_mean(unknown, slots(sql)))
    return {slot: parsed_rule(entry, slot, value) for slot, value in given.items()}
