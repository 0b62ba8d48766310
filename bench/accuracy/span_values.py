"""What spans would add to the values that the index finds: gold values that it misses, and wrong ones.

    python bench/accuracy/span_values.py --spans spans.safetensors --out bench/results/span-values.json

On all questions of databases held out, twice: with the database's cells, and as if no cell held what the gold query
names. A gold value is a string of the gold query, or a number of it that the question says; it is found where a value
offered to the network is it, case aside. BIRD's cells were made up from the queries, so all stand there.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from held_out import context_of
from result_files import DATA, save
from rich.progress import track

from querent.classifiers.span_finder import SpanFinder
from querent.data.domains.collection import Collection, Pair, read_collection
from querent.data.values.numerals import value_of
from querent.encoders import load_encoder
from querent.ner.bio import spans_of_tags, tags_of_spans
from querent.ner.gold_spans import GoldLiteral, gold_literals
from querent.ner.index import FoundValue
from querent.ner.units import units
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.question.question import read_question
from querent.parser.reader.question.word_states import word_states

SETS = ("spider:spider-train", "chase:chase-train", "spider:bird-train")
OFFERS = {
    "offered today": (True, False),
    "offered today, and spans": (True, True),
    "spans in place of guesses": (False, True),
    "neither": (False, False),
}
"""What could be offered: with the guesses of the index, with spans."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Asked:
    """A question with what its gold query names and what was found in it.

    Attributes:
        gold: its values.
        spans: of values, as the head says.
        found: with the cells of the database, and as if none held the gold values.
        whole: does the question say every string of its query?
    """

    question: str
    gold: Sequence[GoldLiteral]
    spans: frozenset[Span]
    found: dict[str, Sequence[FoundValue]]
    whole: bool


def main() -> None:
    """Measure each set."""
    options = arguments()
    finder = SpanFinder.load(options.spans)
    figures: dict[str, Any] = {}
    for spec in SETS:
        kind, _, name = spec.partition(":")
        collection = read_collection(f"{kind}:{options.data / 'multi' / name}").part("held-out")
        rows = list(track(asked(collection, finder, options.cache), name, total=len(collection.pairs)))
        ways = {way: told(rows, way) for way in ("with cells", "no cell holds the gold values")}
        figures[name] = {"questions": len(rows), **ways}
        print(name, json.dumps(figures[name], indent=1), flush=True)
    if options.out:
        save(options.out, {"figures": figures})


def asked(collection: Collection, finder: SpanFinder, cache: Path | None) -> Iterator[Asked]:
    """Yield the questions on each database."""
    encoder = load_encoder(finder.encoder)
    for name in collection.databases:
        pairs = [pair for pair in collection.pairs if pair.database == name]
        if not pairs:
            continue
        context = context_of(collection, name, cache)
        for pair in pairs:
            read = read_question(pair.question, (), encoder)
            tags = finder.predict(word_states(read, encoder, finder.layers))
            found = finder.set(tags, units(pair.question))
            spans = frozenset((one.start, one.end) for one in found if one.kind == "value")
            yield one_asked(pair, spans, context)


def one_asked(pair: Pair, spans: frozenset[Span], context: DatabaseContext) -> Asked:
    """Return a question with what is found in it."""
    literals = gold_literals(pair.question, pair.sql, language=context.language)
    gold = [one for one in literals if one.string or one.span is not None]
    said = {(pair.question[slice(*one.span)].lower(), one.value) for one in gold if one.span is not None}
    hidden = said | {(one.value.lower(), one.value) for one in gold}
    found = {
        "with cells": context.values(pair.question),
        "no cell holds the gold values": context.values(pair.question, without=hidden),
    }
    return Asked(pair.question, gold, spans, found, all(one.span is not None for one in gold))


def told(rows: Sequence[Asked], way: str) -> dict[str, Any]:
    """Return the figures of a set: what becomes of gold values, and what would be offered with spans."""
    by_kind = {kind: Counter[str]() for kind in ("strings", "numbers")}
    for one in rows:
        for literal in one.gold:
            by_kind["strings" if literal.string else "numbers"].update(told_of(literal, one, way))
    offers = {name: offer(rows, way, guesses=guesses, spans=spans) for name, (guesses, spans) in OFFERS.items()}
    whole, false = [one for one in rows if one.whole], Counter[str]()
    for one in whole:
        gold = {widened(g.span, one.question) for g in one.gold if g.span is not None}
        false["false spans"] += len(one.spans - gold)
        false["those that touch no gold value"] += sum(not any(touch(f, g) for g in gold) for f in one.spans)
    each = {name: round(count / max(1, len(whole)), 3) for name, count in false.items()}
    return {**{kind: dict(counts) for kind, counts in by_kind.items()}, **offers, "spans, a question": each}


def offer(rows: Sequence[Asked], way: str, *, guesses: bool, spans: bool) -> dict[str, float]:
    """Return the share of gold strings offered, and how many wrong values a question of those that say all of theirs.

    Args:
        guesses: with what the index guesses from capitals and from what is left of a Chinese question.
        spans: with what the head's spans say, as it stands.
    """
    gold = offered = wrong = whole = 0
    for one in rows:
        values = {v.value.strip().casefold() for v in one.found[way] if v.kind != "text" or guesses}
        values |= {one.question[slice(*span)].casefold() for span in one.spans} if spans else set()
        strings = [literal.value.strip().casefold() for literal in one.gold if literal.string]
        gold, offered = gold + len(strings), offered + sum(string in values for string in strings)
        if one.whole:
            numbers = {value_of(literal.value) for literal in one.gold if literal.span is not None}
            said = {one.question[slice(*literal.span)].casefold() for literal in one.gold if literal.span is not None}
            own = {value for value in values if value in (*strings, *said) or value_of(value) in numbers - {None}}
            whole, wrong = whole + 1, wrong + len(values - own)
    return {"gold strings": round(offered / max(1, gold), 4), "wrong a question": round(wrong / max(1, whole), 3)}


def told_of(literal: GoldLiteral, one: Asked, way: str) -> Iterator[str]:
    """Yield what is counted of a gold value."""
    yield "gold"
    if any(is_it(value, literal) for value in one.found[way]):
        yield "found"
        return
    yield "missed"
    if literal.span is None:
        return
    yield "missed, said"
    span = widened(literal.span, one.question)
    if span in one.spans:
        yield "missed, a span covers it exactly"
        if one.question[slice(*span)].casefold() == literal.value.casefold():
            yield "missed, a span says it as it stands"
    elif any(touch(span, other) for other in one.spans):
        yield "missed, a span touches it"


def is_it(value: FoundValue, literal: GoldLiteral) -> bool:
    """Is a value offered the gold one?"""
    if literal.string:
        return value.value.casefold().strip() == literal.value.casefold().strip()
    wanted = value_of(literal.value)
    return wanted is not None and value_of(value.value) == wanted


def widened(span: Span, question: str) -> Span:
    """Return a span with the whole of the words that it touches, as tags say spans."""
    words = units(question)
    return next(iter(spans_of_tags(tags_of_spans([span], words), words)), span)


def touch(one: Span, other: Span) -> bool:
    """Do two spans share a character?"""
    return one[0] < other[1] and other[0] < one[1]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spans", type=Path, required=True, help="weights that span_finder.py wrote")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the public sets")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the value indexes")
    parser.add_argument("--out", type=Path, help="JSON of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
