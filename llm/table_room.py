"""Which tables of a large database a prompt has room for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from ..data.domains.dialogues import Turn
from ..data.errors import LlmError
from ..data.schema.schema import Schema, Table
from ..retrieval.shots import Shot
from .messages import Backend, Message
from .options import LlmOptions
from .prompting import Prompter
from .prompts import Cells, schema_text
from .told_part import Needs, told_part

__all__ = ["TableRoom"]

_SHARE = 4
"""Tables have a fourth of a context, if leaving solved questions out helps; a query that failed has a fourth of theirs,
so that it can be told."""


class TableRoom:
    """Says which tables a prompt has room for.

    Args:
        backend: counts tokens, and may know its context.
        options: how it is asked.
        readable: what may be read of the database.
        dialect: sqlite, mysql or postgres.
        cells: returns the values that are told of a table, by its name.
        bare: builds prompts that tell no table.
    """

    def __init__(
        self,
        backend: Backend,
        options: LlmOptions,
        readable: Schema,
        dialect: str,
        *,
        cells: Callable[[str], Cells],
        bare: Prompter,
    ) -> None:
        self._backend, self._options = backend, options
        self._readable, self._dialect = readable, dialect
        self._cells, self._bare = cells, bare
        self._size = lru_cache(maxsize=4096)(self._counted)

    def has_all(self, takes: Callable[[], int]) -> bool:
        """Say whether all tables can be told.

        Args:
            takes: counts the tokens of the bare question with all of them; asked where there is a context.
        """
        tokens, context = self._options.table_tokens, self._backend.context
        if context is not None and takes() + self._answer > context:
            return False
        return tokens is None or sum(map(self._size, self._readable.tables)) <= tokens

    def told(
        self, names: Iterable[str], needs: Needs, question: str, shots: Sequence[Shot], before: Sequence[Turn]
    ) -> Schema:
        """Return the tables that are told of some, in their order.

        Args:
            names: of tables, the most wanted first.
            needs: tables that are told in any case; columns that are neither keys nor in it are left out of these
                before they take too much.

        Raises:
            LlmError: they take more than `LlmOptions.table_tokens` all the same.
        """
        found = told_part(names, self._readable, self._size, self._left(question, shots, before), needs=needs)
        least, most = (
            sum(self._size(table) for table in found.tables if table.name in needs),
            self._options.table_tokens,
        )
        if most is not None and least > most:
            problem = f"{', '.join(needs)} with keys and the columns that the question says takes {least} tokens"
            hint = "give tables more tokens, or tell fewer cells"
            raise LlmError(f"{problem}, but tables may take {most}", field="table_tokens", hint=hint)
        return found

    @property
    def _answer(self) -> int:
        return int(self._options.settings["max_tokens"])

    def _left(self, question: str, shots: Sequence[Shot], before: Sequence[Turn]) -> int:
        """Return how many tokens tables may take."""
        left = sys.maxsize if self._options.table_tokens is None else self._options.table_tokens
        if self._backend.context is None:
            return left
        shown = len(shots)
        while (room := self._beside(question, shots[:shown], before)) < self._backend.context // _SHARE and shown:
            shown -= 1
        return min(left, room - min(self._answer, room // _SHARE) if self._options.corrections else room)

    def _beside(self, question: str, shots: Sequence[Shot], before: Sequence[Turn]) -> int:
        """Return what the context leaves beside an answer and a prompt that tells no table."""
        assert self._backend.context is not None  # asked of those alone that know it
        messages = self._bare.messages(question, shots, before=before)
        return self._backend.context - self._answer - self._backend.count(messages)

    def _counted(self, table: Table) -> int:
        text = schema_text(Schema((table,)), self._dialect, self._cells(table.name))
        told, nothing = ([Message("user", content)] for content in (text, ""))
        return self._backend.count(told) - self._backend.count(nothing)
