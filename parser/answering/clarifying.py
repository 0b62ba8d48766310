"""Clarification questions: about the single difference between likely readings, or about a value that no row has.

The kinds of ambiguity follow AmbiQT (Bhaskar et al. 2023): a column, a table, a join, an aggregate.

SELECT city FROM customers WHERE name = 'Kim'
SELECT city FROM suppliers WHERE name = 'Kim'      a column (and the table that follows from it)
SELECT COUNT(*) FROM customers WHERE name = 'Kim'  an aggregate
SELECT city FROM customers WHERE firm = 'Kim'      the column of a value
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rapidfuzz import fuzz, process, utils
from sqlglot import exp

from ...answers.answer import Clarification, Option
from ...data.databases.database import Database
from ...data.errors import DatabaseError, TimeLimitError
from ...data.sql.query import ClausePart, clause_parts
from ...data.values.slots import fits
from ...ner.cells.cells import is_text
from ..decoding.candidates import Candidate, Comparison
from ..reader.context import DatabaseContext
from .ranked_answers import Choice

__all__ = ["absent_value", "clarification", "near_values"]

NameOf = Callable[[str, str | None], str | None]
"""A function (table, column, or None for the table itself) -> its name in plain words, None where there is none."""

_TEXTS: Mapping[str, Mapping[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""The texts for parts of queries and for clarification questions, by language."""


class PartLabels:
    """Describes parts of queries on one database in words.

    Args:
        language: a language of `data.languages.LANGUAGES`.
        name_of: a function that returns names in words.
    """

    def __init__(self, language: str, name_of: NameOf) -> None:
        self._said, self._name_of = _TEXTS[language], name_of

    def joined(self, parts: Sequence[ClausePart]) -> str:
        """Return several parts of one clause in words."""
        return self._said["and"].join(dict.fromkeys(self.label(part) for part in parts))

    def label(self, part: ClausePart) -> str:
        """Return a part in words, or its SQL where no words are known for it."""
        tree = part.tree
        if isinstance(tree, exp.Ordered):
            return self._fill("down" if tree.args.get("desc") else "up", self._said_of(tree.this)) or part.sql
        if part.clause in ("WHERE", "HAVING") and isinstance(tree, exp.Binary):
            return self._said_of(tree.this) or part.sql
        label = self._said_of(tree)
        if part.clause == "SELECT DISTINCT":
            return self._fill("distinct", label) or part.sql
        return (self._fill("GROUP BY", label) if part.clause == "GROUP BY" else label) or part.sql

    def _said_of(self, tree: exp.Expr) -> str | None:
        if isinstance(tree, exp.Table):
            return self._name_of(tree.name, None)
        if isinstance(tree, exp.Column):
            name, table = self._name_of(tree.table, tree.name), self._name_of(tree.table, None)
            return name if name and table and table in name else self._fill("column", name, table)
        if isinstance(tree, exp.Distinct) and len(tree.expressions) == 1:
            return self._fill("distinct", self._said_of(tree.expressions[0]))
        if isinstance(tree, exp.Count) and isinstance(tree.this, exp.Star):
            return self._fill("rows", self._rows_of(tree))
        if isinstance(tree, exp.Star):
            return self._fill("all", self._rows_of(tree))
        return self._fill(type(tree).__name__, self._said_of(tree.this)) if type(tree).__name__ in self._said else None

    def _rows_of(self, tree: exp.Expr) -> str | None:
        """Return the tables that a star stands for."""
        select = tree.find_ancestor(exp.Select)
        names = [self._name_of(table.name, None) for table in (select.find_all(exp.Table) if select else ())]
        return self._said["and"].join(dict.fromkeys(name for name in names if name)) or None

    def _fill(self, key: str, *names: str | None) -> str | None:
        return None if None in names else self._said[key].format(*names)


