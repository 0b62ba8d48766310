"""Formulas that stand beside one question: «profit = revenue - cost; late refers to days(ordered, shipped) > 5»."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from ..data.errors import DomainError
from .formulas.bank import Bank, Formula
from .formulas.expression import ExpressionError, parse
from .formulas.spreadsheet import plain_cell

__all__ = ["Evidence", "read_evidence"]

_PIECE = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^;；])+")
_SIGN = re.compile(r"(?<![<>!=])=|\brefers? to\b", re.IGNORECASE)
"""Separates the name of a formula from its right side."""


@dataclass(frozen=True)
class Evidence:
    """What an evidence says.

    Attributes:
        bank: its formulas.
        unread: its other pieces, each with the reason why it is no formula.
        lost: those of them whose right side could not be read.
    """

    bank: Bank
    unread: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def read_evidence(text: str) -> Evidence:
    """Read the formulas of an evidence, ``name = expression`` with semicolons between them."""
    formulas, unread, lost, circles = list[Formula](), list[str](), list[str](), list[DomainError]()
    for piece in filter(None, map(str.strip, _PIECE.findall(text))):
        try:
            formula = _formula(piece)
        except ExpressionError as error:
            lost.append(f"{piece!r}: {error}")
        else:
            formulas += [formula] if formula else []
            unread += [] if formula else [f"{piece!r}: no formula, which is name = expression"]
    bank = Bank(formulas, {}, circles)
    lost += [error.problem for error in circles]
    return Evidence(bank, (*unread, *lost), tuple(lost))


def _formula(piece: str) -> Formula | None:
    """Return the formula of a piece; None of a piece without a name, or with nothing but a name or a value for it.

    Raises:
        ExpressionError: the right side cannot be read.
    """
    name, *right = _SIGN.split(piece, maxsplit=1)
    name = " ".join(name.replace('"', " ").split()).removeprefix("the ")
    if not right or not re.search(r"\w", name):
        return None
    expression = parse(plain_cell(right[0].rstrip(" .")))
    bare = all(isinstance(tree.unnest(), (exp.Column, exp.Literal)) for tree in expression.trees)
    if not expression.needs or (bare and expression.kind != "union"):
        return None
    return Formula(name, (), expression.kind, expression)
