"""A candidate is a query that may answer a question, with features: its comparisons, and the values it leaves out.

Its joins are rewritten. Every query that runs has passed the constraint: where a rewriting of joins changes words, the
constraint checks the query again, and a query that it does not accept stays as the network wrote it. An output of a
derived table that is a column gets the column's name, where no other output has that name:

SELECT t1.c1, t1.c2 FROM (SELECT Album.Title AS c1, COUNT(*) AS c2 FROM …) AS t1
SELECT t1.Title, t1.c2 FROM (SELECT Album.Title, COUNT(*) AS c2 FROM …) AS t1
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ...data.schema.schema import Schema
from ...data.sql.query import Query
from ...data.sql.sources import conjuncts, is_column
from ...data.values.slots import Value, ValueMention
from ...encoders.functions import Floats
from ...grammar import Constraint, Vocabulary, Word
from ...grammar.decoding.state import Mask
from ...knowledge.linked_formulas import LinkedFormula
from ...ner.index import FoundValue
from ..normal_form.join_rewriter import JoinRewriter
from ..normal_form.top_k_per_group import with_row_numbers
from ..reader.output_vocabulary import ROLES, fixed_words
from ..reader.question import QuestionWords

_SLOT = re.compile(r"\{(?:text|number)(\d+)\}")

_NEAR = 3
"""The distance within which a value counts as compared with a column; NOT LIKE may be between the two."""


@dataclass(frozen=True)
class Comparison:
    """A column and the value that it is compared with; ``equal`` is true if the sign is = or IN."""

    table: str
    column: str
    value: FoundValue
    equal: bool = False


def comparisons(question: QuestionWords, written: Sequence[Word]) -> Iterator[Comparison]:
    """Yield each comparison of a column with a value of the question.

    Args:
        written: the words of a query in short form.
    """
    slots = slots_of(question)
    for i, word in enumerate(written):
        if word.kind != "column" or word.table is None or word.column is None:
            continue
        equal = i + 1 < len(written) and written[i + 1].text in ("=", "IN")
        for near in written[i + 1 : i + 1 + _NEAR]:
            if near.kind == "column":
                break
            yield from (Comparison(word.table, word.column, slots[slot], equal) for slot in near.slots if slot in slots)


def slots_of(question: QuestionWords) -> dict[str, FoundValue]:
    """Return the value that each slot stands for, by the slot's name."""
    nodes = enumerate(question.values)
    kinds = {"number": ("text", "number")}
    return {f"{kind}{i}": node.found for i, node in nodes for kind in kinds.get(node.found.kind, ("text",))}


def slot_values(question: QuestionWords) -> dict[str, str]:
    """Return the text of the value of each slot that a query may have, by the slot's name."""
    return {slot: found.value for slot, found in slots_of(question).items()}


def values_in(slots: Mapping[str, str]) -> tuple[Value, ...]:
    """Return the values of slots in the form that `fill_sql` takes."""
    return tuple(Value(slot, ValueMention(0, 0, text, slot, text)) for slot, text in slots.items())


@dataclass(frozen=True)
class Candidate:
    """A query for a question.

    Attributes:
        query: the SQL in the database's dialect, with its values.
        score: the log-probability of the query: the sum over its words, mixed with that of solved questions like it.
        words: the texts of its words in short form, with slots in braces.
        left_out: the score of the question's values that the query does not use, see `values_left_out`.
        unused: the log-odds of the items that the query does not use, see `items_left_out`.
        tables: the number of tables that the query reads.
        ids: its word numbers without the end; the texts alone do not tell a keyword from a function.
        like: the solved question whose template it fills, None if the network wrote it alone.
        constants: the constants of templates, which follow the question's own values.
        formulas: the formulas that the query uses as words.
        compared: the comparisons of its columns with values of the question.
        leans: whether the question was encoded together with the earlier turns.
        repeats: whether it equals the query of the turn before.
    """

    query: Query
    score: float
    words: tuple[str, ...]
    left_out: float = 0.0
    unused: float = 0.0
    tables: int = 0
    ids: tuple[int, ...] = ()
    like: str | None = None
    constants: tuple[FoundValue, ...] = ()
    formulas: tuple[LinkedFormula, ...] = ()
    compared: tuple[Comparison, ...] = ()
    leans: bool = False
    repeats: bool = False

    @property
    def sql(self) -> str:
        """Return the text that is executed."""
        return self.query.sql

    @property
    def chosen(self) -> bool:
        """Whether the network chose every word: the query follows no solved question and uses no formula."""
        return self.like is None and not self.formulas


