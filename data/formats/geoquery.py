"""GeoQuery's questions in Chinese, paired with the queries of its English ones.

``geography-multilingual.xml`` has each question in several languages, matched here by the English
text. The queries keep their English values; where a question says one of them in Chinese (see
`places`) it is a slot, else it stays a constant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from ..domains.domain import Domain, Entity
from ..domains.examples import Example, Value, ValueMention, fill_sql
from ..errors import DomainError
from ..values.aligner import align
from .files import read_text
from .places import PLACES
from .slotting import SlotValue, fill

__all__ = ["translated"]

_SLOT = re.compile(r"\{(?P<name>[a-z_]+\d+)\}")
_SUFFIX = {"state_name": "州", "river_name": "河", "city_name": "市", "capital": "市", "mountain_name": "山"}


def translated(domain: Domain, file: Path, language: str) -> Domain:
    """Return the pairs of ``domain`` whose question has a translation, with the places as entities.

    Raises:
        DomainError: no such translations, or the file cannot be read.
    """
    if language != "zh":
        raise DomainError(f"no questions in {language!r}", field="language", hint="use 'en' or 'zh'")
    questions = _questions(file, language)
    pairs = [(e, questions[_key(e.question)]) for e in domain.examples if _key(e.question) in questions]
    return replace(
        domain,
        language=language,
        examples=tuple(_example(example, question) for example, question in pairs),
        entities=_entities(example for example, _ in pairs),
    )


def _questions(file: Path, language: str) -> dict[str, str]:
    try:
        root = ElementTree.fromstring(read_text(file).encode())
    except ElementTree.ParseError as error:
        raise DomainError(f"not XML: {error}", file=file, line=error.position[0]) from error
    found: dict[str, str] = {}
    for node in root.iter("example"):
        texts = {n.get("lang"): (n.text or "").strip() for n in node.findall("nl")}
        english, text = texts.get("en"), texts.get(language)
        if english and text:
            found.setdefault(_key(english), _joined(text))
    return found


def _key(english: str) -> str:
    """Return what counts in matching: letters and digits."""
    return re.sub(r"[^a-z0-9]", "", english.lower())


def _joined(text: str) -> str:
    """Return a segmented Chinese text as people write it, spaces between Latin words only."""
    return re.sub(r"(?<=[^\x00-\x7f])\s+|\s+(?=[^\x00-\x7f])", "", text)


def _example(example: Example, question: str) -> Example:
    template, values = question, dict[str, SlotValue]()
    for value in sorted(example.values, key=lambda v: -max(map(len, _says(v)), default=0)):
        kind, stored = value.mention.type, value.mention.sql
        span = _find(template, kind, _says(value))
        say = template[slice(*span)] if span else stored
        values[value.slot] = SlotValue(kind, say, stored)
        if span:
            template = template[: span[0]] + "{" + value.slot + "}" + template[span[1] :]
    filled = fill(template, example.slotted, values, names=_SLOT, language="zh", align=_align)
    return replace(
        example,
        question=filled.question,
        slotted=filled.slotted,
        values=filled.values,
        sql=fill_sql(filled.slotted, filled.values),
    )


def _says(value: Value) -> Sequence[str]:
    return PLACES.get(value.mention.sql, ()) if value.mention.literal == "string" else ()


def _find(template: str, kind: str, says: Sequence[str]) -> tuple[int, int] | None:
    """Find a way to say the place, best where what kind of place it is stands behind."""
    ahead = _SUFFIX.get(kind, "")
    for pattern in [*(re.escape(say) + f"(?={ahead})" for say in says if ahead), *map(re.escape, says)]:
        if match := re.search(pattern, template):
            return match.span()
    return None


def _align(question: str, sql: str, known: tuple[ValueMention, ...]) -> tuple[str, tuple[Value, ...]]:
    return align(question, sql, language="zh", known=known)


def _entities(examples: Iterable[Example]) -> tuple[Entity, ...]:
    named = {(v.mention.type, v.mention.sql) for e in examples for v in e.values if _says(v)}
    return tuple(Entity(sql, kind, PLACES[sql]) for kind, sql in sorted(named))