@dataclass(frozen=True)
class ReadingDifference:
    """A reading, and the single difference between it and the best reading.

    Attributes:
        kind: the kind of difference: column, columns, aggregate, distinct, group, order, table, value.
        best, other: the parts of the clause that differs, in the best reading and in this one.
        value: the value that both compare with different columns, if that is the difference.
    """

    choice: Choice
    kind: str
    best: tuple[ClausePart, ...]
    other: tuple[ClausePart, ...]
    value: str | None = None


def differing(readings: Sequence[Choice], dialect: str) -> Iterator[ReadingDifference]:
    """Yield the readings that have a single difference from the first, one that a person can understand."""
    first = clause_parts(readings[0].candidate.query.tree, dialect)
    for choice in readings[1:]:
        parts = clause_parts(choice.candidate.query.tree, dialect)
        lost = [part for part in first if part not in parts and part.clause != "FROM"]
        new = [part for part in parts if part not in first and part.clause != "FROM"]
        difference = _kind(lost, new)
        if difference is None:
            continue
        kind, clause = difference
        best, other = (tuple(part for part in some if _clause(part) == clause) for some in (first, parts))
        if clause != "FROM" or all(isinstance(part.tree, exp.Table) for part in (*best, *other)):
            yield ReadingDifference(choice, kind, best, other, _value(lost[0]) if kind == "value" else None)


def _kind(lost: Sequence[ClausePart], new: Sequence[ClausePart]) -> tuple[str, str] | None:
    """Return the kind of the difference and its clause, None where there is more than one difference."""
    clauses = {_clause(part) for part in (*lost, *new)}
    if not clauses:
        return "table", "FROM"
    if clauses == {"SELECT", "GROUP BY"} and len(lost) <= 2 and len(new) <= 2:
        return "group", "GROUP BY"
    if len(clauses) > 1 or len(lost) > 1 or len(new) > 1:
        return None
    clause = clauses.pop()
    if clause == "SELECT":
        return (_of_projections(lost[0], new[0]) if lost and new else "columns"), clause
    if clause in ("WHERE", "HAVING"):
        same = lost and new and _value(lost[0]) is not None and _value(lost[0]) == _value(new[0])
        return ("value", clause) if same else None
    return {"GROUP BY": ("group", clause), "ORDER BY": ("order", clause)}.get(clause)


def _of_projections(lost: ClausePart, new: ClausePart) -> str:
    if lost.tree == new.tree:
        return "distinct"
    old, added = (type(part.tree) if isinstance(part.tree, exp.AggFunc) else None for part in (lost, new))
    return "column" if old is added else "aggregate"


def _clause(part: ClausePart) -> str:
    return "SELECT" if part.clause == "SELECT DISTINCT" else part.clause


def _value(condition: ClausePart) -> str | None:
    """Return the text that a condition compares a column with."""
    tree = condition.tree
    if not isinstance(tree, exp.Binary) or not isinstance(tree.this, exp.Column):
        return None
    value = tree.args["expression"]
    return value.name.strip("%") if isinstance(value, exp.Literal) and value.is_string else None


_MAX_CELLS = 5000
_NEAR = 60.0
"""The least similarity of spelling, of 100, from which a cell is offered for a missing value."""


def absent_value(candidate: Candidate, context: DatabaseContext) -> Comparison | None:
    """Return the first comparison of a query that is true of no row, since the column holds no such text."""
    if context.index is None:
        return None
    for test in candidate.compared:
        place = test.table, test.column
        checked = test.equal and test.value.yes is None and context.index.size(*place) and _of_texts(test, context)
        if checked and not context.index.held(*place, [test.value.value]):
            return test
    return None


def _of_texts(comparison: Comparison, context: DatabaseContext) -> bool:
    """Is a text compared, or a number with a column of texts that hold neither numbers nor times?"""
    if comparison.value.span is None and comparison.value.kind in ("cell", "text", "quoted"):
        return True
    held = context.profile.column(comparison.table, comparison.column)
    column = context.grammar.readable.table(comparison.table).column(comparison.column)
    return is_text(column) and held is not None and held.time is None and held.number is None


