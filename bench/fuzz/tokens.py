"""Write queries with the tokens of a language model at random, and run them: which does an engine refuse?

    python bench/fuzz/tokens.py --engine sqlite --queries 2000 --tokenizer smollm2 --databases ../shared/data/multi
    .ci/engines python bench/fuzz/tokens.py --engine postgres --queries 300 --seed 1

Random logits stand for a model with any weights: uniform over the mask, half of the time with spaces and the middle of
texts passed over, so that queries get somewhere. Outputs end within a budget of tokens, drawn for each schema. Schemas
and rows are those of `walks.py`, or the schemas of a folder's databases. Without a tokenizer, a small byte-level one is
trained on the schemas' names and SQL. Errors are listed with their SQL; a time-out is no error.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from walk_engines import TIME_OUT, Engine, open_engine
from walk_results import fresh_seed, keep
from walk_schemas import drawn_schemas, schema_at
from walking import Plan, filled
from walks import databases

from querent.data.schema.schema import Schema
from querent.grammar.tokens.constraint import TokenConstraint, TokenState
from querent.grammar.tokens.reading import At
from querent.grammar.tokens.spellings import TokenSpellings
from querent.llm.backends.smollm2 import read_tokenizer

ENGINES = ("sqlite", "mariadb", "postgres")
A_SCHEMA = 5
"""Queries on one schema."""

BUDGETS = (48, 64, 96, 160, 240)
"""Tokens of an output, if so few are enough for one at all."""

SQL = "SELECT DISTINCT COUNT(*) FROM WHERE GROUP BY HAVING ORDER BY LIMIT JOIN ON AS AND OR NOT IN BETWEEN LIKE IS NULL"


def main() -> None:
    """Write, run, count."""
    options = arguments()
    print(f"seed {options.seed}", flush=True)
    plan = Plan(options.engine, options.seed, data=options.data)
    numbers = range(-(-options.queries // A_SCHEMA))
    if options.databases is None:
        schemas = [schema_at(n, plan.rng(n, "schema"), plan.dialect, schema=None, data=plan.data) for n in numbers]
    else:
        schemas = drawn_schemas(options.databases, plan.rng(0, "databases"), len(numbers), plan.dialect)
    spellings = spellings_of(options.tokenizer, schemas)
    told: Counter[str] = Counter(queries=0, errors=0, time_outs=0, tokens=0)
    start = time.perf_counter()
    with databases(plan.engine, 1, options.url) as urls, open_engine(plan.engine, urls[0], timeout=2.0) as engine:
        for number, schema in track(list(enumerate(schemas)), "schemas", disable=not sys.stderr.isatty()):
            filled(engine, plan, number, schema)
            count = min(A_SCHEMA, options.queries - number * A_SCHEMA)
            told.update(on_schema(engine, plan, number, constraint_of(plan, number, schema, spellings), count))
    entry = {"seed": plan.seed, "schemas": len(set(schemas)), **told, "seconds": round(time.perf_counter() - start, 1)}
    print(json.dumps({"engine": plan.engine, **entry}))
    if options.out is not None:
        keep(options.out, plan.engine, entry)


def constraint_of(plan: Plan, number: int, schema: Schema, spellings: TokenSpellings) -> TokenConstraint:
    """Return the constraint of a schema with a budget that is enough for some query."""
    free = TokenConstraint(schema, spellings, dialect=plan.dialect)
    tokens = max(plan.rng(number, "tokens").choice(BUDGETS), free.endings.least(free.start().readings))
    return TokenConstraint(schema, spellings, dialect=plan.dialect, tokens=tokens)


def on_schema(engine: Engine, plan: Plan, number: int, constraint: TokenConstraint, count: int) -> Counter[str]:
    """Write and run some queries on one schema."""
    told: Counter[str] = Counter(queries=count)
    for place in range(count):
        written: dict[str, Any] = {"text": "", "tokens": 0}
        try:
            write(constraint, plan.rng(number, f"walk {place}"), written)
            problem = engine.problem(written["text"])
            said = "" if problem in (None, TIME_OUT) else problem.message
        except Exception as error:  # whatever is raised breaks the promise
            problem, said = None, f"{type(error).__name__}: {error}"
        told["tokens"] += written["tokens"]
        told["time_outs"] += problem is TIME_OUT
        told["errors"] += bool(said)
        if said:
            print(f"schema {number}, {place}: {said[:300]}\n    {written['text']!r}", flush=True)
    return told


def write(constraint: TokenConstraint, chance: random.Random, written: dict[str, Any]) -> None:
    """Write a query at random; what there is of it is in ``written`` at any time.

    Raises:
        ConstraintError: a mask is empty.
        ValueError: the output does not end within its tokens.
    """
    state = constraint.start()
    while not state.ended:
        token = choose(constraint, state, chance)
        state = state.advance(token)
        written |= {"text": state.text, "tokens": written["tokens"] + 1}
        if constraint.tokens is not None and written["tokens"] > constraint.tokens:
            raise ValueError(f"more than {constraint.tokens} tokens")


def choose(constraint: TokenConstraint, state: TokenState, chance: random.Random) -> int:
    """Draw a token; half of the time spaces and the middle of texts are passed over, if others come soon."""
    allowed = np.flatnonzero(state.allowed()).tolist()
    token = chance.choice(allowed)
    for _ in range(5 * (chance.random() < 0.5)):
        spelled = constraint.spellings.bytes[token] or b"."
        if spelled.strip() and (b"'" in spelled or all(reading.at != At.TEXT for reading in state.readings)):
            break
        token = chance.choice(allowed)
    return token


def spellings_of(name: str | None, schemas: list[Schema]) -> TokenSpellings:
    """Read a tokenizer, or train one on names and SQL, whose tokens may span words."""
    if name == "smollm2":
        return TokenSpellings.of_tokenizer(read_tokenizer())
    if name is not None:
        from transformers import AutoTokenizer

        return TokenSpellings.of_tokenizer(AutoTokenizer.from_pretrained(name))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, special_tokens=["</s>"], initial_alphabet=letters, show_progress=False
    )
    names = [f"SELECT T1.{c.name}, {c.name} FROM {t.name} AS T1" for schema in schemas for t, c in schema.columns()]
    tokenizer.train_from_iterator([SQL, SQL.lower(), *names], trainer)
    return TokenSpellings.of_tokenizer(tokenizer, eos=[tokenizer.token_to_id("</s>")])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=ENGINES, default="sqlite")
    parser.add_argument("--url", help="of a server, whose user may create databases")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=fresh_seed(), help="of all chance (default: a fresh one)")
    parser.add_argument("--tokenizer", help="a folder that transformers reads, or smollm2")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--data", type=Path, help="folder of the public sets, to write on their schemas too")
    where.add_argument("--databases", type=Path, help="folder with SQLite files in it or below: write on their schemas")
    parser.add_argument("--out", type=Path, help="result file to keep the figures in")
    return parser.parse_args()


if __name__ == "__main__":
    main()
