"""A bank's formulas over the columns of one database, as semantic layers want them."""

from __future__ import annotations

from dataclasses import replace

from ..formulas.bank import Bank, Formula
from ..formulas.expression import ExpressionError, parse
from ..formulas.sql import bound, column, text_of
from ..needed import FormulaLinker

__all__ = ["bound_to_columns"]


def bound_to_columns(found: FormulaLinker) -> tuple[Bank, list[str]]:
    """Return the formulas of a bank that a database has, over its columns, and a line for each that it has not.

    Of rivals the first that is there is kept. What a formula names is written out in it.
    """
    kept: dict[str, Formula] = {}
    lost: list[str] = []
    for formula in found.bank.formulas:
        grounding, name = found.grounding(formula), formula.name.casefold()
        if grounding.grounded is None:
            lost.append(f"{formula.name}: left out; {', '.join(grounding.missing)}: nothing like it in the database")
        elif name in kept:
            lost.append(f"{formula.name}: left out; another one of its name is there")
        else:
            try:
                kept[name] = _bound(formula, str(grounding.grounded))
            except ExpressionError as error:
                lost.append(f"{formula.name}: left out; {error}")
    return Bank(kept.values(), {}), lost


def _bound(formula: Formula, sql: str) -> Formula:
    parts = sql.split(", ") if formula.kind == "union" else [sql]
    trees = (bound(part, lambda table, name, _: column(table, name), "sqlite") for part in parts)
    return replace(formula, expression=parse(", ".join(map(text_of, trees)), formula.kind))
