"""Cells that a question names: as whole runs of words, with a typo, or by some of their words.

Words that names of the schema hold mostly mean the table or column itself. Of matches that overlap the surer counts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import OSA

from ...data.schema.schema import Schema
from ..cells.found import FoundValue, How
from ..cells.store import Cell, IndexStore
from ..language.question import QuestionText, Run, are_stop_words
from ..language.words import fold, is_cjk, key_of, meanings_of, near_enough, terms_of, words_of

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def forms_of(word: str) -> tuple[str, ...]:
    """Return the singulars and plurals that an English word may have.

    >>> forms_of("cities")
    ('city', 'citie')
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return ()
    if word.endswith("ies") and len(word) > 4:
        return (f"{word[:-3]}y", word[:-1])
    if word.endswith("es") and len(word) > 4:
        return (word[:-1], word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        return (word[:-1],)
    if word.endswith("y"):
        return (f"{word[:-1]}ies", f"{word}s")
    return (f"{word}s", f"{word}es")


class SchemaWords:
    """The words of tables' and columns' names, which questions mostly say for the table or column itself.

    Args:
        others: names that the schema does not have.
    """

    def __init__(self, schema: Schema, others: Iterable[str] = ()) -> None:
        named = (one for table in schema.tables for one in (table, *table.columns))
        names = dict.fromkeys([*others, *(name for one in named for name in (one.name, one.description))])
        self._joined = " ".join(dict.fromkeys(fold(name) for name in names if is_cjk(name)))
        words = {word for name in names for word in words_of(_CAMEL.sub(" ", name))}
        self._words = words | {form for word in words for form in forms_of(word)}

    def hold(self, keys: Sequence[str]) -> bool:
        """Do names of the schema hold all these words?"""
        text = "".join(keys)
        return text in self._joined if is_cjk(text) else all(key in self._words for key in keys)


_FORM_WORDS = 4  # words of the longest run whose last word is tried in singular and plural
_CJK_WORDS = 16  # characters of the longest run in which one may be another
_EDGES = re.compile(r"^(\W*)(?:.*?)(\W*)$", re.DOTALL)
_MAX_CELLS = 4  # a run in more cells is evidence of none
_MAX_WORDS = 6
_RARE_LETTERS = 4
_COMMON = 20_000  # cells of a word; a run of such words alone is not looked for, since that takes long
_HOW: dict[How, float] = {"exact": 1.0, "folded": 0.9, "stem": 0.7, "meaning": 0.65, "typo": 0.6}


@dataclass(frozen=True)
class CellMatcher:
    """Finds the cells that one question names.

    Attributes:
        question: what is read.
        schema: the words in names of the schema, which in a question mostly refer to tables and columns.
    """

    question: QuestionText
    schema: SchemaWords

    def exact(self, store: IndexStore) -> list[FoundValue]:
        """Find the cells whose key a run has, or has but for the form of its last word, or means."""
        runs = list(self.question.runs(store.longest))
        others = {run: list(other_keys(run)) for run in runs if len(run.keys) <= _FORM_WORDS}
        cells = store.by_key([run.key for run in runs] + [key for tried in others.values() for key, _ in tried])
        found: list[FoundValue] = []
        for run in runs:
            found += self._values(run, cells.get(run.key, ()))
            for key, how in others.get(run, ()):
                found += self._values(run, cells.get(key, ()), how)
        return found

    def typos(self, store: IndexStore, taken: Sequence[FoundValue] = ()) -> list[FoundValue]:
        """Find the cells that differ from a run in one letter; words of other cells are no typos."""
        known = store.known(word.key for word in self.question.words)
        found: list[FoundValue] = []
        for run in self.question.runs(min(_CJK_WORDS, store.longest)):
            if len(run.keys) > _FORM_WORDS and not is_cjk(run.key):
                continue
            if not self._may_be_wrong(run, known) or any(_leaves_no_room(t, run.start, run.end) for t in taken):
                continue
            near = [key for key in store.near(run.key) if OSA.distance(run.key, key, score_cutoff=1) == 1]
            for cells in store.by_key(near).values():
                found += self._values(run, cells, "typo")
        return found

    def _may_be_wrong(self, run: Run, known: Mapping[str, int]) -> bool:
        # of a Chinese name one character may be left out: the shortest cell has one more
        if not near_enough(run.key + run.key[:1] * is_cjk(run.key)):
            return False
        marked = self.question.marked(run)
        # «Mary Browm» is no name of the database even if both words are
        if all(key in known for key in run.keys) and not (len(run.keys) > 1 and marked):
            return False
        if are_stop_words(run.keys[:1]) or are_stop_words(run.keys[-1:]) or self.schema.hold(run.keys):
            return False
        return marked or len(run.key) > 6 or is_cjk(run.key)

    def _values(self, run: Run, cells: Iterable[Cell], how: How | None = None) -> Iterator[FoundValue]:
        """Yield the cells of a run, those spelled like the question first; ``how`` follows from the cell if None."""
        for cell in sorted(cells, key=lambda cell: (cell.value.strip() != run.text, -cell.count, cell.value)):
            if run.key.isdigit() and words_of(cell.value) != list(run.keys):
                continue  # «18» is not «1%~8%»
            start, end = _with_signs(self.question.text, run, cell.value)
            text = self.question.text[start:end]
            match = how or ("exact" if text == cell.value.strip() else "folded")
            if (score := self._score(run, match)) > 0:
                yield FoundValue(start, end, text, cell.value, "cell", match, cell.columns, score)

    def _score(self, run: Run, how: How) -> float:
        """Return how sure it is that a run which matches a cell so means that cell."""
        score = _HOW[how]
        if self.question.is_quoted(run.start, run.end):
            return score
        marked = self.question.marked(run)
        if are_stop_words(run.keys):
            capital = run.text[0].isupper() and run.text != "I" and marked
            return 0.6 if how in {"exact", "meaning"} and capital else 0.0
        if self.schema.hold(run.keys):
            score *= 0.8 if marked and how == "exact" else 0.4
        if len(run.key) > 1:
            return score * 0.7 if run.key.isdigit() else score
        if run.text.isdigit():
            return score * 0.4
        if how == "meaning" and is_cjk(run.key):  # «女» for «F»
            return score * 0.6
        return score * (0.1 if how != "exact" else 0.6 if marked or is_cjk(run.key) else 0.3)

    def partial(self, store: IndexStore, taken: Sequence[FoundValue]) -> list[FoundValue]:
        """Find longer cells by runs of words that few cells hold, the longest run first."""
        held = {run: cells for run, cells in self._held(store, taken) if self._is_worth(run)}
        found: list[FoundValue] = []
        for run in sorted(held, key=lambda run: (run.start - run.end, run.start)):
            few = len({cell.key for cell in held[run]}) <= _MAX_CELLS
            if few and not any(f.start < run.end and run.start < f.end for f in found):
                found += [value for cell in held[run] if (value := self._part(run, cell)) is not None]
        return found

    def _held(self, store: IndexStore, taken: Sequence[FoundValue]) -> Iterator[tuple[Run, list[Cell]]]:
        """Yield runs with the cells that hold them; where no cell holds a run, none holds a longer one."""
        words = self.question.words
        # the term that begins with each word, alone and with the next one
        begun = [{word.key, *terms_of([one.key for one in words[n : n + 2]])[:1]} for n, word in enumerate(words)]
        known = store.known(dict.fromkeys(term for terms in begun for term in terms))
        for first, word in enumerate(words):
            if not word.opens or are_stop_words([word.key]) or begun[first].isdisjoint(known):
                continue
            cjk = is_cjk(word.key)
            for last in range(first + 1 + cjk, min(len(words), first + (_CJK_WORDS if cjk else _MAX_WORDS)) + 1):
                run = self.question.run(first, last)
                counts = [known.get(term, 0) for term in terms_of(run.keys)]
                if not all(counts) or min(counts) > _COMMON:
                    break
                if any(t.start <= run.start and run.end <= t.end for t in taken):
                    continue
                cells = store.holding(terms_of(run.keys), _MAX_CELLS + 1)
                if not cells:
                    break
                if words[last - 1].closes:
                    yield run, cells

    def _is_worth(self, run: Run) -> bool:
        if is_cjk(run.key):
            return not are_stop_words(run.keys) and not self.schema.hold(run.keys)
        if are_stop_words(run.keys[-1:]) or run.key.isdigit():
            return False
        return self.question.marked(run) or (len(run.key) >= _RARE_LETTERS and not self.schema.hold(run.keys))

    def _part(self, run: Run, cell: Cell) -> FoundValue | None:
        """Return a partial match, surer the more of the cell is in the run; words in small letters must be half."""
        share = len(run.key) / len(cell.key)
        marked = self.question.marked(run)
        if is_cjk(run.key):  # «微软» for «微软集团»
            enough = (
                share > 0.5 or (share == 0.5 and cell.key.startswith(run.key)) or (len(run.key) > 2 and share >= 0.4)
            )
        else:
            enough = marked or share >= 0.5
        if share == 1 or not enough:
            return None
        score = 0.2 + 0.3 * share + (0.15 if marked else 0.0)
        return FoundValue(run.start, run.end, run.text, cell.value, "cell", "part", cell.columns, score)


def other_keys(run: Run) -> Iterator[tuple[str, How]]:
    """Yield the keys of other forms of a run's last word, and of other words for the run, with how they say it."""
    *before, last = run.keys
    for form in forms_of(last):
        yield key_of([*before, form]), "stem"
    for meaning in meanings_of(("" if is_cjk(last) else " ").join(run.keys)):
        yield key_of(words_of(meaning)), "meaning"


def _with_signs(text: str, run: Run, value: str) -> tuple[int, int]:
    """Take in the signs around a run that the cell has, too: «A+», «(none)»."""
    edges = _EDGES.match(value.strip())
    left, right = (edges[1], edges[2]) if edges else ("", "")
    start, end = run.start - len(left), run.end + len(right)
    wider = start >= 0 and fold(text[start:end]) == fold(value.strip())
    return (start, end) if wider else (run.start, run.end)


_FLOOR = 0.2
"""Smaller scores are left out."""

_SPELLINGS = 3  # of one span
_SURE = 0.5
_A_WORD = 5  # letters of a word, with the space before it


def drop_overlaps(found: Iterable[FoundValue]) -> list[FoundValue]:
    """Weaken what lies inside or across a longer sure match, and drop guesses that touch one."""
    order = sorted(found, key=lambda f: (f.how in {"typo", "part"} or f.kind == "text", -(f.end - f.start), -f.score))
    sure: list[tuple[int, int]] = []
    kept: list[FoundValue] = []
    for value in order:
        touched = [span for span in sure if span[0] < value.end and value.start < span[1]]
        crossed = value.how == "typo" and any(not _well_within(span, (value.start, value.end)) for span in touched)
        covered = [(a, b) for a, b in touched if a <= value.start and value.end <= b]
        guess = value.how in {"typo", "part"} or value.kind == "text"
        if guess and (covered or crossed or (value.kind == "text" and len(touched) > 1)):
            continue
        # a text that no cell is may well hold one: «清华大学» in a database that knows «清华»
        around = value.kind == "text" and all(value.start <= a and b <= value.end for a, b in touched)
        longer = [] if around else [span for span in touched if span != (value.start, value.end)]
        weak = 1.0 if not longer or value.kind == "quoted" else 0.3 if any(span in covered for span in longer) else 0.6
        kept.append(replace(value, score=value.score * weak))
        if kept[-1].score >= _SURE and value.kind in {"cell", "quoted"}:
            sure.append((value.start, value.end))
    return kept


def _leaves_no_room(value: FoundValue, start: int, end: int) -> bool:
    """Return whether a value excludes a typo there: they overlap, and it is no small part of that text."""
    return value.start < end and start < value.end and not _well_within((value.start, value.end), (start, end))


def _well_within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether one lies within another that has a word more: «Cuma», a title, in «Gukiba Cuma», a person."""
    return other[0] <= span[0] and span[1] <= other[1] and other[1] - other[0] >= span[1] - span[0] + _A_WORD


def ranked(found: Iterable[FoundValue], most: int) -> tuple[FoundValue, ...]:
    """Return the best, each once, with at most a few spellings of one span, in order of score."""
    spans: Counter[tuple[int, int, str, bool]] = Counter()
    seen: set[tuple[object, ...]] = set()
    best: list[FoundValue] = []
    for value in sorted(found, key=lambda f: (-f.score, f.kind != "quoted", f.start, -f.end)):
        span = (value.start, value.end, value.kind, value.how == "literal")
        period = value.span and (value.span.interval, value.span.part, value.span.numbers, value.span.bound)
        same = (value.value, "number" if value.kind == "number" else "text", period)
        if value.score < _FLOOR or same in seen or spans[span] >= _SPELLINGS:
            continue
        spans[span] += 1
        seen.add(same)
        best.append(value)
    return tuple(best[:most])
