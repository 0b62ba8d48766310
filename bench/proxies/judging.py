"""Whether an answer has the gold query's rows, and in which parts a wrong query differs from it."""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from querent.data.databases.rows import Rows
from querent.data.sql.clause_parts import ClausePart, clause_parts
from querent.data.values.numerals import value_of
from querent.evaluation.metrics import execution_match

__all__ = ["FAULTS", "equal", "faults"]

FAULTS = (
    *("nothing", "table", "column", "value", "aggregate", "condition missing", "condition spurious"),
    *("group", "order", "other"),
)


def equal(rows: Rows | None, gold: Rows | None, *, ordered: bool) -> bool:
    """Are the rows the gold ones: columns in any order, rows in order where asked for, «12.0» the number 12?"""
    if rows is None or gold is None:
        return False
    one, other = ([tuple(map(_cell, row)) for row in some.rows] for some in (rows, gold))
    return execution_match(one, other, ordered, any_columns=True)


def _cell(cell: Any) -> Any:
    """Return a cell; a text that is a number, as some columns have them, as the number."""
    number = value_of(cell) if isinstance(cell, str) else None
    return cell if number is None else float(number)


def faults(sql: str | None, gold: str) -> tuple[str, ...]:
    """Return in what a wrong query differs from the gold one, each of `FAULTS` at most once."""
    if sql is None:
        return ("nothing",)
    own, wanted = clause_parts(sql, "sqlite"), clause_parts(gold, "sqlite")
    new = [part for part in own if part not in wanted]
    lost = [part for part in wanted if part not in own]
    found = set(_of_clauses(new, lost)) | set(_of_conditions(new, lost))
    return tuple(fault for fault in FAULTS if fault in found) or ("other",)


def _of_clauses(new: Sequence[ClausePart], lost: Sequence[ClausePart]) -> list[str]:
    found: list[str] = []
    clauses = {part.clause for part in (*new, *lost)}
    found += ["table"] * ("FROM" in clauses)
    found += ["group"] * ("GROUP BY" in clauses)
    found += ["order"] * bool(clauses & {"ORDER BY", "LIMIT", "OFFSET"})
    found += ["other"] * bool(clauses & {"UNION", "INTERSECT", "EXCEPT"})
    shown = [[part for part in some if part.clause.startswith("SELECT")] for some in (new, lost)]
    if any(shown):
        aggregates = [sorted(type(t).__name__ for p in some for t in p.tree.find_all(exp.AggFunc)) for some in shown]
        columns = [sorted(t.sql().lower() for p in some for t in p.tree.find_all(exp.Column)) for some in shown]
        found += ["aggregate"] * (aggregates[0] != aggregates[1])
        found += ["column"] * (columns[0] != columns[1])
        found += ["other"] * (aggregates[0] == aggregates[1] and columns[0] == columns[1])
    return found


def _of_conditions(new: Sequence[ClausePart], lost: Sequence[ClausePart]) -> list[str]:
    """Return what is wrong with the conditions: those on the same column differ in what they compare it with."""
    own, wanted = ([_about(part) for part in some if part.clause in ("WHERE", "HAVING")] for some in (new, lost))
    found: list[str] = []
    for about in {*own, *wanted}:
        more = own.count(about) - wanted.count(about)
        found += ["value"] * bool(min(own.count(about), wanted.count(about)))
        found += ["condition spurious"] * (more > 0) + ["condition missing"] * (more < 0)
    return found


def _about(part: ClausePart) -> str:
    """Return what a condition is about: its first column or aggregate."""
    first = part.tree.find(exp.Column, exp.AggFunc)
    return part.sql if first is None else first.sql().lower()
