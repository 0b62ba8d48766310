"""SQL text into lexemes: strings, numbers, slots, names with their dots, operators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...data.domains.examples import SLOT
from ...data.errors import QueryError
from ..types.dialect import load_types
from ..types.name_keys import folded

__all__ = ["BARE_NAME", "Called", "Lexeme", "Lexer", "Part", "calls"]


BARE_NAME = re.compile(r"[^\W\d][\w$]*")
"""A name that needs no quotes unless it is reserved."""

_QUOTED = {
    "sqlite": r'"(?:[^"]|"")+"|`(?:[^`]|``)+`|\[[^\]]+\]',
    "mysql": r"`(?:[^`]|``)+`",
    "postgres": r'"(?:[^"]|"")+"',
}
_STRING = {
    "sqlite": r"'(?:[^']|'')*'",
    "mysql": r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*\"""",
    "postgres": r"'(?:[^']|'')*'",
}
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w$])"


@dataclass(frozen=True)
class Part:
    """One name between dots: the name that is meant, folded if it stands without quotes where that folds it."""

    text: str
    quoted: bool


@dataclass(frozen=True)
class Lexeme:
    """A piece of SQL text; ``parts`` are the names of a dotted reference, the last may be ``*``."""

    kind: Literal["string", "number", "slot", "name", "operator"]
    text: str
    start: int
    end: int
    parts: tuple[Part, ...] = ()


class Lexer:
    """Cuts the SQL text of one dialect; ``operators`` are those of its grammar."""

    def __init__(self, dialect: str, operators: Iterable[str]) -> None:
        part = rf"(?:{BARE_NAME.pattern}|{_QUOTED[dialect]})"
        signs = "|".join(re.escape(o) for o in sorted(operators, key=len, reverse=True))
        self._part = re.compile(rf"{part}|\*")
        self._folds = load_types(dialect).names.folds
        self._lexeme = re.compile(
            rf"(?P<string>{_STRING[dialect]})|(?P<slot>{SLOT.pattern})|(?P<number>{_NUMBER})"
            rf"|(?P<name>{part}(?:\.(?:{part}|\*))*)|(?P<operator>{signs})",
            re.DOTALL,
        )

    def lexemes(self, sql: str) -> Iterator[Lexeme]:
        """Yield the lexemes of ``sql``; white space and one final ``;`` are passed over.

        Raises:
            QueryError: a character that starts no lexeme.
        """
        position = 0
        end = len(re.sub(r"[\s;]+\Z", "", sql))
        while position < end:
            if sql[position].isspace():
                position += 1
                continue
            match = self._lexeme.match(sql, position)
            if match is None:
                hint = "close the quote" if sql[position] in "'\"`[" else None
                raise QueryError(f"cannot read {sql[position]!r} at {position}", position=position, hint=hint)
            yield self._make(match)
            position = match.end()

    def _make(self, match: re.Match[str]) -> Lexeme:
        text = match[0]
        if match["string"] is not None:
            return Lexeme("string", _single_quoted(text), match.start(), match.end())
        if match["name"] is not None:
            parts = tuple(self._named(m[0]) for m in self._part.finditer(text))
            return Lexeme("name", text, match.start(), match.end(), parts)
        kind = "slot" if match["slot"] is not None else "number" if match["number"] is not None else "operator"
        return Lexeme(kind, text, match.start(), match.end())

    def _named(self, text: str) -> Part:
        part = _unquote(text)
        return Part(folded(text), False) if self._folds and not part.quoted else part


Called = Literal["", "(", "OVER"]
"""What stands behind a word that makes a call of it: nothing, a bracket, OVER behind its brackets."""


def calls(lexemes: Sequence[Lexeme]) -> list[Called]:
    """Return how each lexeme is called: in ``SUM(a) OVER ()`` SUM by ``OVER``, and OVER by ``(``.

    FILTER may stand between: ``SUM(a) FILTER (WHERE b) OVER ()``.
    """
    found: list[Called] = [""] * len(lexemes)
    open_: list[int] = []
    closed: dict[int, int] = {}
    for place, lexeme in enumerate(lexemes):
        if lexeme.text == "(":
            open_.append(place - 1)
            found[max(place - 1, 0)] = "("  # a bracket that stands first is no name, whatever is told of it
        elif lexeme.text == ")" and open_:
            name, following = open_.pop(), lexemes[place + 1 : place + 2]
            closed[place] = name = closed.get(name - 1, name) if lexemes[name].text.upper() == "FILTER" else name
            if name >= 0 and following and following[0].text.upper() == "OVER":
                found[name] = "OVER"
    return found


def _single_quoted(text: str) -> str:
    if text[0] == "'":
        return text
    return "'" + text[1:-1].replace('""', '"').replace("'", "''") + "'"


def _unquote(text: str) -> Part:
    if text[0] == "[":
        return Part(text[1:-1], True)
    if text[0] in '"`':
        return Part(text[1:-1].replace(text[0] * 2, text[0]), True)
    return Part(text, False)
