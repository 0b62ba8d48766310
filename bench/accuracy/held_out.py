"""Measure a parser on databases that its training never saw: how many answers are right, and how fast they come.

    python bench/accuracy/held_out.py --parser runs/figures --out bench/results/held-out.json \\
        --collections spider:../shared/data/multi/spider-train

Every question is asked as a user would ask it: values found by the index, queries by the search under the constraint,
one chosen by what it returns. EX is execution accuracy: columns in any order, as in test-suite accuracy; rows as a bag,
or in order where the gold query sorts. A record says what was asked, wanted and answered, and what the reranker and the
confidence know of each answer (`bench/train/answers.py`). ``--help`` lists what can be switched off.
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

from result_files import arguments, save, write_lines
from rich.progress import track
from union_schemas import without_keys

from querent.answers.answer import Answer
from querent.classifiers.heads import GlobalConstraint
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.domains.collection import Collection, Pair, named_as, read_collection
from querent.data.errors import ConstraintError
from querent.evaluation.metrics import rows_match
from querent.meaning.profiling import open_profile
from querent.ner.index import ValueIndex
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.answering.asking import AskOptions
from querent.parser.answering.ranked_answers import RankedAnswers
from querent.parser.base import parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.network.saved import load_network
from querent.parser.reader.context import DatabaseContext

TIMEOUT = 5.0
"""Seconds that a query may take."""


def main() -> None:
    """Ask every held-out question, print the figures, and save them."""
    options = command_line()
    loaded = load_network(parser_folder(options.parser))
    options.calibration = loaded.calibration
    parser = SchemaParser(loaded.network, global_constraint=GlobalConstraint(options.global_mode))
    records: list[dict[str, Any]] = []
    for spec in options.collections:
        collection = changed(read_collection(spec), options)
        asked = answered(collection, parser, options)
        records += track(asked, collection.name, total=len(collection.pairs))
    sets = dict.fromkeys(record["set"] for record in records)
    result = {"figures": {name: figures([record for record in records if record["set"] == name]) for name in sets}}
    print(json.dumps(result, indent=1, ensure_ascii=False))
    if options.out:
        save(options.out, result)
    if options.records:
        write_lines(options.records, records)


def changed(collection: Collection, options: argparse.Namespace) -> Collection:
    """Return the part of a collection that is asked, changed as the options say."""
    collection = collection if options.whole else collection.part("held-out")
    collection = replace(collection, pairs=collection.pairs[:: options.each])
    name = collection.name
    if options.names:  # other names of the same databases
        other = read_collection(options.names)
        pairs = tuple(pair for pair in collection.pairs if pair.database in other.schemas)
        return replace(named_as(collection, other), name=f"{name}, names of {other.name}", pairs=pairs)
    if options.keyless:
        schemas = {key: without_keys(schema) for key, schema in collection.schemas.items()}
        return replace(collection, name=f"{name}, keyless", schemas=schemas)
    if options.swapped:
        return swapped(collection)
    return replace(collection, name=f"{name}, evidence") if options.evidence else collection


def swapped(collection: Collection) -> Collection:
    """Return the questions put to the next database that has a file, where no answer is right."""
    names = sorted(collection.databases)
    after = dict(zip(names, (*names[1:], names[0]), strict=True))
    pairs = (replace(p, database=after[p.database], evidence="") for p in collection.pairs if p.database in after)
    return replace(collection, name=f"{collection.name}, swapped", pairs=tuple(pairs))


def answered(collection: Collection, parser: SchemaParser, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a record of each pair."""
    level = None if options.level == "off" else options.level
    for name in collection.schemas:
        pairs = [pair for pair in collection.pairs if pair.database == name]
        file = collection.databases.get(name)
        if file is None or not pairs:
            continue
        context = context_of(collection, name, options.cache, profile=options.profile == "own")
        with Database.open(file, timeout=TIMEOUT) as database:
            answerer = Answerer(parser, context, database, level=level, calibration=options.calibration)
            for pair in pairs:
                yield {"set": collection.name, "database": name, **_record(pair, answerer, database, options)}


def context_of(
    collection: Collection, name: str, cache: Path | None = None, *, profile: bool = True
) -> DatabaseContext:
    """Open a database of a collection as a user's would be, with its cells and what they mean."""
    file, schema = collection.databases[name], collection.schemas[name]
    index = ValueIndex.open(file, schema, cache=cache)
    known = open_profile(file, schema, cache=cache) if profile else None
    return DatabaseContext.of(schema, index, dialect="sqlite", language=collection.language, profile=known)


