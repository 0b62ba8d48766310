"""The words of evidence texts: names, texts, numbers and signs, and where a text may be cut."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from ..formulas.expression import ExpressionError, NoFormula

__all__ = ["Token", "Words", "masked", "pieces", "tokens"]

# signs are what a function of two values writes otherwise
_CALLS = {
    "DIVIDE": "/", "SUBTRACT": "-", "MULTIPLY": "*", "ADD": "+",
    "SUM": "SUM", "COUNT": "COUNT", "AVG": "AVG", "AVERAGE": "AVG", "MAX": "MAX", "MIN": "MIN",
    "ABS": "ABS", "CAST": "CAST", "CONCAT": "CONCAT",
    "JULIANDAY": "DAY", "STRFTIME": "TIME", "YEAR": "YEAR", "SUBSTR": "START", "SUBSTRING": "START",
}  # fmt: skip
_KEYWORDS = ("AND", "OR", "NOT", "IS", "NULL", "BETWEEN", "IN", "LIKE", "CONTAINS", "WHERE", "THEN", "CASE", "ELSE",
            "END", "AS", "FROM", "DISTINCT")  # fmt: skip

_SAME = {"WHEN": "WHERE", "IF": "WHERE", "WHOSE": "WHERE", "CONTAIN": "CONTAINS"}
_SIGNS = {"==": "=", "!=": "<>", "×": "*", "÷": "/", "−": "-", "–": "-", "≥": ">=", "≤": "<=", "≠": "<>",
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
_RECKONING = frozenset({"=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "/"})
"""Signs of a formula."""
_CASE = re.compile(r"\b(?:case|then)\b", re.IGNORECASE)
_TYPO = 0.84


@dataclass(frozen=True)
class Token:
    """One word; ``kind`` is number, text ('…'), name, quoted (a name or text: "…", `…`), call, keyword or sign."""

    kind: str
    value: str


@dataclass
class Words:
    """The words of a text, read one by one."""

    tokens: list[Token]
    text: str
    at: int = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return the next word, or one that stands further on."""
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else Token("end", "")

    def take(self, kind: str, *values: str) -> str:
        """Step over the next word if it is one of these, and return it."""
        here = self.peek()
        if here.kind != kind or here.value not in values:
            return ""
        self.at += 1
        return here.value

    def next(self, *kinds: str) -> Token:
        """Return the next word, which must be of one of these kinds, and step over it."""
        here = self.peek()
        if here.kind not in kinds:
            raise self.stopped()
        self.at += 1
        return here

    def must(self, kind: str, value: str) -> None:
        """Step over the next word, which must be this one."""
        if not self.take(kind, value):
            raise self.stopped()

    def stopped(self) -> ExpressionError:
        """Return an error about the next word."""
        here = self.peek()
        if here.kind == "end":
            return ExpressionError(f"{self.text!r} breaks off")
        reckons = any(one.kind == "call" or one.value in _RECKONING for one in self.tokens)
        unlike = ExpressionError if reckons else NoFormula
        return unlike(f"words, no formula: {here.value!r} cannot be read here")


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
    """Return the words of an expression; names of several words are one."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        token = _token(match)
        if token is None:
            continue
        if token.kind == "name" and found and found[-1].kind == "name":
            token = Token("name", f"{found.pop().value} {token.value}")
        if token == Token("sign", "(") and found and found[-1].kind == "name":
            found.append(_called(found.pop()))
        if token == Token("keyword", "CONTAINS") and found and found[-1].kind == "name":
            found.append(Token("name", re.sub(r"\s(?:which|that)$", "", found.pop().value, flags=re.IGNORECASE)))
        found.append(token)
    return found


def _token(match: re.Match[str]) -> Token | None:
    kind, value = match.lastgroup or "", match[0]
    if kind == "space":
        return None
    if kind == "quoted":
        inner = " ".join(value[1:-1].replace("''", "'").split())
        return Token("text" if value[0] in "'‘’" else "quoted", inner)
    if kind == "number":
        return Token("number", value.replace(",", ""))
    if kind == "word":
        upper = _SAME.get(value.upper(), value.upper())
        if upper == "END" and not _CASE.search(match.string):  # a column of days, and no CASE
            return Token("name", value)
        return Token("keyword", upper) if upper in _KEYWORDS else Token("name", value)
    sign = value.replace(" ", "")
    return Token("keyword", "AND") if sign == "&" else Token("sign", _SIGNS.get(sign, sign))


def _called(name: Token) -> Token:
    """Return the function that a name before a bracket is; with a letter mistaken it is that, too."""
    upper = name.value.upper()
    close = get_close_matches(upper, _CALLS, n=1, cutoff=_TYPO) if len(upper) > 4 else []
    known = upper if upper in _CALLS else close[0] if close else None
    return name if known is None else Token("call", _CALLS[known])
