"""Questions in batches, as Ray Data gives them: `BatchPredictor` for `map_batches`. Ray itself is not needed for it."""

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
        database: that is asked, as `querent.connect` takes it.
        parser: a run folder, or the folder of a saved parser; the shipped one if None.
        beam: hypotheses that the search follows.
        told: further arguments of `querent.connect`.

    Raises:
        QuerentError: the database or the parser cannot be opened.
    """

    def __init__(self, database: str | Path, parser: str | Path | None = None, *, beam: int = 4, **told: Any) -> None:
        # SQLite lets a connection be used by the thread alone that made it, and who calls us may be any
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="querent")
        how: dict[str, Any] = {"wait": True, **told}  # the same answers, however fast it is
        self._connection = self._worker.submit(querent.connect, database, parser=parser, **how).result()
        self._predictor = rooms.Predictor(self._connection, beam=beam)

    def __call__(self, batch: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return a batch with its own columns and the answers beside them.

        A question that cannot be asked has the status ``error`` and a reason; it never ends a batch.

        Args:
            batch: ``question``, texts; what else there is comes back as it is.

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
        told = {name: json.dumps(record[name], ensure_ascii=False, allow_nan=False) for name in ("columns", "rows")}
        return {**record, **told}


def _array(name: str, cells: list[Any]) -> NDArray[Any]:
    """Return a column; one with texts or None holds them as objects, whatever the batch."""
    return np.array(cells, dtype=np.float64 if name in ("confidence", "seconds") else object)
