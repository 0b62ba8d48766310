"""Questions in batches, as Ray Data gives them: `BatchPredictor` for `map_batches`. Ray itself is not needed for it."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import querent

from . import rooms

__all__ = ["BatchPredictor"]

_OPEN = 8
"""Databases that are open at a time; the one that was asked least lately is closed for another."""

_ADDED = ("sql", "status", "confidence", "reason", "columns", "rows", "seconds")

_Done = TypeVar("_Done")


class BatchPredictor:
    """Answers batches of questions, each as `querent predict` does.

    >>> import ray                                                             # doctest: +SKIP
    >>> ray.data.read_parquet("questions.parquet").map_batches(                # doctest: +SKIP
    ...     querent.batch.BatchPredictor, fn_constructor_kwargs={"database": "shop"},
    ...     batch_size=32, compute=ray.data.ActorPoolStrategy(size=2),
    ... ).write_parquet("answers")

    Args:
        database: that all questions are asked whose batch names none, as `querent.connect` takes it.
        parser: a run folder, or the folder of a saved parser; the shipped one if None. It is loaded once.
        beam: hypotheses that the search follows.
        told: further arguments of `querent.connect`.

    Raises:
        QuerentError: the database or the parser cannot be opened.
    """

    def __init__(
        self, database: str | Path | None = None, parser: str | Path | None = None, *, beam: int = 4, **told: Any
    ) -> None:
        self._parser: str | Path | rooms.Loaded | None = parser
        self._beam, self._told = beam, dict[str, Any]({"wait": True, **told})  # the same answers, however fast it is
        self._database = None if database is None else str(database)
        self._opened: OrderedDict[str, tuple[rooms.Predictor, ExitStack]] = OrderedDict()
        # SQLite lets a connection be used by the thread alone that made it, and who calls us may be any
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="querent")
        if self._database is not None:
            self._done(lambda: self._predictor(self._database))

    def __call__(self, batch: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return a batch with its own columns and the answers beside them.

        A question that cannot be asked, or whose database cannot be opened, has the status ``error`` and a reason; it
        never ends a batch.

        Args:
            batch: ``question``, texts; if there are several databases ``database``, one for each question; what else
                there is comes back as it is.

        Returns:
            The batch, and ``sql`` (text or None), ``status``, ``confidence`` (0 to 1), ``reason`` (text or None),
            ``columns`` and ``rows`` (JSON), ``seconds``.

        Raises:
            InputError: the batch has no questions, or none of the databases is known.
        """
        if "question" not in batch:
            hint = rooms.did_you_mean("question", batch) or f"it has {', '.join(batch) or 'no columns'}"
            raise querent.InputError("the batch has no such column", field="question", hint=hint)
        if self._database is None and "database" not in batch:
            raise querent.InputError("nobody says which database", field="database", hint="give one, or a column of it")
        questions = batch["question"].tolist()
        databases = batch["database"].tolist() if "database" in batch else [self._database] * len(questions)
        records = self._done(lambda: [self._record(*pair) for pair in zip(questions, databases, strict=True)])
        columns = {name: [record[name] for record in records] for name in _ADDED}
        return {**batch, **{name: _array(name, cells) for name, cells in columns.items()}}

    def close(self) -> None:
        """Close all databases."""
        self._done(self._close)
        self._worker.shutdown()

    def _done(self, work: Callable[[], _Done]) -> _Done:
        return self._worker.submit(work).result()

    def _record(self, question: Any, database: Any) -> dict[str, Any]:
        try:
            if not isinstance(question, str):
                raise querent.InputError("the question is no text", field="question")
            record = self._predictor(database).record(rooms.Question("", question, 0))
        except (querent.QuerentError, OSError) as error:
            reason = rooms.scrubbed(str(error))
            record = querent.Answer(str(question), None, status="error", reason=reason).to_json()
        told = {name: json.dumps(record[name], ensure_ascii=False, allow_nan=False) for name in ("columns", "rows")}
        return {**record, **told}

    def _predictor(self, database: Any) -> rooms.Predictor:
        """Return what asks a database, opened now if it is not."""
        place = database if isinstance(database, str) and database else self._database
        if place is None:
            raise querent.InputError("nobody says which database", field="database", hint="name one in this row")
        if place not in self._opened:
            with ExitStack() as stack:
                self._parser = querent.network_of(self._parser)
                connection = stack.enter_context(querent.connect(place, parser=self._parser, **self._told))
                found = rooms.Predictor(connection, beam=self._beam)
                self._opened[place] = found, stack.pop_all()
            while len(self._opened) > _OPEN:
                self._opened.popitem(last=False)[1][1].close()
        self._opened.move_to_end(place)
        return self._opened[place][0]

    def _close(self) -> None:
        while self._opened:
            self._opened.popitem()[1][1].close()


def _array(name: str, cells: list[Any]) -> NDArray[Any]:
    """Return a column; one with texts or None holds them as objects, whatever the batch."""
    return np.array(cells, dtype=np.float64 if name in ("confidence", "seconds") else object)
