"""Ask the plain questions of tests/answers, and say how many are answered rightly, wrongly and surely, or refused.

    python bench/accuracy/plain_questions.py --set probe --show
    python bench/accuracy/plain_questions.py --set questions --out bench/results/plain-questions.json

``probe`` is for looking at, ``questions`` for reporting: nothing may be chosen by it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from result_files import ROOT, save

import querent

sys.path.insert(0, str(ROOT / "tests" / "answers"))

import answers  # of the folder just added

SURE = 0.8


def main() -> None:
    """Ask every question of the set and print what came of them."""
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        records = list(ask_all(Path(folder), options))
    result = {
        "figures": figures(records),
        "verdicts": {record["id"]: record["verdict"] for record in records},
    }
    print(json.dumps(result["figures"], indent=1))
    if options.out:
        save(options.out, result)


def ask_all(folder: Path, options: argparse.Namespace) -> Any:
    """Yield a record of each question."""
    for name, path in answers.databases(folder).items():
        with querent.connect(path, parser=options.parser) as connection:
            for question in (q for q in answers.questions(options.set) if q.database == name):
                answer = connection.ask(question.question)
                right = answers.right(question, None if answer.sql is None else answer.rows)
                record = {
                    "id": question.id,
                    "answerable": question.gold is not None,
                    "right": right,
                    "confidence": answer.confidence,
                    "refused": answer.sql is None,
                    "status": answer.status,
                    "verdict": f"{'right' if right else 'wrong'}, {answer.status}, {answer.confidence:.2f}",
                }
                if options.show:
                    print(f"{question.id}  {question.question}\n    {record['verdict']}  {answer.reason or ''}")
                    print(f"    {answer.sql}\n    {answer.rows[:3]}")
                    if not right and question.gold:
                        print(f"    wanted {question.gold}")
                yield record


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the counts that the floors are about."""
    asked = [record for record in records if record["answerable"]]
    others = [record for record in records if not record["answerable"]]
    return {
        "answerable": len(asked),
        "right": sum(record["right"] for record in asked),
        f"wrong with confidence above {SURE}": sum(not r["right"] and r["confidence"] > SURE for r in asked),
        "answerable, refused": sum(record["refused"] for record in asked),
        "unanswerable": len(others),
        "unanswerable, refused or unsure": sum(record["status"] != "ok" for record in others),
        "unanswerable, refused": sum(record["refused"] for record in others),
        "status": dict(Counter(record["status"] for record in records)),
    }


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="probe", choices=answers.SETS)
    parser.add_argument("--parser", type=Path, default=None, help="folder of a network (default: the shipped base)")
    parser.add_argument("--show", action="store_true", help="print each question with its query and rows")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures and verdicts")
    return parser.parse_args()


if __name__ == "__main__":
    main()
