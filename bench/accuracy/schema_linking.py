"""Measure how well the tables and columns of a schema are found, and how many answers are right on large ones.

    python bench/accuracy/schema_linking.py --parser runs/base/best --collections spider:runs/unions/spider-train-306 \\
        --out bench/results/schema-linking.json

Collections are those of `union_schemas.py`; of others the held-out databases are asked. Linking is told in the terms of
LitE-SQL (Piao et al. 2025): TPR is the share of a query's tables that were read, FPR that of the others, SLR@k the
share of questions all of whose tables are among the first k. Of columns, those are found that the network's heads leave
to a decoder under the hard global constraint, and SLR is the share of questions all of whose columns are among them. EX
is execution accuracy as in `held_out.py`. Questions whose words have several homes (a table of the same name in another
database) are told apart: nobody could say which is meant. CPU seconds are of this process: of opening the first time
and again, and of each question.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import time
from collections.abc import Collection as Collected
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from held_out import is_right
from result_files import add
from rich.progress import track

from querent.classifiers.heads import GlobalConstraint
from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, Pair, read_collection
from querent.encoders.functions import sigmoid
from querent.llm.pruned_schema import needs_of
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.answering.asking import USUAL
from querent.parser.base import parser_folder
from querent.parser.decoding.encoded_question import one_thread
from querent.parser.learning.schema_retriever import catalogue_of
from querent.parser.network.saved import Loaded, load_network
from querent.parser.reader.catalogue import TableRetriever
from querent.parser.reader.profile import Profile
from querent.parser.session import ParserSession
from querent.retrieval.schema_retriever.table_scorer import TableScorer, open_scorer

KS = (1, 3, 5, 8, 12)


def main() -> None:
    """Ask every question, print the figures, and save them."""
    options = arguments()
    loaded = load_network(parser_folder(options.parser))
    scorer = open_scorer(options.retriever)
    for spec in options.collections:
        collection = read_collection(spec)
        homes = homes_of(Path(spec.partition(":")[2]), collection)
        if not homes:
            collection = collection.part("held-out")
        shutil.rmtree(options.cache, ignore_errors=True)
        pairs, records, opened = collection.pairs[:: options.each], list[dict[str, Any]](), list[dict[str, float]]()
        for name in track(collection.databases, spec):
            mine = [pair for pair in pairs if pair.database == name]
            if mine:
                with Database.open(collection.databases[name], timeout=options.timeout) as database:
                    linked = Linked.of(collection, database, name, (loaded, scorer), options.cache)
                    opened.append(linked.costs)
                    records += (linked.record(pair, homes.get(pair.id, 1), options) for pair in mine)
        found = {**means(opened), **figures(records)}
        print(spec, json.dumps(found, indent=1), flush=True)
        if options.out:
            add(options.out, collection.name, found)
        if options.records:
            lines = (json.dumps(record, ensure_ascii=False, default=str) for record in records)
            options.records.write_text("\n".join(lines) + "\n", encoding="utf-8")


def homes_of(folder: Path, collection: Collection) -> dict[str, int]:
    """Return how many databases of a union have a table called as one of a question's; nothing of other collections."""
    file = folder / "train.json"
    told = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    if not told or "homes" not in told[0]:
        return {}
    return {pair.id: record["homes"] for pair, record in zip(collection.pairs, told, strict=True)}


