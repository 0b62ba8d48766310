"""Measure a parser on databases that its training never saw: the share of right answers, and their time.

    python bench/accuracy/held_out.py --parser runs/figures --out bench/results/held-out.json \\
        --collections spider:../shared/data/multi/spider-train

Questions are answered as for a user: the index finds their values, the search under the constraint finds queries, and
the rows decide between these. EX is execution accuracy: columns in any order, as in test-suite accuracy; rows as a bag,
or in order where the gold query sorts. A record has the question, the gold query and the answer, and the features of
each candidate for the reranker and the confidence (`bench/train/answers.py`). ``--help`` lists what can be switched
off.
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
"""The time limit of a query in seconds."""

Own = Literal["own", "none"]


def measure(
    *,
    parser: Annotated[Path, "folder of a network, or shipped"],
    collections: Annotated[tuple[str, ...], "spider:FOLDER or chase:FOLDER"],
    beam: Annotated[int, "width of the search; 1 has no alternatives"] = 4,
    level: Annotated[Literal["off", "scope", "types", "runs"], "of the local constraint"] = "runs",
    global_: Annotated[Literal["soft", "hard", "off"], "what the global constraint does"] = "soft",
    values: Annotated[Own, "values that the index finds in a question"] = "own",
    profile: Annotated[Own, "the profile of the columns"] = "own",
    each: Annotated[int, "take every n-th question only"] = 1,
    cache: Annotated[Path | None, "folder of the value indexes"] = None,
    names: Annotated[str, "a collection with other names for the same databases; other databases are left out"] = "",
    keyless: Annotated[bool, "as if no key was declared, as in many warehouses"] = False,
) -> Iterator[Result]:
    """Answer every held-out question."""
    loaded = load_network(parser_folder(parser))
    made = SchemaParser(loaded.network, global_constraint=GlobalConstraint(global_))
    setup = Setup(made, loaded.calibration, beam, level, values, profile, cache)
    records = list[Record]()
    for spec in collections:
        part = read_collection(spec).part("held-out")
        part = replace(part, pairs=part.pairs[::each])
        if names:
            other = read_collection(names)
            pairs = tuple(pair for pair in part.pairs if pair.database in other.schemas)
            part = replace(named_as(part, other), name=f"{part.name}, names of {other.name}", pairs=pairs)
        elif keyless:
            schemas = {name: without_keys(schema) for name, schema in part.schemas.items()}
            part = replace(part, name=f"{part.name}, keyless", schemas=schemas)
        records += track(setup.answered(part), part.name, total=len(part.pairs))
    sets = dict.fromkeys(one["set"] for one in records)
    yield Result({"figures": {name: figures([r for r in records if r["set"] == name]) for name in sets}}, "", records)


@dataclass(frozen=True)
class Setup:
    """The parser under test, with its options.

    Attributes:
        cache: folder of the value indexes.
        evidence: whether questions come with the evidence beside them (BIRD).
        judged: whether an answer can be right.
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
        """Open a database of a collection as for a user, with the index of its values and its profile."""
        file, schema = collection.databases[name], collection.schemas[name]
        index = ValueIndex.open(file, schema, cache=self.cache)
        known = open_profile(file, schema, cache=self.cache) if self.profile == "own" else None
        context = DatabaseContext.of(schema, index, dialect="sqlite", language=collection.language, profile=known)
        level: Any = None if self.level == "off" else self.level
        return Answerer(self.parser, context, database, level=level, calibration=self.calibration)

    def _record(self, pair: Pair, answerer: Answerer, database: Database) -> dict[str, Any]:
        gold = database.attempt(pair.sql) if self.judged else None
        options = AskOptions(beam=self.beam, evidence=pair.evidence if self.evidence else "")
        begun = time.process_time()
        answer, found = considered(answerer, pair.question, options, values=None if self.values == "own" else ())
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
    """Answer a question, and return the ranked answers, too; None where the constraint allows no query."""
    try:
        found = answerer.rank(QuestionText(question, answerer.context.language), options, **given)
    except ConstraintError as error:
        return Answer(question, None, status="error", reason=str(error)), None
    return answerer.best_answer(found), found


def record_of(
    answer: Answer, found: RankedAnswers | None, sql: str, rows: tuple[Rows | None, Rows | None]
) -> dict[str, Any]:
    """Return the record of an answer, with the features of each candidate for the reranker and the calibration.

    Args:
        rows: the rows of the answer and of the gold query ``sql``.
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
    """Return the figures of records."""
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
