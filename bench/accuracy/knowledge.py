"""What formulas are worth: questions of KnowBench, or of Archer, with and without them.

    python -m bench.knowbench runs/knowbench --seed 32
    python bench/accuracy/knowledge.py --bench runs/knowbench --language en --ways none grounded oracle-grounding
    python bench/accuracy/knowledge.py --archer --language en --ways none grounded

Ways: «none» knows no formula; «grounded» finds, grounds and writes them as words; «oracle-formula» is told the right
formula and grounds it; «oracle-grounding» is told its columns, too. With --bank all the shipped banks stand beside the
benchmark's own. Of each: ex (rows are equal) of questions with a formula, by kind, and of
those without; grounding precision and recall of (concept, column) against the benchmark's own. KnowBench's databases
are seen by no training. With --archer the questions are those of Archer's training part that need knowledge, written by
others: the shipped banks are all that is known, and most of its databases, Spider's, were trained on.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from knowbench_told import bank_of, needed, questions
from result_files import DATA, RESULTS, add

import querent
from querent.data.databases.database import Database
from querent.evaluation.metrics import execution_match, is_ordered
from querent.knowledge.formulas.bank import Bank
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.linked_formulas import FormulaLinker, LinkedFormula
from querent.parser.reader.schema.profile import Profile
from querent.parser.session import ParserSession

WAYS = ("none", "grounded", "oracle-formula", "oracle-grounding")
Question = dict[str, Any]


class Told:
    """In the place of `FormulaLinker`: tells the right formula of each question."""

    def __init__(self, inner: FormulaLinker, *, grounded: bool) -> None:
        self.inner, self._grounded = inner, grounded
        self.grounder = inner.grounder
        self.question: Question = {}

    def find(self, question: str) -> list[LinkedFormula]:
        """Return the formulas that the question at hand needs, each at the words that name it."""
        return needed(self.question, self.inner, grounded=self._grounded)


def main() -> None:
    """Measure the ways asked for, and add each to the result file."""
    options = arguments()
    torch.set_num_threads(1)
    loaded = querent.load_network(querent.parser_folder(options.parser))
    for way in options.ways:
        judged = list(answers(loaded, way, options))
        found = figures(judged)
        print(way, json.dumps(found), flush=True)
        bank = "/all" if options.bank else ""
        asked = "archer-en" if options.archer else f"knowbench-{options.language}/{options.part}"
        add(options.out, f"{asked}/{way}{bank}", found)
        if options.show:
            Path(options.show).write_text("\n".join(json.dumps(one, ensure_ascii=False, default=str) for one in judged))


def answers(loaded: Any, way: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Ask all questions and yield what came of each."""
    every, bank = archer(options.every) if options.archer else knowbench(options)
    for path, several in every.items():
        with Database.open(path) as database:
            schema = querent.open_schema(path)[0]
            profile = Profile.of(schema, dialect="sqlite", language=options.language, database=path)
            known = None if way == "none" else bank
            answerer = ParserSession(profile.catalogue(path), loaded, profile, database, bank=known).whole
            if way.startswith("oracle") and answerer.knowledge is not None:
                answerer.knowledge = Told(answerer.knowledge, grounded=way == "oracle-grounding")  # pyright: ignore
            for question in several:
                yield asked(answerer, database, question)


def knowbench(options: argparse.Namespace) -> tuple[Mapping[str, Sequence[Question]], Bank]:
    """Return the questions asked for by database file, and the formulas that may be known."""
    root = options.bench / options.language
    found = questions(root, options.part, options.every)
    bank = bank_of(root, *([] if options.bank is None else [options.bank]))
    return {str(root / "databases" / f"{name}.sqlite"): several for name, several in found.items()}, bank


