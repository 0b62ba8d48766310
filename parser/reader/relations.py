"""The relations between nodes of an input (RAT-SQL, table 1), and the matching of names in a question."""

import re
from collections.abc import Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from ...ner.language.words import SCHEMA_STOP_WORDS

NO_MATCH, PARTIAL, EXACT = 0, 1, 2

_CJK = re.compile(r"[\u3400-\u9fff]")


def match_names(words: Sequence[str], names: Sequence[Sequence[str]]) -> NDArray[np.uint8]:
    """Match the words of a question with names: a whole name is `EXACT`, a word of a name `PARTIAL`.

    Args:
        words: stems of the question's words; Chinese ones are single characters.
        names: the stems of each name's words; Chinese ones are single characters.

    Returns:
        The match of each word and name, (words, names).
    """
    matches = np.zeros((len(words), len(names)), np.uint8)
    places: dict[str, list[int]] = {}
    for i, word in enumerate(words):
        places.setdefault(word, []).append(i)
    for j, name in enumerate(names):
        if places.keys().isdisjoint(name):
            continue
        for word in name:
            if word in places and word not in SCHEMA_STOP_WORDS and (len(word) > 1 or word.isdigit()):
                matches[places[word], j] = PARTIAL
        _mark_runs(matches[:, j], words, name, places)
    return matches


def _mark_runs(
    column: NDArray[np.uint8], words: Sequence[str], name: Sequence[str], places: dict[str, list[int]]
) -> None:
    """Mark whole names, and runs of at least two characters of Chinese names."""
    size = len(name)
    if not size:
        return
    for start in places.get(name[0], []):
        if list(words[start : start + size]) == list(name) and not (
            size == 1 and name[0] in SCHEMA_STOP_WORDS - {"id"}
        ):
            column[start : start + size] = EXACT
    for at in range(size - 1):
        if _CJK.match(name[at]):
            for start in places.get(name[at], []):
                if words[start + 1 : start + 2] == [name[at + 1]]:
                    column[start : start + 2] = np.maximum(column[start : start + 2], PARTIAL)


FAR = 6
"""The distance at which the relations between words of a question are clipped."""

Relations = NDArray[np.uint8]
"""The numbers of the relations from the node of each row to that of each column, (nodes, nodes)."""

_number = count()


def _several(size: int) -> range:
    numbers = [next(_number) for _ in range(size)]
    return range(numbers[0], numbers[-1] + 1)


SELF = next(_number)
NONE = next(_number)
_DISTANCE = _several(2 * FAR + 1)
"""word -> word, by clipped distance."""
WORD_COLUMN = _several(6)
"""word -> column: no, partial, exact match of the name; the same where the word is in a value of the column."""
COLUMN_WORD = _several(6)
WORD_TABLE = _several(3)
TABLE_WORD = _several(3)
SAME_TABLE, REFERS, REFERRED, SAME_NAME = (next(_number) for _ in range(4))
"""column -> column."""
COLUMN_OF, KEY_OF, TABLE_REFERRED = (next(_number) for _ in range(3))
"""column -> table: of the table, its primary key, a foreign key to it."""
HAS_COLUMN, HAS_KEY, REFERRED_BY = (next(_number) for _ in range(3))
TABLE_REFERS, TABLE_IS_REFERRED, TABLES_BOTH = (next(_number) for _ in range(3))
"""table -> table."""
IN_VALUE, NEAR_VALUE = (next(_number) for _ in range(2))
"""word -> value."""
SAYS_WORD, NEAR_WORD = (next(_number) for _ in range(2))
CELL_OF, LIKELY_CELL_OF, FITS_COLUMN = (next(_number) for _ in range(3))
"""value -> column: a cell of it, perhaps a cell of it, a number or time and a column of that type."""
HAS_CELL, HAS_LIKELY_CELL, FITS_VALUE = (next(_number) for _ in range(3))
CELL_IN, TABLE_HAS_CELL = (next(_number) for _ in range(2))
"""value -> table and back."""
SAME_SPAN, OTHER_VALUE = (next(_number) for _ in range(2))
"""value -> value."""

EARLIER_TURN, LATER_TURN = (next(_number) for _ in range(2))
"""word -> word of another utterance."""
USED_AS = _several(6)
"""item or value -> word of the query before that stands for it, by its `inputs.UsedAs`."""
USES, WORD_QUERY, QUERY_WORD = (next(_number) for _ in range(3))
"""word of the query before -> the item or value; word of the question -> word of that query and back."""
QUERY_NEXT, QUERY_PREVIOUS, QUERY_OTHER = (next(_number) for _ in range(3))
"""word of the query before -> another one."""

RELATIONS = next(_number)
"""The number of relations."""


def question_relations(words: int, turns: Sequence[int] = ()) -> Relations:
    """Return the relations between the words of a question, by distance, and those of earlier utterances.

    Args:
        turns: the number of turns since each word, see `question.QuestionWords`.
    """
    place = np.arange(words)
    relations = np.clip(place[None, :] - place[:, None], -FAR, FAR) + FAR + _DISTANCE[0]
    if turns:
        ago = np.array(turns)
        relations = np.where(ago[:, None] < ago[None, :], EARLIER_TURN, relations)
        relations = np.where(ago[:, None] > ago[None, :], LATER_TURN, relations)
    return relations.astype(np.uint8)


def query_relations(words: int) -> Relations:
    """Return the relations between the words of the previous query."""
    ahead = np.arange(words)[None, :] - np.arange(words)[:, None]
    relations = np.where(ahead == 1, QUERY_NEXT, np.where(ahead == -1, QUERY_PREVIOUS, QUERY_OTHER))
    np.fill_diagonal(relations, SELF)
    return relations.astype(np.uint8)


def name_relations(matches: NDArray[np.uint8], cells: NDArray[np.bool_], *, tables: int) -> tuple[Relations, Relations]:
    """Return the relations word -> item and item -> word.

    Args:
        matches: the matches of `match_names`, (words, items).
        cells: a mask of the words in a value of each item, (words, items).
        tables: the number of items that are tables; they come first.
    """
    columns = matches + (EXACT + 1) * cells
    there, back = (columns + WORD_COLUMN[0]).astype(np.uint8), (columns + COLUMN_WORD[0]).astype(np.uint8)
    there[:, :tables] = matches[:, :tables] + WORD_TABLE[0]
    back[:, :tables] = matches[:, :tables] + TABLE_WORD[0]
    return there, back.T
