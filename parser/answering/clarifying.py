"""Clarification questions: about the single difference between likely readings, or about a value that no row has.

The kinds of ambiguity follow AmbiQT (Bhaskar et al. 2023): a column, a table, a join, an aggregate.

SELECT city FROM customers WHERE name = 'Kim'
SELECT city FROM suppliers WHERE name = 'Kim'      a column (and the table that follows from it)
SELECT COUNT(*) FROM customers WHERE name = 'Kim'  an aggregate
SELECT city FROM customers WHERE firm = 'Kim'      the column of a value
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
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
from .choice import Choice

_TEXTS: Mapping[str, Mapping[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""The texts for parts of queries and for clarification questions, by language."""


class PartLabels:
    """Describes parts of queries on one database in words.

    Args:
        context: the context of the database, with the language of the words.
    """

    def __init__(self, context: DatabaseContext) -> None:
        self._texts, self._items = _TEXTS[context.language], context.items

    def name_of(self, table: str, column: str | None) -> str | None:
        """Return the name of a table or column in plain words, None if there is none."""
        try:
            return self._items.items[self._items.find(table, column)].name
        except KeyError:
            return None

    def joined(self, parts: Sequence[ClausePart]) -> str:
        """Return several parts of one clause in words."""
        return self._texts["and"].join(dict.fromkeys(self._label(part) or part.sql for part in parts))

    def _label(self, part: ClausePart) -> str | None:
        """Return a part in words, None where no words are known for it."""
        tree = part.tree
        if isinstance(tree, exp.Ordered):
            return self._fill("down" if tree.args.get("desc") else "up", self._words_of(tree.this))
        compares = part.clause in ("WHERE", "HAVING") and isinstance(tree, exp.Binary)
        label = self._words_of(tree.this if compares else tree)
        around = {"SELECT DISTINCT": "distinct", "GROUP BY": "GROUP BY"}.get(part.clause)
        return label if around is None else self._fill(around, label)

    def _words_of(self, tree: exp.Expr) -> str | None:
        match tree:
            case exp.Table():
                return self.name_of(tree.name, None)
            case exp.Column():
                name, table = self.name_of(tree.table, tree.name), self.name_of(tree.table, None)
                return name if name and table and table in name else self._fill("column", name, table)
            case exp.Distinct() if len(tree.expressions) == 1:
                return self._fill("distinct", self._words_of(tree.expressions[0]))
            case exp.Star() | exp.Count(this=exp.Star()):
                select = tree.find_ancestor(exp.Select)
                tables = [self.name_of(table.name, None) for table in (select.find_all(exp.Table) if select else ())]
                rows = self._texts["and"].join(dict.fromkeys(name for name in tables if name))
                return self._fill("all" if isinstance(tree, exp.Star) else "rows", rows or None)
            case _:
                key = type(tree).__name__
                return self._fill(key, self._words_of(tree.this)) if key in self._texts else None

    def _fill(self, key: str, *names: str | None) -> str | None:
        return None if None in names else self._texts[key].format(*names)


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


def _differing(readings: Sequence[Choice], dialect: str) -> Iterator[ReadingDifference]:
    """Yield the readings that have a single difference from the first, one that a person can understand."""
    first = clause_parts(readings[0].candidate.query.tree, dialect)
    for choice in readings[1:]:
        parts = clause_parts(choice.candidate.query.tree, dialect)
        lost, new = ([part for part in some if part not in other and part.clause != "FROM"]
                     for some, other in ((first, parts), (parts, first)))  # fmt: skip
        if (difference := _kind(lost, new)) is None:
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
    (clause,), both = clauses, bool(lost and new)
    match clause:
        case "SELECT":
            kinds = [type(part.tree) if isinstance(part.tree, exp.AggFunc) else None for part in (*lost, *new)]
            same = both and lost[0].tree == new[0].tree
            return ("distinct" if same else "columns" if not both else "aggregate" if len({*kinds}) > 1 else "column",
                    clause)  # fmt: skip
        case "WHERE" | "HAVING":
            return ("value", clause) if both and (value := _value(lost[0])) and value == _value(new[0]) else None
        case _:
            return (clause.split()[0].lower(), clause) if clause in ("GROUP BY", "ORDER BY") else None


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


_ASKS = 0.7
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
    words, labels = _TEXTS[context.language], PartLabels(context)
    readings = [choice for choice in choices if choice.rows is not None]
    diffs = list(_differing(readings, context.grammar.dialect)) if readings else []
    if absent is not None:
        held = [diff for diff in diffs if diff.kind == "value" and absent_value(diff.choice.candidate, context) is None]
        options = [_option(labels.joined(diff.other), diff.choice) for diff in held]
        options += near_values(choices[0].candidate, absent, context, database, _MAX_OPTIONS)
        where = labels.name_of(absent.table, absent.column) or absent.column
        kind, question = "near", words["no_such_value"].format(absent.value.text or absent.value.value, where)
    else:
        diffs = [diff for diff in diffs if diff.kind == diffs[0].kind][: _MAX_OPTIONS - 1]
        if not diffs or sum(diff.choice.share for diff in diffs) < _ASKS * readings[0].share:
            return None
        kind, value = diffs[0].kind, diffs[0].value
        question = words["which"] if value is None else words["which_value"].format(value)
        labelled = [(labels.joined(diffs[0].best), readings[0])]
        labelled += [(labels.joined(diff.other), diff.choice) for diff in diffs]
        first = {label: choice for label, choice in reversed(labelled) if label}  # of one label the likeliest
        options = [_option(label, choice) for label, choice in labelled if first.get(label) is choice]
    if len(options) < (1 if absent is not None else 2):
        return None
    cut = [replace(option, rows=option.rows[:_MAX_ROWS]) for option in options[:_MAX_OPTIONS]]
    return Clarification(kind, question, tuple(cut))


def _option(label: str, choice: Choice) -> Option:
    assert choice.rows is not None
    return Option(label, choice.candidate.sql, choice.rows.columns, tuple(choice.rows.rows))