def values_left_out(question: QuestionWords, words: Sequence[str]) -> float:
    """Return the sum of the scores of the question's values that a query does not use.

    Where several values cover the same words of the question, using any of them is enough.

    Args:
        words: the words of a query in short form, with slots in braces.
    """
    best: dict[int, float] = {}
    used = [False] * question.own_words
    for i in {int(slot[1]) for word in words for slot in _SLOT.finditer(word)}:
        node = question.values[i]
        used[node.first : node.last] = [True] * (node.last - node.first)
    for node in question.values:
        if not any(used[node.first : node.last]):
            best[node.first] = max(best.get(node.first, 0.0), node.found.score)
    return sum(best.values())


def items_left_out(used: Floats, places: NDArray[np.int64]) -> float:
    """Return the summed log-odds of the items and values that the heads predict and the query does not use.

    Args:
        used: the log-odds of each item and value, (items,).
        places: the output indices of the query's words.
    """
    fixed = len(fixed_words())
    without = np.ones(len(used), np.bool_)
    without[(places[places >= fixed] - fixed) // ROLES] = False
    return float(np.maximum(used[without], 0).sum())


def column_names(query: exp.Query) -> exp.Query:
    """Rename the outputs of the derived tables of a query in normal form, in place; return the query."""
    derived = [table for table in query.find_all(exp.Subquery) if table.alias]
    tables = Counter(table.alias for table in derived)
    for table in derived:
        aliased = (output for output in table.selects if isinstance(output, exp.Alias))
        named = {output.alias: output for output in aliased if is_column(output.this)}
        times = Counter(output.this.name.lower() for output in named.values())
        own = {name: output for name, output in named.items() if times[output.this.name.lower()] == 1}
        if tables[table.alias] > 1 or not own:
            continue
        for column in [column for column in query.find_all(exp.Column) if column.table == table.alias]:
            if column.name in own:
                column.set("this", own[column.name].this.this.copy())
        for output in own.values():
            output.replace(output.this)
    return query


def with_joins_rewritten(
    query: Query, joins: JoinRewriter, constraint: Constraint, available: Mask | None = None
) -> Query:
    """Return a query with its joins rewritten, or unchanged where the constraint does not accept the result.

    Args:
        query: a query in normal form.
        joins: the rewriter of joins on the same database.
        constraint: the constraint that the query was decoded under.
        available: the words of the vocabulary that the question may use, shape (vocabulary,), bool.
    """
    new = joins.of(query)
    return new if new is query or _accepts(constraint, new, available) else query


def to_plain_sql(query: Query, schema: Schema) -> Query:
    """Return the plain SQL of a query in normal form: without PER, the columns of derived tables by their names."""
    if " PER " not in query.slotted and " AS " not in query.slotted:
        return query
    return query.rewritten((column_names, lambda tree: with_row_numbers(tree, schema)))


def _accepts(constraint: Constraint, query: Query, available: Mask | None) -> bool:
    """Say whether a constraint accepts a query, though its vocabulary may lack some of the query's words."""
    grammar, words = constraint.grammar, constraint.vocabulary.words
    values = {value.slot: value.mention.sql for value in query.values}
    lacking = {(t.text, t.terminal) for t in grammar.tokenize(query.slotted)} - {(w.text, w.terminal) for w in words}
    if not lacking:  # the constraint has cached states for the question's words
        again = available is not None and constraint.admits(query.slotted, values, available)
        return again or constraint.admits(query.slotted, values)
    built = Vocabulary.build(grammar, [query.slotted]).words
    lacking_words = [word for word in built if (word.text, word.terminal) in lacking]
    return constraint.over(Vocabulary(grammar, (*words, *lacking_words))).admits(query.slotted, values)


def shows_given(query: Query) -> bool:
    """Say whether a query returns nothing but values that it was given, as no gold query of public sets means to.

    Each output is a column that WHERE fixes to a value, or that a join makes equal to such a column; the answer to
    «which states border Indiana» is not Indiana.

    >>> shows_given(Query("SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v'", "sqlite"))
    True
    """
    outputs, _, rest = query.slotted.partition(" FROM ")
    last = outputs.split(" ")[-1]
    tree = query.slotted_tree if f"{last} = " in rest or f" = {last}" in rest else None
    if not isinstance(tree, exp.Select) or not all(map(is_column, tree.expressions)):
        return False
    where = tree.args.get("where")
    joins = [join for join in tree.args.get("joins") or () if not join.side]  # LEFT JOIN has rows that ON denies
    terms = [*conjuncts(where.this if where else None), *(c for join in joins for c in conjuncts(join.args.get("on")))]
    equal = [(term.this, term.expression) for term in terms if isinstance(term, exp.EQ)]
    given = {left for left, right in equal if is_column(left) and right.find(exp.Column, exp.Query) is None}
    links = [{left, right} for left, right in equal if is_column(left) and is_column(right)]
    while more := {column for link in links if link & given for column in link} - given:
        given |= more
    return all(output in given for output in tree.expressions)
