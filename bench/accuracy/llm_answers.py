"""What a language model answers, shown similar solved questions, beside the parser and a plain copy (BibSQL 2025).

    python bench/accuracy/llm_answers.py --language en --retriever runs/library-en-retriever --cells random-1 similar-1
    python bench/accuracy/llm_answers.py --language en --parser runs/library-en-595

Solved questions are the parts train and dev, questions asked a seeded draw of the test part. A cell says how shots are
chosen and how many there are: zero-0, random-1, similar-1, similar-2, similar-5 (similar: the trained bi-encoder on
questions whose values are found and masked). «copy» is the query of the most similar one with the question's own values
in it. «both» is the language model where the parser has no sure query (--parser with a cell). With --each N only so
many solved questions of a query pattern are there to be shown.
Of each cell: em (normal forms are equal), ex (rows are equal), runs, answered, tokens and seconds a question. A cell is
saved as it ends.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from result_files import RESULTS, add, command

import querent
from querent.data.domains.domain import Domain
from querent.data.domains.examples import Example, fill_sql
from querent.evaluation.answers import Ask, Reply, judge_answers
from querent.evaluation.scores import Judgement, mean
from querent.knowledge.solved import Solved, retriever_ways, shot_store
from querent.retrieval.shot_files import examples_to_show
from querent.retrieval.shots import Shot

TIMEOUT = 20.0
"""Seconds that a query may take."""


def main() -> None:
    """Measure the cells asked for, and add each to the result file."""
    options = arguments()
    torch.set_num_threads(1)
    domain = querent.load_domain(options.domain, language=options.language)
    asked = random.Random(options.seed).sample(domain.part("test"), options.questions)
    with ExitStack() as stack:
        for name, ask in systems(domain, options, stack):
            found = figures(judge_answers(asked, ask, domain, timeout=TIMEOUT))
            print(name, found, flush=True)
            add(options.out, f"{domain.name}-{domain.language}/{name}", found | {"command": command()})


def systems(domain: Domain, options: argparse.Namespace, stack: ExitStack) -> Iterator[tuple[str, Ask]]:
    """Yield what is to be measured, by name."""
    place = str(domain.database)
    first: Ask | None = None
    if options.parser is not None:
        told: dict[str, Any] = {"examples": options.domain, "retriever": options.retriever} if options.follow else {}
        parser = stack.enter_context(querent.connect(place, parser=options.parser, **told))
        followed = "/solved" if options.follow else ""
        first = asking_parser(parser)
        name = (
            options.name
            if options.name and not options.cells
            else "base"
            if len(str(options.parser)) == 2
            else "parser"
        )
        yield f"{name}{followed}", first
    few = f"/each-{options.each}" if options.each else ""
    hidden = [example.question for example in unshown(domain, options.each)]
    solved = Solved.of(domain, hidden=hidden)
    if "copy" in options.cells:
        yield f"copy{few}", copy_of(solved, domain, options.retriever, stack)
    cells = [cell for cell in options.cells if cell != "copy"]
    backend = querent.load_backend(options.backend) if cells else None
    for cell in cells:
        how, shots = cell.split("-")
        assert backend is not None
        told = replace(
            querent.options_of(backend),  # of a tuned model as it was tuned
            shots=int(shots),
            program=options.pot,
            corrections=options.correct,
            constrain=options.constrain,
            max_tokens=options.max_tokens,
        )
        connection = querent.connect_llm(
            place,
            backend,
            options=told,
            examples=options.domain,
            retriever=options.retriever,
            language=domain.language,
            schema=domain.schema,
            hidden=hidden,
            timeout=TIMEOUT,
        )
        with connection:
            name = "/".join([options.name or options.backend, cell, *options.told])
            ask = asking(connection, solved.shots, how, int(shots), options.seed)
            yield f"{name}{few}", ask
            if first is not None:
                yield f"both/{name}{few}", querent.in_turn(first, ask)


def asking_parser(connection: querent.Connection) -> Ask:
    """Return what asks a parser."""
    return lambda example: Reply.of(connection.ask(example.question))


def asking(connection: querent.LlmConnection, solved: Sequence[Shot], how: str, count: int, seed: int) -> Ask:
    """Return what asks a language model, which is shown random solved questions or those that the connection finds."""

    def ask(example: Example) -> Reply:
        drawn = random.Random(f"{seed}:{example.id}").sample(solved, count) if how == "random" else None
        return Reply.of(connection.ask(example.question, shots=drawn))

    return ask


def unshown(domain: Domain, each: int | None) -> Iterator[Example]:
    """Yield the solved questions that are too many of their pattern."""
    seen: defaultdict[str, int] = defaultdict(int)
    for example in examples_to_show(domain):
        seen[example.prototype] += 1
        if each and seen[example.prototype] > each:
            yield example


def copy_of(solved: Solved, domain: Domain, retriever: str | None, stack: ExitStack) -> Ask:
    """Return what answers by the query of the most similar solved question."""
    index = stack.enter_context(solved.index(str(domain.database), domain.schema))
    store = shot_store(solved.shots, domain.language, index=index, ways=retriever_ways(retriever))
    example_of = dict(zip(solved.shots, solved.examples, strict=True))
    return lambda e: Reply(copied(example_of[store.similar(e.question, 1)[0]], e))


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


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="library")
    parser.add_argument("--language", choices=["en", "zh"], required=True)
    parser.add_argument("--backend", default="smollm2", help="as querent ask --llm takes it")
    parser.add_argument("--name", help="what the result file calls the back end or parser")
    parser.add_argument("--retriever", help="folder of the trained bi-encoder; n-grams of characters if left out")
    parser.add_argument("--parser", help="run folder of the fine-tuned parser, or the language of a shipped one")
    parser.add_argument("--follow", action="store_true", help="show the parser the solved questions, too")
    parser.add_argument("--cells", nargs="*", default=[], help="zero-0, random-1, similar-1 … and copy")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--correct", type=int, default=0, help="corrections")
    parser.add_argument("--pot", action="store_true", help="a program of thoughts before the query")
    parser.add_argument("--constrain", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--each", type=int, help="solved questions of a pattern; all by default")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--out", type=Path, default=RESULTS / "llm-answers.json")
    options = parser.parse_args()
    told = {"pot": options.pot, f"correct-{options.correct}": options.correct, "constrained": options.constrain}
    options.told = [name for name, on in told.items() if on]
    return options


if __name__ == "__main__":
    main()
