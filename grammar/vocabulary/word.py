"""One word of SQL, and what it is to the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...data.domains.examples import SLOT

__all__ = ["Kind", "Word"]

Kind = Literal["special", "keyword", "operator", "function", "table", "column", "alias", "label", "constant", "slot"]


@dataclass(frozen=True)
class Word:
    """One word of SQL.

    Attributes:
        text: as it stands in a query; slots in braces.
        terminal: its terminal; ``$END`` for the end of the query, empty for padding and beginning.
        kind: what it is to the model; a label is an alias of derived tables, or of what they show, alone.
        table: the one table it stands for or belongs to, None if there are none or several.
        column: the column's name without owner and quotes; ``*`` for ``owner.*``.
        slot: the first slot in it.
        function: the function's name.
        tables: every table it may stand for or belong to.
    """

    text: str
    terminal: str
    kind: Kind
    table: str | None = None
    column: str | None = None
    slot: str | None = None
    function: str | None = None
    tables: tuple[str, ...] = ()

    @property
    def slots(self) -> tuple[str, ...]:
        """Return every slot in it."""
        return tuple(type_ + index for type_, index in SLOT.findall(self.text)) if self.slot else ()
