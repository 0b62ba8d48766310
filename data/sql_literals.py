"""The literals of a SQL text: where they stand and which column each is compared with.

A lexer and a look backwards, no parse: it keeps character positions, which a syntax tree loses,
and reads every dialect alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["SqlLiteral", "sql_literals"]

_TOKEN = re.compile(
    r"""(?P<string>'(?:[^']|'')*')
    | (?P<number>(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))
    | (?P<name>(?:[^\W\d]\w*|`[^`]*`|"[^"]*")(?:\s*\.\s*(?:[^\W\d]\w*|`[^`]*`|"[^"]*"))*)
    | (?P<mark><=|>=|<>|!=|[^\s\w])""",
    re.VERBOSE,
)
_MARKS = {"=", "<", ">", "<=", ">=", "<>", "!="}
_PASSED = {*_MARKS, ",", "("} | set(
    re.findall(r"\w+", "NOT LIKE ILIKE REGEXP IN BETWEEN AND ANY ALL DATE TIMESTAMP LOWER UPPER BINARY")
)
_STOPS = set(
    re.findall(
        r"\w+", "SELECT FROM WHERE ON HAVING OR WHEN THEN ELSE CASE BY LIMIT OFFSET UNION INTERSECT EXCEPT SET AS IS"
    )
)
_COMPARED = _MARKS | {"LIKE", "ILIKE", "IN"}
_RANGES = {"<", ">", "<=", ">=", "BETWEEN", "LIMIT", "OFFSET", "*", "/", "+", "-", "INTERVAL"}


@dataclass(frozen=True)
class SqlLiteral:
    """One literal of a query.

    Attributes:
        start: first character in the SQL text, the opening quote for a string.
        end: one past the last character.
        value: the text, for strings without quotes and with doubled quotes made single.
        string: it stands in quotes.
        column: bare lower-cased name of the column it is compared with; empty if none.
        likely: a place where questions put values (ranges, limits, arithmetic, strings); the rest,
            numbers behind ``=`` or in a call, are mostly flags and codes that nobody says.
    """

    start: int
    end: int
    value: str
    string: bool
    column: str
    likely: bool


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def sql_literals(sql: str) -> list[SqlLiteral]:
    """Return the literals of ``sql`` from left to right."""
    tokens = [_Token(m.lastgroup or "", m[0], m.start(), m.end()) for m in _TOKEN.finditer(sql)]
    return [_literal(tokens, i) for i, token in enumerate(tokens) if token.kind in {"string", "number"}]


def _literal(tokens: list[_Token], index: int) -> SqlLiteral:
    token = tokens[index]
    string = token.kind == "string"
    value = token.text[1:-1].replace("''", "'") if string else token.text
    column = _before(tokens, index) or _after(tokens, index)
    return SqlLiteral(token.start, token.end, value, string, column, string or _ranged(tokens, index))


def _before(tokens: list[_Token], index: int) -> str:
    """Walk left over the comparison to the column; a call such as ``SUM(a.x)`` counts as its last column."""
    i, between = index - 1, False
    compared = False
    while i >= 0:
        token = tokens[i]
        word = token.text.upper()
        if token.kind == "name" and word not in _PASSED:
            return _bare(token.text) if compared and word not in _STOPS else ""
        if word == ")":
            inside = _inside(tokens, i)
            return inside if compared else ""
        if word == "AND":
            if between or not _is_between(tokens, i):
                return ""
        elif token.kind not in {"string", "number"} and word not in _PASSED and word != ";":
            return ""
        between = between or word == "BETWEEN"
        compared = compared or word in _COMPARED or word == "BETWEEN"
        i -= 1
    return ""


def _is_between(tokens: list[_Token], index: int) -> bool:
    """Is this AND the one of a BETWEEN: do only a value and BETWEEN stand before it?"""
    i = index - 1
    while i >= 0 and (
        tokens[i].kind in {"string", "number"} or tokens[i].text.upper() in {"DATE", "TIMESTAMP", "(", ")"}
    ):
        i -= 1
    return i >= 0 and tokens[i].text.upper() == "BETWEEN"


def _inside(tokens: list[_Token], closing: int) -> str:
    depth, i, last = 0, closing, ""
    while i >= 0:
        token = tokens[i]
        depth += (token.text == ")") - (token.text == "(")
        if depth == 0:
            return last
        if token.text.upper() == "SELECT":
            return ""
        if token.kind == "name" and not last:
            last = _bare(token.text)
        i -= 1
    return ""


def _after(tokens: list[_Token], index: int) -> str:
    """Read ``'x' = column`` the other way round."""
    if index + 2 >= len(tokens) or tokens[index + 1].text.upper() not in _COMPARED - {"IN"}:
        return ""
    name = tokens[index + 2]
    return _bare(name.text) if name.kind == "name" and name.text.upper() not in _PASSED | _STOPS else ""


def _ranged(tokens: list[_Token], index: int) -> bool:
    i = index - 1
    while i >= 0 and tokens[i].text == "(":
        i -= 1
    if i < 0:
        return False
    word = tokens[i].text.upper()
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    paged = word == "," and _paged(tokens, i)
    return (
        word in _RANGES
        or after in {"<", ">", "<=", ">=", "/", "*"}
        or paged
        or (word == "AND" and _is_between(tokens, i))
    )


def _paged(tokens: list[_Token], comma: int) -> bool:
    return comma >= 2 and tokens[comma - 2].text.upper() == "LIMIT"


def _bare(name: str) -> str:
    return re.split(r"\s*\.\s*", name)[-1].strip('`"').lower()
