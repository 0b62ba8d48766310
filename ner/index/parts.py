"""Cells of which a question says some whole words: «Spielberg» for «Steven Spielberg»."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .found import FoundValue
from .keys import is_cjk
from .question import Question, Run
from .store import Cell, Store

__all__ = ["parts"]

_MOST_CELLS = 4  # a run that more cells hold says none of them
_MOST_WORDS = 6
_CJK_WORDS = 16
_RARE_LETTERS = 4


def parts(question: Question, store: Store, taken: Sequence[FoundValue]) -> list[FoundValue]:
    """Find longer cells by runs of words that few cells hold, the longest run first."""
    known = store.known(word.key for word in question.words)
    found: list[FoundValue] = []
    for run in sorted(_runs(question, known), key=lambda run: (run.start - run.end, run.start)):
        if any(f.start < run.end and run.start < f.end for f in found) or any(
            t.start <= run.start and run.end <= t.end for t in taken
        ):
            continue
        cells = store.with_words(run.keys, _MOST_CELLS + 1)
        if 0 < len({cell.key for cell in cells}) <= _MOST_CELLS:
            found += [value for cell in cells if (value := _value(question, run, cell)) is not None]
    return found


def _runs(question: Question, known: dict[str, int]) -> Iterator[Run]:
    for first, word in enumerate(question.words):
        if word.key not in known or not word.opens:
            continue
        most = _CJK_WORDS if is_cjk(word.key) else _MOST_WORDS
        for last in range(first + 1, min(len(question.words), first + most) + 1):
            if question.words[last - 1].key not in known:
                break
            run = question.run(first, last)
            if question.words[last - 1].closes and _worth(question, run):
                yield run


def _worth(question: Question, run: Run) -> bool:
    if is_cjk(run.key):
        return len(run.key) > 1 and not question.stopped(run.keys) and not question.names_schema(run.keys)
    if any(question.stopped([key]) for key in (run.keys[0], run.keys[-1])) or run.key.isdigit():
        return False
    return question.marked(run) or (len(run.key) >= _RARE_LETTERS and not question.names_schema(run.keys))


def _value(question: Question, run: Run, cell: Cell) -> FoundValue | None:
    """The more of a cell is said, the surer; a word without a capital must be a good part of it."""
    share = len(run.key) / len(cell.key)
    marked = question.marked(run)
    enough = share > 0.5 or len(run.key) > 3 if is_cjk(run.key) else marked or share >= 0.5
    if share == 1 or not enough:
        return None
    score = 0.2 + 0.3 * share + (0.15 if marked else 0.0)
    return FoundValue(run.start, run.end, run.text, cell.value, "cell", "part", cell.columns, score)
