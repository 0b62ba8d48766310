"""The pieces of an evidence, cut into what something is called and what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from ..formulas.expression import ExpressionError
from .names import NameBinder
from .text import read_text
from .tokens import masked

__all__ = ["Gloss", "cut_piece", "name_of"]

_SAID = re.compile(
    r"(?:\s|\0|^)(?:which\s+|that\s+)?(?:refers?|refesr|refered|referred)(?:\s+to|(?=\s))\s*"
    r"|\s(?:can\s+be|is|are)\s+(?:calculated|computed|defined)(?:\s+as(?:\s+follows)?|\s+by|\s+with)?\s*:?\s"
    r"|\s(?:stands?\s+for|means?(?:\s+that)?|implies|denotes?|represents?)\s",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"(?:(?<![<>!=\s])\s++)?(?<![<>!=])=(?!=)\s*")
_IS = re.compile(r"\s(?:is|are)\s(?:an?\s|the\s)?", re.IGNORECASE)
_WHERE = re.compile(r"\s(?:where|if)\s", re.IGNORECASE)
_WHAT = re.compile(
    r"(?:(?:both|the|an?|one)\s+)*(full\s*)?((?:sub\s*)?names?\s+of\s+)?(?:(?:the|an?)\s+)?", re.IGNORECASE
)
_ALSO = re.compile(r"(?:(?<!\s)\s++)?(?:,|\band\b|\bor\b)\s*", re.IGNORECASE)
_QUOTES = "\"'`“”‘’ .,:"
_INNER = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)'([^']+)'(?!\w)")


@dataclass(frozen=True)
class Gloss:
    """A piece of evidence, cut in two.

    Attributes:
        head: what something is called.
        tree: the expression that it is.
        called: the name behind AS in that.
        says: texts in quotes within the head.
    """

    piece: str
    head: str
    tree: exp.Expr
    called: str = ""
    says: tuple[str, ...] = ()


def cut_piece(piece: str, names: NameBinder) -> list[Gloss]:
    """Return the two sides of a piece; the left is empty where it has none. One that names several is as many.

    Raises:
        ExpressionError: its right side is no expression.
    """
    hidden = masked(piece)
    equals, verb = _EQUALS.search(hidden), _IS.search(hidden)
    if found := _SAID.search(hidden):
        head, right = piece[: found.start() + (hidden[found.start()] == "\0")], piece[found.end() :]
        if named := _IS.search(masked(head)):  # Lima is a city which refers to city = 'Lima'
            head = head[: named.start()]
        inner = tuple(found[1] or found[2] for found in _INNER.finditer(head))
        return _several(piece, head, right, names, stated=named) or [Gloss(piece, name_of(head), *_right(right), inner)]
    if verb and (not equals or (_WHERE.search(hidden, verb.end(), equals.start()) and verb.end() < equals.start())):
        head, right = piece[: verb.start()], piece[verb.end() :]
        if where := _WHERE.search(masked(right)):  # Lima is a city where …, it is late if …
            head = right[: where.start()] if where[0].strip().lower() == "if" else head
            return [Gloss(piece, name_of(head), *_right(right[where.end() :]))]
        return _several(piece, head, right, names, stated=verb) or [Gloss(piece, name_of(head), *_right(right))]
    if equals and not _is_expression(piece[: equals.start()], hidden[: equals.start()], names):
        return [Gloss(piece, name_of(piece[: equals.start()]), *_right(piece[equals.end() :]))]
    return [Gloss(piece, "", *_right(piece))]


def _several(piece: str, head: str, right: str, names: NameBinder, *, stated: re.Match[str] | None) -> list[Gloss]:
    """Return what «Lima and Quito are names of a city» says: texts that a column holds; nothing where it is not so.

    Args:
        stated: the word that says what they are, None where it is said to what they refer.
    """
    what = _WHAT.match(right)
    bare = right[what.end() if what else 0 :].strip(_QUOTES)
    named = bool(what and what[2])
    column = names.holding(bare, name=named, full=bool(what and what[1]))
    if column is None or names.places(head.strip(_QUOTES)) or not (stated or named or head.strip()[:1] in "\"'“‘"):
        return []
    cuts = [0, *(at for found in _ALSO.finditer(masked(head)) for at in found.span()), len(head)]
    parts = [head[start:end] for start, end in zip(cuts[::2], cuts[1::2], strict=True)]
    plural = stated is not None and stated[0].strip().lower().startswith("are")
    each = all(part.strip()[:1] in "\"'“‘" or (plural and part.strip()[:1].isupper()) for part in parts)
    texts = [part.strip(_QUOTES) for part in (parts if each else [head])]
    return [Gloss(piece, one, exp.EQ(this=column.copy(), expression=exp.Literal.string(one))) for one in texts if one]


def _is_expression(head: str, hidden: str, names: NameBinder) -> bool:
    """Does what stands before the first = belong to a comparison?"""
    bare = head.strip(_QUOTES)
    table, dot, own = bare.partition(".")
    if dot and " " not in table:
        return bool(names.places(own, table))
    return bool(names.places(bare) or re.search(r"[<>(]|\b(?:and|or|where|between|like)\b|\w\0", hidden, re.IGNORECASE))


def _right(text: str) -> tuple[exp.Expr, str]:
    text = text.strip().rstrip(".,:")
    if not text:
        raise ExpressionError("nothing behind it")
    try:
        return read_text(text)
    except ExpressionError:
        where = _WHERE.search(masked(text))
        if where is None or masked(text)[: where.start()].count("\0"):
            raise
        return read_text(text[where.end() :])  # a score where home = 1 and away = 1


def name_of(text: str) -> str:
    """Return what something is called, without quotes and articles around it."""
    told = re.sub(r"^(?:the|an?)\s+", "", text.strip(" .,:"), flags=re.IGNORECASE)
    told = _INNER.sub(lambda found: found[1] or found[2], told).strip(_QUOTES)
    return " ".join(told.split())
