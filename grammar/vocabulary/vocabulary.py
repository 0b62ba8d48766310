"""The words of SQL: what each is to the model, which of them a domain needs, and which an `Access` leaves."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ...data.errors import QueryError, did_you_mean
from ...data.schema.schema import Schema
from ...data.values.slots import SLOT
from ..reading.grammar import Grammar
from ..reading.lexer import ANY_SYSTEM_COLUMN
from ..reading.tokenizer import Token

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


_PART = re.compile(r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|[^.]+')


def _ordered() -> dict[str, None]:
    return {}


@dataclass
class _SeenInQueries:
    """What the queries use; dicts keep the order of first sight."""

    functions: dict[str, None] = field(default_factory=_ordered)
    owners: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    starred: set[str] = field(default_factory=set[str])
    derived: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    constants: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    forms: dict[str, dict[tuple[str, str], None]] = field(default_factory=dict[str, "dict[tuple[str, str], None]"])
    indices: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    mixed: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    bare: bool = False
    empty: bool = True


def collect(
    grammar: Grammar, queries: Iterable[str], slots: Iterable[str], *, functions: Literal["seen", "all"]
) -> Iterator[Word]:
    """Yield every word of the domain once."""
    seen = _SeenInQueries()
    for sql in queries:
        seen.empty = False
        for token in grammar.tokenize(sql):
            _note(seen, token, grammar)
    for slot in slots:
        type_, index = SLOT.fullmatch("{" + slot + "}").groups()  # pyright: ignore[reportOptionalMemberAccess]
        seen.indices.setdefault(type_, set()).add(int(index))
    words = [*_fixed(grammar), *_functions(grammar, seen, every=functions == "all" or seen.empty)]
    words += [*_names_of_schema(grammar, seen), *_values(seen)]
    yield from dict.fromkeys(words)


def _note(seen: _SeenInQueries, token: Token, grammar: Grammar) -> None:
    """Remember what one token uses."""
    match token.terminal:
        case "COLUMN":
            seen.bare = True
        case "QCOLUMN" | "QSTAR":
            owner, _ = split_name(token.text)
            seen.owners[owner] = tuple(dict.fromkeys((*seen.owners.get(owner, ()), *token.tables)))
            if token.terminal == "QSTAR":
                seen.starred.add(owner)
            elif not token.tables:
                seen.derived[token.text] = token.column
        case "ALIAS":
            seen.aliases[token.text] = tuple(dict.fromkeys((*seen.aliases.get(token.text, ()), *token.tables)))
        case "STRING" | "WHOLE" | "NUMBER":
            _note_value(seen, token)
        case _ if token.text in grammar.functions and token.terminal in grammar.functions[token.text].terminals:
            seen.functions[token.text] = None
        case _:
            pass


def split_name(text: str) -> tuple[str, str]:
    """Return what stands before a name's last dot outside quotes, empty if there is none, and the part after it."""
    *owner, last = _PART.findall(text)
    return ".".join(owner), last


def _note_value(seen: _SeenInQueries, token: Token) -> None:
    found = SLOT.findall(token.text)
    if not found:
        seen.constants[token.text, token.terminal] = None
    for type_, index in found:
        seen.indices.setdefault(type_, set()).add(int(index))
    if len(found) == 1:
        form = SLOT.sub("\0", token.text)
        seen.forms.setdefault(found[0][0], {})[form, token.terminal] = None
    elif found:
        seen.mixed[token.text, token.terminal] = None


def _fixed(grammar: Grammar) -> Iterator[Word]:
    texts = grammar.tables.texts
    for terminal in grammar.terminals:
        if terminal in texts:
            text = texts[terminal]
            yield Word(text, terminal, "keyword" if text[0].isalpha() else "operator")


def _functions(grammar: Grammar, seen: _SeenInQueries, *, every: bool) -> Iterator[Word]:
    for name, spec in grammar.functions.items():
        if every or name in seen.functions:
            yield from (Word(name, terminal, "function", function=name) for terminal in spec.terminals)


