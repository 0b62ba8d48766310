"""The nearest query that would run, one word changed; and what could have stood in place of a word.

Words that are spelled alike are tried first, then the keywords and operators that may stand where the query is stopped,
then the same at earlier words. Each is held against the constraint over the rest of the query.
"""

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from rapidfuzz.fuzz import ratio

from ..data.values.slots import quoted
from ..grammar import EOS, Grammar, Word
from ..grammar.stack.time_limit import OutOfTime
from .query_words import QueryWords, Walk, after, labels
from .refusal import OF_PHRASES, Refusal

_PART = 0.9
"""Of a name's likeness if one of its parts is written: ``price`` for ``unit_price``."""

_BEGINNING = 0.8
"""The likeness of ``pop`` and ``population``."""

_LEAST = {"function": 0.75, "constant": 0.75}


def alike(text: str, word: Word) -> bool:
    """Say whether a text may be a misspelling of a word."""
    return likeness(text, word) >= _LEAST.get(word.kind, 0.6)


def likeness(text: str, word: Word, tables: Collection[str] = ()) -> float:
    """Return how alike a text and a word are, about 0 to 1.

    Of names with an owner it is their last parts; owners, and whether there is one, decide between equals, and so does
    whether the word is of one of some ``tables``, given in lower case.
    """
    if word.kind == "constant":
        same = float(text.strip("'") == word.text.strip("'"))
        return same or (ratio(text.lower(), word.text.lower()) / 100 if text[:1] == word.text[:1] == "'" else 0.0)
    if word.kind in {"keyword", "function"}:
        return ratio(text.upper(), word.text) / 100
    if word.kind == "operator":
        return 0.0
    owner, _, last = text.lower().rpartition(".")
    of, _, _ = word.text.lower().rpartition(".")
    written, name = last.strip('"`[]'), (word.column or word.table or word.text).lower()
    hints = 0.04 * (owner == of) + 0.02 * ratio(owner, of) / 100 + 0.02 * (bool(owner) == bool(of))
    hints += 0.02 * any(table.lower() in tables for table in word.tables)
    return _names(written, name) + hints + 0.01 * ratio(written, name) / 100


def _names(written: str, name: str) -> float:
    parts = [part for part in re.split(r"[\W_]+", name) if part != name]
    likest = max((ratio(written, part) for part in parts), default=0.0) * _PART
    begun = len(written) > 2 and name.startswith(written)
    return max(ratio(written, name) / 100, likest / 100, _BEGINNING if begun else 0.0)


@dataclass(frozen=True)
class Edit:
    """A change at the ``place``-th word of a query.

    Attributes:
        length: 1 if a word goes, 0 if one is put in before it.
        word: what comes, by its number in the vocabulary; None if nothing does.
        everywhere: every later word of the same spelling is replaced, too.
    """

    place: int
    length: int = 0
    word: int | None = None
    everywhere: bool = False

    def places(self, query: QueryWords) -> list[int]:
        """Return the places of the words that are replaced."""
        if not self.everywhere:
            return [self.place]
        text = query.lexemes[self.place].text.lower()
        return [p for p, lexeme in enumerate(query.lexemes) if p >= self.place and lexeme.text.lower() == text]


def written(query: QueryWords, edit: Edit) -> str:
    """Return a query's text after an edit; all else stays as it is."""
    sql, lexemes = query.sql, query.lexemes
    if edit.word is None:
        gone = lexemes[edit.place]
        return f"{sql[: gone.start].rstrip()} {sql[gone.end :].lstrip()}".strip()
    word = query.vocabulary.words[edit.word].text
    if edit.length:
        for place in reversed(edit.places(query)):
            sql = sql[: lexemes[place].start] + word + sql[lexemes[place].end :]
        return sql
    return _put_in(query, edit.place, word)


def _put_in(query: QueryWords, place: int, word: str) -> str:
    sql = query.sql
    if not place:
        return f"{word} {sql}"
    at = query.lexemes[place - 1].end
    called = any(query.vocabulary.words[i].kind == "function" for i in query.choices[place - 1])
    before = "" if word in {",", ")"} or (word == "(" and called) else " "
    behind = "" if at == len(sql) or sql[at].isspace() or word in {"(", ")"} else " "
    return sql[:at] + before + word + behind + sql[at:]


_LISTED = 5
"""Words of a kind that are listed."""

_TRIED = 25
"""Words, the most alike, for which it is checked whether the rest may follow."""