def _record(pair: Pair, answerer: Answerer, database: Database, options: argparse.Namespace) -> dict[str, Any]:
    gold = None if options.swapped else database.attempt(pair.sql)
    values = None if options.values == "own" else ()
    how = AskOptions(beam=options.beam, evidence=pair.evidence if options.evidence else "")
    begun = time.process_time()
    answer, found = considered(answerer, pair.question, how, values=values)
    seconds = time.process_time() - begun
    rows = database.attempt(answer.sql)
    return {
        "id": pair.id,
        **record_of(answer, found, pair.sql, (rows, gold)),
        "strictly": is_right(rows, gold, pair.sql, any_columns=False),
        "runs": rows is not None or answer.sql is None,
        "in_beam": any(is_right(database.attempt(a.sql), gold, pair.sql) for a in answer.alternatives),
        "reason": answer.reason,
        "CPU ms": 1000 * seconds,
    }


def considered(
    answerer: Answerer, question: str, options: AskOptions, **given: Any
) -> tuple[Answer, RankedAnswers | None]:
    """Answer a question, and return what was considered, None where the constraint lets no query through."""
    try:
        found = answerer.consider(QuestionText(question, answerer.context.language), options, **given)
    except ConstraintError as error:
        return Answer(question, None, status="error", reason=str(error)), None
    return answerer.answer(found), found


def record_of(
    answer: Answer, found: RankedAnswers | None, sql: str, rows: tuple[Rows | None, Rows | None]
) -> dict[str, Any]:
    """Return what is kept of an answer; ``rows`` are its own and those of the gold query ``sql``."""
    return {
        "question": answer.question,
        "gold": sql,
        "sql": answer.sql,
        "right": answer.sql is not None and is_right(*rows, sql),
        "confidence": answer.confidence,
        "status": answer.status,
        "answers": [] if found is None else list(weighed(found, rows[1], sql)),
    }


def weighed(found: RankedAnswers, gold: Rows | None, sql: str) -> Iterator[dict[str, Any]]:
    """Yield what the reranker and the calibration know of each answer, and whether it is right."""
    for place, choice in enumerate(found.choices):
        if choice.rows is not None:
            known = {"features": dict(choice.features), "signs": found.signs(place), "refused": found.refused}
            yield {**known, "right": is_right(choice.rows, gold, sql)}


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the records come to."""
    share = {key: mean([record[key] for record in records]) for key in ("right", "strictly", "runs")}
    sure = [record["right"] for record in records if record["status"] == "ok"]
    return {
        "questions": len(records),
        "ex": round(share["right"], 4),
        "ex, columns in order": round(share["strictly"], 4),
        "executes": round(share["runs"], 4),
        "ex of the best in the beam": round(mean([one["right"] or one["in_beam"] for one in records]), 4),
        "calibration error": round(calibration_error(records), 4),
        "status": dict(Counter(record["status"] for record in records)),
        "right where ok": round(mean(sure), 4),
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


def command_line() -> argparse.Namespace:
    """Read the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--parser", type=Path, required=True, help="folder of a network, or shipped")
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("--beam", type=int, default=4, help="1 is without alternatives")
    parser.add_argument("--level", default="runs", choices=("off", "scope", "types", "runs"))
    parser.add_argument("--global", dest="global_mode", default="soft", choices=("soft", "hard", "off"))
    parser.add_argument("--values", default="own", choices=("own", "none"), help="what the index finds in a question")
    parser.add_argument("--profile", default="own", choices=("own", "none"), help="what columns hold")
    parser.add_argument("--each", type=int, default=1, help="ask every n-th question only")
    parser.add_argument("--whole", action="store_true", help="all databases, of a collection that no training saw")
    parser.add_argument("--evidence", action="store_true", help="with the evidence beside each question (BIRD)")
    parser.add_argument("--cache", type=Path, help="folder of the value indexes")
    change = parser.add_mutually_exclusive_group()
    change.add_argument("--names", help="a collection that calls the same databases otherwise; others are left out")
    change.add_argument("--keyless", action="store_true", help="as if no key was declared, as in many warehouses")
    change.add_argument("--swapped", action="store_true", help="ask each question of another database")
    return parser.parse_args()


if __name__ == "__main__":
    main()
