"""Cells that whole runs of a question say: the same text, another form of the word, or one typo."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz.distance import OSA

from ..index.found import FoundValue, How
from ..index.keys import fold, is_cjk, key_of, near_enough, words_of
from ..index.store import Cell, IndexStore
from ..words import meanings_of
from .question import QuestionRuns, Run
from .schema_words import forms_of
from .scoring import score_of, spelled, touches

__all__ = ["cell_values", "other_keys", "same", "typos"]

_FORM_WORDS = 4  # words of the longest run whose last word is tried in singular and plural
_CJK_WORDS = 16  # characters of the longest run in which one may be another
_EDGES = re.compile(r"^(\W*)(?:.*?)(\W*)$", re.DOTALL)


def same(question: QuestionRuns, store: IndexStore) -> list[FoundValue]:
    """Find the cells whose key a run has, or has but for the form of its last word, or means."""
    runs = list(question.runs(store.longest))
    others = {run: list(other_keys(run)) for run in runs if len(run.keys) <= _FORM_WORDS}
    keys = [run.key for run in runs] + [key for tried in others.values() for key, _ in tried]
    cells = store.by_key(keys)
    found: list[FoundValue] = []
    for run in runs:
        if run.key in cells:
            found += cell_values(question, run, cells[run.key], None)
        for key, how in others.get(run, ()):
            if key in cells:
                found += cell_values(question, run, cells[key], how)
    return found


def typos(question: QuestionRuns, store: IndexStore, taken: Sequence[FoundValue]) -> list[FoundValue]:
    """Find the cells that a run says but for one letter; words that other cells hold are no typos."""
    known = store.known(word.key for word in question.words)
    found: list[FoundValue] = []
    for run in question.runs(min(_CJK_WORDS, store.longest)):
        if len(run.keys) > _FORM_WORDS and not is_cjk(run.key):
            continue
        if not _may_be_wrong(question, run, known) or any(touches(t, run.start, run.end) for t in taken):
            continue
        near = [key for key in store.near(run.key) if OSA.distance(run.key, key, score_cutoff=1) == 1]
        for cells in store.by_key(near).values():
            found += cell_values(question, run, cells, "typo")
    return found


def _may_be_wrong(question: QuestionRuns, run: Run, known: dict[str, int]) -> bool:
    # of a Chinese name one character may be left out: the shortest cell has one more
    if not near_enough(run.key + run.key[:1] * is_cjk(run.key)):
        return False
    # «Mary Browm» is no name of the database even if both words are
    if all(key in known for key in run.keys) and not (len(run.keys) > 1 and question.marked(run)):
        return False
    if question.stopped(run.keys[:1]) or question.stopped(run.keys[-1:]) or question.names_schema(run.keys):
        return False
    return question.marked(run) or len(run.key) > 6 or is_cjk(run.key)


def other_keys(run: Run) -> Iterator[tuple[str, How]]:
    """Yield the keys of other forms of a run's last word, and of other words for the run, with how they say it."""
    *before, last = run.keys
    for form in forms_of(last):
        yield key_of([*before, form]), "stem"
    for meant in meanings_of(("" if is_cjk(last) else " ").join(run.keys)):
        yield key_of(words_of(meant)), "meaning"


def cell_values(question: QuestionRuns, run: Run, cells: Iterable[Cell], how: How | None) -> Iterator[FoundValue]:
    """Yield the cells that a run says, the question's own spelling first; ``how`` is told by the cell if None."""
    for cell in spelled(cells, run.text):
        if run.key.isdigit() and words_of(cell.value) != list(run.keys):
            continue  # «1%~8%» is not said by «18»
        start, end = _whole(question.text, run, cell.value)
        text = question.text[start:end]
        told = how or ("exact" if text == cell.value.strip() else "folded")
        score = score_of(question, run, told)
        if score > 0:
            yield FoundValue(start, end, text, cell.value, "cell", told, cell.columns, score)


def _whole(text: str, run: Run, value: str) -> tuple[int, int]:
    """Take in the signs around a run that the cell has, too: «A+», «(none)»."""
    edges = _EDGES.match(value.strip())
    left, right = (edges[1], edges[2]) if edges else ("", "")
    start, end = run.start - len(left), run.end + len(right)
    wider = start >= 0 and fold(text[start:end]) == fold(value.strip())
    return (start, end) if wider else (run.start, run.end)
