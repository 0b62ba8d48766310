"""Trains the schema retriever on collections of questions, `querent train-retriever --schema`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ...data.domains.collection import Collection
from ...data.errors import InputError
from ...retrieval.schema_retriever.training import RetrieverOptions, TaughtSchema, train_scorer
from .table_lessons import taught_schemas

__all__ = ["train_schema_retriever"]

_READING = 0.8
"""The share of the time that reading the questions takes, once for all steps."""


def train_schema_retriever(
    collections: Sequence[Collection],
    out: Path,
    options: RetrieverOptions | None = None,
    *,
    progress: Callable[[float], object] = lambda _: None,
) -> int:
    """Train what finds the tables of large databases, write it to a file, and return how many questions it learnt.

    Only databases of several tables teach anything; wrong tables are those of the same database, so that large ones
    teach most (``bench/accuracy/union_schemas.py`` makes one of many).

    Args:
        collections: with databases. Those that are held out are not learnt (`is_held_out`).
        out: a file, ``.safetensors``.
        options: the defaults if None.
        progress: told the share of the work that is done.

    Raises:
        InputError: the file is called otherwise, or there is nothing to learn from.
        DatabaseError: a database cannot be read.
    """
    if out.suffix != ".safetensors":
        raise InputError(f"{str(out)!r} is no .safetensors file", field="out", hint="retriever.safetensors")
    schemas: list[TaughtSchema] = []
    for n, one in enumerate(collections):
        told = _part_of(progress, n / len(collections), 1 / len(collections))
        schemas += taught_schemas(one.part("train"), progress=told)
    out.parent.mkdir(parents=True, exist_ok=True)
    train_scorer(schemas, out, options, progress=lambda done: progress(_READING + (1 - _READING) * done))
    return sum(len(schema.lessons) for schema in schemas)


def _part_of(progress: Callable[[float], object], start: float, share: float) -> Callable[[float], object]:
    return lambda done: progress(_READING * (start + share * done))