def _names_of_schema(grammar: Grammar, seen: _SeenInQueries) -> Iterator[Word]:
    write = grammar.quoting.write
    tables = grammar.schema.tables
    for table in tables:
        yield Word(write(table), "TABLE", "table", table=table.name, tables=(table.name,))
    if seen.bare or seen.empty:
        owners: dict[str, list[str]] = {}
        for table, column in grammar.schema.columns():
            spelled = grammar.names.spelling(column.name)
            owners.setdefault(spelled, []).append(table.name)
        for name, of in owners.items():
            yield Word(write(name), "COLUMN", "column", of[0] if len(of) == 1 else None, name, tables=tuple(of))
    by_table = {write(t): (t.name,) for t in tables}
    styles = dict(seen.owners)
    if seen.empty or any(owner in by_table for owner in styles):
        styles = by_table | styles
    starred = bool(seen.starred) or seen.empty
    for owner, of in styles.items():
        yield from _columns(grammar, owner, of, starred=starred)
    for text, column in seen.derived.items():
        yield Word(text, "QCOLUMN", "column", column=column)
    for text, of in seen.aliases.items():
        yield Word(text, "ALIAS", "alias", of[0] if len(of) == 1 else None, tables=of)


def _columns(grammar: Grammar, owner: str, tables: tuple[str, ...], *, starred: bool) -> Iterator[Word]:
    """Yield ``owner.column`` for every column of the tables that ``owner`` stands for, and ``owner.*``."""
    columns: dict[str, list[str]] = {}
    for name in tables:
        for column in grammar.schema.table(name).columns:
            columns.setdefault(column.name, []).append(name)
    for name, of in columns.items():
        text = f"{owner}.{grammar.quoting.write(name)}"
        yield Word(text, "QCOLUMN", "column", of[0] if len(of) == 1 else None, name, tables=tuple(of))
    whole = tuple(name for name in tables if not grammar.schema.table(name).partial)
    if starred and (whole or not tables):  # a derived table is of none
        yield Word(f"{owner}.*", "QSTAR", "column", whole[0] if len(whole) == 1 else None, "*", tables=whole)


def _values(seen: _SeenInQueries) -> Iterator[Word]:
    for text, terminal in [*seen.constants, ("0", "WHOLE"), ("1", "WHOLE")]:
        yield Word(text, terminal, "constant")
    for type_, indices in seen.indices.items():
        usual = {("\0", "WHOLE"): None} if type_ == "number" else {("'\0'", "STRING"): None}
        for form, terminal in seen.forms.get(type_, usual):
            for index in sorted(indices):
                slot = f"{type_}{index}"
                yield Word(form.replace("\0", "{" + slot + "}"), terminal, "slot", slot=slot)
    for text, terminal in seen.mixed:
        yield Word(text, terminal, "slot", slot="".join(SLOT.findall(text)[0]))


def _permitted(words: Iterable[Word], grammar: Grammar) -> Iterator[Word]:
    """Yield the words that queries on what may be read are made of, each for the tables alone that it may be read of.

    A name that means nothing but what may not be read is gone as an alias, too. So are bare names that an engine may
    take for a column that tables have beside their own: ``SELECT name AS rowid FROM t GROUP BY rowid``.
    """
    assert grammar.access is not None
    named, key = grammar.types.names.named, grammar.quoting.key
    readable = {t.name: {key(c.name) for c in t.columns} for t in grammar.readable.tables}
    whole = readable.keys() - grammar.access.partial(grammar.schema).keys()
    hidden = _names(grammar.schema, key) - _names(grammar.readable, key)

    def may_read(word: Word, table: str) -> bool:
        if word.terminal == "QSTAR":
            return table in whole
        return table in readable and (word.kind != "column" or key(word.column or "") in readable[table])

    for word in words:
        if word.kind not in {"table", "column", "alias", "label"}:
            yield word
            continue
        owner, own = split_name(word.text) if word.terminal in {"QCOLUMN", "QSTAR"} else ("", word.text)
        system = not owner and word.kind != "table" and named(own) in ANY_SYSTEM_COLUMN
        if system or not hidden.isdisjoint({named(owner), named(own)}):
            continue
        tables = tuple(table for table in word.tables if may_read(word, table))
        if tables == word.tables:
            yield word
        elif tables:
            yield replace(word, tables=tables, table=tables[0] if len(tables) == 1 else None)


