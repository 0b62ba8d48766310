"""The wide form of the grammar, what people and language models write beyond our networks; see sql/wide.sql, too."""

from __future__ import annotations

import pytest
from rule_cases import LAND, judge, typed

from querent.data.errors import QueryError
from querent.grammar import Constraint, Grammar, State, Vocabulary
from querent.parser.reader.output_vocabulary import fixed_words

DIALECTS = ("sqlite", "mysql", "postgres")
EVERYDAY = [
    "SELECT state_id , COUNT ( * ) FROM city GROUP BY 1 ORDER BY 2 DESC",
    "SELECT people + 1 , COUNT ( * ) FROM city GROUP BY 1",
    "SELECT ALL + people FROM city",
    "SELECT COUNT ( ALL people ) FROM city",
    "SELECT name FROM city UNION SELECT name FROM state ORDER BY 1",
    "SELECT 1 WHERE 2 > 1",
    "SELECT id FROM city WHERE ( name , people ) = ( 'x' , 1 )",
]
WRONG = [
    ("SELECT name FROM city ORDER BY", "2"),
    ("SELECT * FROM state ORDER BY", "5"),
    ("SELECT name , COUNT ( * ) FROM city GROUP BY", "2"),
    ("SELECT name FROM city UNION SELECT name FROM state ORDER BY", "2"),
]


def end_of(dialect: str, sql: str, *, wide: bool = True, more: str = "SELECT 1, 2, 5") -> Constraint:
    """Return the constraint on the words of a query and some more."""
    grammar = Grammar.for_schema(LAND, dialect=dialect, wide=wide)
    return Constraint(Vocabulary.build(grammar, [sql, more]), budget=80)


def written(constraint: Constraint, sql: str, *, without: int = 0) -> State:
    """Return the state after a query's words, but for so many at its end."""
    state, words = constraint.start(), constraint.vocabulary.encode(sql)
    for word in words[: len(words) - without]:
        state = state.advance(word)
    return state


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", EVERYDAY)
def test_what_is_everyday_is_admitted(dialect: str, sql: str) -> None:
    assert written(end_of(dialect, sql), sql).complete


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("begun", "number"), WRONG)
def test_a_number_that_stands_for_no_item_is_never_offered(dialect: str, begun: str, number: str) -> None:
    constraint = end_of(dialect, f"{begun} 1")
    state = written(constraint, f"{begun} 1", without=1)
    index = constraint.vocabulary.index
    assert not state.allowed()[index(number, "WHOLE")]
    assert not state.admits(index(number, "WHOLE"))
    assert state.allowed()[index("1", "WHOLE")]
    assert state.admits(index("1", "WHOLE"))


def test_a_collation_is_told_by_its_name() -> None:
    assert end_of("postgres", 'SELECT name COLLATE "C" FROM city').vocabulary.grammar.tokenize(
        "SELECT 'a' COLLATE \"C\""
    )
    with pytest.raises(QueryError):
        end_of("postgres", "SELECT name FROM city").vocabulary.grammar.tokenize("SELECT 'a' COLLATE \"c\"")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_network_writes_the_narrow_form_and_its_words_are_the_same(dialect: str) -> None:
    constraint = end_of(dialect, "SELECT state_id FROM city GROUP BY state_id", wide=False)
    state = written(constraint, "SELECT state_id FROM city GROUP BY state_id", without=1)
    assert not state.advance(constraint.vocabulary.index("1", "WHOLE")).complete
    assert ("COLLATE", "COLLATE") not in fixed_words()
    assert ("NOTNULL", "NOTNULL") not in fixed_words()


SEVERAL = [
    "SELECT c.name , COUNT ( * ) FROM city AS c WHERE c.people > 1 GROUP BY 1 ORDER BY 2",
    # of the bare columns of river one is shown by the derived table, too
    "SELECT c.source , length , source , deep FROM river , (SELECT source FROM river) AS c",
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", SEVERAL)
def test_one_word_is_judged_as_all_are(dialect: str, sql: str) -> None:
    """`State.admits` reckons one word, `State.allowed` all of them; of many that are asked for, too: names first."""
    eager, lazy = end_of(dialect, sql), end_of(dialect, sql)
    state, other = eager.start(), lazy.start()
    order = sorted(range(len(eager.vocabulary)), key=lambda i: eager.vocabulary.words[i].kind != "column")
    for word in eager.vocabulary.encode(sql):
        mask = state.allowed()
        assert [other.admits(i) for i in order] == mask[order].tolist()
        if not mask[word]:
            return
        state = state.advance(word)
        other = other.advance(word)
    assert state.complete


@pytest.mark.parametrize("sql", ["SELECT ! NOT TRUE", "SELECT name IS TRUE LIKE 'x' FROM city"])
def test_an_exclamation_mark_binds_closer_than_not(sql: str) -> None:
    with pytest.raises(QueryError):
        judge((sql,), "mysql", wide=True)


def test_a_table_that_nothing_can_join_stands_in_no_brackets() -> None:
    """A second one would show the bare column, too."""
    grammar = Grammar.for_schema(typed(paper="ink TEXT, size TEXT"), dialect="postgres", wide=True)
    sql = "SELECT ink FROM ( paper paper"
    vocabulary = Vocabulary.build(
        grammar, ["SELECT ink FROM paper paper", "SELECT a.size FROM (paper paper JOIN paper a ON TRUE)"]
    )
    state = Constraint(vocabulary, budget=80).start()
    for word in sql.split():
        able = [i for i, w in enumerate(vocabulary.words) if w.text == word and state.allowed()[i]]
        if not able:
            return
        state = state.advance(able[0])
    assert state.allowed().any()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_bracket_in_from_needs_what_was_promised(dialect: str) -> None:
    """The shortest way on is a derived table, though a join may stand there, too."""
    sql = "SELECT 1 FROM (SELECT 1 AS n) AS t"
    constraint = end_of(dialect, sql)
    state = written(constraint, sql, without=8)
    bracket = constraint.vocabulary.index("(", "LPAR")
    after = state.advance(bracket)
    assert state.next_words.totals[bracket] >= 1 + after.next_words.totals.min()
