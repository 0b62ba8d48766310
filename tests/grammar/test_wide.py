"""The wide form of the grammar, what people and language models write beyond our networks; see sql/wide.sql, too."""

import pytest
from rule_cases import LAND

from querent.data.errors import QueryError
from querent.grammar import Constraint, Grammar, State, Vocabulary
from querent.parser.reader.output_vocabulary import fixed_words

DIALECTS = ("sqlite", "mysql", "postgres")


def end_of(dialect: str, sql: str, *, wide: bool = True) -> Constraint:
    """Return the constraint on the words of a query and some numbers."""
    grammar = Grammar.for_schema(LAND, dialect=dialect, wide=wide)
    return Constraint(Vocabulary.build(grammar, [sql, "SELECT 1, 2, 5"]), budget=80)


def written(constraint: Constraint, sql: str, *, without: int = 0) -> State:
    """Return the state after a query's words, but for so many at its end."""
    state, words = constraint.start(), constraint.vocabulary.encode(sql)
    for word in words[: len(words) - without]:
        state = state.advance(word)
    return state


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_network_writes_the_narrow_form_and_its_words_are_the_same(dialect: str) -> None:
    constraint = end_of(dialect, "SELECT state_id FROM city GROUP BY state_id", wide=False)
    state = written(constraint, "SELECT state_id FROM city GROUP BY state_id", without=1)
    assert not state.advance(constraint.vocabulary.index("1", "WHOLE")).complete
    assert ("COLLATE", "COLLATE") not in fixed_words()
    assert ("NOTNULL", "NOTNULL") not in fixed_words()
    assert not {"OVER", "PARTITION", "RANK", "LAG"} & {text for text, _ in fixed_words()}
    assert sum(text == "SUM" for text, _ in fixed_words()) == 1


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("mysql", "SELECT ! NOT TRUE"),  # an exclamation mark binds closer
        ("mysql", "SELECT name IS TRUE LIKE 'x' FROM city"),
        ("postgres", 'SELECT name COLLATE "c" FROM city'),
    ],
)
def test_what_is_no_query_is_not_read(dialect: str, sql: str) -> None:
    with pytest.raises(QueryError):
        Grammar.for_schema(LAND, dialect=dialect, wide=True).tokenize(sql)
