"""What the local constraint is told of a question's numbers."""

import numpy as np
import pytest
from tiny import EXAMPLES, SCHEMA, example

from querent.grammar import Grammar, Vocabulary
from querent.parser.account import Account, with_numbers, without_unbound

QUERIES = [
    *(e.slotted for e in EXAMPLES),
    "SELECT NAME FROM RIVER WHERE LENGTH > {number0} LIMIT {number1}",
    "SELECT NAME FROM RIVER WHERE NAME = '{number0}'",
]


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary.build(Grammar.for_schema(SCHEMA, dialect="sqlite"), QUERIES)


def told(vocabulary, question, level="runs"):
    values = example(question, "SELECT NAME FROM RIVER").values
    available = without_unbound(vocabulary, values)
    account = Account(available, np.zeros(len(available), np.float32), {}, {}, values)
    return with_numbers(account, vocabulary.grammar.constraint(vocabulary, level=level))


def bare(vocabulary, mask):
    return {w.text for w, on in zip(vocabulary.words, mask, strict=True) if on and w.slots and w.terminal != "STRING"}


@pytest.mark.parametrize(
    ("first", "second", "fractions"),
    [
        ("500", "3", None),
        ("2.5", "3", {"{number0}"}),
        ("500", "-3", {"{number1}"}),
        ("1e3", "+4", {"{number0}", "{number1}"}),
    ],
)
def test_numbers_that_are_not_whole_are_told(vocabulary, first, second, fractions):
    account = told(vocabulary, f"over [{first}|number], [{second}|number] rivers")
    found = None if account.fractions is None else bare(vocabulary, account.fractions)
    assert found == fractions
    assert bare(vocabulary, account.available) == {"{number0}", "{number1}"}


@pytest.mark.parametrize(
    ("number", "left"),
    [
        ("999999999999", True),
        ("1000000000000", False),
        ("000000000000005", True),
        ("0.123456789012", True),
        ("0.1234567890123", False),
        ("1e11", True),
        ("1e13", False),
        ("1e-13", False),
    ],
)
def test_numbers_of_more_digits_than_are_trusted_are_taken_away(vocabulary, number, left):
    assert vocabulary.grammar.constraint(vocabulary).lexicon.types.slot == 12
    account = told(vocabulary, f"over [{number}|number]")
    assert ("{number0}" in bare(vocabulary, account.available)) == left
    # as a text it may be as long as it likes, and below the highest level nobody promised that it runs
    assert account.available[vocabulary.index("'{number0}'", "STRING")]
    assert "{number0}" in bare(vocabulary, told(vocabulary, f"over [{number}|number]", "types").available)
