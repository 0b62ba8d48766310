"""Formulas on questions that others wrote: Archer, DuSQL's calculations, and the evidence of BIRD.

    python bench/accuracy/real_formulas.py --sets archer dusql bird

archer: questions of Archer's training part that need knowledge, asked with no formula and with all the shipped ones;
its databases are Spider's, most of them of the base's training. dusql: held-out questions whose query reckons with two
columns, likewise. bird: BIRD's training questions whose evidence is arithmetic over columns (DIVIDE …); there
are no rows, so that what is measured is whether each column, said in plain words, grounds to itself, and whether the
formula stands in one of the four best queries when the question is put with it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import sqlglot
import torch
from result_files import DATA, RESULTS, add, command
from rich.progress import track
from sqlglot import exp

import querent
from querent.data.collection import read_collection
from querent.data.database import Database
from querent.data.errors import DatabaseError, QuerentError
from querent.data.plain_names import spoken
from querent.data.schema import Schema
from querent.data.schema_readers import read_schema
from querent.evaluation.metrics import execution_match, is_ordered
from querent.knowledge.formulas.bank import Bank, Formula
from querent.knowledge.formulas.expression import ExpressionError, parse
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.mentions import Mention
from querent.knowledge.needed import Needed
from querent.parser.opening import answerer_of
from querent.parser.reader.profile import Profile

_CALLS = {"DIVIDE": exp.Div, "SUBTRACT": exp.Sub, "MULTIPLY": exp.Mul, "ADD": exp.Add, "SUM_OF": exp.Add}
_PIECE = re.compile(r"(?:([\w ]{3,40}?)\s*=\s*)?((?:DIVIDE|SUBTRACT|MULTIPLY|ADD)\(.*\))", re.IGNORECASE)


def main() -> None:
    """Measure the sets asked for."""
    options = arguments()
    torch.set_num_threads(1)
    for name in options.sets:
        for way, found in {"archer": archer, "dusql": dusql, "bird": bird}[name](options.every):
            print(name, way, json.dumps(found), flush=True)
            add(options.out, f"{name}/{way}", found | {"command": command()})


def archer(every: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is answered without formulas and with all shipped ones."""
    lines = (DATA / "knowledge" / "archer-train.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [one for one in map(json.loads, lines) if one["knowledge"]][::every]
    home = DATA / "multi" / "spider-train" / "database"
    triples = [(home / one["db_id"] / f"{one['db_id']}.sqlite", one["question"], one["sql"]) for one in asked]
    yield from both(triples, "en")


def dusql(every: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is answered without formulas and with all shipped ones."""
    held_out = read_collection(f"dusql:{DATA / 'multi' / 'dusql-train'}").part("held-out")
    pairs = [pair for pair in held_out.pairs if reckons(pair.sql)][::every]
    yield from both([(Path(held_out.databases[p.database]), p.question, p.sql) for p in pairs], "zh")


def reckons(sql: str) -> bool:
    """Does a query reckon with two columns?"""
    tree = sqlglot.parse_one(sql, read="sqlite")
    return any(len(list(node.find_all(exp.Column))) > 1 for node in tree.find_all(exp.Add, exp.Sub, exp.Mul, exp.Div))


def both(asked: Iterable[tuple[Path, str, str]], language: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures of the shipped parser alone, and with all shipped formulas."""
    asked = list(asked)
    loaded = querent.load_network(querent.parser_folder(language))
    for way, bank in (("none", None), ("all", open_banks(["all"]))):
        by_file: defaultdict[Path, list[tuple[str, str]]] = defaultdict(list)
        for file, question, sql in asked:
            by_file[file].append((question, sql))
        right = used = sure = 0
        for file, several in track(by_file.items(), way):
            profile = Profile.of(read_schema(str(file)), dialect="sqlite", language=language, database=str(file))
            with Database.open(str(file)) as database:
                answerer = answerer_of(loaded, profile, str(file), database, level="runs", bank=bank)
                for question, sql in several:
                    answer = answerer.ask(question)
                    right += same(database, answer.sql, sql)
                    used += bool(answer.knowledge)
                    sure += answer.status == "ok"
        yield way, {"n": len(asked), "ex": round(right / len(asked), 4), "with a formula": used, "ok": sure}


def same(database: Database, sql: str | None, gold: str) -> bool:
    """Have two queries the same rows?"""
    if sql is None:
        return False
    try:
        rows, wanted = database.query(sql).rows, database.query(gold.replace('"', "'")).rows
    except DatabaseError:
        return False
    return execution_match(rows, wanted, ordered=is_ordered(gold, "sqlite"), any_columns=True)


def bird(every: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield how concepts ground in BIRD's schemas, and how often the formula is written."""
    home = DATA / "knowledge"
    told = {one["db_id"]: one for one in json.loads((home / "bird-train-tables.json").read_text(encoding="utf-8"))}
    lines = (home / "bird-train-formulas.jsonl").read_text(encoding="utf-8").splitlines()
    loaded = querent.load_network(querent.parser_folder("en"))
    read = written = hits = claimed = due = 0
    questions = list(map(json.loads, lines))[::every]
    for one in track(questions, "bird"):
        schema = schema_of(told[one["db_id"]])
        found = formula_of(one["evidence"], schema)
        if found is None:
            continue
        formula, columns = found
        read += 1
        try:
            profile = Profile.of(schema, dialect="sqlite", language="en", database=None)
            answerer = answerer_of(loaded, profile, None, None, level="runs", bank=Bank([formula], {}))
            grounding = answerer.knowledge.grounding(formula) if answerer.knowledge else None
        except QuerentError:
            continue
        best = grounding.best if grounding else None
        got = {(c.concept, str(c.place).lower()) for c in best.concepts if c.confidence >= 0.6} if best else set()
        gold = {(concept, place) for concept, places in columns.items() for place in places}
        hits, claimed, due = hits + len(got & gold), claimed + len(got), due + len(columns)
        if grounding is not None and grounding.grounded is not None:
            written += stands(answerer, one["question"], formula)
    precision, recall = hits / max(1, claimed), hits / max(1, due)
    yield (
        "grounded",
        {
            "n": len(questions),
            "read as formulas": read,
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1": round(2 * precision * recall / max(1e-9, precision + recall), 4),
            "in the n best": written,
        },
    )


def stands(answerer: Any, question: str, formula: Formula) -> bool:
    """Say whether a formula stands in one of the best queries when it is told at the whole question's words."""
    grounding = answerer.knowledge.grounding(formula)
    mentions = answerer.knowledge.mentions.find(question)
    mention = next(iter(mentions), Mention(0, 0, formula.name, (formula,), 1.0))
    answerer.knowledge.find = lambda _: [Needed(mention, grounding)]
    try:
        found = answerer.consider(question)
    except QuerentError:
        return False
    return any(one.formulas for one in found.parse.candidates)


def formula_of(evidence: str, schema: Schema) -> tuple[Formula, dict[str, set[str]]] | None:
    """Return the formula of an evidence over plain words, with the columns that each may be; None if it is none."""
    piece = _PIECE.search(evidence.split(";", maxsplit=1)[0])
    if piece is None:
        return None
    known: defaultdict[str, set[str]] = defaultdict(set)
    for table, column in schema.columns():
        known[column.name.lower()].add(f"{table.name}.{column.name}".lower())
    try:
        tree = sqlglot.parse_one(piece[2].replace("%", "").strip(" .*10"), read="sqlite").transform(arithmetic)
        columns = {column.name for column in tree.find_all(exp.Column)}
        if not columns or any(column.lower() not in known for column in columns):
            return None
        for column in list(tree.find_all(exp.Column)):
            column.replace(exp.column(spoken(column.name, ""), quoted=True))
        text = tree.sql(dialect="sqlite")
        expression = parse(text, "calculation")
    except (sqlglot.errors.SqlglotError, ExpressionError, ValueError):
        return None
    name = (piece[1] or "the value asked for").strip()
    return Formula(name, (), "calculation", expression), {spoken(c, ""): known[c.lower()] for c in columns}


def arithmetic(node: exp.Expr) -> exp.Expr:
    """Write DIVIDE(a, b) as a / b, and the like."""
    if isinstance(node, exp.Anonymous) and node.name.upper() in _CALLS and len(node.expressions) == 2:
        left, right = (exp.paren(one.copy().transform(arithmetic)) for one in node.expressions)
        return exp.paren(_CALLS[node.name.upper()](this=left, expression=right))
    return node


def schema_of(told: dict[str, Any]) -> Schema:
    """Return a schema in Spider's form."""
    types = {"text": "TEXT", "integer": "INTEGER", "real": "REAL", "date": "DATE", "datetime": "DATETIME"}
    tables: list[dict[str, Any]] = [{"name": name, "columns": []} for name in told["table_names_original"]]
    for (table, name), kind in zip(told["column_names_original"], told["column_types"], strict=True):
        if table >= 0:
            tables[table]["columns"].append(
                {"name": name, "type": types.get(kind, "REAL" if kind == "number" else "TEXT")}
            )
    return Schema.from_json({"tables": tables})


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=["archer", "dusql", "bird"], default=["archer", "dusql", "bird"])
    parser.add_argument("--every", type=int, default=1, help="take every so many questions")
    parser.add_argument("--out", type=Path, default=RESULTS / "real-formulas.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
