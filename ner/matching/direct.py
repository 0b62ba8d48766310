"""Values that a question quotes or names, looked up in the columns that the index leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..index.found import FoundValue
from ..index.keys import key_of, words_of
from ..index.on_the_spot import Place, SpotLookup, may_hold
from ..index.store import Cell
from .matching import cell_values
from .question import QuestionRuns, Run

__all__ = ["direct"]

_CODE = re.compile(r"[\w.@/:+#%&=-]++", re.ASCII)
_NO_WORD = re.compile(r"[\d@_]", re.ASCII)


def direct(
    question: QuestionRuns,
    lookup: SpotLookup,
    shapes: Mapping[Place, str],
    mentions: Iterable[tuple[int, int]],
    found: Sequence[FoundValue],
) -> list[FoundValue]:
    """Return what was found with the cells that a question quotes or names; of the latter what a column may hold.

    Args:
        lookup: asks the database.
        shapes: of the columns that are looked into, see `shape_of`.
        mentions: (start, end) of further texts that are values.
        found: what the index has found; a cell that stands in further columns gets these, too.
    """
    runs = {question.text[start:end]: run for start, end, run in _named(question, mentions)}
    held: dict[str, list[Place]] = {}
    said = {question.text[start:end] for start, end in question.quotes}
    wanted = {place: [t for t in runs if t in said or may_hold(shape, t)] for place, shape in shapes.items()}
    for place, cell in lookup.find(wanted):
        held.setdefault(cell, []).append(place)
    cells = [Cell(cell, key_of(words_of(cell)), tuple(dict.fromkeys(places)), 1) for cell, places in held.items()]
    known = {(one.start, one.end, one.value, one.how): one for one in found}
    for run in runs.values():
        for one in cell_values(question, run, [cell for cell in cells if cell.key == run.key], None):
            same = known.setdefault((one.start, one.end, one.value, one.how), one)
            columns = tuple(dict.fromkeys([*same.columns, *one.columns]))
            known[one.start, one.end, one.value, one.how] = replace(same, columns=columns)
    return list(known.values())


def _named(question: QuestionRuns, mentions: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, Run]]:
    """Yield (start, end) of quoted texts, mentions, codes, addresses and names with capitals, with their words."""
    found = (match for match in _CODE.finditer(question.text) if _NO_WORD.search(match[0]))
    codes = ((match.start(), match.start() + len(match[0].rstrip(".:"))) for match in found)
    for start, end in dict.fromkeys([*question.quotes, *mentions, *codes, *_names(question)]):
        inside = [n for n, word in enumerate(question.words) if start <= word.start and word.end <= end]
        if inside:
            yield start, end, question.run(inside[0], inside[-1] + 1)


def _names(question: QuestionRuns) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the longest runs of words with a capital, but for one that a sentence begins with."""
    first: int | None = None
    for n in range(len(question.words) + 1):
        capital = n < len(question.words) and question.words[n].capital and not question.opens_sentence(n)
        if capital and first is None:
            first = n
        elif not capital and first is not None:
            yield question.words[first].start, question.words[n - 1].end
            first = None
