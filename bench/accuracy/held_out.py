"""Measure a parser on databases that its training never saw: how many answers are right, and how fast they come.

    python bench/accuracy/held_out.py --parser runs/figures --out bench/results/held-out.json \\
        --collections spider:../shared/data/multi/spider-train

Every question is asked as a user would ask it: values found by the index, queries by the search under the constraint,
one chosen by what it returns. EX is execution accuracy: columns in any order, as in test-suite accuracy; rows as a bag,
or in order where the gold query sorts. A record says what was asked, wanted and answered, and what the reranker and the
confidence know of each answer (`bench/train/answers.py`). ``--help`` lists what can be switched off.
"""

import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from result_files import Result, run
from rich.progress import track
from scores import Record, calibration_error, is_right, share, where_ok
from union_schemas import without_keys

from querent.answers.answer import Answer
from querent.classifiers.heads import GlobalConstraint
from querent.classifiers.named_features import Calibration
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.domains.collection import Collection, Pair, named_as, read_collection
from querent.data.errors import ConstraintError
from querent.meaning.profiling import open_profile
from querent.ner.index import ValueIndex
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer, RankedAnswers
from querent.parser.answering.asking import AskOptions
from querent.parser.base import parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.network.saved import load_network
from querent.parser.reader.context import DatabaseContext

TIMEOUT = 5.0
"""Seconds that a query may take."""

Own = Literal["own", "none"]


def measure(
    *,
    parser: Annotated[Path, "folder of a network, or shipped"],
    collections: Annotated[tuple[str, ...], "spider:FOLDER or chase:FOLDER"],
    beam: Annotated[int, "1 is without alternatives"] = 4,
    level: Annotated[Literal["off", "scope", "types", "runs"], "of the local constraint"] = "runs",
    global_: Annotated[Literal["soft", "hard", "off"], "what the global constraint does"] = "soft",
    values: Annotated[Own, "what the index finds in a question"] = "own",
    profile: Annotated[Own, "what columns hold"] = "own",
    each: Annotated[int, "ask every n-th question only"] = 1,
    whole: Annotated[bool, "all databases, of a collection that no training saw"] = False,
    evidence: Annotated[bool, "with the evidence beside each question (BIRD)"] = False,
    cache: Annotated[Path | None, "folder of the value indexes"] = None,
    names: Annotated[str, "a collection that calls the same databases otherwise; others are left out"] = "",
    keyless: Annotated[bool, "as if no key was declared, as in many warehouses"] = False,
    swapped: Annotated[bool, "ask each question of another database"] = False,
) -> Iterator[Result]:
    """Ask every held-out question."""
    loaded = load_network(parser_folder(parser))
    made = SchemaParser(loaded.network, global_constraint=GlobalConstraint(global_))
    asking = Asking(made, loaded.calibration, beam, level, values, profile, cache, evidence, judged=not swapped)
    records = list[Record]()
    for spec in collections:
        read = read_collection(spec)
        asked = read if whole else read.part("held-out")
        asked = replace(asked, pairs=asked.pairs[::each])
        if names:
            other = read_collection(names)
            pairs = tuple(pair for pair in asked.pairs if pair.database in other.schemas)
            asked = replace(named_as(asked, other), name=f"{asked.name}, names of {other.name}", pairs=pairs)
        elif keyless:
            schemas = {name: without_keys(schema) for name, schema in asked.schemas.items()}
            asked = replace(asked, name=f"{asked.name}, keyless", schemas=schemas)
        elif swapped:
            asked = of_next_database(asked)
        elif evidence:
            asked = replace(asked, name=f"{asked.name}, evidence")
        records += track(asking.answered(asked), asked.name, total=len(asked.pairs))
    sets = dict.fromkeys(one["set"] for one in records)
    yield Result({"figures": {name: figures([r for r in records if r["set"] == name]) for name in sets}}, "", records)


