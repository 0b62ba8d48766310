"""The normal form: one way to say each query, which networks learn to write.

    SELECT T2.name, count(*) AS n FROM         SELECT Artist.Name, COUNT(*) FROM Artist JOIN Album
    album AS T1, artist AS T2                  ON Artist.ArtistId = Album.ArtistId
    WHERE T1.artistid = T2.artistid            GROUP BY Artist.Name
    GROUP BY 1 ORDER BY n DESC LIMIT 0, 3      ORDER BY COUNT(*) DESC LIMIT 3

Names are read in `binding`, joins put in order in `joins`, sources named in `naming`, expressions tidied in `tidying`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from ...data.errors import QueryError
from ...data.formats.sql_text import names_of, tidy
from ...data.sql.parsing import PARSE_ERRORS, read_tree, told_error
from ...data.sql.query import Query
from ...data.sql.set_operands import unbracketed
from ...data.sql.slotted import readable, written
from ...grammar import Grammar
from .binding import Binder
from .naming import Namer
from .tidying import tidied
from .top_k_per_group import key_taken, with_limit_by

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
        dialect = self.grammar.dialect
        text = tidy(sql, dialect=dialect, names=self._names)
        try:
            tree = with_limit_by(unbracketed(read_tree(readable(text, dialect), dialect)))
            binder = Binder(self.grammar)
            binder.query(tree)
            return self._written(tree, binder)
        except PARSE_ERRORS as error:
            raise QueryError(f"not {dialect}: {told_error(error)}") from error

    def rewritten(self, query: Query, rewriting: Rewriting) -> Query:
        """Return a query in normal form after a rewriting, itself where that changes nothing.

        Raises:
            QueryError: the normal form cannot say it.
        """
        if query.slotted_tree is None:
            return query
        tree, binder = with_limit_by(query.slotted_tree.copy()), Binder(self.grammar)
        binder.query(tree)
        return replace(query, slotted=self._written(tree, binder)) if rewriting(binder) else query

    def _written(self, tree: exp.Expr, binder: Binder) -> str:
        self._namer.write(tree, binder)
        dialect, key = self.grammar.dialect, key_taken(tree)
        text = written(tidied(tree), dialect, comments=False)
        return self.grammar.canonical(text if key is None else f"{text} PER {key.sql(dialect)}")
