"""Why a question may have no answer here: a word links to nothing in the database, or it names something dropped.

Words that are spelled like no name, value or function word are compared with the names by meaning (`SchemaMatch`).
"""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np
from sqlglot import exp

from ...classifiers.schema_match import ABSENT, ABSENT_CJK, SchemaMatch
from ...data.parsing import parse
from ...data.schema.plain_names import spoken
from ...data.schema.schema import Column, Schema, Table
from ...data.sql.sources import Stored, tables_in
from ...encoders.text_vectors import TextVectors
from ...ner.language.question import QuestionText
from ...ner.language.words import is_cjk, stem, stems_of, units
from ..reader.items import SchemaItems
from ..reader.question import QuestionWords
from ..reader.relations import EXACT, NO_MATCH, match_names


class Vanished:
    """Remembers the tables and columns that a database once had.

    Attributes:
        had: all tables and columns that were ever there.
    """

    def __init__(self, dialect: str) -> None:
        self.had = self._now = self._tables = self._columns = Schema(())
        self._dialect = dialect

    def follow(self, now: Schema, *before: Schema) -> None:
        """Set the present schema; tables and columns that only earlier schemas have count as dropped."""
        had = {table.name: table for table in self.had.tables}
        for table in (table for schema in (*before, now) for table in schema.tables):
            had[table.name] = replace(table, columns=(*table.columns, *_lost(had.get(table.name, table), table)))
        self.had, self._now = Schema(tuple(had.values())), now
        kept = {name: now.by_name.get(name) for name in had}
        self._tables = Schema(tuple(table for name, table in had.items() if kept[name] is None))
        lost = (replace(table, columns=_lost(table, one)) for name, table in had.items() if (one := kept[name]))
        self._columns = Schema(tuple(table for table in lost if table.columns))

    def gone(self, question: QuestionText, *queries: str) -> str | None:
        """Say which dropped tables and columns a question names or a query reads; None if there are none."""
        if not self._tables.tables and not self._columns.tables:
            return None
        trees = filter(None, (parse(sql, self._dialect) for sql in queries))
        gone = [*self._named(question)] or [name for tree in trees for name in self._read(tree)]
        reason = f"gone since the database was opened, or no longer to be read: {', '.join(dict.fromkeys(gone))}"
        return reason if gone else None

    def _named(self, question: QuestionText) -> list[str]:
        """Return dropped names that the question contains, unless a present name matches the same words."""
        gone = {table.name: _stems(table) for table in self._tables.tables}
        gone |= {f"{table.name}.{column.name}": _stems(column) for table, column in self._columns.columns()}
        kept = [*map(_stems, self._now.tables), *(_stems(column) for _, column in self._now.columns())]
        free = match_names(question.stems, kept).max(1, initial=NO_MATCH) < EXACT
        named = (match_names(question.stems, list(gone.values()))[free] == EXACT).any(0).tolist()
        return [name for name, is_named in zip(gone, named, strict=True) if is_named]

    def _read(self, tree: exp.Expr) -> Iterator[str]:
        """Yield the dropped names that a query uses."""
        yield from tables_in(tree, self._tables)
        stored = Stored(self._columns)
        yield from (f"{table}.{name}" for column in tree.find_all(exp.Column) for _, table, name in stored.of(column))


def _lost(had: Table, now: Table) -> tuple[Column, ...]:
    return tuple(column for column in had.columns if now.by_name.get(column.name) is None)


def _stems(named: Table | Column) -> list[str]:
    return stems_of(spoken(named.name, named.description))


_FUNCTION_WORDS = frozenset(tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["en"].split())


_NEAREST = 3
"""The number of names that are reported as nearest to a span."""


@dataclass(frozen=True)
class UnlinkedSpan:
    """A span of a question that links to no name and no value of the database.

    Attributes:
        text: the words of the span.
        nearest: the names of tables and columns that are nearest in meaning.
        meant: the probability that the span is a synonym for something in the database; 1 if unknown.
    """

    text: str
    nearest: tuple[str, ...]
    meant: float = 1.0

    @property
    def absent(self) -> bool:
        """Does the span likely mean nothing in the database?"""
        return self.meant < (ABSENT_CJK if is_cjk(self.text) else ABSENT)

    def __str__(self) -> str:
        nearest = f"; nearest: {', '.join(self.nearest)}" if self.nearest else ""
        return f"nothing here is called ‹{self.text}›{nearest}"


