"""What a language model answers, shown similar solved questions, beside the parser and a plain copy (BibSQL 2025).

    python bench/accuracy/llm_answers.py --language en --retriever runs/library-en-retriever --cells random-1 similar-1
    python bench/accuracy/llm_answers.py --language en --parser runs/library-en

Solved questions are the parts train and dev, questions asked a seeded draw of the test part. A cell says how shots are
chosen and how many there are: zero-0, random-1, similar-1, similar-2, similar-5 (similar: the trained bi-encoder on
questions whose values are found and masked). «copy» is the query of the most similar one with the question's own values
in it.
Of each cell: em (normal forms are equal), ex (rows are equal), runs, answered, tokens and seconds a question. A cell is
saved as it ends.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from result_files import RESULTS, add, command

import querent
from querent.data.database import Database
from querent.data.domain import Domain
from querent.data.examples import Example, fill_sql
from querent.evaluation.answers import Ask, Reply, judge_answers
from querent.evaluation.scores import Judgement, mean
from querent.llm.answering import LlmAnswerer
from querent.llm.backends.load import load_backend
from querent.llm.masking import ValueMask
from querent.llm.prompts import load_prompts
from querent.ner.index import ValueIndex
from querent.retrieval.bi_encoder import load_bi_encoder
from querent.retrieval.selection import Dense, Masked, nearest
from querent.retrieval.shots import Shot

TIMEOUT = 20.0
"""Seconds that a query may take."""


def main() -> None:
    """Measure the cells asked for, and add each to the result file."""
    options = arguments()
    torch.set_num_threads(1)
    domain = querent.load_domain(options.domain, language=options.language)
    asked = random.Random(options.seed).sample(domain.part("test"), options.questions)
    with opened(domain) as database:
        for name, ask in systems(domain, database, asked, options):
            found = figures(judge_answers(asked, ask, domain, timeout=TIMEOUT))
            print(name, found, flush=True)
            add(options.out, f"{options.domain}-{domain.language}/{name}", found | {"command": command()})


def systems(
    domain: Domain, database: Database, asked: Sequence[Example], options: argparse.Namespace
) -> Iterator[tuple[str, Ask]]:
    """Yield what is to be measured, by name."""
    if options.parser is not None:
        with querent.connect(str(domain.database), parser=options.parser) as connection:
            yield "parser", lambda e: Reply.of(connection.ask(e.question))
    solved = [e for e in domain.examples if e.question_split != "test"]
    if options.retriever is None:
        return
    with ValueIndex.open(domain.database, domain.schema) as index:
        similar = Similar(solved, asked, options.retriever, ValueMask(index, domain.language))
    if "copy" in options.cells:
        yield "copy", lambda e: Reply(copied(similar.of(e, 1)[0], e))
    cells = [cell for cell in options.cells if cell != "copy"]
    backend = load_backend(options.backend) if cells else None
    for cell in cells:
        chosen, shots = cell.split("-")
        told = replace(
            querent.options_of(backend),  # of a tuned model as it was tuned
            shots=int(shots),
            program=options.pot,
            corrections=options.correct,
            constrain=options.constrain,
            max_tokens=options.max_tokens,
        )
        prompts = load_prompts(language=domain.language)
        answerer = LlmAnswerer(backend, domain.schema, database, domain.dialect, options=told, prompts=prompts)
        name = "/".join([options.name or options.backend, cell, *options.told])
        yield name, asking(answerer, Chooser(chosen, int(shots), similar, solved, options.seed))


@dataclass(frozen=True)
class Chooser:
    """Chooses solved questions: ``zero``, ``random`` or ``similar``."""

    how: str
    shots: int
    similar: Similar
    solved: Sequence[Example]
    seed: int

    def __call__(self, example: Example) -> list[Shot]:
        if self.how == "random":
            found = random.Random(f"{self.seed}:{example.id}").sample(self.solved, self.shots)
        else:
            found = self.similar.of(example, self.shots) if self.shots else []
        return [Shot(e.question, e.sql) for e in found]


def asking(answerer: LlmAnswerer, choose: Chooser) -> Ask:
    """Return what asks a language model."""
    return lambda example: Reply.of(answerer.ask(example.question, shots=choose(example)))


class Similar:
    """The solved questions that a bi-encoder finds most alike, all values masked."""

    def __init__(
        self, solved: Sequence[Example], asked: Sequence[Example], folder: Path, mask: Callable[[str], str]
    ) -> None:
        self._solved = solved
        way = Masked(lambda texts: Dense(load_bi_encoder(folder), texts), [e.question for e in solved], mask)
        best = nearest(way.scores([e.question for e in asked]), 5).tolist()
        self._best = dict(zip((e.id for e in asked), best, strict=True))

    def of(self, example: Example, k: int) -> list[Example]:
        """Return ``k`` of them, the most alike first."""
        return [self._solved[i] for i in self._best[example.id][:k]]


def copied(shot: Example, asked: Example) -> str:
    """Return the query of a solved question with the values of another one, where those have its slots."""
    have = {value.slot for value in asked.values}
    return fill_sql(shot.slotted, asked.values if have >= {v.slot for v in shot.values} else shot.values)


def figures(judged: Sequence[Judgement]) -> dict[str, Any]:
    """Return the figures of a cell."""
    told = {
        "em": mean(j.exact for j in judged),
        "ex": mean(j.execution for j in judged),
        "runs": mean(j.runs for j in judged),
        "answered": mean(not j.refused for j in judged),
        "tokens": mean(j.tokens for j in judged),
    }
    shares = {name: round(share or 0.0, 4) for name, share in told.items()}
    return {"n": len(judged), **shares, "seconds": round(mean(j.seconds for j in judged) or 0.0, 2)}


@contextmanager
def opened(domain: Domain) -> Iterator[Database]:
    """Open a domain's database with its functions."""
    if domain.database is None:
        raise SystemExit(f"{domain.name} has no database")
    with Database.open(domain.database, timeout=TIMEOUT, functions=domain.schema.functions) as database:
        yield database


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="library")
    parser.add_argument("--language", choices=["en", "zh"], required=True)
    parser.add_argument("--backend", default="smollm2", help="as querent ask --llm takes it")
    parser.add_argument("--name", help="what the result file calls the back end")
    parser.add_argument("--retriever", type=Path, help="folder of the trained bi-encoder")
    parser.add_argument("--parser", type=Path, help="run folder of the fine-tuned parser")
    parser.add_argument("--cells", nargs="*", default=[], help="zero-0, random-1, similar-1 … and copy")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--correct", type=int, default=0, help="corrections")
    parser.add_argument("--pot", action="store_true", help="a program of thoughts before the query")
    parser.add_argument("--constrain", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--out", type=Path, default=RESULTS / "llm-answers.json")
    options = parser.parse_args()
    told = {"pot": options.pot, f"correct-{options.correct}": options.correct, "constrained": options.constrain}
    options.told = [name for name, on in told.items() if on]
    return options


if __name__ == "__main__":
    main()
