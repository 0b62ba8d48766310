"""Cells that a question names: as whole runs of words, with a typo, by some of their words, as codes, or in quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from ..cells.cells import Place, SpotLookup, may_hold
from ..cells.found import FoundValue, How
from ..cells.store import Cell, IndexStore
from ..language.keys import fold, is_cjk, key_of, near_enough, terms_of, words_of
from ..language.words import meanings_of
from .question import QuestionRuns, Run, forms_of
from .scoring import score_of, spelled, touches

__all__ = ["codes", "direct", "other_keys", "parts", "same", "typos"]

_ALONE = r"(?<![^\W_])"
_ENDED = r"(?![^\W_])"
_RUN = re.compile(rf"{_ALONE}[a-z\d]+(?:[.-][a-z\d]+)*{_ENDED}", re.IGNORECASE | re.ASCII)
# a column of texts keeps the zeros that a number loses
_ZEROS = re.compile(r"(?<![\w.,:/-])0\d{2,}(?![\w,:/-])(?!\.\d)", re.ASCII)
_HYPHENED = re.compile(r"(?<![\w.,:/-])\d+(?:-\d+)+(?![\w:/-])(?!\.\d)", re.ASCII)
_COUNTED = re.compile(
    r"(?<!\d)(?<!\d\.)\d++(?:\.\d++)*+\s?(?:[年月日号级届岁%]|万?元|亿元?|万|厘米|公里|千米|米|公斤|分钟|小时)"
)


def codes(question: QuestionRuns, said: Sequence[FoundValue]) -> Iterator[FoundValue]:
    """Yield «i7», «H52.059», «0655890», «2524-6» and, in Chinese, «170厘米»; nothing inside of what is said.

    Args:
        said: numbers and times of the question.
    """
    chinese = any(is_cjk(word.text) for word in question.words)
    found = [(match.span(), 0.35) for match in _RUN.finditer(question.text) if _mixed(match[0])]
    found += [(match.span(), 0.4) for match in _ZEROS.finditer(question.text)]
    found += [(match.span(), 0.35) for match in _HYPHENED.finditer(question.text) if _uneven(match[0])]
    found += [(match.span(), 0.25) for match in _COUNTED.finditer(question.text) if chinese]
    for (start, end), score in found:
        if not any(_tells(one, start, end) for one in said) and not question.is_quoted(start, end):
            text = question.text[start:end]
            yield FoundValue(start, end, text, text, "text", "literal", (), score)


def _tells(said: FoundValue, start: int, end: int) -> bool:
    """Is this a piece of a time, or of a longer number?"""
    if said.kind == "time":
        return said.start < end and start < said.end
    return said.start <= start and end <= said.end and said.end - said.start > end - start


def _mixed(text: str) -> bool:
    return any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)


def _uneven(text: str) -> bool:
    """Tell a code from a range: both ends of «2010-2015» have as many digits."""
    return len({len(part) for part in text.split("-")}) > 1


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


_MAX_CELLS = 4  # a run that more cells hold says none of them
_MAX_WORDS = 6
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
