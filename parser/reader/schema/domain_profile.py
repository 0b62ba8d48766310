"""What a domain tells of its database beside its pairs' meaning: values, constants, how large its queries are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from sqlglot import exp

from ....data.domains.domain import Domain
from ....data.domains.examples import Example
from ....data.errors import QuerentError
from ....data.sql.parsing import PARSE_ERRORS, read_tree
from ....data.sql.sources import sources
from ....grammar import MAX_WORDS, Grammar
from ....ner.known_values import columns_of_types, constants, write_known
from ...normal_form import NormalForm, uses_in
from ...normal_form.keys import Words
from ...normal_form.words import CONSTANTS
from .output_vocabulary import USES
from .profile import Profile

__all__ = ["domain_profile"]

_ROOM = 1.25
"""How much longer and wider than those of the examples queries may be."""

_SHORTEST, _NARROWEST = 60, 3
"""Words and sources that every query may have."""


def domain_profile(domain: Domain, examples: Sequence[Example], values: Path) -> Profile:
    """Return the profile of a domain.

    Args:
        examples: of it, that may be known.
        values: gets the index of the values that the domain tells.
    """
    write_known(values, domain, examples, columns_of_types(domain, examples))
    grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
    queries = list({example.slotted: example.sql for example in examples}.values())
    longest = max((_words(grammar, query) for query in queries), default=0)
    widest = max((_sources(query, domain.dialect) for query in queries), default=0)
    return Profile(
        name=domain.name,
        language=domain.language,
        dialect=domain.dialect,
        schema=domain.schema,
        database=domain.database,
        values=values,
        grouping=domain.grouping,
        now=domain.now,
        budget=min(MAX_WORDS, max(_SHORTEST, math.ceil(_ROOM * longest))),
        sources=max(_NARROWEST, math.ceil(_ROOM * widest)),
        constants=constants(domain, examples, without={str(number) for number in CONSTANTS}),
        uses=uses_in(grammar, _forms(grammar, queries), most=USES),
    )


def _forms(grammar: Grammar, queries: Iterable[str]) -> Iterator[Words]:
    """Yield the words of the normal forms of queries that have one."""
    form = NormalForm(grammar)
    for query in queries:
        with suppress(QuerentError):
            yield tuple((token.text, token.terminal) for token in grammar.tokenize(form.of(query)))


def _words(grammar: Grammar, query: str) -> int:
    try:
        return len(grammar.tokenize(query))
    except QuerentError:
        return 0


def _sources(query: str, dialect: str) -> int:
    try:
        selects = read_tree(query, dialect).find_all(exp.Select)
    except PARSE_ERRORS:
        return 0
    return max((len(list(sources(select))) for select in selects), default=0)