def allowed(query: QueryWords, found: Walk, refused: Refusal) -> dict[str, tuple[str, ...]]:
    """Return what may come in place of the word to blame, by kind; those that are spelled alike come first.

    Functions and constants are listed only if they are alike, or labels: a list of all helps nobody. Where a later word
    was stopped, it is what the query comes past that word with.
    """
    states = found.before[refused.place]
    able = np.flatnonzero(np.any([state.allowed() for state in states], axis=0)).tolist()
    text = query.lexemes[refused.place].text if refused.place < len(query.lexemes) else ""
    words = query.vocabulary.words
    able.sort(key=lambda i: -likeness(text, words[i], query.tables))
    if refused.place < refused.stopped:
        rest = [*query.choices, (EOS,)][refused.place + 1 : refused.stopped + 1]
        able = [i for i in able[:_TRIED] if after(states, [(i,), *rest])]
    able = _telling(query, refused, able)
    kinds: dict[str, list[str]] = {}
    for i in able:
        word = words[i]
        listed = kinds.setdefault("end" if i == EOS else word.kind, [])
        if len(listed) < _LISTED and not _again(word, text, listed):
            listed.append("(end)" if i == EOS else word.text)
    return {kind: tuple(listed) for kind, listed in kinds.items()}


def _telling(query: QueryWords, refused: Refusal, able: list[int]) -> list[int]:
    """Leave out what nobody looks for there: constants and functions of other spelling, keywords in place of names."""
    words, place = query.vocabulary.words, refused.place
    lexeme = query.lexemes[place] if place < len(query.lexemes) else None
    known = {words[i].kind for i in query.choices[place]} if lexeme else set[str]()
    if lexeme and not known and query.called(place):
        return [i for i in able if words[i].kind == "function"]
    text = lexeme.text if lexeme else ""
    listed = labels(query.vocabulary.grammar) if refused.rule == "comparisons" else ()
    kept = {i for i in able if words[i].kind not in {"function", "constant"} or words[i].text in listed}
    able = [i for i in able if i in kept or alike(text, words[i])]
    if lexeme and lexeme.kind == "name" and refused.rule != "grammar" and not known & {"keyword", "function"}:
        return [i for i in able if words[i].kind not in {"keyword", "operator"}]
    return able


def _again(word: Word, text: str, listed: list[str]) -> bool:
    """Say whether a column is listed already, in the way that the query writes columns."""
    other_way = word.kind == "column" and ("." in text) != ("." in word.text)
    return other_way and len(listed) > 0


_NEAR = 8
"""Words alike that are tried at one place."""

_BACK = 12
"""Places before the word that is stopped where keywords and operators are tried."""

_SECONDS = 1.5
"""Of work that a search may take, where the query's own bound leaves so many."""

_FORGOTTEN = (",", ")", "(", "BY", "AND", "ON", "AS", "FROM", "WHERE", "END", "THEN", "=", "SELECT", "JOIN", "NULL")
"""Words that are forgotten most often."""

_TELLING = frozenset({"NULL", "TRUE", "FALSE", "*", "CASE", "NOT", "-", "EXISTS", "DISTINCT", "ALL", "ANY", "SOME"})
"""Words that change the meaning of a query: they are not put in."""

_FAMILIES = (
    frozenset({"WHERE", "HAVING", "ON", "AND"}),
    frozenset({"=", "==", "<>", "!=", "<", "<=", ">", ">=", "IN", "LIKE", "IS", "BETWEEN"}),
)
"""Words that are mistaken for one another."""


_CONSTANT = frozenset({"constant terms", "aggregate place"})
"""Rules on what a number stands for: a text in its place would stand for nothing."""

_BEFORE_TEXTS = frozenset({"=", "<>", "!=", "LIKE", "(", ","})


