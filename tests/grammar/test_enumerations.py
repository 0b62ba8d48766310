"""Types that list their values.

MySQL's ENUM and SET are texts to texts, and integers, of which nothing is known, to arithmetic. PostgreSQL's are each a
type of its own: beside one stand its own labels, columns of the same type, and NULL.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from rule_cases import MARK, judge, stop, typed

from querent.data.schema.ddl import from_ddl
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Constraint, Grammar, Vocabulary

ITEM = typed(item="kind SET('x','y'), size ENUM('s','m'), count INTEGER UNSIGNED, name TEXT")
ABLE = [
    "SELECT name FROM item WHERE kind = 'x' AND size IN ('s', 'm')",
    "SELECT CONCAT(kind, '-', UPPER(size)) FROM item WHERE kind LIKE '%x%'",
    "SELECT COALESCE(size, 'none'), COUNT(*), MAX(kind) FROM item GROUP BY size ORDER BY COUNT(*) DESC",
    "SELECT CASE WHEN count > 3 THEN size ELSE name END FROM item",
    "SELECT size FROM item UNION SELECT name FROM item",
    "SELECT LENGTH(size), FIND_IN_SET('x', kind) FROM item",
]
FAILING = [
    "SELECT kind» * count FROM item",
    "SELECT kind MOD 7» * count FROM item",
    "SELECT COALESCE(kind, 1) MOD 7» * count FROM item",
    "SELECT -»kind FROM item",
]


@pytest.mark.parametrize("sql", ABLE)
def test_what_people_write_is_admitted(sql: str) -> None:
    assert stop(judge((sql,), "mysql", schema=ITEM), sql) is None


@pytest.mark.parametrize("sql", FAILING)
def test_arithmetic_that_may_run_over_is_stopped(sql: str) -> None:
    plain = sql.replace(MARK, "")
    stopped = stop(judge((plain,), "mysql", schema=ITEM), plain)
    assert stopped is not None
    assert stopped[0] == sql.replace(f"{MARK} ", " »").index(MARK), stopped


PHASE, SIZE = "phase enum('new','open','done')", "size enum('new','big')"
TICKET = Schema(
    (
        Table("ticket", (Column("phase", PHASE), Column("size", SIZE), Column("title", "text"), Column("no", "int"))),
        Table("desk", (Column("phase", PHASE), Column("no", "int"))),
    )
)
LISTED = [
    "SELECT title FROM ticket WHERE phase = 'open' AND phase IN ('new', 'done') AND size = 'new'",
    "SELECT title FROM ticket WHERE phase BETWEEN 'new' AND 'open' OR phase IS NULL",
    "SELECT phase, COUNT(DISTINCT phase) FROM ticket GROUP BY phase ORDER BY MAX(phase)",
    "SELECT COALESCE(phase, 'new'), CASE WHEN no > 3 THEN phase ELSE 'done' END FROM ticket",
    "SELECT CASE phase WHEN 'new' THEN 1 ELSE 0 END, NULLIF(phase, 'new') FROM ticket",
    "SELECT title FROM ticket JOIN desk ON ticket.phase = desk.phase",
    "SELECT title FROM ticket WHERE phase :: TEXT = title OR CAST(phase AS TEXT) LIKE '%e%'",
    "SELECT x.phase FROM (SELECT phase FROM ticket) AS x WHERE x.phase = 'done'",
    "SELECT CONCAT(phase, title), phase || 'x' FROM ticket",
]
UNLISTED = [
    "SELECT title FROM ticket WHERE phase = »'closed'",
    "SELECT title FROM ticket WHERE phase = »title",
    "SELECT title FROM ticket WHERE ticket.phase = »ticket.size",
    "SELECT title FROM ticket WHERE phase IN ('new', »'big')",
    "SELECT title FROM ticket WHERE phase BETWEEN 'new' AND »'old'",
    "SELECT COALESCE(phase, »'none') FROM ticket",
    "SELECT CASE WHEN no > 3 THEN phase ELSE »title END FROM ticket",
    "SELECT CASE phase WHEN »'closed' THEN 1 ELSE 0 END FROM ticket",
    "SELECT title FROM ticket WHERE phase »LIKE 'n%'",
    "SELECT UPPER(phase») FROM ticket",
]


@pytest.mark.parametrize("sql", LISTED)
def test_a_label_stands_beside_its_enumeration(sql: str) -> None:
    assert stop(judge((sql,), "postgres", schema=TICKET), sql) is None


@pytest.mark.parametrize("sql", UNLISTED)
def test_no_other_text_stands_beside_an_enumeration(sql: str) -> None:
    plain = sql.replace(MARK, "")
    stopped = stop(judge((plain,), "postgres", schema=TICKET), plain)
    assert stopped is not None
    assert stopped[0] == sql.index(MARK), stopped


def test_a_value_of_a_question_stands_beside_an_enumeration_if_it_is_a_label() -> None:
    grammar = Grammar.for_schema(TICKET, dialect="postgres")
    vocabulary = Vocabulary.build(grammar, ["SELECT title FROM ticket WHERE phase = '{text0}' AND title = '{text1}'"])
    constraint = judge_words(vocabulary, "SELECT title FROM ticket WHERE phase = '{text0}'")
    assert constraint({"text0": "open", "text1": "closed"}) == ["'{text0}'"]
    assert constraint({"text0": "closed", "text1": "Open"}) == []


def judge_words(vocabulary: Vocabulary, begun: str) -> Callable[[dict[str, str]], list[str]]:
    """Return what says which slots may come in place of a query's last word, given what they stand for."""
    ids, constraint = vocabulary.encode(begun)[:-1], Constraint(vocabulary)

    def allowed(values: dict[str, str]) -> list[str]:
        state = constraint.start(values=values)
        for word in ids:
            state = state.advance(word)
        return [vocabulary.words[i].text for i in np.flatnonzero(state.allowed()) if vocabulary.words[i].slots]

    return allowed


def test_ddl_has_enumerations_by_name() -> None:
    grammar = Grammar.for_schema(TICKET, dialect="postgres")
    written = to_ddl(TICKET, grammar.quoting.write)
    assert written.startswith("CREATE TYPE phase AS ENUM ('new', 'open', 'done');\n")
    assert from_ddl(written, "postgres").tables == TICKET.tables
    assert Schema.from_json(TICKET.to_json()) == TICKET
