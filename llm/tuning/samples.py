"""What a model writes for the questions of a stage, kept as it comes, and what becomes of it on the databases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from ...data.closing import Closing
from ...data.databases.database import Database
from ...data.databases.rows import Rows
from ...data.texts import json_of
from ..backends.batches import BatchWriter
from ..backends.chat_prompt import prompt_ids
from ..executor import Executor, Outcome
from ..prompts import Prompts
from ..reading import read_answer
from .collection_questions import TuningQuestion

__all__ = ["CollectionRunner", "SameRows", "Verdict", "sampled"]

SameRows = Callable[[Rows, Rows, str], bool]
"""Takes a query's rows, the gold ones, and the gold query: is the query right?"""

Verdict = Literal["right", "wrong", "failing"]
"""Of a query: it finds the gold rows; it runs; it does not."""

_BATCHES = 4  # between two savings


class CollectionRunner(Closing):
    """Runs queries on the databases of questions, for reading only; a context manager.

    Args:
        timeout: seconds that a query may take.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._closing = ExitStack()
        self._databases: dict[Path, Database] = {}
        self._executors: dict[Path, Executor] = {}

    def rows(self, question: TuningQuestion, sql: str) -> Rows | None:
        """Return the rows of a query, None if it fails."""
        return self._database(question).attempt(sql)

    def gold(self, question: TuningQuestion) -> Rows | None:
        """Return the gold rows; None where they tell nothing: there are none, or more than are fetched."""
        rows = self.rows(question, question.pair.sql)
        return rows if rows is not None and rows.rows and not rows.truncated else None

    def verdict(self, question: TuningQuestion, text: str, gold: Rows, same: SameRows) -> Verdict:
        """Return what becomes of an answer."""
        read = read_answer(text, "sqlite")
        rows = None if read.problem else self.rows(question, read.sql)
        if rows is None:
            return "failing"
        return "right" if same(rows, gold, question.pair.sql) else "wrong"

    def finds(self, question: TuningQuestion, text: str) -> bool:
        """Does an answer's query run and find something? This is a tenth of the work of `outcome`."""
        read = read_answer(text, "sqlite")
        rows = None if read.problem else self.rows(question, read.sql)
        return rows is not None and any(cell is not None for row in rows.rows for cell in row)

    def outcome(self, question: TuningQuestion, text: str) -> Outcome:
        """Return what becomes of an answer where a user asks, with what is said of it to the model."""
        if question.file not in self._executors:
            executor = Executor(question.schema, self._database(question), "sqlite")
            self._executors[question.file] = executor
        return self._executors[question.file].outcome(text)

    def _database(self, question: TuningQuestion) -> Database:
        if question.file not in self._databases:
            opened = Database.open(question.file, timeout=self._timeout)
            self._databases[question.file] = self._closing.enter_context(opened)
        return self._databases[question.file]

    def close(self) -> None:
        """Close the databases."""
        self._closing.close()


def sampled(
    writer: BatchWriter,
    questions: Sequence[TuningQuestion],
    prompts: Prompts,
    file: Path,
    *,
    n: int,
    temperature: float,
    seed: int,
    progress: Callable[[float], object] = lambda _: None,
) -> list[tuple[str, ...]]:
    """Return ``n`` texts for each question; a file keeps those of a few batches at a time, so that a kill loses few.

    Args:
        file: JSON lines; what it holds is not written again.
        progress: told the share of questions that are done.
    """
    found = list(_kept(file))[: len(questions)]
    step = _BATCHES * writer.batch
    if len(found) < len(questions):
        del found[len(found) // step * step :]  # what is drawn hangs on the whole of some batches
    file.write_text("".join(map(_line, found)), encoding="utf-8")
    for start in range(len(found), len(questions), step):
        progress(start / len(questions))
        asked = [prompt_ids(writer.tokenizer, one.messages(prompts)) for one in questions[start : start + step]]
        texts = dict(writer.write(asked, n=n, temperature=temperature, seed=seed))
        some = [texts[number] for number in range(len(asked))]
        with file.open("a", encoding="utf-8") as stream:
            stream.writelines(map(_line, some))
        found += some
    progress(1.0)
    return found


def _line(texts: Sequence[str]) -> str:
    return json.dumps(list(texts), ensure_ascii=False) + "\n"


def _kept(file: Path) -> Iterator[tuple[str, ...]]:
    """Yield what a file has; a kill may have torn its last line."""
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        try:
            yield tuple(json_of(line))
        except ValueError:
            return
