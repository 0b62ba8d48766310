"""The words of evidence texts: names, texts, numbers and signs, and where a text may be cut."""

from __future__ import annotations

import re
from difflib import get_close_matches

from lark import Token

__all__ = ["masked", "pieces", "tokens"]

# signs are what a function of two values writes otherwise
_CALLS = {
    "DIVIDE": "/", "SUBTRACT": "-", "MULTIPLY": "*", "ADD": "+",
    "SUM": "SUM", "COUNT": "COUNT", "AVG": "AVG", "AVERAGE": "AVG", "MAX": "MAX", "MIN": "MIN",
    "ABS": "ABS", "CAST": "CAST", "CONCAT": "CONCAT",
    "JULIANDAY": "JULIANDAY", "STRFTIME": "TIME", "YEAR": "YEAR", "SUBSTR": "START", "SUBSTRING": "START",
}  # fmt: skip
_KEYWORDS = {one: f"_{one}" for one in (
    "AND", "OR", "NOT", "IS", "NULL", "BETWEEN", "IN", "LIKE", "CONTAINS", "WHERE", "THEN", "CASE", "ELSE", "END", "AS",
    "FROM",
)} | {"DISTINCT": "DISTINCT"}  # fmt: skip
_SIGNS = {"(": "_OPEN", ")": "_CLOSE", ",": "_COMMA", "&": "_AND", "+": "PLUS", "-": "MINUS", "*": "STAR", "/": "SLASH",
          **dict.fromkeys(("=", "<>", "<", ">", "<=", ">="), "COMPARED")}  # fmt: skip

_SAME = {"WHEN": "WHERE", "IF": "WHERE", "WHOSE": "WHERE", "CONTAIN": "CONTAINS"}
_SAME_SIGN = {"==": "=", "!=": "<>", "×": "*", "÷": "/", "−": "-", "–": "-", "≥": ">=", "≤": "<=", "≠": "<>",
          "[": "(", "]": ")", "（": "(", "）": ")", "，": ",", ";": ",", "；": ","}  # fmt: skip
_QUOTED = (
    r"(?<!\w)'(?=[^'])(?:[^']|''(?=\w)|(?<=\w)'(?=\w)(?!(?:and|or)\b))*'(?!\w)"  # with the ' of a word, and with ''
    r"|(?<!\w)’[^’]*’|\"[^\"]*\"|`[^`]*`|“[^”]*”|‘[^’]*’"
)
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<quoted>{_QUOTED})"
    r"|(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?%?|\.[0-9]+%?)(?![A-Za-z_])"
    r"|(?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*|\d+\w+)"
    r"|(?P<sign>[<>!]\s?=|<>|==|.)",
    re.DOTALL,
)
_CASE = re.compile(r"\b(?:case|then)\b", re.IGNORECASE)
_TYPO = 0.84


def pieces(text: str) -> list[str]:
    """Cut an evidence at its semicolons, but for those in quotes and brackets."""
    cuts = [i for i, letter in enumerate(masked(text)) if letter in ";；"]
    parts = (text[start + 1 : end] for start, end in zip([-1, *cuts], [*cuts, len(text)], strict=True))
    return [piece for part in parts if (piece := " ".join(part.split()).rstrip(" .,"))]


def masked(text: str) -> str:
    """Return a text of the same length with a NUL for what stands in quotes and brackets."""
    hidden = list(re.sub(_QUOTED, lambda found: "\0" * len(found[0]), text))
    opened: list[int] = []
    for i, letter in enumerate(hidden):
        if letter in "([（":
            opened.append(i)
        elif letter in ")]）" and opened:
            start = opened.pop()
            hidden[start : i + 1] = "\0" * (i + 1 - start)
    return "".join(hidden)


def tokens(text: str) -> list[Token]:
    """Return the words of an expression; names of several words are one, and brackets are as they must be."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        token = _token(match)
        if token is None:
            continue
        last = found[-1].type if found else ""
        if token.type == last == "NAME":
            token = Token("NAME", f"{found.pop()} {token}")
        elif token.type == "_OPEN" and last == "NAME":
            found.append(_called(found.pop()))
        elif token.type == "_CONTAINS" and last == "NAME":
            found.append(Token("NAME", re.sub(r"\s(?:which|that)$", "", found.pop(), flags=re.IGNORECASE)))
        elif token.type == "_WHERE" and last == "_COMMA":
            found.pop()
        found.append(token)
    return _closed(found)


def _closed(words: list[Token]) -> list[Token]:
    """Close the brackets that a text forgets to close, and mark those that it never opened."""
    found: list[Token] = []
    opened: list[tuple[bool, int]] = []  # is it arithmetic, and how many commas does it have?
    for i, token in enumerate(words):
        if token.type == "_OPEN":
            opened.append((bool(found) and found[-1].type == "SIGN", 0))
        elif token.type == "_COMMA" and opened:
            opened[-1] = (opened[-1][0], opened[-1][1] + 1)
        elif token.type == "_CLOSE" and opened:
            if opened[-1] == (True, 0) and words[i + 1 : i + 2] == [","]:  # DIVIDE(SUM(a)), SUM(b))
                continue
            opened.pop()
        elif token.type == "_CLOSE":
            found.append(Token("_SPARE", ")"))
            continue
        found.append(token)
    return found + [Token("_CLOSE", ")")] * len(opened)


def _token(match: re.Match[str]) -> Token | None:
    kind, value = match.lastgroup or "", match[0]
    if kind == "space":
        return None
    if kind == "quoted":
        inner = " ".join(value[1:-1].replace("''", "'").split())
        return Token("TEXT" if value[0] in "'‘’" else "QUOTED", inner)
    if kind == "number":
        return Token("NUMBER", value.replace(",", ""))
    if kind == "word":
        upper = _SAME.get(value.upper(), value.upper())
        if upper == "END" and not _CASE.search(match.string):  # a column of days, and no CASE
            return Token("NAME", value)
        return Token(_KEYWORDS[upper], upper) if upper in _KEYWORDS else Token("NAME", value)
    sign = value.replace(" ", "")
    sign = _SAME_SIGN.get(sign, sign)
    return Token(_SIGNS.get(sign, "OTHER"), sign)


def _called(name: Token) -> Token:
    """Return the function that a name before a bracket is; with a letter mistaken it is that, too."""
    upper = name.upper()
    close = get_close_matches(upper, _CALLS, n=1, cutoff=_TYPO) if len(upper) > 4 else []
    known = _CALLS.get(upper) or (_CALLS[close[0]] if close else None)
    return name if known is None else Token("SIGN" if known in "+-*/" else "FUNCTION", known)
