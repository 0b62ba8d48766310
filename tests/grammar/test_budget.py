"""What is promised is kept: after each word the query can be finished in the words that were promised."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from draws import draws
from grammar_cases import some_words
from rule_cases import judge, stop, typed

from querent.grammar import EOS, LEVELS, Constraint
from querent.grammar.completion.shortest import NEVER
from querent.grammar.lr.tables import DIALECTS

WORDS = (
    "SELECT c.people, MAX(area), 2 FROM city AS c, state AS c, state AS s WHERE c.name = 'x' OR s.area > 1.5 LIMIT 1",
    "SELECT *, t.n, city.id, c.*, ABS(id) FROM city AS c, (SELECT COUNT(*) AS n FROM river) AS t ORDER BY n",
)


KEPT = (1.0, 0.9, 0.7, 0.5, 0.0)
"""How many of the names, constants and functions are at hand."""


def constraint_of(dialect: str, level: str) -> Constraint:
    return judge(WORDS, dialect, level)


def promises(constraint: Constraint, seeds: range, kept: Sequence[float] = (1.0,)) -> Iterator[tuple[str, int, int]]:
    """Yield what is written after each word of random queries, the words then needed as promised, and as they are.

    After a few words or many each query is ended by the cheapest words.
    """
    for seed in seeds:
        rng = random.Random(seed)
        available = some_words(constraint.vocabulary, rng, rng.choice(kept))
        available[EOS] = True
        hurry = rng.choice((2, 5, 10, 40))
        ids: list[int] = []
        state = constraint.start(available, rng.randint(3, 40))
        while True:
            spelled = f"seed {seed}: {constraint.vocabulary.decode(ids)}"
            allowed = np.flatnonzero(state.allowed()).tolist()
            assert allowed, spelled
            assert available[allowed].all()
            assert state.allowed()[EOS] == state.complete
            cheapest = [word for word in allowed if state.need(word) == min(map(state.need, allowed))]
            word = rng.choice(allowed if len(ids) < hurry else cheapest)
            if word == EOS:
                break
            promised = state.need(word)
            assert 0 < promised <= state.left, spelled
            ids.append(word)
            state = state.advance(word)
            yield (
                constraint.vocabulary.decode(ids),
                promised - 1,
                min(map(state.need, np.flatnonzero(available).tolist())),
            )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_grammar_alone_counts_exactly_whatever_is_at_hand(dialect: str) -> None:
    found = list(promises(constraint_of(dialect, "grammar"), range(draws(40)), KEPT))
    assert [(sql, promised, least) for sql, promised, least in found if promised != least] == []
    assert len(found) > draws(200)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("level", LEVELS[1:])
def test_no_word_needs_more_than_was_promised_whatever_is_at_hand(dialect: str, level: str) -> None:
    """Seldom fewer words will do than was promised, so that little of the budget is kept back for nothing."""
    found = list(promises(constraint_of(dialect, level), range(28)[-draws(28) :], KEPT))
    assert [(sql, promised, least) for sql, promised, least in found if promised < least] == []
    assert len(found) > draws(200)
    assert sum(promised > least for _, promised, least in found) <= len(found) // 40


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "prefix", ["SELECT", "SELECT c.name ,", "SELECT t.n , s.area ,", "SELECT 1 FROM ( SELECT s.area ,"]
)
def test_columns_that_are_reckoned_as_one_need_what_each_of_them_takes(dialect: str, prefix: str) -> None:
    """Aliases that nothing names yet are as good as one another, those in use are not."""
    constraint = constraint_of(dialect, "types")
    words = constraint.vocabulary.words
    state = constraint.start()
    for text in prefix.split():
        state = state.advance(next(i for i, w in enumerate(words) if w.text == text and state.allowed()[i]))
    named = [i for i in np.flatnonzero(state.allowed()).tolist() if words[i].terminal in {"COLUMN", "QCOLUMN", "QSTAR"}]
    promised = {words[i].text: state.need(i) - 1 for i in named}
    assert promised == {words[i].text: state.advance(i).least for i in named}
    assert len(named) > 10


@pytest.mark.parametrize(
    ("dialect", "prefix", "missing"),
    [
        ("sqlite", "SELECT area FROM", "state"),
        ("mysql", "SELECT c.people", "c"),
        ("postgres", "SELECT city.id", "city"),
        ("sqlite", "SELECT c.*", "c"),
        ("mysql", "SELECT t.n", "n"),
        ("postgres", "SELECT 1 LIMIT", "1 2"),
        ("mysql", "SELECT 1 FROM city AS", "c n s t"),
    ],
)
def test_no_word_is_a_dead_end_where_another_is_missing(dialect: str, prefix: str, missing: str) -> None:
    constraint = constraint_of(dialect, "types")
    words = constraint.vocabulary.words
    state = constraint.start(np.array([w.text not in missing.split() for w in words]))
    for text in prefix.split():
        able = [i for i, w in enumerate(words) if w.text == text and state.allowed()[i]]
        if not able:
            return
        state = state.advance(able[0])
        assert state.allowed().any(), f"nothing may follow {text}"
    pytest.fail(f"{missing} is not at hand")


def test_a_column_of_a_single_row_leaves_room_for_its_limit() -> None:
    constraint = constraint_of("mysql", "runs")
    state = constraint.start()
    for word in constraint.vocabulary.encode("SELECT (SELECT c.people FROM city c)")[:4]:
        promised, state = state.need(word), state.advance(word)
    assert promised == 1 + len(["FROM", "city", "c", "LIMIT", "1", ")"])


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("items", ["1", "1, 1"])
def test_brackets_after_a_set_operator_are_counted(dialect: str, level: str, items: str) -> None:
    constraint = judge(("SELECT 1, 'x'",), dialect, level)
    state = constraint.start()
    nested = "(((SELECT ?) UNION SELECT ?) UNION SELECT ?)"
    if dialect == "mysql" and level in ("types", "runs"):
        nested = "(SELECT ?)"  # MariaDB makes a table of a compound operand, whose columns need names
    sql = f"SELECT ? UNION {nested}"
    for word in constraint.vocabulary.encode(sql.replace("?", items)):
        promised, state = state.need(word), state.advance(word)
        assert state.least <= promised - 1
    assert state.complete


def test_every_word_that_is_allowed_may_be_written() -> None:
    words = "SELECT s.founded, s.area, founded FROM state AS s, (SELECT 1) WHERE founded > 1"
    constraint = judge((words,), "sqlite", "scope")
    state = constraint.start()
    for word in constraint.vocabulary.encode(
        words.replace("s.founded, s.area, ", "").replace("1)", "s.area FROM state AS s)")
    ):
        for able in np.flatnonzero(state.allowed()).tolist():
            state.advance(able)
        state = state.advance(word)


SHORTEST = [
    ("SELECT c.people FROM city AS c", 1),
    ("SELECT c.people FROM city c", 0),
    ("SELECT area FROM state", 0),
    ("SELECT c.people, s.area FROM city AS c, state AS s", 1),
    ("SELECT c.people, s.area FROM city c, state s", 0),
    ("SELECT t.n FROM (SELECT 1 n) t", 0),
    ("SELECT city.id FROM city JOIN state AS s ON s.area > 1", 0),
    ("SELECT * FROM city", 0),
]
"""Queries, each with the words that are counted twice: above the grammar the alias after AS, while it is owed."""


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("sql", "twice"), SHORTEST)
def test_a_query_is_admitted_with_hardly_more_than_its_words(dialect: str, level: str, sql: str, twice: int) -> None:
    constraint = constraint_of(dialect, level)
    ids = constraint.vocabulary.encode(sql)
    state = constraint.start(budget=len(ids) + twice * (level != "grammar"))
    for word in ids:
        assert state.allowed()[word], state.explain(word)
        state = state.advance(word)
    assert state.complete


@pytest.mark.parametrize("sql", [sql for sql, _ in SHORTEST if " AS " not in sql and sql != "SELECT area FROM state"])
def test_a_prefix_is_finished_in_the_words_that_its_names_need(sql: str) -> None:
    """Nothing shorter begins like these, and one word of the budget less refuses the last word that is free."""
    constraint = constraint_of("postgres", "scope")
    ids = constraint.vocabulary.encode(sql)
    state = constraint.start()
    for word in ids[: [constraint.vocabulary.words[i].text for i in ids].index("FROM")]:
        state = state.advance(word)
    written = constraint.budget - state.left
    assert written + state.least == len(ids)


@pytest.mark.parametrize("level", LEVELS)
def test_without_tables_no_column_can_come(level: str) -> None:
    constraint = constraint_of("sqlite", level)
    words = constraint.vocabulary.words
    available = np.array([w.kind != "table" for w in words])
    state = constraint.start(available)
    state = state.advance(constraint.vocabulary.index("SELECT", "SELECT"))
    area = constraint.vocabulary.index("area", "COLUMN")
    assert state.allowed()[area] == (level == "grammar")
    assert level == "grammar" or state.need(area) >= NEVER
    assert stop(constraint, "SELECT area FROM state") is None


@pytest.mark.parametrize(
    ("dialect", "prefix", "words"),
    [
        # a branch of CASE may be cast within, too
        ("postgres", "SELECT (CURRENT_DATE - CASE WHEN TRUE THEN NULL :: INTEGER END) IS NULL", "SELECT 0.5"),
        # the only number is too large for what is around CASE
        ("mysql", "SELECT - CASE WHEN NULL THEN NULL END", "SELECT 1e300"),
        # a column behind a comma is what its place asks for
        ("postgres", "SELECT 'x', founded FROM state UNION SELECT 'x', NULL :: DATE", "SELECT 0.5"),
        # a is the name of a state's column, and here of a city
        ("sqlite", "SELECT *, * FROM city AS a, city AS b GROUP BY NULL IS NULL", "SELECT a.area FROM state AS a"),
        # the argument that the call is worth may be cast
        ("postgres", "SELECT DATE_TRUNC('day', NULLIF(NULL :: DATE, NULL))", "SELECT 0.5"),
        ("postgres", "SELECT EXTRACT(YEAR FROM MAX(founded)) FROM state", "SELECT 0.5"),
        # a cast to BIGINT comes before one to REAL, here too
        ("postgres", "SELECT CEIL(10000 + MAX(ABS(LENGTH('x') - NULL :: REAL)))", "SELECT 24"),
        # beside a number that is too large for an integer, NULL in a list must be cast
        ("postgres", "SELECT 9223372036854775807 IN (NULL, NULL :: REAL)", "SELECT 1"),
        # in a subquery NULL is a text
        ("postgres", "SELECT name < SOME (SELECT NULL) FROM city", "SELECT name FROM city"),
        # of both sources of the first SELECT none is called as the output is
        ("sqlite", "SELECT city.name FROM city, state UNION SELECT 'x' ORDER BY 1", "SELECT 1"),
        # no item may be called as the column is that GROUP BY must name
        (
            "mysql",
            "SELECT t.name FROM (SELECT name AND COUNT(*) AS x, name FROM city GROUP BY name) AS t",
            "SELECT id AS name FROM city",
        ),
        # beside State the table state goes by another name, so its column is no way out
        (
            "mysql",
            "SELECT x.name FROM (SELECT State.people, area, State.name FROM city AS State, state AS s) AS x",
            "SELECT state.name FROM state",
        ),
    ],
)
def test_what_is_promised_at_each_word_of_a_query_is_kept(dialect: str, prefix: str, words: str) -> None:
    constraint = judge((prefix, words), dialect)
    state = constraint.start()
    for word in constraint.vocabulary.encode(prefix):
        assert state.allowed()[word], state.explain(word)
        for able in np.flatnonzero(state.allowed()).tolist():
            promised = state.need(able)
            assert able == EOS or state.advance(able).least < promised
        state = state.advance(word)


def test_a_column_whose_name_two_outputs_have_is_no_key() -> None:
    query = "SELECT length, length FROM road GROUP BY NULL IS NULL"
    constraint = judge((query,), "sqlite", schema=typed(road="length INTEGER"))
    state = constraint.start(np.array([w.text != "road.length" for w in constraint.vocabulary.words]))
    for word in constraint.vocabulary.encode(query):
        promised = state.need(word)
        state = state.advance(word)
        assert state.least < promised


def test_a_star_is_no_way_out_behind_a_column_that_a_derived_table_may_not_show() -> None:
    """It hides what stands before it from the sight of the list, not from that of the SELECT."""
    schema = typed(note="id INTEGER, doc JSON")
    queries = ("SELECT * FROM (SELECT doc IS NULL, id FROM note) AS t", "SELECT doc, note.* FROM note")
    constraint = judge(queries, "mysql", schema=schema)
    assert stop(constraint, queries[0]) is None
    assert stop(constraint, queries[1]) is None
    stopped = stop(constraint, "SELECT * FROM (SELECT doc, id FROM note) AS t")
    assert stopped is not None
    assert stopped[0] == len("SELECT * FROM (SELECT doc")


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT t.doc FROM (SELECT »doc IS NULL FROM note) AS t", "the query around takes doc"),
        ("SELECT t.doc FROM (SELECT note.id, »note.doc FROM note) AS t", "the query around takes doc"),
        ("SELECT t.doc FROM (SELECT »* FROM note) AS t", "the query around takes doc"),
        ("SELECT t.id FROM (SELECT * FROM note) AS t", None),
        ("SELECT t.doc FROM (SELECT item.doc FROM item) AS t", None),
        ("SELECT 1 FROM (SELECT 1, doc IS NULL AS doc FROM note) AS t", None),
    ],
)
def test_a_column_that_a_derived_table_hides_pays_for_no_name(sql: str, why: str | None) -> None:
    """It would be compared or cast, and then be called something else."""
    plain = sql.replace("»", "")
    schema = typed(note="id INTEGER, doc JSON", item="id INTEGER, doc DATE")
    constraint = judge((plain, "SELECT note.doc, doc, item.doc AS t FROM note, item"), "mysql", schema=schema)
    found = stop(constraint, plain)
    assert (found is None) == (why is None), found
    assert found is None or (found[0] == sql.index("»") and str(why) in found[1]), found
    state = constraint.start()
    for word in constraint.vocabulary.encode(plain):
        for able in np.flatnonzero(state.allowed()).tolist():
            assert able == EOS or state.advance(able).least < state.need(able)
        if not state.allowed()[word]:
            break
        state = state.advance(word)
