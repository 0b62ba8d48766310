"""Measure how well the tables of a large schema are found, and how many answers are right on it.

    python bench/accuracy/schema_linking.py --parser runs/base/best --collections spider:runs/unions/spider-train-306 \\
        --out bench/results/schema-linking.json

Collections are those of `union_schemas.py`, with one database each. Linking is told in the terms of
LitE-SQL (Piao et al. 2025): TPR is the share of a query's tables that were read, FPR that of the others, SLR@k the
share of questions all of whose tables are among the first k. EX is execution accuracy as in `held_out.py`; ``alone``
asks the same questions on their own small databases. Questions whose words have several homes (a table of the same name
in another database) are told apart: nobody could say which is meant. CPU seconds are of this process: of opening the
first time and again, and of each question.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from held_out import is_right, rows_of
from result_files import add
from rich.progress import track

from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, read_collection
from querent.data.sql.sources import tables_of
from querent.parser.answering.database_answerer import DatabaseAnswerer
from querent.parser.base import parser_folder
from querent.parser.learning.table_lessons import catalogue_of
from querent.parser.network.saved import Loaded, load_network
from querent.parser.reader.schema.profile import Profile
from querent.parser.reader.table_retriever import TableRetriever
from querent.parser.session_factory import AnswererFactory
from querent.retrieval.schema_retriever.table_scorer import TableScorer, shipped_scorer

KS = (1, 3, 5, 8, 12)


def main() -> None:
    """Ask every question, print the figures, and save them."""
    options = arguments()
    loaded = load_network(parser_folder(options.parser))
    scorer = TableScorer.load(options.retriever) if options.retriever else shipped_scorer()
    for spec in options.collections:
        collection = read_collection(spec)
        several = json.loads((Path(spec.partition(":")[2]) / "train.json").read_text(encoding="utf-8"))
        homes = [record.get("homes", 1) for record in several]
        (file,) = collection.databases.values()
        with Database.open(file, timeout=options.timeout) as database:
            opened, costs = open_database(collection, database, loaded, scorer, options.cache)
            pairs = list(zip(collection.pairs, homes, strict=True))[:: options.each]
            records = list(track(asked(opened, pairs, database, options), spec, total=len(pairs)))
        found = {"tables": len(opened.all_tables), **figures(records), **costs}
        print(spec, json.dumps(found, indent=1), flush=True)
        if options.out:
            add(options.out, collection.name, found)
        if options.records:
            lines = (json.dumps(record, ensure_ascii=False, default=str) for record in records)
            options.records.write_text("\n".join(lines) + "\n", encoding="utf-8")


def open_database(
    collection: Collection, database: Database, loaded: Loaded, scorer: TableScorer, cache: Path
) -> tuple[DatabaseAnswerer, dict[str, float]]:
    """Open a database of a collection the first time, and again, and return what it costs in CPU seconds."""
    shutil.rmtree(cache, ignore_errors=True)
    (name,) = collection.databases
    profile = Profile.of(collection.schemas[name], dialect="sqlite", language=collection.language, database=None)
    made, costs = AnswererFactory(loaded, profile, database), dict[str, float]()
    while True:
        begun = time.process_time()
        catalogue = catalogue_of(collection, name, cache)
        opened = DatabaseAnswerer(catalogue, TableRetriever(catalogue, scorer), made)
        when = "again" if costs else "first"
        costs[f"CPU s, {when} opening"] = round(time.process_time() - begun, 2)
        if when == "again":
            return opened, costs


def asked(
    opened: DatabaseAnswerer, pairs: list[tuple[Any, int]], database: Database, options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield a record of each question."""
    readable = opened.catalogue.readable
    assert opened.retriever is not None
    for pair, homes in pairs:
        gold_tables = set(tables_of(pair.sql, readable, "sqlite"))
        begun = time.process_time()
        answer = None if options.linking else opened.ask(pair.question)
        seconds = time.process_time() - begun
        ranked = opened.retriever.ranked(pair.question)
        order, (read, *_) = ranked.best_first, map(set, opened.retriever.sets(ranked))
        gold = rows_of(database, pair.sql)
        rows = rows_of(database, answer.sql) if answer and answer.sql else None
        yield {
            "question": pair.question,
            "gold": pair.sql,
            "homes": homes,
            "rank": max((order.index(table) for table in gold_tables), default=0),
            "found": len(gold_tables & read) / max(len(gold_tables), 1),
            "needless": len(read - gold_tables) / max(len(order) - len(gold_tables), 1),
            "read": sorted(read),
            "sql": answer and answer.sql,
            "status": answer and answer.status,
            "confidence": answer and answer.confidence,
            "right": is_right(rows, gold, pair.sql),
            "seconds": seconds,
        }


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the records come to."""
    one = [record for record in records if record["homes"] < 2]
    sure = [record for record in records if record["status"] == "ok"]
    return {
        "questions": len(records),
        "of one home": len(one),
        "TPR": share(records, "found"),
        "FPR": share(records, "needless"),
        **{f"SLR@{k}": share([{"in": r["rank"] < k} for r in records], "in") for k in KS},
        "SLR@5 of one home": share([{"in": r["rank"] < 5} for r in one], "in"),
        "EX": share(records, "right"),
        "EX of one home": share(one, "right"),
        "ok": len(sure),
        "right where ok": share(sure, "right"),
        "CPU s a question, median": round(statistics.median(r["seconds"] for r in records), 3),
        "CPU s a question, mean": round(statistics.fmean(r["seconds"] for r in records), 3),
        "MiB at most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def share(records: list[dict[str, Any]], key: str) -> float:
    return round(sum(record[key] for record in records) / len(records), 4) if records else 0.0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", type=Path, required=True, help="folder of a network")
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER or cspider:FOLDER")
    parser.add_argument("--retriever", type=Path, help="weights of a retriever; the shipped one if not told")
    parser.add_argument("--linking", action="store_true", help="ask for tables alone")
    parser.add_argument("--each", type=int, default=1, help="ask every n-th question only")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds that a query may take")
    parser.add_argument("--cache", type=Path, default=Path("runs/linking-cache"), help="folder of indexes; is emptied")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    parser.add_argument("--records", type=Path, default=None, help="JSON lines, a record a question")
    return parser.parse_args()


if __name__ == "__main__":
    main()
