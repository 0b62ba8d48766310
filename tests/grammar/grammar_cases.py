"""Schemas and gold queries that the tests of this room walk on."""

import csv
import json
import random
import re
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import EOS, Constraint, Grammar, Vocabulary
from querent.grammar.stack.graph_stack import GraphStack, Node

SETS = {"geography": "sqlite", "restaurants": "sqlite", "academic": "mysql", "atis": "mysql", "css-yibao": "mysql"}


def make_schema(**tables: str) -> Schema:
    return Schema(tuple(Table(name, tuple(map(Column, columns.split()))) for name, columns in tables.items()))


ODD = Schema(
    (
        Table("order", tuple(map(Column, ("group by", "my col", "select", "date", "year", "Interval", "count")))),
        Table("病人", tuple(map(Column, ("姓名", "it's", 'a"b', "a`b", "1st", "key", "time", "timestamp", "day")))),
        Table("a.b", tuple(map(Column, ("c.d", "first", "user", "values", "window", "left", "row", "type", "text")))),
    )
)


@dataclass(frozen=True)
class Gold:
    """One public set: its schema and its distinct gold queries with slots."""

    name: str
    dialect: str
    schema: Schema
    queries: tuple[str, ...]


@lru_cache
def read_gold(folder: Path, name: str) -> Gold:
    if name == "css-yibao":
        ddl = (folder / name / "yibao.sql").read_text("utf-8")
        made = re.findall(r"CREATE TABLE `(\w+)`(.*?)ENGINE", ddl, re.DOTALL)
        schema = make_schema(**{t: " ".join(re.findall(r"^\s+`(\w+)`", body, re.MULTILINE)) for t, body in made})
        lines = (folder / name / "examples.jsonl").read_text("utf-8").splitlines()
        return Gold(name, SETS[name], schema, tuple(dict.fromkeys(json.loads(line)["sql"] for line in lines)))
    columns: dict[str, list[str]] = defaultdict(list)
    for row in csv.reader((folder / "text2sql" / f"{name}-schema.csv").read_text("utf-8").splitlines()[1:]):
        if len(row) > 4 and row[0].strip():
            columns[row[0].strip()].append(row[1].strip())
    prototypes = json.loads((folder / "text2sql" / f"{name}.json").read_text("utf-8"))
    schema = make_schema(**{t: " ".join(c) for t, c in columns.items()})
    return Gold(name, SETS[name], schema, tuple(dict.fromkeys(map(_slotted, prototypes))))


def _slotted(prototype: dict) -> str:
    names = "|".join(sorted((re.escape(v["name"]) for v in prototype["variables"]), key=len, reverse=True))
    sql = re.sub(rf"(?<!\w)({names})(?!\w)", r"{\1}", prototype["sql"][0]) if names else prototype["sql"][0]
    return re.sub('"([^"]*)"', lambda m: "'" + m[1].replace("'", "''") + "'", sql).rstrip(" ;")


def following(stacks: GraphStack, node: Node) -> dict[int, Node]:
    """Return the terminals that may come next, each with the stack after it; without values."""
    return {t: stacks.shift(path, t) for t, path in stacks.paths(node).items()}


def rich_vocabulary(grammar: Grammar) -> Vocabulary:
    """Return a vocabulary with every function of the dialect and every way of writing a name."""
    write = grammar.quoting.write
    first, second = grammar.schema.tables[:2]
    a, b = write(first.columns[0].name), write(second.columns[0].name)
    query = (
        f"SELECT COUNT(*) AS cnt, T1.*, {a} FROM {write(first.name)} AS T1, {write(second.name)} T2 "
        f"WHERE T2.{b} = 'it''s' AND {write(first.name)}.{a} > 2.5 "
        f"AND T1.{a} < {{number0}} AND T1.{a} LIKE '%{{name0}}%'"
    )
    return Vocabulary.build(grammar, [query], functions="all")


def some_words(vocabulary: Vocabulary, rng: random.Random, kept: float) -> np.ndarray:
    """Return which words are at hand: some names, constants and functions, and what a question always has."""
    return np.array([rng.random() < kept or w.kind in {"keyword", "operator"} for w in vocabulary.words])


def walk(
    constraint: Constraint,
    rng: random.Random,
    *,
    budget: int,
    available: np.ndarray | None = None,
    liked: Container[int] = (),
    begun: str = "",
) -> list[int]:
    """Write a query at random: any terminal that is allowed, then any word of it; check what is promised at each word.

    Args:
        liked: words that are chosen among for a part of the time.
        begun: words that stand first, with spaces between them.
    """
    words = constraint.vocabulary.words
    state = constraint.start(available, budget)
    ids: list[int] = []
    todo = begun.split()
    while True:
        spelled = constraint.vocabulary.decode(ids)
        allowed = np.flatnonzero(state.allowed()).tolist()
        assert allowed, f"nothing may follow {spelled}"
        assert (EOS in allowed) == state.complete
        if todo:
            allowed = [n for n in allowed if words[n].text == todo[0]]
            todo = todo[1:]
        allowed = [n for n in allowed if n in liked and rng.random() < 0.4] or allowed
        terminal = rng.choice(sorted({words[n].terminal for n in allowed}))
        word = rng.choice([n for n in allowed if words[n].terminal == terminal])
        if word == EOS:
            return ids
        promised = state.need(word)
        assert 0 < promised <= state.left, spelled
        ids.append(word)
        state = state.advance(word)
        assert state.least < promised, f"{spelled} {words[word].text}: more words than were promised"
