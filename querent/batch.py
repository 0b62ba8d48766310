"""Answers batches of questions in the form of Ray Data's `map_batches`, but does not need Ray itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import querent

from . import rooms

_ADDED = ("sql", "status", "confidence", "reason", "columns", "rows", "seconds")


class BatchPredictor:
    """Answers batches of questions, each as `querent predict` does.

    >>> import ray                                                             # doctest: +SKIP
    >>> ray.data.read_parquet("questions.parquet").map_batches(                # doctest: +SKIP
    ...     querent.batch.BatchPredictor, fn_constructor_kwargs={"database": "shop"},
    ...     batch_size=32, compute=ray.data.ActorPoolStrategy(size=2),
    ... ).write_parquet("answers")

    Args:
        database: the database, as `querent.connect` takes it.
        parser: a run folder, or the folder of a saved parser; the shipped one if None.
        beam: the number of hypotheses in the search.
        options: further arguments of `querent.connect`.

    Raises:
        QuerentError: the database or the parser cannot be opened.
    """

    def __init__(
        self, database: str | Path, parser: str | Path | None = None, *, beam: int = 4, **options: Any
    ) -> None:
        # a SQLite connection can be used only by the thread that made it, and any thread may call us
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="querent")
        options = {"wait": True, **options}  # the same answers on a fast and a slow machine
        self._connection = self._worker.submit(querent.connect, database, parser=parser, **options).result()
        self._predictor = rooms.Predictor(self._connection, beam=beam)

    def __call__(self, batch: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return a batch with its own columns and the answers beside them.

        A wrong question has the status ``error`` and a reason, and does not end the batch.

        Args:
            batch: the column ``question`` of texts, and other columns, which are returned unchanged.

        Returns:
            The batch, and ``sql`` (text or None), ``status``, ``confidence`` (0 to 1), ``reason`` (text or None),
            ``columns`` and ``rows`` (JSON), ``seconds``.

        Raises:
            InputError: the batch has no questions.
        """
        if "question" not in batch:
            hint = rooms.did_you_mean("question", batch) or f"it has {', '.join(batch) or 'no columns'}"
            raise querent.InputError("the batch has no such column", field="question", hint=hint)
        records = list(self._worker.map(self._record, batch["question"].tolist()))
        columns = {name: [record[name] for record in records] for name in _ADDED}
        return {**batch, **{name: _array(name, cells) for name, cells in columns.items()}}

    def close(self) -> None:
        """Close the database."""
        self._worker.submit(self._connection.close).result()
        self._worker.shutdown()

    def _record(self, question: Any) -> dict[str, Any]:
        try:
            if not isinstance(question, str):
                raise querent.InputError("the question is no text", field="question")
            record = self._predictor.record(rooms.Question("", question, 0))
        except (querent.QuerentError, OSError) as error:
            reason = rooms.scrubbed(str(error))
            record = querent.Answer(str(question), None, status="error", reason=reason).to_json()
        texts = {name: json.dumps(record[name], ensure_ascii=False, allow_nan=False) for name in ("columns", "rows")}
        return {**record, **texts}


def _array(name: str, cells: list[Any]) -> NDArray[Any]:
    """Return a column as an array, of objects if it may contain texts or None."""
    return np.array(cells, dtype=np.float64 if name in ("confidence", "seconds") else object)
