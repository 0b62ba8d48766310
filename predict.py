"""Answer a file of questions, in one page to read and to change: `querent predict` has all options.

    python predict.py shop questions.txt answers.jsonl
    python predict.py my.sqlite questions.csv answers.jsonl --parser runs/mine

A database is one that ships with Querent (`plant`, `shop`, `library`), a SQLite file, files of tables or a folder of
them, or the URL of a server. Each line of the answers is a record: the question, its query, its rows, and how sure
that is.
"""

import argparse
import json
from pathlib import Path

import querent
from querent.console import one_line_errors


def main() -> None:
    """Open a database, answer the questions into the file, print each with its query."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("questions", help="a line each in .txt, a column `question` in .csv, a key in .jsonl")
    parser.add_argument("answers", type=Path, help="the file to write")
    parser.add_argument("--parser", default=None, help="a run of train.py; by default the shipped one")
    given = parser.parse_args()

    with querent.connect(given.database, parser=given.parser) as db:
        querent.predict(db, querent.read_questions(given.questions), given.answers, fresh=True)
    with given.answers.open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            print(f"{record['status']:9} {record['question']}\n          {record['sql'] or record['reason']}")


if __name__ == "__main__":
    with one_line_errors():
        main()
