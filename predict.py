"""Answer a file of questions, in one page to read and to change: `querent predict` has all options.

    python predict.py shop questions.txt answers.jsonl
    python predict.py my.sqlite questions.csv answers.jsonl --parser runs/mine

A database is a shipped name, a file, a URL or a folder. Each line of the answers is a record: the question, its query,
its rows, and how sure that is.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import querent


def main() -> None:
    """Open a database, read questions, write records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("questions", help="a line each in .txt, a column `question` in .csv, a key in .jsonl")
    parser.add_argument("answers", type=Path, help="the file to write")
    parser.add_argument("--parser", default=None, help="a run of train.py; by default the shipped one")
    told = parser.parse_args()

    with (
        querent.connect(told.database, parser=told.parser) as db,
        told.answers.open("w", encoding="utf-8") as out,
    ):
        for question in querent.read_questions(told.questions):
            answer = db.ask(question.text)
            record = {"id": question.id, **answer.to_json()}
            out.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")
            print(f"{answer.status:9} {question.text}\n          {answer.sql or answer.reason}")


if __name__ == "__main__":
    main()
