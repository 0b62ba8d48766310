"""What a question's values make of the words with slots."""

import pytest
from tiny import EXAMPLES, SCHEMA, example

from querent.data.check_rules import objection
from querent.grammar import Grammar, Vocabulary
from querent.parser.account import without_unbound

LIMIT = "SELECT NAME FROM RIVER WHERE LENGTH > {number0} LIMIT {number1}"
SUM = "SELECT SUM ( {number0} ) FROM RIVER"
TEXT = "SELECT NAME FROM RIVER WHERE NAME = '{number0}'"


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary.build(
        Grammar.for_schema(SCHEMA, dialect="sqlite"), [e.slotted for e in EXAMPLES] + [LIMIT, SUM, TEXT]
    )


@pytest.fixture(scope="module")
def constraints(vocabulary):
    return {level: vocabulary.grammar.constraint(vocabulary, level=level) for level in ("types", "runs")}


def refused(constraint, query, *numbers):
    """Return the text of the word that may not come, and why, when the question names these numbers."""
    pair = example(", ".join(f"[{n}|number]" for n in numbers), "SELECT NAME FROM RIVER")
    ids = constraint.vocabulary.encode(query)
    assert without_unbound(constraint.vocabulary, pair.values)[ids].all()
    found = objection(constraint, ids, {v.slot: v.mention.sql for v in pair.values})
    return found and (constraint.vocabulary.words[ids[found[0]]].text, found[1].partition(": ")[2])


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        ("3", None),
        ("999999999999999999", None),
        ("0000000000000000000003", None),
        ("1000000000000000000", "LIMIT is too large"),
        ("2.5", "LIMIT takes a whole number"),
        ("-3", "LIMIT takes a whole number"),
        ("1e3", "LIMIT takes a whole number"),
    ],
)
def test_only_a_whole_number_that_fits_stands_behind_limit(constraints, number, problem):
    assert refused(constraints["runs"], LIMIT, "7.5", number) == (problem and ("{number1}", problem))
    # below the highest level nobody promised that it runs
    assert refused(constraints["types"], LIMIT, "7.5", number) is None


@pytest.mark.parametrize(
    ("number", "fits"),
    [
        ("5", True),
        ("999999999999", True),
        ("1000000000000", False),
        ("000000000000005", True),
        ("1000000000000.5", True),  # no integer, and so it cannot overflow
    ],
)
def test_a_number_of_more_digits_than_are_trusted_is_refused_where_it_could_overflow(constraints, number, fits):
    assert constraints["runs"].lexicon.types.slot == 12
    assert refused(constraints["runs"], SUM, number) == (None if fits else (")", "SUM could fail on some rows"))
    # compared, or as a text, it may be as long as it likes, and below the highest level nobody promised that it runs
    assert refused(constraints["runs"], LIMIT, number, "3") is None
    assert refused(constraints["runs"], TEXT, number) is None
    assert refused(constraints["types"], SUM, number) is None
