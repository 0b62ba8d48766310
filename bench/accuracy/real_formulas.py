"""Formulas on questions that others wrote: Archer, and the evidence of BIRD.

    python bench/accuracy/real_formulas.py --sets archer bird

archer: questions of Archer's training part that need knowledge, asked with no formula and with all the shipped ones;
its databases are Spider's, most of them of the base's training. bird: BIRD's training questions whose evidence is
arithmetic over columns (DIVIDE …); there are no rows, so that what is measured is whether each column, said in plain
words, grounds to itself, and whether the formula stands in one of the four best queries when the question is put with
it.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlglot
import torch
from evidence_figures import Asked, Grounds, Read
from result_files import DATA, RESULTS, add, command
from rich.progress import track
from sqlglot import exp

import querent
from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.errors import DatabaseError
from querent.data.schema.plain_names import spoken
from querent.data.schema.schema import Schema
from querent.evaluation.metrics import execution_match, is_ordered
from querent.knowledge.evidence.reading import read_evidence
from querent.knowledge.formulas.bank import Bank, Formula
from querent.knowledge.formulas.expression import parse
from querent.knowledge.formulas.reading import open_banks
from querent.parser.opening import answerer_of
from querent.parser.reader.concepts import formulas_on
from querent.parser.reader.profile import Profile


def main() -> None:
    """Measure the sets asked for."""
    options = arguments()
    torch.set_num_threads(1)
    for name in options.sets:
        for way, found in {"archer": archer, "bird": bird}[name](options.every):
            print(name, way, json.dumps(found), flush=True)
            add(options.out, f"{name}/{way}", found | {"command": command()})


def archer(every: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is answered without formulas and with all shipped ones."""
    lines = (DATA / "knowledge" / "archer-train.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [one for one in map(json.loads, lines) if one["knowledge"]][::every]
    home = DATA / "multi" / "spider-train" / "database"
    triples = [(home / one["db_id"] / f"{one['db_id']}.sqlite", one["question"], one["sql"]) for one in asked]
    yield from both(triples, "en")


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
    """Yield how evidences are read, how their concepts ground, and what is asked with them and without."""
    home = DATA / "knowledge"
    told = {one["db_id"]: one for one in json.loads((home / "bird-train-tables.json").read_text(encoding="utf-8"))}
    lines = (home / "bird-train-formulas.jsonl").read_text(encoding="utf-8").splitlines()
    loaded = querent.load_network(querent.parser_folder("en"))
    by_database: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in list(map(json.loads, lines))[::every]:
        by_database[one["db_id"]].append(one)
    read, grounded, asked = Read(), defaultdict[str, Grounds](Grounds), {"none": Asked(), "evidence": Asked()}
    for name, several in track(by_database.items(), "bird"):
        schema = schema_of(told[name])
        profile = Profile.of(schema, dialect="sqlite", language="en", database=None)
        answerer = answerer_of(loaded, profile, None, None, level="runs")
        for one in several:
            evidence = read_evidence(one["evidence"], schema, question=one["question"])
            read.count(evidence)
            bank = Bank(map(in_plain_words, evidence.bank.formulas), {})
            found = formulas_on(schema, bank, answerer.parser.vectors, language="en")
            for formula, plain in zip(evidence.bank.formulas, bank.formulas, strict=True):
                for kind in ("all", formula.kind):
                    grounded[kind].count(formula, found.grounding(plain))
            for way, text in (("none", ""), ("evidence", one["evidence"])):
                asked[way].ask(answerer, one["question"], text, one["sql"])
    yield "read", vars(read)
    for kind, counted in grounded.items():
        yield f"grounded {kind}", counted.figures()
    for way, figures in asked.items():
        yield f"asked with {way}", figures.figures()


def in_plain_words(formula: Formula) -> Formula:
    """Return a formula whose columns are concepts in plain words."""

    def replaced(node: exp.Expr) -> exp.Expr:
        return exp.column(spoken(node.name, ""), quoted=True) if isinstance(node, exp.Column) else node

    text = ", ".join(tree.transform(replaced).sql(dialect="sqlite") for tree in formula.expression.trees)
    return replace(formula, expression=parse(text, formula.kind))


def schema_of(told: dict[str, Any]) -> Schema:
    """Return a schema in Spider's form, with its keys."""
    types = {"text": "TEXT", "integer": "INTEGER", "real": "REAL", "number": "REAL", "date": "DATE"}
    names, places = told["table_names_original"], told["column_names_original"]
    tables: list[dict[str, Any]] = [{"name": name, "columns": [], "primary_key": []} for name in names]
    for (table, name), kind in zip(places, told["column_types"], strict=True):
        if table >= 0:
            tables[table]["columns"].append({"name": name, "type": types.get(kind, kind.upper())})
    for keys in told["primary_keys"]:
        for key in keys if isinstance(keys, list) else [keys]:
            tables[places[key][0]]["primary_key"].append(places[key][1])
    for mine, theirs in told["foreign_keys"]:
        key = {"columns": [places[mine][1]], "table": names[places[theirs][0]], "references": [places[theirs][1]]}
        tables[places[mine][0]].setdefault("foreign_keys", []).append(key)
    return Schema.from_json({"tables": tables})


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=["archer", "bird"], default=["archer", "bird"])
    parser.add_argument("--every", type=int, default=1, help="take every so many questions")
    parser.add_argument("--out", type=Path, default=RESULTS / "real-formulas.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
