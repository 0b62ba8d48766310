"""The gold queries of the public sets and of the plant, and what becomes of them word by word."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from querent import load_domain
from querent.data.dialects import translate
from querent.data.errors import QueryError
from querent.data.examples import SLOT, Value, fill_sql, fits
from querent.data.prototypes.source import Source
from querent.grammar import Grammar

SETS = {
    "plant-sqlite": ("plant", "sqlite"),
    "plant-mysql": ("plant", "mysql"),
    "plant-postgres": ("plant", "postgres"),
    "geography": ("text2sql:{data}/text2sql/geography", None),
    "restaurants": ("text2sql:{data}/text2sql/restaurants", None),
    "academic": ("text2sql:{data}/text2sql/academic", None),
    "atis": ("text2sql:{data}/text2sql/atis", None),
    "css-yibao": ("css:{data}/css-yibao", None),
}
"""The domain's spec and a dialect; None is the domain's own."""


@dataclass(frozen=True)
class Word:
    """A word of a query: as the grammar reads it, its terminal (``KEYWORD`` if inserted), with values in its slots."""

    text: str
    terminal: str
    filled: str


Query = tuple[Word, ...]


@dataclass
class Golds:
    """The distinct slotted gold queries of one set that the grammar accepts, and how many it does not."""

    grammar: Grammar
    queries: list[Query] = field(default_factory=list[Query])
    outside: int = 0

    @classmethod
    def of(cls, name: str, data: Path) -> Golds:
        """Read one of `SETS`; the plant's prototypes are translated where the dialect is not its own."""
        spec, dialect = SETS[name]
        domain = load_domain(spec.format(data=data))
        golds = cls(Grammar.for_schema(domain.schema, dialect=dialect or domain.dialect))
        source = Source.of(spec)
        if source is None or dialect is None or dialect == domain.dialect:
            for sql, values in {example.slotted: example.values for example in domain.examples}.items():
                golds.add(sql, values)
            return golds
        for prototype in source.prototypes:
            golds.add(translate(prototype.sql, read=source.manifest.prototype_dialect, write=dialect))
        return golds

    def add(self, sql: str, values: tuple[Value, ...] = ()) -> None:
        """Take a query; slots without a value, as all of a prototype's are, get a 7, in quotes or out of them."""
        try:
            tokens = self.grammar.tokenize(sql)
        except QueryError:
            self.outside += 1
            return
        words: list[Word] = []
        for token in tokens:
            known = fits(token.text, values)
            filled = fill_sql(token.text, values, dialect=self.grammar.dialect) if known else SLOT.sub("7", token.text)
            words.append(Word(token.text, token.terminal, filled))
        self.queries.append(tuple(words))

    def words(self) -> dict[str, list[Word]]:
        """Return the words of all queries by terminal."""
        found: dict[str, dict[Word, None]] = defaultdict(dict)
        for word in (word for query in self.queries for word in query):
            found[word.terminal][word] = None
        return {terminal: list(words) for terminal, words in found.items()}

    def keywords(self) -> list[Word]:
        """Return the grammar's keywords and all other reserved words."""
        texts = self.grammar.tables.texts
        own = {texts[t] for t in self.grammar.terminals if t in texts and texts[t][0].isalpha()}
        return [Word(text, "KEYWORD", text) for text in sorted(own | self.grammar.quoting.reserved)]


def mutants(golds: Golds, rng: random.Random) -> Iterator[tuple[str, Query]]:
    """Yield ways and what they make of gold queries drawn at random: never a gold query, never the same twice."""
    words, keywords = golds.words(), golds.keywords()
    every = [word for group in words.values() for word in group]
    seen = {tuple(word.text for word in query) for query in golds.queries}
    ways: dict[str, Callable[[Query, int], Query]] = {
        "drop": lambda q, i: q[:i] + q[i + 1 :],
        "double": lambda q, i: q[: i + 1] + q[i:],
        "swap": lambda q, i: q[:i] + q[i : i + 2][::-1] + q[i + 2 :],
        "same terminal": lambda q, i: (*q[:i], rng.choice(words[q[i].terminal]), *q[i + 1 :]),
        "any word": lambda q, i: (*q[:i], rng.choice(every), *q[i + 1 :]),
        "keyword": lambda q, i: (*q[:i], rng.choice(keywords), *q[i:]),
        "cut": lambda q, i: q[:i],
        "splice": lambda q, i: q[:i] + (other := rng.choice(golds.queries))[rng.randrange(len(other)) :],
    }
    for way, mutate in cycle(ways.items()):
        gold = rng.choice(golds.queries)
        made = mutate(gold, rng.randrange(len(gold)))
        texts = tuple(word.text for word in made)
        if texts and texts not in seen:
            seen.add(texts)
            yield way, made
