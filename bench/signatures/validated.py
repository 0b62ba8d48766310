"""Queries from the templates of validated.toml: does the verdict of `Validator` agree with the engine?

Some templates have the constructs that people write: calls, groups, subqueries, set operations, names used twice; many
of these queries fail. Others have those that `validate` rewrites before it judges: joins, derived tables, expressions
as keys. A query with the verdict that it runs must run on tables of hostile values and on empty ones.
"""

import random
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.fuzz.engines import DIALECTS, TIME_OUT, databases, open_engine
from querent import Validator
from querent.data.domains.domain import GROUPINGS

TEMPLATES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
DEEP = 6  # below so many nested rules the first way to write a rule is taken
BROKEN = 0.1  # share of the queries in which a word is changed


class Writer:
    """Writes queries by rules, each a list of ways to write it: ``{x}`` is any of x, ``{x1}`` the same one again."""

    def __init__(self, rules: Mapping[str, Sequence[str]], rng: random.Random) -> None:
        self.rules, self.rng = rules, rng

    def written(self, rule: str, depth: int = 0) -> str:
        """Return one way to write a rule."""
        ways, held = self.rules[rule], dict[str, str]()

        def filled(hole: re.Match[str]) -> str:
            if hole[2]:
                held[hole[0]] = held.get(hole[0]) or self.written(hole[1], depth + 1)
            return held[hole[0]] if hole[2] else self.written(hole[1], depth + 1)

        text = re.sub(r"\{([a-zA-Z_]+)(\d?)\}", filled, ways[0] if depth > DEEP else self.rng.choice(ways))
        return re.sub(r",\s*(?=[)\]])", "", text)

    def broken(self, sql: str) -> str:
        """Return a query with one word left out, doubled, or replaced."""
        words = re.findall(r"'[^']*'|[\w.]+|[<>=!|:&@~-]+|\S", sql)
        at = self.rng.randrange(len(words))
        words[at : at + 1] = self.rng.choice([[], [words[at]] * 2, [","], [self.rng.choice(words)]])
        return " ".join(words)


def templates(dialect: str) -> dict[str, Mapping[str, Sequence[str]]]:
    """Return the rules of each template by its name; ``query`` is where it begins."""
    rules: dict[str, Sequence[str]] = TEMPLATES["rules"] | TEMPLATES[dialect]["rules"]
    kinds: dict[str, Mapping[str, Sequence[str]]] = TEMPLATES["kinds"] | TEMPLATES[dialect].get("kinds", {})
    return {name: {**rules, **own} for name, own in kinds.items()}


def judged(engine: str, url: str | None, rng: random.Random, count: int, *, only: tuple[str, ...]) -> dict[str, Any]:
    """Write, judge, run and compare; print each difference, and return the figures."""
    dialect = DIALECTS[engine]
    made: dict[str, list[str]] = TEMPLATES[dialect]["tables"]
    kinds = {name: rules for name, rules in templates(dialect).items() if name.startswith(only)}
    counts = {name: Counter[str]() for name in kinds}
    wrong, refused = dict[str, str](), dict[str, str]()
    with ExitStack() as stack:
        urls = stack.enter_context(databases(engine, 2, url))
        full, empty = (stack.enter_context(open_engine(engine, own, timeout=5)) for own in urls)
        empty.restored(made["create"])
        off = GROUPINGS["loose" if engine.endswith("-loose") else "strict"]
        schema = full.restored([*made["create"], *made["fill"]])
        judge = Validator(schema, dialect=dialect, without=off, timeout=30)
        for number in range(count):
            name = list(kinds)[number % len(kinds)]
            writer = Writer(kinds[name], rng)
            sql = writer.written("query")
            sql = writer.broken(sql) if rng.random() < BROKEN else sql
            refusal = judge.judged(sql)[2]
            runs = True if refusal is None else refusal.runs
            problem = full.problem(sql) or empty.problem(sql)
            verdict = {True: "runs", False: "refused", None: "undecided"}[runs]
            counts[name][f"{verdict}, {'time-out' if problem is TIME_OUT else 'fails' if problem else 'runs'}"] += 1
            if runs and problem not in {None, TIME_OUT}:
                wrong[sql] = problem.message if problem else ""
                print(f"{name}\n    {sql}\n    {wrong[sql]:.200}", flush=True)
            elif refusal is not None and refusal.runs is False and problem is None:
                refused[sql] = f"{name}: {refusal.rule}: {refusal.problem}"
    for sql, why in refused.items():
        print(f"refused, and runs: {sql}\n    {why}")
    return {
        "version": full.version,
        "queries": count,
        "templates": len(kinds),
        "held": sum(not tally["runs, fails"] and tally["runs, runs"] > 0 for tally in counts.values()),
        "never_said_to_run": [name for name, tally in counts.items() if not tally["runs, runs"]],
        "verdicts": sum(counts.values(), Counter[str]()),
        "wrong": len(wrong),
    }
