"""Queries that compare a period with cells that say times in no one way: what they find may be too little."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...data.profiles.column_profile import ColumnProfile
from ..reader.context import DatabaseContext
from ..reader.question import QuestionWords

__all__ = ["AgainstData"]

_SLOT = re.compile(r"\{(?:text|number)(\d+)\}")
_NEAR = 3
"""Words between a column and the value that it is compared with: NOT LIKE stand between."""


class AgainstData:
    """The columns of one database of whose times nobody can be sure.

    Args:
        context: of the database, with its profile.
    """

    def __init__(self, context: DatabaseContext) -> None:
        profiles = context.profile.columns
        doubtful = {place for place, one in profiles.items() if one.time is None and one.doubt and one.kind != "amount"}
        words = context.vocabulary.words
        self._doubts: Mapping[str, ColumnProfile] = {
            word.text: profiles[word.table, word.column]
            for word in words
            if word.table is not None and word.column is not None and (word.table, word.column) in doubtful
        }

    def told(self, question: QuestionWords, words: Sequence[str]) -> str | None:
        """Say in one line which column a period is compared with though its cells say times in no one way.

        Args:
            words: of the query in short form, slots in braces.
        """
        for i, word in enumerate(words):
            if word not in self._doubts:
                continue
            slots = [int(slot[1]) for near in words[i + 1 : i + 1 + _NEAR] for slot in _SLOT.finditer(near)]
            said = next((question.values[n].found for n in slots if n < len(question.values)), None)
            if said is not None and said.span is not None:
                return f"{word}: {self._doubts[word].doubt}, so that ‹{said.text}› may miss rows"
        return None