def _names(schema: Schema, key: Callable[[str], str]) -> set[str]:
    """Return the keys of all names of a schema."""
    return {key(name) for t in schema.tables for name in (t.name, *(c.name for c in t.columns))}


PAD, BOS, EOS = 0, 1, 2

_SPECIAL = (Word("<pad>", "", "special"), Word("<bos>", "", "special"), Word("<eos>", "$END", "special"))


class Vocabulary:
    """Words by number: 0 padding, 1 beginning, 2 end of query, then SQL; none of what the grammar lets nobody read.

    Args:
        grammar: what queries are read with.
        words: of the schema, all of them.
        beyond: words behind them that name nothing of the schema, so that no `Access` is about them.
    """

    def __init__(self, grammar: Grammar, words: Sequence[Word], beyond: Sequence[Word] = ()) -> None:
        self.grammar = grammar
        self.words = (*(words if grammar.access is None else _permitted(words, grammar)), *beyond)
        self._index = {(w.text, w.terminal): i for i, w in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def build(
        cls,
        grammar: Grammar,
        slotted_queries: Iterable[str],
        *,
        slots: Iterable[str] = (),
        functions: Literal["seen", "all"] = "seen",
    ) -> Vocabulary:
        """Collect the words of a domain.

        Keywords, operators and tables all come in. Columns come in for each way of writing them that
        the queries use (bare, by table, by alias of their table), every column in each; without
        queries, bare and by table. Slots come in with every index seen for their type, in every form
        seen for their type (``'{x0}'``, ``'%{x0}%'``, ``{x0}``).

        Args:
            grammar: what the queries are read with.
            slotted_queries: queries with slots in braces.
            slots: names of slots that questions may bind beside those in the queries.
            functions: those in the queries, or all of the dialect; all if there are no queries.

        Raises:
            QueryError: a query is outside the grammar.
        """
        return cls(grammar, (*_SPECIAL, *collect(grammar, slotted_queries, slots, functions=functions)))

    def index(self, text: str, terminal: str) -> int:
        """Return the number of a word.

        Raises:
            KeyError: there is no such word.
        """
        return self._index[text, terminal]

    @functools.cached_property
    def slots(self) -> Mapping[str, tuple[int, ...]]:
        """Return the words in which each slot stands."""
        found: dict[str, list[int]] = {}
        for i, word in enumerate(self.words):
            for slot in word.slots:
                found.setdefault(slot, []).append(i)
        return {slot: tuple(ids) for slot, ids in found.items()}

    def encode(self, sql: str) -> list[int]:
        """Return the words of a query, beginning and end left out.

        Raises:
            QueryError: the query is outside the grammar, or has a word that is not here.
        """
        return [self._find(token) for token in self.grammar.tokenize(sql)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the query that words spell, slots still in braces; special words are passed over."""
        words = [self.words[i] for i in ids]
        return self.grammar.spell((word.text, word.terminal) for word in words if word.kind != "special")

    def _find(self, token: Token) -> int:
        found = self._index.get((token.text, token.terminal))
        if found is None:
            same = [w.text for w in self.words if w.terminal == token.terminal]
            hint = did_you_mean(token.text, same) or "build the vocabulary from queries that use it"
            problem = f"{token.text!r} at {token.start} is not in the vocabulary"
            raise QueryError(problem, position=token.start, hint=hint)
        return found
