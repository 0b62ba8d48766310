"""The normal form: one way to say each query, which networks learn to write.

    SELECT T2.name, count(*) AS n FROM         SELECT Artist.Name, COUNT(*) FROM Artist JOIN Album
    album AS T1, artist AS T2                  ON Artist.ArtistId = Album.ArtistId
    WHERE T1.artistid = T2.artistid            GROUP BY Artist.Name
    GROUP BY 1 ORDER BY n DESC LIMIT 0, 3      ORDER BY COUNT(*) DESC LIMIT 3

Names are read in `binding`, joins put in order in `joins`, sources named in `naming`, expressions tidied in `tidying`.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ...data.errors import QueryError
from ...data.formats.sql_text import names_of, tidy
from ...data.sql.dialects import restore_slots, take_slots
from ...data.sql.parsing import PARSE_ERRORS, read_tree, told_error
from ...data.sql.set_operands import unbracketed
from ...grammar import Grammar
from .binding import Binder
from .naming import Namer
from .numbered_rows import key_taken, limited, readable
from .tidying import spelled, tidied

__all__ = ["NormalForm"]

Rewriting = Callable[[Binder], bool]
"""Changes the SELECTs of a query, whose sources are told by keys, and says whether it did; what it adds has scopes."""


class NormalForm:
    """Writes queries of one grammar in normal form."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._names = names_of(grammar.schema)
        self._namer = Namer(grammar.schema, grammar.quoting, aliased=grammar.dialect != "sqlite")

    def of(self, sql: str) -> str:
        """Return a query, slotted or filled, in normal form: it gives the same rows.

        Rows that ORDER BY or GROUP BY leave to chance may be others.

        Raises:
            QueryError: it does not parse, a name in it means nothing, or the normal form cannot say it.
        """
        return self.rewritten(sql, lambda _: True)

    def rewritten(self, sql: str, rewriting: Rewriting) -> str:
        """Return a query in normal form once its tree is rewritten, or as it was if nothing is.

        Raises:
            QueryError: as `of`.
        """
        dialect = self.grammar.dialect
        text, slots = take_slots(tidy(sql, dialect=dialect, names=self._names))
        try:
            tree = limited(unbracketed(_with_slots(read_tree(readable(text, dialect), dialect))))
            binder = Binder(self.grammar)
            binder.query(tree)
            if not rewriting(binder):
                return sql
            self._namer.write(tree, binder)
            key = key_taken(tree)
            text = spelled(tidied(tree), dialect) + (f" PER {key.sql(dialect)}" if key is not None else "")
        except PARSE_ERRORS as error:
            raise QueryError(f"not {dialect}: {told_error(error)}") from error
        return self.grammar.canonical(restore_slots(text, slots))


def _with_slots(tree: exp.Expr) -> exp.Expr:
    """Make slots what no schema is asked about."""
    for column in list(tree.find_all(exp.Column)):
        if column.name.startswith("querent_slot_"):
            column.replace(exp.Var(this=column.name))
    return tree