@dataclass(frozen=True)
class Unlinked:
    """The signs that a question has no answer here.

    Attributes:
        span: the unlinked span that least likely means something here, the longest one at a tie; None if there is
            none.
        share: the share of the question's words that are unlinked; 1 where the names are in another script, in which
            case it is unknown.
    """

    span: UnlinkedSpan | None
    share: float


def find_unlinked(
    question: QuestionWords, items: SchemaItems, vectors: TextVectors, *, explained: str = "", written: str = ""
) -> Unlinked:
    """Find the words of a question that link to no name and no value of the database.

    Names in another script than the question's are compared by meaning alone, not by spelling.

    Args:
        explained: a further text, whose words count as linked.
        written: the query with its slots; a text that no cell holds counts as linked if the query uses it.
    """
    texts, share = unlinked_runs(question, items, explained=explained, written=written)
    if not texts:
        return Unlinked(None, share)
    names, lower = list(dict.fromkeys(item.name for item in items.items)), [text.lower() for text in texts]
    vectors.prepare([*lower, *names])
    text_vectors, name_vectors = (np.array([vectors[text] for text in some]) for some in (lower, names))
    match = SchemaMatch.shipped(vectors.encoder)
    near = text_vectors @ name_vectors.T if match is None else match.cosines(text_vectors, name_vectors)
    meant = np.ones(len(texts)) if match is None else match.probabilities(text_vectors, name_vectors)
    order = np.argsort(-near, axis=1, kind="stable")[:, :_NEAREST].tolist()
    least = min(range(len(texts)), key=lambda i: (meant[i], -len(units(texts[i]))))
    nearest = tuple([names[i] for i in order[least]])
    return Unlinked(UnlinkedSpan(texts[least], nearest, float(meant[least])), share)


def unlinked_runs(
    question: QuestionWords, items: SchemaItems, *, explained: str = "", written: str = ""
) -> tuple[list[str], float]:
    """Return each run of words that is spelled like nothing in the database, and the share of their words, or 1.

    Args:
        explained, written: the same as in `find_unlinked`.
    """
    words = question.question.units[: question.own_words + 1]  # the last unit may be a part of the one before
    linked = match_names([stem(word.text) for word in words], items.names).max(1, initial=NO_MATCH) > NO_MATCH
    for i, node in enumerate(question.values):
        linked[node.first : node.last] |= node.found.kind != "text" or f"{{text{i}}}" in written
    known = _FUNCTION_WORDS | {word.text.lower() for word in units(explained)}
    chinese = _linked_in_chinese(question.question, [item.name for item in items.items])
    for i, word in enumerate(words):
        linked[i] |= word.start in chinese or word.text.lower() in known or not word.text[0].isalnum()
    runs = (list(run) for free, run in groupby(range(len(words)), key=lambda i: not linked[i]) if free)
    foreign = question.question.has_cjk and not any(is_cjk(item.name) for item in items.items)
    texts = [question.text[words[run[0]].start : words[run[-1]].end] for run in runs]
    return texts, 1.0 if foreign else float((~linked).sum()) / max(1, len(words))


def _linked_in_chinese(question: QuestionText, names: Iterable[str]) -> set[int]:
    """Return the characters of function words, those whose bigram is in a name, and isolated ones next to these."""
    text, bigrams = question.text, {name[i : i + 2] for name in names for i in range(len(name) - 1)}
    pairs = [i for i in range(len(text) - 1) if text[i : i + 2] in bigrams and not text[i].isascii()]
    named = {place for i in pairs for place in (i, i + 1)}
    linked = {i for start, end in question.function_words for i in range(start, end)} | named
    left = {i for i in range(len(text)) if i not in linked and is_cjk(text[i])}
    return linked | {i for i in left if left.isdisjoint((i - 1, i + 1)) and not named.isdisjoint((i - 1, i + 1))}
