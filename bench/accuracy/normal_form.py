"""Put gold queries into normal form, shorten and expand them, and look whether they still give the same rows.

    python bench/accuracy/normal_form.py --data ../shared/data

Each set is one entry of the result file, written as it ends. A query counts once for each of its questions; those that
the engine refuses as they stand count apart. Where a set has no rows, queries are only read. `admitted` are those all
of whose words the constraint on short forms lets come, at level `runs`, with slots in place of the values that are no
constants. Of the public sets' queries only places are kept, never the texts.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from result_files import DATA, RESULTS, add

from querent import load_domain
from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_spider
from querent.data.domains.domain import GROUPINGS
from querent.data.errors import DatabaseError, QueryError
from querent.data.schema.schema import Schema
from querent.evaluation.metrics import execution_match, is_ordered
from querent.grammar import EOS, Constraint, Grammar
from querent.parser.normal_form import NormalForm, ShortConstraint, ShortForm, vocabulary
from querent.parser.normal_form.words import CONSTANTS

MULTI = {"spider-train": "train_spider.json", "chase-train": "chase_train.json", "sesql-part": "train.json"}
DOMAINS = {
    "geography": "text2sql:{data}/text2sql/geography",
    "restaurants": "text2sql:{data}/text2sql/restaurants",
    "academic": "text2sql:{data}/text2sql/academic",
    "atis": "text2sql:{data}/text2sql/atis",
    "css-yibao": "css:{data}/css-yibao",
}
SLOTS = 12
ROWS = 100_000
Words = tuple[tuple[str, str], ...]
Wrong = tuple[str, str]
"""The step at which a query fails, and the reason."""


@dataclass
class Base:
    """One database with what reads its queries."""

    schema: Schema
    dialect: str
    file: str | None
    grouping: str = "strict"
    grammar: Grammar = field(init=False)
    normal: NormalForm = field(init=False)
    short: ShortForm = field(init=False)
    steps: ShortConstraint = field(init=False)

    def __post_init__(self) -> None:
        self.grammar = Grammar.for_schema(self.schema, dialect=self.dialect)
        self.normal, self.short = NormalForm(self.grammar), ShortForm(self.grammar)
        words = vocabulary(self.grammar, texts=SLOTS, numbers=SLOTS)
        self.steps = ShortConstraint(Constraint(words, without=GROUPINGS[self.grouping]))


def main() -> None:
    """Go through the sets asked for."""
    options = arguments()
    for name in options.sets:
        entry = measured(name, options)
        add(options.out, name, entry)
        shown = {key: value for key, value in entry.items() if key != "failures"}
        print(name, json.dumps(shown), flush=True)
        for failure in entry["failures"]:
            print("   ", failure["pairs"], failure["step"], failure["where"], failure["reason"])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the sets")
    parser.add_argument("--out", type=Path, default=RESULTS / "normal_form.json", help="the result file")
    parser.add_argument("--sets", nargs="+", default=[*MULTI, *DOMAINS], choices=[*MULTI, *DOMAINS])
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds that one query may take")
    return parser.parse_args()


def measured(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the counts of one set, and what is wrong with the queries that fail."""
    started, counts, failures = time.perf_counter(), Counter[str](), list[dict[str, Any]]()
    found = list(queries(name, options.data))
    firsts = {query: i for i, query in reversed(list(enumerate(found)))}
    places: dict[str, list[tuple[str, int]]] = {}
    for (place, sql), pairs in Counter(found).items():
        places.setdefault(place, []).append((sql, pairs))
    for place, its in places.items():  # one database after the other: each keeps many states in mind
        here = base(name, place, options.data)
        for sql, pairs in its:
            counts["questions"] += pairs
            for step, reason in gone_through(here, sql, pairs, counts, options.timeout):
                failures.append({"where": firsts[place, sql], "pairs": pairs, "step": step, "reason": reason})
    counts["words"] = round(counts["words"] / max(counts["normal"], 1), 2)  # type: ignore[assignment]
    counts["full words"] = round(counts["full words"] / max(counts["normal"], 1), 2)  # type: ignore[assignment]
    return dict(counts) | {"seconds": round(time.perf_counter() - started, 1), "failures": failures}


