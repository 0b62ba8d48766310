"""Random queries with formulas as words, run on a real engine: which does it refuse?

    python bench/fuzz/formula_walks.py --engine sqlite --queries 2000 --seed 32
    .ci/engines python bench/fuzz/formula_walks.py --engine postgres --queries 2000 --seed 32

Databases are KnowBench's, their tables made and filled on the engine; the formulas of each question are rightly
grounded. Words are drawn uniformly from the mask, formulas often. A refused query is an error, a time-out is counted.
The result goes into bench/results/formula-walks.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from random_rows import random_rows
from rich.progress import track
from walk_engines import TIME_OUT, Engine, Problem, open_engine
from walk_servers import VARIABLES, fresh_databases
from walking import DIALECTS

from querent.data.databases.schema_places import open_schema
from querent.data.domains.examples import Mention, Value, fill_sql
from querent.data.schema.schema import Schema
from querent.encoders import Encoder, load_encoder
from querent.grammar import EOS, Constraint
from querent.knowledge.grounding.grounder import Grounder
from querent.knowledge.needed import NeededFormulas
from querent.parser.decoding.formula_state import FormulaState
from querent.parser.decoding.formula_words import FormulaWords
from querent.parser.normal_form import ShortConstraint
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.formula_items import FormulaItems, offered
from querent.parser.reader.items import column_kind
from querent.parser.reader.question import read_question

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accuracy"))

from knowbench_told import bank_of, needed, questions  # of the folder just added
from result_files import RESULTS, add, command

_DEAD_END = Problem("dead end", "no word may come")

OFTEN = 0.5
"""How often a formula is taken where one may come."""

_ENGINES = ("sqlite", "mariadb", "postgres")


def main() -> None:
    """Walk, run, count, and save the figures."""
    options = arguments()
    tally: Counter[str] = Counter()
    problems: list[dict[str, str]] = []
    begun = time.perf_counter()
    place = nullcontext([None]) if options.engine == "sqlite" else fresh_databases(options.url, 1)
    with place as urls, open_engine(options.engine, urls[0], timeout=options.timeout) as engine:
        for sql, used, problem in track(walks(engine, options), options.engine, total=options.queries):
            tally["queries"] += 1
            tally["with a formula"] += used
            tally["time-outs"] += problem is TIME_OUT
            if problem is not None and problem is not TIME_OUT:
                tally["errors"] += 1
                problems.append({"sql": sql, "problem": problem.message})
        found: dict[str, Any] = {name: tally[name] for name in ("queries", "with a formula", "time-outs", "errors")}
        found |= {"engine": engine.version, "seed": options.seed, "command": command()}
    print(json.dumps(found), *problems[:20], f"{time.perf_counter() - begun:.0f} s", sep="\n")
    add(options.out, options.engine, found)


def walks(engine: Engine, options: argparse.Namespace) -> Iterator[tuple[str, bool, Any]]:
    """Yield queries with whether a formula stands in them, and what the engine says against them."""
    root = options.bench / "en"
    bank, encoder = bank_of(root), load_encoder("minilm")
    asked = list(questions(root, "test").items())
    rng = random.Random(options.seed)
    dialect = DIALECTS[options.engine]
    each = -(-options.queries // len(asked))
    left = options.queries
    for name, several in asked:
        schema = typed(open_schema(root / "databases" / f"{name}.sqlite")[0], dialect)
        context = DatabaseContext.of(schema, None, dialect=dialect, language="en")
        grounder = Grounder(schema, bank, lambda texts, names: np.zeros((len(texts), len(names))), kind_of=column_kind)
        inner = NeededFormulas(bank, grounder)
        rows = {table.name: random_rows(rng, table, dialect) for table in schema.tables}
        engine.create(schema, context.grammar.quoting.write, rows)
        constraint = ShortConstraint(Constraint(context.vocabulary, level="runs"))
        meant = [one for one in several if one["formulas"]]
        for number in range(min(each, left)):
            told = needed(rng.choice(meant), inner, grounded=True)
            items = offered(context, told)
            if items is None:
                continue
            written = walk(constraint, items, encoder, random.Random(f"{options.seed} {name} {number}"))
            yield ("", False, _DEAD_END) if written is None else (*written, engine.problem(written[0]))
        left -= each


def walk(
    constraint: ShortConstraint, items: FormulaItems, encoder: Encoder, rng: random.Random
) -> tuple[str, bool] | None:
    """Write one query at random, with its constants, and say whether a formula stands in it; None at a dead end."""
    text = "; ".join(one.needed.mention.text for one in items.offers)
    question = read_question(text, items.values([]), encoder)
    words = FormulaWords(constraint, items, question)
    known = {f"number{i}": str(rng.randint(0, 99)) for i in range(3)} | {"text8": "Ann", "text9": "x"}
    free = np.array([word.slot is None or word.slot in known for word in items.context.vocabulary.words])
    formulas = {i for one in items.offers for i in (one.word, one.by_row) if i is not None}
    prefix = FormulaState.start(words, free, known)
    ids: list[int] = []
    while True:
        allowed = np.flatnonzero(prefix.allowed()).tolist()
        if not allowed:  # a JOIN that was begun with too few words left
            return None
        often = [word for word in allowed if word in formulas]
        word = rng.choice(often if often and rng.random() < OFTEN else allowed)
        prefix = prefix.advance(word)  # the end, too: it writes the ON that is implied last
        if word == EOS:
            break
        ids.append(word)
    slots = {**known, **words.slots}
    values = [Value(slot, Mention(0, 0, text, slot, text)) for slot, text in slots.items()]
    slotted = items.context.vocabulary.decode(prefix.sql_words)
    return fill_sql(slotted, values, dialect=items.context.grammar.dialect), not formulas.isdisjoint(ids)


def typed(schema: Schema, dialect: str) -> Schema:
    """Return a schema with texts that a server can have as keys."""
    if dialect == "sqlite":
        return schema
    tables = [
        replace(t, columns=tuple(replace(c, type="VARCHAR(60)") if c.type == "TEXT" else c for c in t.columns))
        for t in schema.tables
    ]
    return replace(schema, tables=tuple(tables))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=_ENGINES, default="sqlite")
    parser.add_argument("--url", help="of the server; found in the environment if left out")
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=32)
    parser.add_argument("--timeout", type=float, default=2.0)
    parser.add_argument("--bench", type=Path, default=Path("runs/knowbench"), help="folder that KnowBench wrote")
    parser.add_argument("--out", type=Path, default=RESULTS / "formula-walks.json")
    options = parser.parse_args()
    if options.engine != "sqlite":
        options.url = options.url or os.environ[VARIABLES[options.engine]]
    return options


if __name__ == "__main__":
    main()
