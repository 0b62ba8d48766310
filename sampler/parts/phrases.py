"""Phrases put into words by the templates of one language.

    [a|b|]      one of them, perhaps nothing; they nest
    {slot}      what fills the slot; {slot+s} in that form
    <rule>      a template of that rule, with the same slots

A phrase of rule ``top`` and meaning ``age`` is said by templates of ``top`` or of ``top/age``, half each.
``templates_LANGUAGE.toml`` speaks as textbooks do, ``plain_LANGUAGE.toml`` adds how people ask in passing,
``meaning_LANGUAGE.toml`` what columns mean: times, flags, keys, ``turns_LANGUAGE.toml`` how people change what they
asked before. A rule of several has the templates of all.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from ...data.values.numerals import CHINESE_DIGITS, ENGLISH_CARDINALS
from ..facts.verbalisation import Noun

Language: TypeAlias = Literal["en", "zh"]

_AS_WORD = 0.35  # how often a small number is said as a word
_PLAIN = {"en": 0.55, "zh": 0.6}  # how often a text stands without quotes
_QUOTES = {"en": ("'{}'", '"{}"', '"{}"'), "zh": ("“{}”", "「{}」", '"{}"', "‘{}’")}
_TOKEN = re.compile(r"\[|\||\]|\{[^}]*\}|<[^>]*>|[^\[\]|{}<>]+")
_TWICE = re.compile(r"\b(total|average|maximum|minimum|highest|lowest|number of|of|by) (?:\1)\b")
_MOST = {"en": 9, "zh": 10}


@dataclass(frozen=True)
class Text:
    """A text value of the database, perhaps in quotes."""

    value: str


@dataclass(frozen=True)
class Count:
    """A number to be said as digits or, if it is small, as a word."""

    value: int


Slot: TypeAlias = "str | Noun | Text | Count | Phrase"


@dataclass(frozen=True)
class Phrase:
    """What is to be said: a rule and what fills the slots of its templates."""

    rule: str
    slots: Mapping[str, Slot]
    meaning: str = ""


@dataclass(frozen=True)
class _Hole:
    name: str
    form: str


@dataclass(frozen=True)
class _Use:
    rule: str


@dataclass(frozen=True)
class _Choice:
    ways: tuple[_Sequence, ...]


_Sequence: TypeAlias = "tuple[str | _Hole | _Use | _Choice, ...]"


class Templates:
    """The templates of one language."""

    def __init__(self, language: str, rules: Mapping[str, list[str]]) -> None:
        self.language = language
        self.rules = {rule: [_parse(template) for template in templates] for rule, templates in rules.items()}

    @staticmethod
    @cache
    def of(language: str) -> Templates:
        """Return the templates of a language, en or zh."""
        rules: dict[str, list[str]] = {}
        for name in ("templates", "plain", "meaning", "turns"):
            tables = tomllib.loads(Path(__file__).with_name(f"{name}_{language}.toml").read_text(encoding="utf-8"))
            for rule, templates in (item for table in tables.values() for item in table.items()):
                rules[rule] = rules.get(rule, []) + templates
        return Templates(language, rules)

    def special(self, rule: str, meaning: str) -> bool:
        """Has a rule templates of its own for a meaning?"""
        return f"{rule}/{meaning}" in self.rules

    def say(self, phrase: Phrase, rng: random.Random) -> str:
        """Return a phrase in words, as a sentence."""
        text = _TWICE.sub(r"\1", " ".join(self._phrase(phrase, "", rng).split()))
        return _surface(text, self.language, rng)

    def _phrase(self, phrase: Phrase, form: str, rng: random.Random) -> str:
        rule = f"{phrase.rule}+{form}" if f"{phrase.rule}+{form}" in self.rules else phrase.rule
        special = self.rules.get(f"{rule}/{phrase.meaning}")
        templates = special if special and (rule not in self.rules or rng.random() < 0.5) else self.rules[rule]
        return self._sequence(rng.choice(templates), phrase, rng)

    def _sequence(self, parts: _Sequence, phrase: Phrase, rng: random.Random) -> str:
        said: list[str] = []
        for part in parts:
            if isinstance(part, str):
                said.append(part)
            elif isinstance(part, _Hole):
                said.append(self._fill(phrase.slots[part.name], part.form, rng))
            elif isinstance(part, _Use):
                said.append(self._phrase(Phrase(part.rule, phrase.slots, phrase.meaning), "", rng))
            else:
                said.append(self._sequence(rng.choice(part.ways), phrase, rng))
        return "".join(said) if self.language == "en" else _apart(said)

    def _fill(self, slot: Slot, form: str, rng: random.Random) -> str:
        if isinstance(slot, Noun):
            return slot.form(form)
        if isinstance(slot, Phrase):
            return self._phrase(slot, form, rng)
        if isinstance(slot, Text):
            plain = form == "raw" or rng.random() < _PLAIN[self.language]
            return slot.value if plain else rng.choice(_QUOTES[self.language]).format(slot.value)
        if isinstance(slot, Count):
            word = _WORDS[self.language].get(slot.value) if rng.random() < _AS_WORD else None
            return word or str(slot.value)
        return slot


_WORDS = {
    "en": {number: word for word, number in ENGLISH_CARDINALS.items() if 1 < number <= _MOST["en"]},
    "zh": {number: word for word, number in CHINESE_DIGITS.items() if 1 < number <= _MOST["zh"]} | {2: "两", 10: "十"},
}


def _apart(parts: list[str]) -> str:
    """Join parts of a Chinese sentence, with a space where two foreign words meet."""
    text = ""
    for part in parts:
        meet = text[-1:].isascii() and text[-1:].isalnum() and part[:1].isascii() and part[:1].isalnum()
        text += f" {part}" if meet else part
    return text


def _parse(template: str) -> _Sequence:
    tokens: list[str] = _TOKEN.findall(template)
    if "".join(tokens) != template:
        raise ValueError(f"not a template: {template!r}")
    parts, rest = _parse_sequence(tokens, 0)
    if rest != len(tokens):
        raise ValueError(f"brackets do not match: {template!r}")
    return parts


def _parse_sequence(tokens: list[str], at: int) -> tuple[_Sequence, int]:
    parts: list[str | _Hole | _Use | _Choice] = []
    while at < len(tokens) and tokens[at] not in {"|", "]"}:
        token = tokens[at]
        if token == "[":
            choice, at = _parse_choice(tokens, at + 1)
            parts.append(choice)
            continue
        if token[0] == "{":
            name, _, form = token[1:-1].partition("+")
            parts.append(_Hole(name, form))
        else:
            parts.append(_Use(token[1:-1]) if token[0] == "<" else token)
        at += 1
    return tuple(parts), at


def _parse_choice(tokens: list[str], at: int) -> tuple[_Choice, int]:
    ways: list[_Sequence] = []
    while True:
        way, at = _parse_sequence(tokens, at)
        ways.append(way)
        if at >= len(tokens):
            raise ValueError(f"brackets do not match: {''.join(tokens)!r}")
        at += 1
        if tokens[at - 1] == "]":
            return _Choice(tuple(ways)), at


def _surface(text: str, language: str, rng: random.Random) -> str:
    """Write a sentence as people do: with or without its mark, now and then in lower case."""
    asks = text.endswith("?") or text.startswith("can you")
    text = text.removesuffix("?").rstrip()
    if language == "zh":
        return text + (rng.choice(("？", "？", "？", "?", "")) if asks else rng.choice(("", "。", "")))
    text = text if rng.random() < 0.25 else text[:1].upper() + text[1:]
    return text + (rng.choice(("?", "?", "?", "")) if asks else rng.choice(("", ".", ".")))