def near_values(
    candidate: Candidate, absent: Comparison, context: DatabaseContext, database: Database, most: int
) -> Iterator[Option]:
    """Yield the query with similarly spelled cells of the column in place of the value, the nearest first.

    Args:
        absent: a comparison of the candidate.
        most: the number of cells that are tried.
    """
    table = context.grammar.readable.table(absent.table)
    try:
        cells = [str(cell) for cell in database.distinct(table, absent.column, _MAX_CELLS)]
    except TimeLimitError:  # the query itself used up the time
        return
    near = process.extract(
        *(absent.value.text, cells),
        scorer=fuzz.WRatio, processor=utils.default_process, score_cutoff=_NEAR, limit=most,
    )  # fmt: skip
    for cell, _, _ in near:
        values = [
            replace(v, mention=replace(v.mention, sql=cell)) if v.mention.sql == absent.value.value else v
            for v in candidate.query.values
        ]
        if not fits(candidate.query.slotted, values):  # the cell is a text where the query has a number
            continue
        sql = replace(candidate.query, values=tuple(values)).sql
        try:
            rows = database.query(sql, constrained=candidate.chosen)
        except DatabaseError:  # the query takes too long
            continue
        yield Option(cell, sql, rows.columns, tuple(rows.rows))


ASKS = 0.7
"""The least weight of the other readings, relative to the best, from which it pays to ask (`proxies.py` in bench)."""

_MAX_OPTIONS, _MAX_ROWS = 4, 3


def clarification(
    choices: Sequence[Choice], absent: Comparison | None, context: DatabaseContext, database: Database
) -> Clarification | None:
    """Return the clarification of an unsure answer; None where it would not help.

    Args:
        choices: the different answers to a question, the best first.
        absent: a comparison of the best that is true of no row.
        context: the context of the database.
        database: the database, in which similar cells are looked up.
    """
    labels = PartLabels(context.language, lambda table, column: _name_of(context, table, column))
    readings = [choice for choice in choices if choice.rows is not None]
    diffs = list(differing(readings, context.grammar.dialect)) if readings else []
    if absent is not None:
        held = [diff for diff in diffs if diff.kind == "value" and absent_value(diff.choice.candidate, context) is None]
        options = [_option(labels.joined(diff.other), diff.choice) for diff in held]
        options += near_values(choices[0].candidate, absent, context, database, _MAX_OPTIONS)
        where = _name_of(context, absent.table, absent.column) or absent.column
        question = _TEXTS[context.language]["no_such_value"].format(absent.value.text or absent.value.value, where)
        return Clarification("near", question, _cut(options[:_MAX_OPTIONS])) if options else None
    diffs = [diff for diff in diffs if diff.kind == diffs[0].kind][: _MAX_OPTIONS - 1]
    if not diffs or sum(diff.choice.share for diff in diffs) < ASKS * readings[0].share:
        return None
    words, value = _TEXTS[context.language], diffs[0].value
    question = words["which"] if value is None else words["which_value"].format(value)
    options = _options(readings[0], diffs, labels)
    return Clarification(diffs[0].kind, question, _cut(options)) if len(options) > 1 else None


def _options(best: Choice, diffs: Sequence[ReadingDifference], labels: PartLabels) -> list[Option]:
    """Return the readings as options, labelled by their differences; of those with the same label the likeliest."""
    labelled = [(labels.joined(diffs[0].best), best), *((labels.joined(diff.other), diff.choice) for diff in diffs)]
    first = {label: choice for label, choice in reversed(labelled) if label}
    return [_option(label, choice) for label, choice in labelled if first.get(label) is choice]


def _option(label: str, choice: Choice) -> Option:
    assert choice.rows is not None
    return Option(label, choice.candidate.sql, choice.rows.columns, tuple(choice.rows.rows))


def _cut(options: Sequence[Option]) -> tuple[Option, ...]:
    return tuple(replace(option, rows=option.rows[:_MAX_ROWS]) for option in options)


def _name_of(context: DatabaseContext, table: str, column: str | None) -> str | None:
    try:
        return context.items.items[context.items.find(table, column)].name
    except KeyError:
        return None
