"""Asks the questions of one part on one rung of the ladder, and says what the answers come to; see `ladder.py`."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

import querent
from querent.data.domains.collection import Pair
from querent.llm.backends.batches import BatchWriter
from querent.llm.backends.causal_model import load_model
from querent.llm.executor import FAILURES, Outcome
from querent.llm.prompts import load_prompts
from querent.llm.tuning.collection_questions import CollectionPrompts, TuningQuestion
from querent.llm.tuning.corrections import ask_in_batches
from querent.llm.tuning.retrieved_tables import retrieved_tables
from querent.llm.tuning.samples import CollectionRunner

__all__ = ["RUNGS", "Asked", "ask", "figures"]

RUNGS = {"bare": None, "retriever": None, "sft": "sft", "dpo": "dpo", "correct": "correct"}
"""Each with the stage whose model is asked, None for the model as it comes."""

CORRECTIONS = 3


@dataclass(frozen=True)
class Asked:
    """One part of the questions, to be asked on one rung.

    Attributes:
        part: of ``options.jobs`` parts, which processes share.
    """

    rung: str
    masked: bool
    part: int
    options: argparse.Namespace

    @property
    def file(self) -> Path:
        """Return where its records are kept."""
        return self.options.run / "records" / f"{self.rung}-{'masked' if self.masked else 'free'}-{self.part}.jsonl"


def ask(asked: Asked) -> None:
    """Ask the questions of one part on one rung, and write what came of them."""
    torch.set_num_threads(1)
    options, stage = asked.options, RUNGS[asked.rung]
    loaded = load_model(options.model if stage is None else str(options.run / stage))
    writer = BatchWriter(loaded, batch=options.write_batch)
    prompts = load_prompts(None if stage is None else options.run / stage / "prompts")
    questions = list(part_of(asked, loaded.tokenizer))
    corrections = CORRECTIONS if asked.rung == "correct" else 0
    with CollectionRunner(options.timeout) as runner:
        rounds = ask_in_batches(writer, questions, prompts, runner, corrections=corrections, masked=asked.masked)
        records = [record(asked, one, tried, runner) for one, tried in zip(questions, rounds, strict=True)]
    partial = asked.file.with_suffix(".part")
    partial.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")
    partial.replace(asked.file)  # whole, or not there


def part_of(asked: Asked, tokenizer: Any) -> Iterator[TuningQuestion]:
    """Yield the held-out questions of a part, with what they are told on the rung."""
    options = asked.options
    for spec in options.collections:
        collection = querent.read_collection(spec).part("held-out")
        pairs = [pair for pair in collection.pairs if pair.database in collection.databases]
        if options.questions:
            pairs = pairs[:: max(1, len(pairs) // options.questions)][: options.questions]
        picker = in_order if asked.rung == "bare" else retrieved_tables(collection)
        first, last = (len(pairs) * place // options.jobs for place in (asked.part, asked.part + 1))
        some = replace(collection, pairs=tuple(pairs[first:last]))  # of few databases: masks of each take a second
        yield from CollectionPrompts(some, tokenizer, picker, tokens=options.tokens).questions(lessons=False)


def in_order(_: Pair, schema: querent.Schema) -> list[str]:
    return [table.name for table in schema.tables]


def record(
    asked: Asked, question: TuningQuestion, rounds: Iterable[Outcome], runner: CollectionRunner
) -> dict[str, Any]:
    """Return what was asked, wanted and answered in each round."""
    pair, gold = question.pair, runner.rows(question, question.pair.sql)
    return {
        "id": pair.id,
        "rung": asked.rung,
        "masked": asked.masked,
        "question": pair.question,
        "gold": pair.sql,
        "rounds": [
            {
                "sql": one.sql,
                "failure": one.failure,
                "runs": one.rows is not None,
                "right": one.rows is not None and gold is not None and querent.rows_match(one.rows, gold, pair.sql),
            }
            for one in rounds
        ],
    }


def figures(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what the records of a rung come to, after each round of corrections and by the first answer's failure."""
    most = max((len(record["rounds"]) for record in records), default=0)
    by_round = [[answer(record["rounds"][: after + 1]) for record in records] for after in range(most)]
    last, firsts = by_round[-1] if by_round else [], [record["rounds"][0]["failure"] for record in records]
    kinds = {
        kind: {
            "questions": len(some),
            "run in the end": sum(one["runs"] for one in some),
            "right in the end": sum(one["right"] for one in some),
        }
        for kind in FAILURES
        if (some := [one for one, failure in zip(last, firsts, strict=True) if failure == kind])
    }
    return {
        "questions": len(records),
        "ex": share(last, "right"),
        "executes": share(last, "runs"),
        "failures at first": dict(Counter(failure for failure in firsts if failure)),
    } | (
        {
            "after corrections": [
                {
                    "asked": sum(len(record["rounds"]) > after for record in records),
                    "ex": share(some, "right"),
                    "executes": share(some, "runs"),
                }
                for after, some in enumerate(by_round)
            ],
            "by the first failure": kinds,
        }
        if most > 1
        else {}
    )


def answer(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the round that is answered: one that found rows, else the last that ran, else the last."""
    if rounds[-1]["failure"] is None:
        return rounds[-1]
    return next((one for one in reversed(rounds) if one["runs"]), rounds[-1])


def share(some: Sequence[dict[str, Any]], name: str) -> float:
    return round(sum(one[name] for one in some) / max(1, len(some)), 4)