@dataclass(frozen=True)
class Linked:
    """A database whose tables are found.

    Attributes:
        costs: of opening it, in CPU seconds, and how many tables and columns it has.
    """

    database: Database
    answerer: ParserSession
    retriever: TableRetriever
    costs: dict[str, float]

    @classmethod
    def of(
        cls, collection: Collection, database: Database, name: str, made: tuple[Loaded, TableScorer], cache: Path
    ) -> Linked:
        """Open a database of a collection the first time, and again."""
        loaded, scorer = made
        profile = Profile.of(collection.schemas[name], dialect="sqlite", language=collection.language, database=None)
        seconds, found = list[float](), dict[str, Any]()
        for _ in ("first", "again"):
            begun = time.process_time()
            catalogue = catalogue_of(collection, name, cache)
            retriever = TableRetriever(catalogue, scorer)
            found = {"retriever": retriever if catalogue.is_large else None}
            seconds.append(time.process_time() - begun)
        size = {"tables": len(catalogue.readable.tables), "columns": sum(1 for _ in catalogue.readable.columns())}
        costs = {"CPU s, first opening": seconds[0], "CPU s, again opening": seconds[1]}
        session = ParserSession(catalogue, loaded, profile, database, **found)
        return cls(database, session, retriever, size | costs)

    def record(self, pair: Pair, homes: int, options: argparse.Namespace) -> dict[str, Any]:
        """Return what was found and answered of a question."""
        readable = self.answerer.catalogue.readable
        needs = needs_of(pair.sql, readable)
        gold_columns = {(table, column) for table, columns in needs.items() for column in columns}
        begun = time.process_time()
        answer = None if options.linking else self.answerer.answer(pair.question, (), USUAL)
        seconds = time.process_time() - begun
        ranked = self.retriever.ranked(QuestionText(pair.question))
        read = self.retriever.sets(ranked)[0] if self.answerer.tables.retriever else self.answerer.tables.all_tables
        left = left_columns(self.answerer.over(read), pair.question)
        rows = self.database.attempt(answer.sql) if answer else None
        order, every = ranked, sum(1 for _ in readable.columns())
        return {
            "question": pair.question,
            "gold": pair.sql,
            "homes": homes,
            "rank": max((order.index(table) for table in needs), default=0),
            "found": part(needs.keys() & set(read), len(needs), of_none=1.0),
            "needless": part(set(read) - needs.keys(), len(order) - len(needs)),
            "columns found": part(gold_columns & left, len(gold_columns), of_none=1.0),
            "columns needless": part(left - gold_columns, every - len(gold_columns)),
            "all columns": gold_columns <= left,
            "read": sorted(read),
            "sql": answer and answer.sql,
            "status": answer and answer.status,
            "confidence": answer and answer.confidence,
            "right": is_right(rows, self.database.attempt(pair.sql), pair.sql),
            "seconds": seconds,
        }


def left_columns(answerer: Answerer, question: str) -> set[tuple[str, str]]:
    """Return the columns that the hard global constraint leaves to a decoder."""
    with one_thread():
        read = answerer.parser.read(answerer.context, question)
    likely = sigmoid(read.classes.used[: len(read.input.kept)]) >= GlobalConstraint().threshold
    items = (answerer.context.items.items[n] for n in read.input.kept[likely])
    return {(item.table, item.column) for item in items if item.column is not None}


def part(some: Collected[object], total: int, *, of_none: float = 0.0) -> float:
    return len(some) / total if total else of_none


def means(opened: list[dict[str, float]]) -> dict[str, float]:
    return {key: round(statistics.fmean(one[key] for one in opened), 2) for key in opened[0]}


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the records come to; what was answered only where it was asked."""
    one = [record for record in records if record["homes"] < 2]
    linked = {
        "questions": len(records),
        "of one home": len(one),
        "TPR": share(records, "found"),
        "FPR": share(records, "needless"),
        **{f"SLR@{k}": share([{"in": r["rank"] < k} for r in records], "in") for k in KS},
        "SLR@5 of one home": share([{"in": r["rank"] < 5} for r in one], "in"),
        "TPR of columns": share(records, "columns found"),
        "FPR of columns": share(records, "columns needless"),
        "SLR of columns": share(records, "all columns"),
    }
    if all(record["status"] is None for record in records):
        return linked
    sure = [record for record in records if record["status"] == "ok"]
    return linked | {
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
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER, cspider:FOLDER or chase:FOLDER")
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
