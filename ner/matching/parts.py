"""Cells of which a question says some whole words: «Spielberg» for «Steven Spielberg»."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..index.found import FoundValue
from ..index.keys import is_cjk, terms_of
from ..index.store import Cell, IndexStore
from .question import QuestionRuns, Run

__all__ = ["parts"]

_MAX_CELLS = 4  # a run that more cells hold says none of them
_MAX_WORDS = 6
_CJK_WORDS = 16
_RARE_LETTERS = 4
_COMMON = 20_000  # cells of a word; a run of such words alone is not looked for, since that takes long


def parts(question: QuestionRuns, store: IndexStore, taken: Sequence[FoundValue]) -> list[FoundValue]:
    """Find longer cells by runs of words that few cells hold, the longest run first."""
    held = {run: cells for run, cells in _held(question, store, taken) if _worth(question, run)}
    found: list[FoundValue] = []
    for run in sorted(held, key=lambda run: (run.start - run.end, run.start)):
        few = len({cell.key for cell in held[run]}) <= _MAX_CELLS
        if few and not any(f.start < run.end and run.start < f.end for f in found):
            found += [value for cell in held[run] if (value := _value(question, run, cell)) is not None]
    return found


def _held(question: QuestionRuns, store: IndexStore, taken: Sequence[FoundValue]) -> Iterator[tuple[Run, list[Cell]]]:
    """Yield runs with the cells that hold them; where no cell holds a run, none holds a longer one."""
    known = store.known(term for n in range(len(question.words)) for term in _terms_at(question, n))
    for first, word in enumerate(question.words):
        if not word.opens or question.stopped([word.key]) or not any(t in known for t in _terms_at(question, first)):
            continue
        cjk = is_cjk(word.key)
        for last in range(first + (2 if cjk else 1), min(len(question.words), first + _most(cjk)) + 1):
            run = question.run(first, last)
            counts = [known.get(term, 0) for term in terms_of(run.keys)]
            if not all(counts) or min(counts) > _COMMON:
                break
            if any(t.start <= run.start and run.end <= t.end for t in taken):
                continue
            cells = store.holding(terms_of(run.keys), _MAX_CELLS + 1)
            if not cells:
                break
            if question.words[last - 1].closes:
                yield run, cells


def _terms_at(question: QuestionRuns, n: int) -> list[str]:
    """Return the term that begins with a word, alone and with the next one."""
    return [question.words[n].key, *terms_of([word.key for word in question.words[n : n + 2]])[:1]]


def _most(cjk: bool) -> int:
    return _CJK_WORDS if cjk else _MAX_WORDS


def _worth(question: QuestionRuns, run: Run) -> bool:
    if is_cjk(run.key):
        return not question.stopped(run.keys) and not question.names_schema(run.keys)
    if question.stopped(run.keys[-1:]) or run.key.isdigit():
        return False
    return question.marked(run) or (len(run.key) >= _RARE_LETTERS and not question.names_schema(run.keys))


def _value(question: QuestionRuns, run: Run, cell: Cell) -> FoundValue | None:
    """The more of a cell is said, the surer; a word without a capital must be a good part of it."""
    share = len(run.key) / len(cell.key)
    marked = question.marked(run)
    if is_cjk(run.key):  # «微软» for «微软集团»
        enough = share > 0.5 or (share == 0.5 and cell.key.startswith(run.key)) or (len(run.key) > 2 and share >= 0.4)
    else:
        enough = marked or share >= 0.5
    if share == 1 or not enough:
        return None
    score = 0.2 + 0.3 * share + (0.15 if marked else 0.0)
    return FoundValue(run.start, run.end, run.text, cell.value, "cell", "part", cell.columns, score)
