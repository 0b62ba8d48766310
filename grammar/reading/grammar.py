"""What a query on one schema may look like in one dialect: its words, how they are read and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache

from ...data.schema.schema import Schema
from ..lr.tables import FunctionSpec, Tables, load_functions, load_tables
from ..types.apply import defined_functions, with_signatures
from ..types.dialect import DialectTypes, load_types, with_enumerations
from .access import Access, check_apart
from .lexer import quoting
from .tokenizer import Identifiers, Token, Tokenizer

POSITIONS = 99
"""The largest number that stands for an item of a select list, unless another number is given."""

_KEPT = 2000
"""Queries whose tokens are remembered: a training reads each of its queries a dozen times."""


class Grammar:
    """What a query on ``schema`` may look like in ``dialect``.

    Attributes:
        schema: the tables and columns that names may mean; without the foreign keys that nobody may join on.
        access: what may be read of it, all if None. Every vocabulary and constraint of this grammar keeps to it.
        wide: whether it has what people and language models write, too, and a network of ours never does: positions
            in GROUP BY and ORDER BY, SELECT ALL, a sign before what has none, further functions. The words that
            networks learnt are those of the narrow form.
        positions: the largest number that stands for an item of a select list, 0 in the narrow form.
        readable: the part of the schema that may be read.
        dialect: ``sqlite``, ``mysql`` or ``postgres``.
        tables: the compiled LALR(1) tables.
        functions: the functions of the dialect and of the schema by name.
        types: those of the dialect, with the signatures of all functions.
        names: the tables and columns that a query may mean by a name.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        dialect: str,
        access: Access | None = None,
        wide: bool = False,
        positions: int = POSITIONS,
    ) -> None:
        self.schema = schema if access is None else access.unlinked(schema)
        self.access = access
        self.readable = schema if access is None else access.narrowed(schema)
        self.dialect = dialect
        self.wide = wide
        self.positions = positions if wide else 0
        self.tables: Tables = load_tables(dialect, wide=wide)
        used = self.tables.texts.values()
        own = load_functions(dialect, wide=wide)
        # what a function reads of tables, no access could keep it from
        defined = schema.functions if access is None else ()
        self.functions: Mapping[str, FunctionSpec] = {**own, **defined_functions(defined, own, used)}
        types = with_enumerations(load_types(dialect, wide=wide), (column.type for _, column in schema.columns()))
        self.types: DialectTypes = with_signatures(types, defined)
        self.quoting = quoting(dialect, frozenset(text for text in used if text[0].isalpha()))
        if access is not None:
            check_apart((t.name for t in schema.tables), self.quoting.key)
            for table in schema.tables:
                check_apart((c.name for c in table.columns), self.quoting.key)
        self.names = Identifiers(schema, self.quoting)

    @classmethod
    def for_schema(
        cls,
        schema: Schema,
        *,
        dialect: str,
        access: Access | None = None,
        wide: bool = False,
        positions: int = POSITIONS,
    ) -> Grammar:
        """Return the grammar of queries on ``schema``, on what ``access`` lets be read of it, in the wide form or not.

        Raises:
            ConstraintError: the dialect is not known.
            SchemaError: a function of the schema has a name that is taken.
            InputError: ``access`` names what the schema does not have.
        """
        return cls(schema, dialect=dialect, access=access, wide=wide, positions=positions)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Return what reads its queries, made when the first is read."""
        return Tokenizer(self.tables, self.functions, self.names, self.dialect)

    @cached_property
    def _read(self) -> Callable[[str], list[Token]]:
        return lru_cache(_KEPT)(self.tokenizer.read)

    @property
    def terminals(self) -> tuple[str, ...]:
        """Return the names of the terminals; number 0 is ``$END``."""
        return self.tables.terminals

    def tokenize(self, sql: str) -> list[Token]:
        """Return the tokens of a query; slots stand in braces.

        Raises:
            QueryError: with the position and what was expected there.
        """
        return list(self._read(sql))

    def canonical(self, sql: str) -> str:
        """Return a query with words in canonical form and spaces where `spell` puts them."""
        return self.spell((token.text, token.terminal) for token in self.tokenize(sql))

    def spell(self, words: Iterable[tuple[str, str]]) -> str:
        """Return the text of words, given with their terminals: ``SELECT COUNT(*), MAX(a) FROM t``.

        A function's parenthesis touches its name: MySQL refuses ``COUNT (*)``.
        """
        text, opens, called = "", True, False
        for word, terminal in words:
            tight = opens or word in {")", ","} or (word == "(" and called)
            text += word if tight else f" {word}"
            function = self.functions.get(word)
            opens, called = word == "(", function is not None and terminal in function.terminals
        return text