def of_next_database(collection: Collection) -> Collection:
    """Return the questions put to the next database that has a file, where no answer is right."""
    names = sorted(collection.databases)
    after = dict(zip(names, (*names[1:], names[0]), strict=True))
    pairs = (replace(p, database=after[p.database], evidence="") for p in collection.pairs if p.database in after)
    return replace(collection, name=f"{collection.name}, swapped", pairs=tuple(pairs))


@dataclass(frozen=True)
class Asking:
    """How questions are asked.

    Attributes:
        cache: folder of the value indexes.
        judged: whether some answer can be right.
    """

    parser: SchemaParser
    calibration: Calibration | None = None
    beam: int = 4
    level: str = "runs"
    values: Own = "own"
    profile: Own = "own"
    cache: Path | None = None
    evidence: bool = False
    judged: bool = True

    def answered(self, collection: Collection) -> Iterator[dict[str, Any]]:
        """Yield a record of each pair."""
        for name in collection.databases:
            if pairs := [pair for pair in collection.pairs if pair.database == name]:
                with Database.open(collection.databases[name], timeout=TIMEOUT) as database:
                    answerer = self.answerer(collection, name, database)
                    for pair in pairs:
                        yield {"set": collection.name, "database": name, **self._record(pair, answerer, database)}

    def answerer(self, collection: Collection, name: str, database: Database) -> Answerer:
        """Open a database of a collection as a user's would be, with its cells and what they mean."""
        file, schema = collection.databases[name], collection.schemas[name]
        index = ValueIndex.open(file, schema, cache=self.cache)
        known = open_profile(file, schema, cache=self.cache) if self.profile == "own" else None
        context = DatabaseContext.of(schema, index, dialect="sqlite", language=collection.language, profile=known)
        level: Any = None if self.level == "off" else self.level
        return Answerer(self.parser, context, database, level=level, calibration=self.calibration)

    def _record(self, pair: Pair, answerer: Answerer, database: Database) -> dict[str, Any]:
        gold = database.attempt(pair.sql) if self.judged else None
        how = AskOptions(beam=self.beam, evidence=pair.evidence if self.evidence else "")
        begun = time.process_time()
        answer, found = considered(answerer, pair.question, how, values=None if self.values == "own" else ())
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
        found = answerer.rank(QuestionText(question, answerer.context.language), options, **given)
    except ConstraintError as error:
        return Answer(question, None, status="error", reason=str(error)), None
    return answerer.best_answer(found), found


def record_of(
    answer: Answer, found: RankedAnswers | None, sql: str, rows: tuple[Rows | None, Rows | None]
) -> dict[str, Any]:
    """Return what is kept of an answer, with what the reranker and the calibration know of each that was considered.

    Args:
        rows: of the answer and of the gold query ``sql``.
    """
    return {
        "question": answer.question,
        "gold": sql,
        "sql": answer.sql,
        "right": answer.sql is not None and is_right(*rows, sql),
        "confidence": answer.confidence,
        "status": answer.status,
        "answers": [
            {
                "features": dict(choice.features),
                "signs": found.signs(place),
                "refused": found.refused,
                "right": is_right(choice.rows, rows[1], sql),
            }
            for place, choice in enumerate(found.choices if found else ())
            if found is not None and choice.rows is not None
        ],
    }


def figures(records: list[Record]) -> dict[str, Any]:
    """Return what the records come to."""
    return {
        "questions": len(records),
        "ex": share(one["right"] for one in records),
        "ex, columns in order": share(one["strictly"] for one in records),
        "executes": share(one["runs"] for one in records),
        "ex of the best in the beam": share(one["right"] or one["in_beam"] for one in records),
        "calibration error": calibration_error(records),
        "status": dict(Counter(one["status"] for one in records)),
        "right where ok": where_ok(records),
        "CPU ms, median": round(statistics.median(one["CPU ms"] for one in records), 1),
    }


if __name__ == "__main__":
    sys.exit(run(measure))
