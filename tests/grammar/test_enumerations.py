"""Types that list their values.

MySQL's ENUM and SET are texts to texts, and integers, of which nothing is known, to arithmetic. PostgreSQL's are each a
type of its own: beside one stand its own labels, columns of the same type, and NULL. sql/enumerations.sql has queries.
"""

from collections.abc import Callable

import numpy as np

from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Constraint, Grammar, Vocabulary

PHASE = "phase enum('new','open','done')"
TICKET = Schema((Table("ticket", (Column("phase", PHASE), Column("title", "text"))),))


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
