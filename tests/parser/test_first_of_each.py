"""PER, the first rows of each group: written out, read back from what people write, offered to networks."""

import sqlite3

import numpy as np
import pytest
from sql_pairs import schema, script

from querent.data.errors import QueryError
from querent.data.sql.query import Query
from querent.grammar import EOS, Constraint, Grammar, Vocabulary
from querent.grammar.lr.tables import DIALECTS
from querent.parser.decoding.candidates import to_plain_sql
from querent.parser.normal_form import NormalForm, ShortConstraint, ShortForm, vocabulary

SCHEMA = schema("products")
JOINED = "product JOIN kind ON product.kind_id = kind.id"
QUERIES: dict[str, list[tuple[object, ...]]] = {
    "SELECT product.name FROM product ORDER BY product.price DESC LIMIT 2 PER product.kind_id": [
        ("H",), ("A",), ("C",), ("E",), ("F",),
    ],
    # as LIMIT does, ORDER BY takes NULL for the smallest
    "SELECT product.name, product.kind_id FROM product ORDER BY product.price, product.id "
    "LIMIT 1 PER product.kind_id": [
        ("H", None), ("D", 1), ("G", 2),
    ],
    "SELECT product.name FROM product ORDER BY product.price DESC, product.name DESC "
    "LIMIT 1 OFFSET 1 PER product.kind_id": [
        ("C",), ("E",),
    ],
    f"SELECT kind.name, product.name FROM {JOINED} ORDER BY product.price DESC LIMIT 1 PER kind.name": [
        ("stove", "E"), ("tent", "A"),
    ],
    f"SELECT kind.name, product.per, COUNT(*) FROM {JOINED} WHERE product.per IS NOT NULL GROUP BY kind.name, "
    "product.per ORDER BY SUM(product.price) DESC LIMIT 1 PER product.per": [("tent", "x", 2), ("tent", "y", 2)],
}  # fmt: skip


def _database() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.executescript(script("products"))
    return database


def written_out(sql: str, grammar: Grammar) -> str:
    return to_plain_sql(Query(sql, grammar.dialect), grammar.schema).sql


def _grammar(dialect: str = "sqlite", *, wide: bool = False) -> Grammar:
    return Grammar.for_schema(SCHEMA, dialect=dialect, wide=wide)


@pytest.mark.parametrize("sql", QUERIES)
def test_what_is_written_out_has_the_first_rows_of_each_group(sql: str) -> None:
    assert _database().execute(written_out(sql, _grammar())).fetchall() == QUERIES[sql]


def test_columns_keep_their_names() -> None:
    first, *_, joined, _ = (written_out(sql, _grammar()) for sql in QUERIES)
    assert first == (
        "SELECT t1.name FROM (SELECT product.name, product.kind_id, ROW_NUMBER() OVER (PARTITION BY product.kind_id "
        "ORDER BY product.price DESC) AS c1 FROM product) AS t1 WHERE t1.c1 <= 2 ORDER BY t1.kind_id, t1.c1"
    )
    assert [name for name, *_ in _database().execute(joined).description] == ["name", "name"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", QUERIES)
def test_it_is_admitted_by_the_wide_grammar_alone(sql: str, dialect: str) -> None:
    sql = NormalForm(_grammar(dialect)).of(sql)
    out = written_out(sql, _grammar(dialect))
    words = Vocabulary.build(_grammar(dialect, wide=True), [out])
    state = Constraint(words, budget=120).start()
    for word in words.encode(out):
        state = state.advance(word)
    assert state.complete
    with pytest.raises(QueryError, match="PER"):
        _grammar(dialect, wide=True).tokenize(sql)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", QUERIES)
def test_it_is_read_back(sql: str, dialect: str) -> None:
    normal, short = NormalForm(_grammar(dialect)), ShortForm(_grammar(dialect))
    once = normal.of(sql)
    assert " PER " in once
    assert normal.of(once) == once
    assert normal.of(written_out(once, normal.grammar)) == once
    assert short.sql(short.words(once)) == once


def test_numbered_rows_are_read_where_they_are_the_first_of_each_group() -> None:
    numbered = (
        "(SELECT name, price, ROW_NUMBER() OVER (PARTITION BY kind_id ORDER BY price DESC) AS place FROM product) AS p"
    )
    normal = NormalForm(_grammar())
    found = "SELECT product.name FROM product ORDER BY product.price DESC LIMIT 3 PER product.kind_id"
    for span, limit in {"<= 3": "3", "<= {number0}": "{number0}", "> 2 AND p.place <= 5": "3 OFFSET 2"}.items():
        assert normal.of(f"SELECT p.name FROM {numbered} WHERE p.place {span}") == found.replace("3", limit)
    for other in ("p.place <= 3 AND p.price > 1", "p.place > 3", "p.place <= p.price", "p.place <= 3 ORDER BY p.price"):
        with pytest.raises(QueryError, match="ROW_NUMBER"):
            normal.of(f"SELECT p.name FROM {numbered} WHERE {other}")


def test_networks_are_offered_it_where_it_may_come() -> None:
    words = vocabulary(_grammar(), texts=1, numbers=1)
    per = next(i for i, word in enumerate(words.words) if word.terminal == "PER")
    told = {
        "SELECT product.name FROM product ORDER BY product.price LIMIT 3": "may come next",
        "SELECT DISTINCT product.name FROM product ORDER BY product.name LIMIT 3": "no PER behind SELECT DISTINCT",
        "SELECT * FROM product ORDER BY product.price LIMIT 3": "no PER beside a star",
        "SELECT product.name FROM product LIMIT 3": "cannot come next",
        "SELECT product.name FROM product WHERE product.id IN (SELECT kind.id FROM kind ORDER BY kind.id LIMIT 3":
            "cannot come next",
        "SELECT product.name FROM product UNION SELECT kind.name FROM kind ORDER BY 1 LIMIT 3": "cannot come next",
    }  # fmt: skip
    for sql, reason in told.items():
        state = ShortConstraint(Constraint(words, budget=60)).start()
        form = ShortForm(_grammar())
        closed = f"{sql}{')' * (sql.count('(') - sql.count(')'))}"
        for text, terminal in form.words(closed)[: None if closed == sql else -1]:
            state = state.advance(
                next(i for i, w in enumerate(words.words) if (w.text, w.terminal) == (text, terminal))
            )
        assert reason in state.explain(per)
        assert bool(state.allowed()[per]) == (reason == "may come next")
        if state.allowed()[per]:
            keys = np.flatnonzero(state.advance(per).allowed())
            assert {words.words[i].column for i in keys} == {"id", "name", "price", "kind_id", "per"}
            assert state.advance(per).advance(int(keys[0])).allowed()[EOS]
