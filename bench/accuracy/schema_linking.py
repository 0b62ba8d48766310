"""Measure schema linking, and the share of right answers on large schemas.

    python bench/accuracy/schema_linking.py --parser runs/base/best --collections spider:runs/unions/spider-train-306 \\
        --out bench/results/schema-linking.json

Collections are those of `union_schemas.py`, or others, with their held-out databases. Linking is measured as in
LitE-SQL (Piao et al. 2025): TPR is the share of a query's tables that were read, FPR that of the others, SLR@k the
share of questions all of whose tables are among the first k. EX is execution accuracy as in `held_out.py`. Questions
whose tables have several homes (a table of the same name in another database) are ambiguous and counted apart.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from result_files import Result, run
from rich.progress import track
from scores import Record, is_right, share, where_ok

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
TIMEOUT = 5.0
"""The time limit of a query in seconds."""


def measure(
    *,
    parser: Annotated[Path, "folder of a network, or shipped"],
    collections: Annotated[tuple[str, ...], "spider:FOLDER, cspider:FOLDER or chase:FOLDER"],
    linking: Annotated[bool, "find tables, and answer nothing"] = False,
    each: Annotated[int, "take every n-th question only"] = 1,
    cache: Annotated[Path | None, "folder of the value indexes"] = None,
) -> Iterator[Result]:
    """Link and answer every question."""
    linker = Linker(load_network(parser_folder(parser)), open_scorer(), cache, answers=not linking)
    for spec in collections:
        collection = read_collection(spec)
        homes = homes_of(Path(spec.partition(":")[2]), collection)
        collection = collection if homes else collection.part("held-out")
        records = list(track(linker.linked(collection, homes, each), spec))
        yield Result(figures(records), collection.name, records)


def homes_of(folder: Path, collection: Collection) -> dict[str, int]:
    """Return by question how many databases of a union have a table with the name of one of its; else nothing."""
    file = folder / "train.json"
    records = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    if not records or "homes" not in records[0]:
        return {}
    return {pair.id: record["homes"] for pair, record in zip(collection.pairs, records, strict=True)}


@dataclass(frozen=True)
class Linker:
    """Finds the tables of questions, and answers them if ``answers``."""

    loaded: Loaded
    scorer: TableScorer
    cache: Path | None
    answers: bool

    def linked(self, collection: Collection, homes: Mapping[str, int], each: int) -> Iterator[Record]:
        """Yield a record of each question, with the tables that were found and whether the answer is right."""
        pairs = collection.pairs[::each]
        for name in dict.fromkeys(pair.database for pair in pairs if pair.database in collection.databases):
            with Database.open(collection.databases[name], timeout=TIMEOUT) as database:
                catalogue = catalogue_of(collection, name, self.cache)
                retriever = TableRetriever(catalogue, self.scorer)
                schema, language = collection.schemas[name], collection.language
                profile = Profile.of(schema, dialect="sqlite", language=language, database=None)
                used = retriever if catalogue.is_large else None
                session = ParserSession(catalogue, self.loaded, profile, database, retriever=used)
                for pair in (pair for pair in pairs if pair.database == name):
                    needs = needed_columns(pair.sql, catalogue.readable)
                    question = QuestionText(pair.question, language)
                    order = retriever.ranked(question)
                    read = {*(retriever.sets(order)[0] if used else session.tables.all_tables)}
                    answer = session.answer(question, (), USUAL) if self.answers else None
                    rows = database.attempt(answer.sql) if answer else None
                    yield {
                        "question": pair.question,
                        "gold": pair.sql,
                        "homes": homes.get(pair.id, 1),
                        "rank": max((order.index(table) for table in needs), default=0),
                        "found": len(needs.keys() & read) / len(needs) if needs else 1.0,
                        "needless": len(read - needs.keys()) / max(1, len(order) - len(needs)),
                        "read": sorted(read),
                        "sql": answer and answer.sql,
                        "status": answer and answer.status,
                        "confidence": answer and answer.confidence,
                        "right": is_right(rows, database.attempt(pair.sql), pair.sql),
                    }


def figures(records: list[Record]) -> dict[str, Any]:
    """Return the figures of records; EX only where the questions were answered."""
    one = [record for record in records if record["homes"] < 2]
    found: dict[str, Any] = {"questions": len(records), "of one home": len(one)}
    found |= {"TPR": share(r["found"] for r in records), "FPR": share(r["needless"] for r in records)}
    found |= {f"SLR@{k}": share(r["rank"] < k for r in records) for k in KS}
    found["SLR@5 of one home"] = share(r["rank"] < 5 for r in one)
    if all(record["status"] is None for record in records):
        return found
    found |= {"EX": share(r["right"] for r in records), "EX of one home": share(r["right"] for r in one)}
    return found | {"ok": sum(r["status"] == "ok" for r in records), "right where ok": where_ok(records)}


if __name__ == "__main__":
    sys.exit(run(measure))
