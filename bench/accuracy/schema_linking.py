"""Measure how well the tables of a schema are found, and how many answers are right on large ones.

    python bench/accuracy/schema_linking.py --parser runs/base/best --collections spider:runs/unions/spider-train-306 \\
        --out bench/results/schema-linking.json

Collections are those of `union_schemas.py`; of others the held-out databases are asked. Linking is told in the terms of
LitE-SQL (Piao et al. 2025): TPR is the share of a query's tables that were read, FPR that of the others, SLR@k the
share of questions all of whose tables are among the first k. EX is execution accuracy as in `held_out.py`. Questions
whose words have several homes (a table of the same name in another database) are told apart: nobody could say which is
meant.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection as Collected
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from held_out import is_right
from result_files import add, arguments, write_lines
from rich.progress import track

from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, read_collection
from querent.llm.pruned_schema import needed_columns
from querent.ner.language.question import QuestionText
from querent.parser.answering.asking import USUAL
from querent.parser.base import parser_folder
from querent.parser.learning.schema_retriever import catalogue_of
from querent.parser.network.saved import Loaded, load_network
from querent.parser.reader.catalogue import TableRetriever
from querent.parser.reader.profile import Profile
from querent.parser.session import ParserSession
from querent.retrieval.schema_retriever.table_scorer import TableScorer, open_scorer

KS = (1, 3, 5, 8, 12)


def main() -> None:
    """Ask every question, print the figures, and save them."""
    options = command_line()
    made = load_network(parser_folder(options.parser)), open_scorer(options.retriever)
    for spec in options.collections:
        collection = read_collection(spec)
        homes = homes_of(Path(spec.partition(":")[2]), collection)
        collection = collection if homes else collection.part("held-out")
        records = list(track(linked(collection, homes, made, options), spec))
        found = figures(records)
        print(spec, json.dumps(found, indent=1), flush=True)
        if options.out:
            add(options.out, collection.name, found)
        if options.records:
            write_lines(options.records, records)


def homes_of(folder: Path, collection: Collection) -> dict[str, int]:
    """Return how many databases of a union have a table called as one of a question's; nothing of other collections."""
    file = folder / "train.json"
    records = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    if not records or "homes" not in records[0]:
        return {}
    return {pair.id: record["homes"] for pair, record in zip(collection.pairs, records, strict=True)}


def linked(
    collection: Collection, homes: Mapping[str, int], made: tuple[Loaded, TableScorer], options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield a record of each question: the tables that were found, and whether the answer is right."""
    pairs = collection.pairs[:: options.each]
    for name in collection.databases:
        mine = [pair for pair in pairs if pair.database == name]
        if not mine:
            continue
        with Database.open(collection.databases[name], timeout=options.timeout) as database:
            catalogue = catalogue_of(collection, name, options.cache)
            retriever = TableRetriever(catalogue, made[1])
            schema = collection.schemas[name]
            profile = Profile.of(schema, dialect="sqlite", language=collection.language, database=None)
            used = retriever if catalogue.is_large else None
            session = ParserSession(catalogue, made[0], profile, database, retriever=used)
            for pair in mine:
                needs = needed_columns(pair.sql, catalogue.readable)
                question = QuestionText(pair.question, collection.language)
                ranked = order = retriever.ranked(question)
                read = retriever.sets(ranked)[0] if used else session.tables.all_tables
                answer = None if options.linking else session.answer(question, (), USUAL)
                rows = database.attempt(answer.sql) if answer else None
                yield {
                    "question": pair.question,
                    "gold": pair.sql,
                    "homes": homes.get(pair.id, 1),
                    "rank": max((order.index(table) for table in needs), default=0),
                    "found": part(needs.keys() & set(read), len(needs), of_none=1.0),
                    "needless": part(set(read) - needs.keys(), len(order) - len(needs)),
                    "read": sorted(read),
                    "sql": answer and answer.sql,
                    "status": answer and answer.status,
                    "confidence": answer and answer.confidence,
                    "right": is_right(rows, database.attempt(pair.sql), pair.sql),
                }


def part(some: Collected[object], total: int, *, of_none: float = 0.0) -> float:
    return len(some) / total if total else of_none


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the records come to; EX only where the questions were answered."""
    one = [record for record in records if record["homes"] < 2]
    found: dict[str, Any] = {"questions": len(records), "of one home": len(one)}
    found |= {"TPR": share(records, "found"), "FPR": share(records, "needless")}
    found |= {f"SLR@{k}": share([{"in": r["rank"] < k} for r in records], "in") for k in KS}
    found["SLR@5 of one home"] = share([{"in": r["rank"] < 5} for r in one], "in")
    if all(record["status"] is None for record in records):
        return found
    sure = [record for record in records if record["status"] == "ok"]
    found |= {"EX": share(records, "right"), "EX of one home": share(one, "right")}
    return found | {"ok": len(sure), "right where ok": share(sure, "right")}


def share(records: list[dict[str, Any]], key: str) -> float:
    return round(sum(record[key] for record in records) / len(records), 4) if records else 0.0


def command_line() -> argparse.Namespace:
    """Read the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--parser", type=Path, required=True, help="folder of a network, or shipped")
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER, cspider:FOLDER or chase:FOLDER")
    parser.add_argument("--retriever", type=Path, help="weights of a retriever (default: those that ship)")
    parser.add_argument("--linking", action="store_true", help="ask for tables alone")
    parser.add_argument("--each", type=int, default=1, help="ask every n-th question only")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds that a query may take")
    parser.add_argument("--cache", type=Path, help="folder of the value indexes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
