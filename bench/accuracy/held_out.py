"""Measure a parser on databases that its training never saw: how many answers are right, and how fast they come.

    python bench/accuracy/held_out.py --parser runs/base/best --out bench/results/held-out.json \\
        --collections spider:../shared/data/multi/spider-train

Every question is asked as a user would ask it: values found by the index, queries by the search under the constraint,
one chosen by what it returns. ``--level off`` is without the local constraint, ``--beam 1`` without alternatives,
``--values none`` without the value index, ``--profile none`` without what columns hold, so that none are virtual,
``--whole`` asks on all databases of a collection that no training saw, ``--evidence`` with what stands beside a
question (BIRD), ``--names`` has tables and columns called as in another collection, ``--keyless`` declares no keys,
``--swapped`` asks each question of another database, so that no answer is right. EX is execution accuracy (columns in
any order, as in test-suite accuracy; rows as a bag, or in order where the gold query sorts); the records say for each
question what was asked, wanted and answered, and of each answer what the reranker and the confidence know
(`bench/train/answers.py`).
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from result_files import save
from rich.progress import track
from union_schemas import without_keys

from querent.classifiers.global_constraint import GlobalConstraint
from querent.data.answer import Answer
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.domains.collection import Collection, Pair, named_as, read_collection
from querent.data.errors import ConstraintError
from querent.data.profiles.kept import open_profile
from querent.evaluation.metrics import rows_match
from querent.knowledge.formulas.reading import open_banks
from querent.ner.index import ValueIndex
from querent.parser.answering.answerer import Answerer
from querent.parser.answering.considered import Considered
from querent.parser.asking import AskOptions
from querent.parser.base import parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.network.saved import load_network
from querent.parser.reader.columns.concepts import formula_linker
from querent.parser.reader.context import DatabaseContext


def main() -> None:
    """Ask every held-out question, print the figures, and save them."""
    options = arguments()
    loaded = load_network(parser_folder(options.parser))
    options.calibration = loaded.calibration
    parser = SchemaParser(loaded.network, global_constraint=GlobalConstraint(options.global_mode))
    records: list[dict[str, Any]] = []
    for spec in options.collections:
        collection = read_collection(spec)
        collection = collection if options.whole else collection.part("held-out")
        collection = replace(collection, pairs=collection.pairs[:: options.each])
        if options.names:
            collection = called_as(collection, read_collection(options.names))
        if options.keyless:
            schemas = {name: without_keys(schema) for name, schema in collection.schemas.items()}
            collection = replace(collection, name=f"{collection.name}, keyless", schemas=schemas)
        if options.swapped:
            collection = swapped(collection)
        if options.evidence:
            collection = replace(collection, name=f"{collection.name}, evidence")
        records += track(answered(collection, parser, options), collection.name, total=len(collection.pairs))
    sets = dict.fromkeys(record["set"] for record in records)
    result = {
        "figures": {name: figures([record for record in records if record["set"] == name]) for name in sets},
    }
    print(json.dumps(result, indent=1, ensure_ascii=False))
    if options.out:
        save(options.out, result)
    if options.records:
        lines = (json.dumps(record, ensure_ascii=False, default=str) for record in records)
        options.records.write_text("\n".join(lines) + "\n", encoding="utf-8")


def called_as(collection: Collection, other: Collection) -> Collection:
    """Return the questions on databases that another collection has, too, called as there."""
    pairs = tuple(pair for pair in collection.pairs if pair.database in other.schemas)
    return replace(named_as(collection, other), name=f"{collection.name}, names of {other.name}", pairs=pairs)


def swapped(collection: Collection) -> Collection:
    """Return the questions asked of the next database that has a file."""
    names = sorted(collection.databases)
    after = dict(zip(names, (*names[1:], names[0]), strict=True))
    pairs = (replace(p, database=after[p.database], evidence="") for p in collection.pairs if p.database in after)
    return replace(collection, name=f"{collection.name}, swapped", pairs=tuple(pairs))


def answered(collection: Collection, parser: SchemaParser, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a record of each pair."""
    for name in collection.schemas:
        pairs = [pair for pair in collection.pairs if pair.database == name]
        file = collection.databases.get(name)
        if file is None or not pairs:
            continue
        context = context_of(collection, name, options.cache, profile=options.profile == "own")
        with Database.open(file, timeout=options.timeout) as database:
            level = None if options.level == "off" else options.level
            bank = open_banks(options.knowledge) if options.knowledge else None
            knowledge = None if bank is None else formula_linker(bank, context, parser.vectors)
            answerer = Answerer(
                parser, context, database, level=level, calibration=options.calibration, knowledge=knowledge
            )
            for pair in pairs:
                gold = None if options.swapped else database.attempt(pair.sql)
                begun = time.process_time()
                answer, found = _answer(answerer, pair, options)
                seconds = time.process_time() - begun
                rows = database.attempt(answer.sql)
                yield {
                    "id": pair.id,
                    "set": collection.name,
                    "database": name,
                    "question": pair.question,
                    "gold": pair.sql,
                    "sql": answer.sql,
                    "right": is_right(rows, gold, pair.sql),
                    "strictly": is_right(rows, gold, pair.sql, any_columns=False),
                    "runs": rows is not None or answer.sql is None,
                    "in_beam": any(is_right(database.attempt(a.sql), gold, pair.sql) for a in answer.alternatives),
                    "confidence": answer.confidence,
                    "status": answer.status,
                    "reason": answer.reason,
                    "formulas": [use.name for use in answer.knowledge],
                    "CPU ms": 1000 * seconds,
                    "answers": [] if found is None else list(weighed(found, gold, pair.sql)),
                }