def archer(every: int) -> tuple[Mapping[str, Sequence[Question]], Bank]:
    """Return the same of Archer, whose formulas nobody told."""
    home, found = DATA / "multi" / "spider-train" / "database", defaultdict[str, list[Question]](list)
    lines = (DATA / "knowledge" / "archer-train.jsonl").read_text(encoding="utf-8").splitlines()
    for one in [one for one in map(json.loads, lines) if one["knowledge"]][::every]:
        told = {"sql": one["sql"].replace('"', "'"), "kind": "any", "formulas": [], "grounding": {}}
        found[str(home / one["db_id"] / f"{one['db_id']}.sqlite")].append(one | told)
    return found, open_banks(["all"])


def asked(answerer: Any, database: Database, question: Question) -> Question:
    """Ask one question and compare."""
    if isinstance(answerer.knowledge, Told):
        answerer.knowledge.question = question
    answer = answerer.ask(question["question"])
    rows = database.query(question["sql"]).rows
    right = answer.sql is not None and answer.status != "error"
    right = right and execution_match(
        database.query(answer.sql or "").rows, rows, ordered=is_ordered(question["sql"], "sqlite"), any_columns=True
    )
    found = answerer.knowledge.find(question["question"]) if answerer.knowledge is not None else []
    got = {(c, str(p)) for one in found if one.grounded for part in one.grounded.concepts for c, p in part.taken()}
    gold = {(c, place) for c, place in question["grounding"].items() if isinstance(place, str)}
    got = {(c, place) for c, place in got if isinstance(question["grounding"].get(c, ""), str)}
    names = {(one.grounding.formula.name, one.grounding.formula.expression.text) for one in found}
    wanted = {(one["name"], one["is"]) for one in question["formulas"]}
    return {
        **question,
        "got": answer.sql,
        "status": answer.status,
        "confidence": answer.confidence,
        "right": bool(right),
        "used": [one.name for one in answer.knowledge],
        "found": len(wanted & names) == len(wanted),
        "hits": len(got & gold),
        "told": len(got),
        "due": len(gold),
    }


def figures(judged: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of a way."""
    kinds: defaultdict[str, list[bool]] = defaultdict(list)
    for one in judged:
        kinds[one["kind"]].append(one["right"])
    formulas = [one for one in judged if one["kind"] != "none"]
    sure = [one for one in formulas if one["status"] == "ok"]
    hits, told, due = (sum(one[name] for one in formulas) for name in ("hits", "told", "due"))
    grounding = {
        "retrieved": share([one["found"] for one in formulas]),
        "precision": round(hits / max(1, told), 4),
        "recall": round(hits / max(1, due), 4),
    }
    return {
        "n": len(formulas),
        "ex": share([one["right"] for one in formulas]),
        **{f"ex {kind}": share(right) for kind, right in sorted(kinds.items())},
        "n plain": len(judged) - len(formulas),
        "sure": round(len(sure) / max(1, len(formulas)), 4),
        "right of sure": share([one["right"] for one in sure]),
        "with a formula": share([bool(one["used"]) for one in formulas]),
        **(grounding if due else {}),  # nobody told which formulas Archer's questions need
    }


def share(right: list[bool]) -> float:
    """Return how many are."""
    return round(sum(right) / max(1, len(right)), 4)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--bench", type=Path, help="folder that KnowBench's generator wrote")
    source.add_argument("--archer", action="store_true", help="ask Archer's questions, by the ways none and grounded")
    parser.add_argument("--language", choices=["en", "zh"], required=True)
    parser.add_argument("--part", choices=["train", "test"], default="test")
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=WAYS)
    parser.add_argument("--bank", help="a shipped bank beside the benchmark's own, or all")
    parser.add_argument("--parser", default="shipped", help="a run folder, or shipped")
    parser.add_argument("--every", type=int, default=1, help="take every so many questions")
    parser.add_argument("--show", help="file for all answers of the last way")
    parser.add_argument("--out", type=Path, default=RESULTS / "knowledge.json")
    options = parser.parse_args()
    if options.archer and (options.language != "en" or not {*options.ways} <= {"none", "grounded"}):
        parser.error("Archer is in English, and its formulas are not told: --language en --ways none grounded")
    return options


if __name__ == "__main__":
    main()