def queries(name: str, data: Path) -> Iterator[tuple[str, str]]:
    """Yield the gold queries of a set, each with its database."""
    if name in DOMAINS:
        for example in load_domain(DOMAINS[name].format(data=data)).examples:
            yield "", example.sql
        return
    for row in json.loads((data / "multi" / name / MULTI[name]).read_text(encoding="utf-8")):
        yield row["db_id"], row["interaction"][0]["query"] if name == "chase-train" else row["query"]


def base(name: str, place: str, data: Path) -> Base:
    """Return one database of a set."""
    if name in DOMAINS:
        domain = load_domain(DOMAINS[name].format(data=data))
        return Base(domain.schema, domain.dialect, domain.database, domain.grouping)
    folder = data / "multi" / name
    file = folder / "database" / place / f"{place}.sqlite"
    return Base(from_spider(folder / "tables.json", place), "sqlite", str(file))


def gone_through(base: Base, gold: str, pairs: int, counts: Counter[str], timeout: float) -> Iterator[Wrong]:
    """Count one query, and yield each step at which it fails with the reason."""
    try:
        sql = base.normal.of(gold)
    except QueryError as error:
        yield "normal", str(error)
        return
    words = tuple((token.text, token.terminal) for token in base.grammar.tokenize(sql))
    short = base.short.shorten(words)
    counts["normal"] += pairs
    counts["words"] += pairs * len(short)
    counts["full words"] += pairs * len(words)
    counts["ons"] += pairs * sum(text == "ON" for text, _ in words)
    counts["ons written"] += pairs * sum(text == "ON" for text, _ in short)
    counts["stable"] += pairs * (base.normal.of(sql) == sql)
    if base.short.expand(short) != words:
        yield "expand", "it gives another query"
        return
    counts["round trips"] += pairs
    if base.file is not None:
        yield from same_rows(base, gold, base.short.sql(short), counts, pairs=pairs, timeout=timeout)
    try:
        refusal = refused(base, short)
    except QueryError as error:
        refusal = str(error)
    counts["admitted"] += pairs * (refusal is None)
    if refusal is not None:
        yield "admitted", refusal


def same_rows(base: Base, gold: str, sql: str, counts: Counter[str], *, pairs: int, timeout: float) -> Iterator[Wrong]:
    """Run both queries, and yield what is wrong."""
    with Database.open(base.file or "", timeout=timeout, max_rows=ROWS) as database:
        try:
            due = database.query(gold).rows
        except DatabaseError:
            counts["gold fails"] += pairs
            return
        counts["gold runs"] += pairs
        try:
            rows = database.query(sql).rows
        except DatabaseError as error:
            yield "runs", error.problem
            return
    if not execution_match(rows, due):
        yield "rows", f"{len(rows)} rows, {len(due)} are due"
        return
    counts["same rows"] += pairs
    counts["some rows"] += pairs * bool(due)
    if is_ordered(gold, base.dialect) and not execution_match(rows, due, ordered=True):
        counts["ties in another order"] += pairs


def refused(base: Base, short: Words) -> str | None:
    """Return why the constraint refuses a short form, None if it does not."""
    state, seen = base.steps.start(), dict[tuple[str, str], int]()
    for word in short:
        slotted = with_slot(word, seen)
        number = base.steps.numbers.get(slotted)
        if number is None:
            return f"{word[1]} {'' if word[1] == 'STRING' else word[0]!r} is not in the vocabulary"
        if not state.allowed()[number]:
            return state.explain(number)
        state = state.advance(number)
    return None if state.allowed()[EOS] else "the query may not end"


def with_slot(word: tuple[str, str], seen: dict[tuple[str, str], int]) -> tuple[str, str]:
    """Put a slot in place of a value that is no constant; the same value, the same slot."""
    text, terminal = word
    if terminal not in {"STRING", "WHOLE", "NUMBER"} or text in map(str, CONSTANTS):
        return word
    kind = "text" if terminal == "STRING" else "number"
    value = text[1:-1].strip("%") if kind == "text" else text
    index = seen.setdefault((kind, value), sum(k == kind for k, _ in seen))
    slot = f"{{{kind}{index}}}"
    if kind == "number":
        return slot, "WHOLE"
    before, after = "%" * text.startswith("'%"), "%" * (text.endswith("%'") and len(text) > 3)
    return f"'{before}{slot}{after}'", terminal


if __name__ == "__main__":
    main()
