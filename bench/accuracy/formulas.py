"""Measure the gain by formulas: questions of KnowBench, or of Archer, with and without them.

    python bench/accuracy/formulas.py --language en
    python bench/accuracy/formulas.py --archer --ways none grounded

A way is the knowledge of the parser: «none» has no formula; «grounded» finds, grounds and writes formulas as words;
«oracle-formula» is given the formulas of the question and grounds them; «oracle-grounding» is given their columns, too.
The figures are EX (execution accuracy, columns in any order) of the questions that need a formula, by kind and by
field, EX of those that need none, how often the formula is found, and precision and recall of the columns of its
concepts. With --archer the questions are those of Archer's training part that need knowledge, written by other people:
the parser knows the shipped banks alone, and most of the databases, Spider's, were trained on.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from knowbench import Question, bank_of, needed, questions, unpacked
from result_files import DATA, RESULTS, Result, run
from rich.progress import track
from scores import grouped, is_right, share, where_ok

import querent
from querent.data.databases.database import Database
from querent.knowledge.formulas.bank import Bank
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.linked_formulas import FormulaLinker, LinkedFormula
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.reader.profile import Profile
from querent.parser.session import ParserSession

Way = Literal["none", "grounded", "oracle-formula", "oracle-grounding"]


class Oracle(FormulaLinker):
    """Finds the gold formulas of each question, with the linker's grounding or the gold one."""

    def __init__(self, linker: FormulaLinker, several: Sequence[Question], *, grounded: bool) -> None:
        super().__init__(linker.bank, linker.grounder)
        self._questions, self._grounded = {one["question"]: one for one in several}, grounded

    def find(self, question: QuestionText) -> list[LinkedFormula]:
        """Return the formulas that a question needs, each with the words that name it."""
        return needed(self._questions[question.text], self, grounded=self._grounded)


def measure(
    *,
    archer: Annotated[bool, "take Archer's questions, with the ways none and grounded"] = False,
    language: Annotated[Literal["en", "zh"], "of the questions"] = "en",
    ways: Annotated[tuple[Way, ...], "the knowledge of the parser"] = (
        "none",
        "grounded",
        "oracle-formula",
        "oracle-grounding",
    ),
    parser: Annotated[str, "a run folder, or shipped"] = "shipped",
    every: Annotated[int, "take every n-th question only"] = 1,
) -> Iterator[Result]:
    """Measure the ways."""
    if archer and (language != "en" or not {*ways} <= {"none", "grounded"}):
        raise SystemExit("Archer is in English, and does not say its formulas: --ways none grounded")
    home = unpacked("knowbench") / language
    taken = of_archer(every) if archer else questions(home, "test", every)
    bank = open_banks(["all"]) if archer else bank_of(home)
    name = "archer-en" if archer else f"knowbench-{language}/test"
    for way in ways:
        found = answered(taken, bank, way, parser=parser, language=language)
        records = list(track(found, way, total=sum(map(len, taken.values()))))
        yield Result(figures(records), f"{name}/{way}", [{"way": way, **one} for one in records])


def of_archer(every: int) -> dict[Path, list[Question]]:
    """Return every n-th question of Archer by database; their formulas are not known."""
    home, found = DATA / "multi" / "spider-train" / "database", defaultdict[Path, list[Question]](list)
    lines = (DATA / "knowledge" / "archer-train.jsonl").read_text(encoding="utf-8").splitlines()
    for one in [one for one in map(json.loads, lines) if one["knowledge"]][::every]:
        more = {"sql": one["sql"].replace('"', "'"), "kind": "any", "formulas": [], "grounding": {}}
        found[home / one["db_id"] / f"{one['db_id']}.sqlite"].append({**one, **more, "domain": one["db_id"]})
    return dict(found)


def answered(
    every: Mapping[Path, Sequence[Question]], bank: Bank, way: Way, *, parser: str, language: str
) -> Iterator[dict[str, Any]]:
    """Yield a record of each question."""
    loaded = querent.load_network(querent.parser_folder(parser))
    for path, several in every.items():
        with Database.open(path) as database:
            schema = querent.open_schema(path)[0]
            profile = Profile.of(schema, dialect="sqlite", language=language, database=path)
            known = None if way == "none" else bank
            answerer = ParserSession(profile.catalogue(path), loaded, profile, database, bank=known).whole
            if answerer.knowledge is not None and way.startswith("oracle"):
                answerer.knowledge = Oracle(answerer.knowledge, several, grounded=way == "oracle-grounding")
            for question in several:
                yield record(question, answerer, database)


def record(question: Question, answerer: Answerer, database: Database) -> dict[str, Any]:
    """Answer a question, and compare its rows, the formulas found, and the columns of their concepts."""
    answer = answerer.answer(QuestionText(question["question"], answerer.context.language))
    found = answerer.knowledge.find(QuestionText(question["question"])) if answerer.knowledge is not None else []
    gold = {one for one in question["grounding"].items() if isinstance(one[1], str)}
    taken = {(c, str(p)) for one in found if one.grounded for part in one.grounded.concepts for c, p in part.taken()}
    taken = {(c, place) for c, place in taken if isinstance(question["grounding"].get(c, ""), str)}
    names = {(one.grounding.formula.name, one.grounding.formula.expression.text) for one in found}
    return {
        **question,
        "got": answer.sql,
        "status": answer.status,
        "confidence": answer.confidence,
        "right": is_right(database.attempt(answer.sql), database.query(question["sql"]), question["sql"]),
        "used": [one.name for one in answer.knowledge],
        "found": {(one["name"], one["is"]) for one in question["formulas"]} <= names,
        "columns": [len(taken & gold), len(taken), len(gold)],
    }


def figures(records: Sequence[Question]) -> dict[str, Any]:
    """Return the figures of the records of a way."""
    formulas = [one for one in records if one["kind"] != "none"]
    hits, taken, gold = (sum(one["columns"][place] for one in formulas) for place in range(3))
    fields = grouped(formulas, "domain").items()
    grounding = {"retrieved": share(one["found"] for one in formulas), "precision": round(hits / max(1, taken), 4)}
    return {
        "n": len(formulas),
        "ex": _ex(formulas),
        **{f"ex {kind}": _ex(some) for kind, some in grouped(records, "kind").items()},
        "by field": {name: {"n": len(some), "ex": _ex(some)} for name, some in fields},
        "n plain": len(records) - len(formulas),
        "sure": share(one["status"] == "ok" for one in formulas),
        "right of sure": where_ok(formulas),
        **(grounding | {"recall": round(hits / gold, 4)} if gold else {}),
    }


def _ex(records: Sequence[Question]) -> float:
    return share(one["right"] for one in records)


if __name__ == "__main__":
    sys.exit(run(measure, out=RESULTS / "knowledge.json"))
