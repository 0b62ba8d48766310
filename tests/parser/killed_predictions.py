"""Run `querent predict` once in peace, then once for each place to die in, and once more after each death.

Run as ``python killed_predictions.py RUN QUESTIONS DATABASE POINT…``; prints one JSON object, from
name to how the processes ended. One program, since importing torch takes longer than a run: every run
is a fork of it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable

import torch

from querent.cli import main
from querent.parser import connection
from querent.parser.runs import records


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before_the_first() -> None:
    records.RecordFile.append = die


def while_it_answers() -> None:
    ask, asked = connection.Connection.ask, []

    def counted(self, question, **given):
        asked.append(question)
        return die() if len(asked) == 3 else ask(self, question, **given)

    connection.Connection.ask = counted


def after_a_record() -> None:
    _kill_at(6, torn=False)


def within_a_line() -> None:
    _kill_at(7, torn=True)


def after_the_last() -> None:
    records.RecordFile.finish = die


def _kill_at(count: int, *, torn: bool) -> None:
    """Write so many records, of the last one perhaps only a half, then die."""
    append, written = records.RecordFile.append, []

    def counted(self, record):
        written.append(record)
        if len(written) == count:
            if torn:
                self._writer.write(json.dumps(record, ensure_ascii=False).encode()[:40])
                self._writer.flush()
            die()
        append(self, record)

    records.RecordFile.append = counted


def run(name: str, prepare: Callable[[], None] = lambda: None) -> int:
    parser, questions, database = sys.argv[1:4]
    child = os.fork()
    if child == 0:
        prepare()
        options = ["--parser", parser, "--database", database, "--beam", "2", "--explain"]
        try:
            main(["predict", questions, "--out", f"{name}.jsonl", *options])
        except SystemExit as end:
            os._exit(end.code or 0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    torch.set_num_threads(1)
    with connection.connect(sys.argv[3], parser=sys.argv[1]) as opened:
        opened.ask("what is the area of texas")  # what this imports and looks up, the forks need not
    ended = {"whole": [run("whole")]}
    for point in sys.argv[4:]:
        first = run(point, globals()[point])
        shutil.copyfile(f"{point}.jsonl", f"{point}.killed")
        ended[point] = [first, run(point)]
    print(json.dumps(ended))
