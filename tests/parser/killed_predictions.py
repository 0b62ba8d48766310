"""Predictions to kill: ``python killed_predictions.py RUN QUESTIONS DATABASE``, see `killing`."""

from __future__ import annotations

import json
import shutil
import sys

from killing import at, die, killed_at

from querent.commands.cli import main
from querent.dialogue import connection
from querent.parser.runs import records


def before_the_first() -> None:
    records.RecordFile.append = die


def while_it_answers() -> None:
    at(3, connection.Connection, "ask")


def within_a_line() -> None:
    def half(_, self, record):
        self._writer.write(json.dumps(record, ensure_ascii=False).encode()[:40])
        self._writer.flush()
        die()

    at(7, records.RecordFile, "append", half)


def after_the_last() -> None:
    records.RecordFile.finish = die


POINTS = {point.__name__: point for point in (before_the_first, while_it_answers, within_a_line, after_the_last)}


def predicted(name: str) -> None:
    parser, questions, database = sys.argv[1:4]
    options = ["--parser", parser, "--database", database, "--beam", "1", "--explain"]
    main(["predict", questions, "--out", f"{name}.jsonl", *options])


if __name__ == "__main__":
    killed_at(POINTS, predicted, lambda name: shutil.copyfile(f"{name}.jsonl", f"{name}.killed"))
