"""Large schemas pruned to what a question may be about, and where the words stand then."""

from __future__ import annotations

import numpy as np
import pytest
from reader_cases import context, german, large, question, value, vectors

from querent.parser.reader import inputs as schema_pruning
from querent.parser.reader.inputs import pruned
from querent.parser.reader.output_vocabulary import END, ROLES, fixed_words, remapped

FIXED = len(fixed_words())


def test_a_schema_of_usual_size_is_read_whole() -> None:
    items = context("music").items
    assert pruned(german(), items, vectors()).tolist() == list(range(len(items)))


def test_of_a_large_one_what_the_question_says_stays() -> None:
    items, text = large(), "what is the wingspan of the Concorde?"
    asked = question(text, value(text, "Concorde", columns=(("craft names", "label"),)))
    kept = pruned(asked, items, vectors())
    assert (np.diff(kept) > 0).all()
    columns = kept[kept >= items.tables]
    assert len(columns) == schema_pruning.MAX_COLUMNS < len(items) - items.tables
    assert set(kept[kept < items.tables]) == set(items.owner[columns])  # their tables, and no others
    for name in (("aircraft",), ("aircraft", "wingspan"), ("craft names", "label"), ("craft names",)):
        assert items.find(*name) in kept
    assert pruned(asked, items, vectors()).tolist() == kept.tolist()


@pytest.mark.parametrize("most", [1, 5])
def test_cells_and_names_come_first(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(schema_pruning, "MAX_COLUMNS", most)
    items, text = large(), "what is the wingspan of the Concorde?"
    cell = value(text, "Concorde", columns=(("craft names", "label"),))
    kept = pruned(question(text, cell), items, vectors())
    assert items.find("craft names", "label") in kept
    assert (items.find("aircraft", "wingspan") in kept) == (most > 1)


def test_words_of_items_that_are_not_read_have_no_place() -> None:
    kept, total = np.array([0, 2, 5]), 7
    places = np.array([-1, 0, END, FIXED - 1, *(FIXED + node * ROLES + 3 for node in range(total + 2))])
    moved = remapped(places, kept, total=total, items=10)
    assert moved[:4].tolist() == [-1, 0, END, FIXED - 1]
    nodes = [(place - FIXED) // ROLES if place >= 0 else None for place in moved[4:]]
    assert nodes == [0, None, 1, None, None, 2, None, 10, 11]  # values stand behind the places for items
    assert all((place - FIXED) % ROLES == 3 for place in moved[4:] if place >= 0)


def test_all_items_read_all_words_stay() -> None:
    outputs, items = context("music").outputs, context("music").items
    assert np.array_equal(
        remapped(outputs.places, np.arange(len(items)), total=len(items), items=len(items)), outputs.places
    )
    assert remapped(np.zeros(0, np.int64), np.arange(3), total=3, items=3).tolist() == []
