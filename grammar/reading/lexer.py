"""SQL text into lexemes, and names as a dialect writes them: strings, numbers, slots, operators, quotes."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Literal

from ...data.errors import QueryError
from ...data.schema.schema import Table
from ...data.values.slots import SLOT, quoted
from ..types.dialect import NameKeys, folded, load_types

_BARE_NAME = re.compile(r"[^\W\d][\w$]*")
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
    """One name between dots: the name itself, folded if it stands without quotes where that folds it."""

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
        part = rf"(?:{_BARE_NAME.pattern}|{_QUOTED[dialect]})"
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
            found[max(place - 1, 0)] = "("  # a bracket that stands first is never a name
        elif lexeme.text == ")" and open_:
            name, following = open_.pop(), lexemes[place + 1 : place + 2]
            closed[place] = name = closed.get(name - 1, name) if lexemes[name].text.upper() == "FILTER" else name
            if name >= 0 and following and following[0].text.upper() == "OVER":
                found[name] = "OVER"
    return found


def _single_quoted(text: str) -> str:
    if text[0] == "'":
        return text
    return quoted(text[1:-1].replace('""', '"'))


def _unquote(text: str) -> Part:
    if text[0] == "[":
        return Part(text[1:-1], True)
    if text[0] in '"`':
        return Part(text[1:-1].replace(text[0] * 2, text[0]), True)
    return Part(text, False)


_DATA = tomllib.loads((resources.files(__package__ or __name__) / "names.toml").read_text("utf-8"))

SYSTEM_COLUMNS: Mapping[str, frozenset[str]] = {
    dialect: frozenset[str](columns) for dialect, columns in _DATA["system"].items()
}
"""Columns that an engine's tables have though no schema names them, by dialect."""

ANY_SYSTEM_COLUMN = frozenset[str]().union(*SYSTEM_COLUMNS.values())


@dataclass(frozen=True)
class ReservedNames:
    """What an engine does not take for a name without quotes, in upper case.

    Attributes:
        names: as a column, a table or an alias.
        labels: as an alias without AS.
        values: those of them that are values of their own, such as ``user`` on PostgreSQL.
        dotted: whether behind a point neither.
        any_output: whether behind AS an output may be called by any word.
        unspaced: functions that are called only where the bracket stands right behind their name.
    """

    names: frozenset[str]
    labels: frozenset[str]
    values: frozenset[str]
    dotted: bool
    any_output: bool
    unspaced: frozenset[str]

    def takes(self, lexeme: Lexeme, *, output: bool = False) -> bool:
        """Say whether a word may be a name; ``output`` behind AS in a select list."""
        owner, *others = lexeme.parts
        if not owner.quoted and owner.text.upper() in self.names and not (self.any_output and output):
            return False
        return not self.dotted or all(part.quoted or part.text.upper() not in self.names for part in others)

    def labels_bare(self, lexeme: Lexeme) -> bool:
        """Say whether a word may be an alias without AS."""
        part = lexeme.parts[0]
        return part.quoted or part.text.upper() not in self.labels


@dataclass(frozen=True)
class Quoting(NameKeys):
    """How names are written: in quotes if they are reserved, no plain word, or what the engine would fold."""

    mark: str
    reserved: frozenset[str]
    refused: ReservedNames

    def bare(self, name: str) -> bool:
        """Say whether a name may stand without quotes."""
        plain = _BARE_NAME.fullmatch(name) and name.upper() not in self.reserved
        return bool(plain) and not (self.folds and name != name.lower())

    def write(self, name: str | Table) -> str:
        """Return a name, or a table's whole name, as it stands in SQL: ``"Sales".orders``."""
        if isinstance(name, Table):
            return ".".join(map(self.write, name.path))
        return name if self.bare(name) else self.quoted(name)

    def quoted(self, name: str) -> str:
        """Return a name in quotes."""
        return self.mark + name.replace(self.mark, self.mark * 2) + self.mark


@lru_cache
def quoting(dialect: str, keywords: frozenset[str]) -> Quoting:
    """Return the quoting of a dialect whose grammar has ``keywords``, in upper case."""
    refused = _DATA["refused"][dialect]
    names, labels, values = (frozenset[str](refused[key]) for key in ("names", "labels", "values"))
    refused = ReservedNames(
        names, labels, values, refused["dotted"], refused["shown"], frozenset[str](refused.get("unspaced", ()))
    )
    reserved = (
        (keywords - set(_DATA["soft"])) | set(_DATA["reserved"]["core"]) | set(_DATA["reserved"].get(dialect, ()))
    )
    mark = "`" if dialect == "mysql" else '"'
    keys = load_types(dialect).names
    return Quoting(keys.folds, keys.cased, keys.longest, mark, reserved | names | labels, refused)