def context_of(collection: Collection, name: str, cache: Path | None, *, profile: bool = True) -> DatabaseContext:
    """Open a database of a collection as a user's would be, with its cells and what they mean."""
    file, schema = collection.databases[name], collection.schemas[name]
    index = ValueIndex.open(file, schema, cache=cache)
    known = open_profile(file, schema, cache=cache) if profile else None
    return DatabaseContext.of(schema, index, dialect="sqlite", language=collection.language, profile=known)


def _answer(answerer: Answerer, pair: Pair, options: argparse.Namespace) -> tuple[Answer, Considered | None]:
    """Answer a question, and return what was considered."""
    values = None if options.values == "own" else ()
    evidence = pair.evidence if options.evidence else ""
    try:
        found = answerer.consider(pair.question, AskOptions(beam=options.beam, evidence=evidence), values=values)
    except ConstraintError as error:
        return Answer(pair.question, None, status="error", reason=str(error)), None
    return answerer.answer(found), found


def weighed(found: Considered, gold: Rows | None, sql: str) -> Iterator[dict[str, Any]]:
    """Yield what the reranker and the calibration know of each answer, and whether it is right."""
    for place, choice in enumerate(found.choices):
        if choice.rows is not None:
            known = {"features": dict(choice.features), "signs": found.signs(place), "refused": found.refused}
            yield {**known, "right": is_right(choice.rows, gold, sql)}


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the records come to."""
    count = len(records)
    share = {key: sum(record[key] for record in records) / count for key in ("right", "strictly", "runs")}
    either = sum(record["right"] or record["in_beam"] for record in records) / count
    return {
        "questions": count,
        "ex": round(share["right"], 4),
        "ex, columns in order": round(share["strictly"], 4),
        "executes": round(share["runs"], 4),
        "ex of the best in the beam": round(either, 4),
        "calibration error": round(calibration_error(records), 4),
        "status": dict(Counter(record["status"] for record in records)),
        "right where ok": round(mean([r["right"] for r in records if r["status"] == "ok"]), 4),
        "CPU ms, median": round(statistics.median(record["CPU ms"] for record in records), 1),
    }


def calibration_error(records: list[dict[str, Any]], bins: int = 10) -> float:
    """Return the expected calibration error (Naeini et al. 2015) over bins of equal width."""
    total = 0.0
    for low in range(bins):
        inside = [r for r in records if min(int(r["confidence"] * bins), bins - 1) == low]
        if inside:
            gap = abs(mean([r["right"] for r in inside]) - mean([r["confidence"] for r in inside]))
            total += gap * len(inside) / len(records)
    return total


def mean(values: list[Any]) -> float:
    return sum(values) / len(values) if values else 0.0


def is_right(rows: Rows | None, gold: Rows | None, sql: str, *, any_columns: bool = True) -> bool:
    return rows is not None and gold is not None and rows_match(rows, gold, sql, any_columns=any_columns)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", type=Path, required=True, help="folder of a network")
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("--knowledge", nargs="*", default=(), help="banks of formulas, as `querent ask` takes them")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--level", default="runs", choices=("off", "grammar", "scope", "types", "runs"))
    parser.add_argument(
        "--global", dest="global_mode", default="soft", choices=("soft", "hard", "off"), help="the global constraint"
    )
    parser.add_argument("--values", default="own", choices=("own", "none"), help="what the index finds in a question")
    parser.add_argument("--profile", default="own", choices=("own", "none"), help="what columns hold")
    parser.add_argument("--names", help="a collection that calls the same databases otherwise; others are left out")
    parser.add_argument("--each", type=int, default=1, help="ask every n-th question only")
    parser.add_argument("--whole", action="store_true", help="all databases, of a collection that no training saw")
    parser.add_argument("--evidence", action="store_true", help="with the evidence beside each question")
    parser.add_argument("--keyless", action="store_true", help="as if no key was declared, as in many warehouses")
    parser.add_argument("--swapped", action="store_true", help="ask each question of another database")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds that a query may take")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the value indexes")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    parser.add_argument("--records", type=Path, default=None, help="JSON lines, a record a question")
    return parser.parse_args()


if __name__ == "__main__":
    main()