class Search:
    """Looks for the nearest query.

    Args:
        runs: returns whether a whole text runs.
    """

    def __init__(
        self, grammar: Grammar, query: QueryWords, found: Walk, refused: Refusal, runs: Callable[[str], bool]
    ) -> None:
        self._grammar = grammar
        self._query = query
        self._words = query.vocabulary.words
        self._before = found.before
        self._refused = refused
        self._runs = runs

    def find(self) -> tuple[str, int] | None:
        """Return the nearest query that runs, and the place of the word that is another; None if none was found."""
        until = time.thread_time() + _SECONDS  # whatever else the machine does
        with suppress(OutOfTime):
            for text in self._texts():
                if self._runs(text):
                    return text, self._refused.place
            for edit in dict.fromkeys(self._edits()):
                if time.thread_time() > until:
                    return None
                if self._passes(edit) and self._runs(text := written(self._query, edit)):
                    return text, edit.place
        return None

    # ---- what is tried

    def _edits(self) -> Iterator[Edit]:
        refused = self._refused
        earlier = [p for p in reversed(range(refused.stopped)) if p != refused.place]
        if refused.rule in {"sources", "visible"}:
            yield from self._other_tables()
        for place in dict.fromkeys((refused.place, refused.stopped, *earlier)):
            yield from self._alike(place)
        places = list(dict.fromkeys((refused.stopped, refused.place, *earlier[:_BACK])))
        if refused.rule != "names" and refused.rule not in OF_PHRASES:  # else another phrase would come of it
            for place in places:
                yield from (Edit(place, 0, i) for i in self._forgotten(place))
                yield from self._left_out(place)
                if place and place == refused.stopped:
                    yield from self._left_out(place - 1)
        if refused.rule != "names":
            for place in places:
                yield from self._mistaken(place)

    def _other_tables(self) -> Iterator[Edit]:
        """Yield the tables of the column to blame in place of each table."""
        wanted = {t for i in self._choices(self._refused.place) for t in self._words[i].tables}
        for place in range(len(self._before)):
            if any(self._words[i].kind == "table" for i in self._choices(place)):
                yield from (Edit(place, 1, i) for i in self._able(place) if self._words[i].table in wanted)

    def _alike(self, place: int) -> Iterator[Edit]:
        """Yield the words that are spelled as the one at ``place`` is; a name of nothing is replaced everywhere."""
        if place == len(self._query.lexemes):
            return
        text, old = self._query.lexemes[place].text, self._choices(place)
        tables = self._query.tables
        able = [i for i in self._able(place) if i not in old and alike(text, self._words[i])]
        constants = self._refused.rule in _CONSTANT and place < len(self._query.lexemes)
        near = [i for i in able if not (constants and self._words[i].kind == "constant")]
        for i in sorted(near, key=lambda i: -likeness(text, self._words[i], tables))[:_NEAR]:
            yield Edit(place, 1, i, everywhere=not old)

    def _mistaken(self, place: int) -> Iterator[Edit]:
        """Yield keywords and operators for others of their family."""
        old = {self._words[i].text for i in self._choices(place)}
        for family in _FAMILIES:
            if family & old:
                yield from (Edit(place, 1, i) for i in self._able(place) if self._words[i].text in family - old)

    def _forgotten(self, place: int) -> list[int]:
        """Return the keywords and operators that may be put in before a word."""
        able = [i for i in self._able(place) if self._words[i].kind in {"keyword", "operator"}]
        able = [i for i in able if self._words[i].text not in _TELLING]
        rank = {text: n for n, text in enumerate(_FORGOTTEN)}
        return sorted(able, key=lambda i: rank.get(self._words[i].text, len(rank)))

    def _left_out(self, place: int) -> Iterator[Edit]:
        kinds = {self._words[i].kind for i in self._choices(place)}
        if kinds and not kinds & {"column", "function"}:
            yield Edit(place, 1)

    def _able(self, place: int) -> list[int]:
        """Return the words that may come at a place."""
        allowed = np.any([state.allowed() for state in self._before[place]], axis=0)
        return [i for i in np.flatnonzero(allowed).tolist() if i != EOS]

    def _choices(self, place: int) -> Sequence[int]:
        return self._query.choices[place] if place < len(self._query.lexemes) else ()

    # ---- changes that make other words of the rest

    def _texts(self) -> Iterator[str]:
        """Yield the query with its quote closed, one key more in GROUP BY, an alias declared, or a text in quotes."""
        sql, refused = self._query.sql, self._refused
        if self._query.broken is not None and sql[self._query.broken.position] in "'\"`":
            yield sql.rstrip().rstrip(";") + sql[self._query.broken.position]
        if refused.place == len(self._query.lexemes):  # the end, or what begins no word, is to blame
            return
        if refused.rule == "grouping":
            yield self._grouped()
        if refused.rule != "names":
            return
        lexeme = self._query.lexemes[refused.place]
        if len(lexeme.parts) == 2:
            yield from self._declared(*(part.text for part in lexeme.parts))
        before = {self._words[i].text for i in self._choices(max(refused.place - 1, 0))}
        if len(lexeme.parts) == 1 and before & _BEFORE_TEXTS:
            yield f"{sql[: lexeme.start]}{quoted(lexeme.parts[0].text)}{sql[lexeme.end :]}"

    def _grouped(self) -> str:
        """Return the query with the column to blame in GROUP BY, where the query was stopped."""
        sql, lexemes, stopped = self._query.sql, self._query.lexemes, self._refused.stopped
        keyed = any(lexeme.text.upper() == "GROUP" for lexeme in lexemes[self._refused.place : stopped])
        at = lexemes[stopped - 1].end
        return f"{sql[:at]}{',' if keyed else ' GROUP BY'} {lexemes[self._refused.place].text}{sql[at:]}"

    def _declared(self, owner: str, column: str) -> Iterator[str]:
        """Yield the query with an alias behind each table that has the column."""
        if self._grammar.quoting.key(owner) in self._grammar.names.tables:
            return
        sql = self._query.sql
        for place, lexeme in enumerate(self._query.lexemes):
            tables = [self._words[i].table for i in self._choices(place) if self._words[i].kind == "table"]
            columns = {c.name.lower() for t in tables if t for c in self._grammar.schema.table(t).columns}
            if column.lower() in columns:
                yield f"{sql[: lexeme.end]} {self._grammar.quoting.write(owner)}{sql[lexeme.end :]}"

    # ---- whether it holds

    def _passes(self, edit: Edit) -> bool:
        """Say whether what follows an edit may follow it, to the end."""
        rest = list(self._query.choices)
        if edit.word is not None and edit.everywhere:
            for place in edit.places(self._query):
                rest[place] = (edit.word,)
        new = [] if edit.word is None else [(edit.word,)]
        return bool(after(self._before[edit.place], [*new, *rest[edit.place + edit.length :], (EOS,)]))
