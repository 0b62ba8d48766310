"""Read prototypes: question wordings with one query, slots in braces.

They stand in ``prototypes/*.toml`` of a domain folder, one file a theme, for people to edit::

    [[prototype]]
    id = "limits.upper"
    zh = ["{tag0}高报值是多少", …]           # a domain of one language may write question = […]
    en = ["high alarm setting of {tag0}", …]
    sql = "SELECT high_limit FROM t_rt_info WHERE tag_code = '{tag0}'"
    fill = { time0 = "day" }               # how a slot is filled, where its type alone does not tell; see `rules`
    twin = "limits.lower"                  # falls into the same part of the query split
    test = { zh = ["…"], en = ["…"] }      # wordings that are asked in the test part of the question split alone
    hops = ["tag.limit"]                   # the steps from what is named to what is asked, a tag of its pairs

A slot may stand anywhere in a wording; `numbered` counts the slots of each type by their place in
the question, as the parser will find them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ..domains.examples import SLOT
from ..errors import DomainError, did_you_mean
from ..texts import UnreadableError, toml_of
from .rules import Rule, parse_rule

__all__ = ["FOLDER", "Prototype", "numbered", "parse", "read", "slots"]

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
        line: 1-based line of its id.
        twin: id of a prototype so near that both must fall into the same part of the query split.
        tests: wordings of the test part by language, with the same slots; empty where a hash parts the pairs.
        hops: ``start.target`` each, from what the question names to what it asks for.
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

    def said(self, language: str) -> tuple[str, ...]:
        """Return all wordings of a language, those of the test part last."""
        return (*self.wordings[language], *self.tests.get(language, ()))

    def error(self, problem: str, *, field: str | None = None, hint: str | None = None) -> DomainError:
        """Return an error about this prototype, to be raised."""
        text = f"prototype {self.id!r}: {problem}"
        return DomainError(text, file=self.file, line=self.line or None, field=field, hint=hint)


def read(folder: Path, languages: Sequence[str]) -> tuple[Prototype, ...]:
    """Return the prototypes of all files of ``folder``, files in order of name.

    Args:
        folder: with ``*.toml`` files.
        languages: of the domain, its own first.

    Raises:
        DomainError: a file is no TOML, a field is missing or unknown, slots do not match, an id comes twice.
    """
    prototypes, problems = parse(folder, languages)
    if problems:
        raise problems[0]
    return prototypes


def parse(folder: Path, languages: Sequence[str]) -> tuple[tuple[Prototype, ...], list[DomainError]]:
    """Return the prototypes that can be read, and what is wrong with the others, in order of place."""
    found: dict[str, Prototype] = {}
    problems: list[DomainError] = []
    for file in sorted(folder.glob("*.toml")):
        try:
            entries = list(_entries(file))
        except DomainError as error:
            problems.append(error)
            continue
        for entry in entries:
            try:
                prototype = entry.prototype(languages)
                if prototype.id in found:
                    first = found[prototype.id]
                    hint = f"it stands at {first.file.name}:{first.line} too"
                    raise entry.error("is there twice", "id", hint)
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


def _entries(file: Path) -> Iterator[_PrototypeEntry]:
    try:
        text = file.read_text(encoding="utf-8")
        data = toml_of(text)
    except UnreadableError as error:
        raise DomainError(error.problem, file=file, line=error.line) from error
    except UnicodeDecodeError as error:
        raise DomainError(f"not UTF-8: {error.reason}", file=file, hint="save the file as UTF-8") from error
    tables: object = data.get("prototype")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise DomainError("no prototypes", file=file, hint="begin each with [[prototype]]")
    seen: dict[str, int] = {}
    for table in cast("list[dict[str, Any]]", tables):
        name = str(table.get("id", "?"))
        line = _line_of(text, name, seen.get(name, 0))
        seen[name] = line
        yield _PrototypeEntry(table, file, line, name)


def _line_of(text: str, name: str, after: int) -> int:
    """Return the line of ``id = "name"`` behind line ``after``, 0 if it is not written so."""
    for match in re.finditer(rf"""^\s*id\s*=\s*["']{re.escape(name)}["']""", text, re.MULTILINE):
        line = text.count("\n", 0, match.start() + len(match[0]) - len(match[0].lstrip())) + 1
        if line > after:
            return line
    return 0


@dataclass(frozen=True)
class _PrototypeEntry:
    """One table of a prototypes file."""

    table: Mapping[str, Any] = field(repr=False)
    file: Path
    line: int
    name: str

    def error(self, problem: str, field: str, hint: str | None = None) -> DomainError:
        text = f"prototype {self.name!r}: {problem}"
        return DomainError(text, file=self.file, line=self.line or None, field=field, hint=hint)

    def prototype(self, languages: Sequence[str]) -> Prototype:
        known = (*_FIELDS, *languages)
        for key in self.table:
            if key not in known:
                raise self.error("unknown field", key, did_you_mean(key, known) or f"fields are {', '.join(known)}")
        sql = self._text("sql")
        said = {language: self._wordings(language, languages) for language in languages}
        tests = self._tests(languages, said)
        for wording in (text for texts in (*said.values(), *tests.values()) for text in texts):
            if set(slots(wording)) != set(slots(sql)):
                hint = f"use {', '.join(slots(sql)) or 'none'}"
                raise self.error(f"the slots of {wording!r} are not those of its query", "sql", hint)
        twin, fill = self._text("twin") if "twin" in self.table else None, self._fill(sql)
        return Prototype(self._text("id"), said, sql, fill, self.file, self.line, twin, tests, self._hops())

    def _text(self, field: str) -> str:
        value: object = self.table.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.error("missing" if value is None else "not a text with something in it", field)
        return value

    def _wordings(self, language: str, languages: Sequence[str]) -> tuple[str, ...]:
        field = "question" if "question" in self.table and len(languages) == 1 else language
        return self._texts(self.table.get(field), field)

    def _tests(self, languages: Sequence[str], said: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
        given: object = self.table.get("test", {})
        if not isinstance(given, dict):
            given = {languages[0]: given} if len(languages) == 1 else None
        if given is None or (given and set(given) != set(languages)):
            named = ", ".join(f"{language} = […]" for language in languages)
            hint = f"write test = {{ {named} }}"
            raise self.error("not a table with wordings in each language", "test", hint)
        tests = {language: self._texts(texts, "test") for language, texts in cast("dict[str, object]", given).items()}
        for language, texts in tests.items():
            if twice := next((text for text in texts if text in said[language]), None):
                raise self.error(f"{twice!r} is a wording of the other parts too", "test")
        return tests

    def _hops(self) -> tuple[str, ...]:
        given: object = self.table.get("hops", [])
        if not isinstance(given, list) or not all(isinstance(hop, str) and _HOP.fullmatch(hop) for hop in given):
            raise self.error("not a list of hops", "hops", 'write hops = ["title.author"]')
        return tuple(cast("list[str]", given))

    def _texts(self, given: object, field: str) -> tuple[str, ...]:
        if isinstance(given, str):
            given = [given]
        if not isinstance(given, list) or not given or not all(isinstance(w, str) and w.strip() for w in given):
            hint = f'write {field} = ["…", "…"]'
            raise self.error("missing" if given is None else "not a list of wordings", field, hint)
        wordings = cast("list[str]", given)
        if twice := next((w for i, w in enumerate(wordings) if w in wordings[:i]), None):
            raise self.error(f"{twice!r} is there twice", field)
        return tuple(wordings)

    def _fill(self, sql: str) -> dict[str, Rule]:
        given: object = self.table.get("fill", {})
        if not isinstance(given, dict):
            raise self.error("not a table", "fill", 'write fill = { number0 = "few" }')
        rules: dict[str, Rule] = {}
        for slot, value in cast("dict[str, Any]", given).items():
            if slot not in slots(sql):
                raise self.error(f"the query has no slot {slot!r}", "fill", did_you_mean(slot, slots(sql)))
            try:
                rules[slot] = parse_rule(value)
            except ValueError as error:
                raise self.error(str(error), f"fill.{slot}") from error
        return rules
