"""`querent retrieve`: which solved questions are most like a new one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

import querent

from ..console import errors
from .options import Language

__all__ = ["retrieve"]

EPILOG = """
[bold]Examples[/]

querent retrieve plant "which tags are in alarm?" --language en

querent retrieve solved.jsonl "how many orders came in May?" -k 3 --by tfidf,bm25

querent retrieve plant "which tags are in alarm?" --language en --by dense --model runs/bi-encoder --json

[dim]These are the solved questions that `querent ask --llm --examples` shows a model. Of a domain its test part is left
out. Several ways are fused by their ranks (1 / (60 + rank), added up); each way's own score stands beside: the cosine
of TF-IDF vectors over n-grams of characters, BM25 over words, the cosine of a bi-encoder's vectors. BM25 and the
bi-encoder need pip install 'querent\\[retrieval]'. With --json a line for each: rank, question, sql, score, by.[/]
"""


def retrieve(
    source: Annotated[
        str,
        typer.Argument(
            metavar="DOMAIN|FILE",
            help="Solved questions: a domain, or a .jsonl file with question and sql on each line.",
            show_default=False,
        ),
    ],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The new one.", show_default=False)],
    *,
    by: Annotated[
        str, typer.Option("--by", metavar="tfidf,bm25,dense", help="How to search; several ways are fused.")
    ] = "tfidf",
    model: Annotated[
        str, typer.Option("--model", metavar="minilm|e5|FOLDER", help="The bi-encoder of --by dense.")
    ] = "minilm",
    k: Annotated[int, typer.Option("-k", min=1, help="How many to show.")] = 5,
    language: Language = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each, on a line.")] = False,
) -> None:
    """Show the solved questions that are most like a new one."""
    if not question.strip():
        raise querent.InputError("the question is empty", field="question", hint="write one in plain words")
    names = list(dict.fromkeys(name.strip() for name in by.split(",") if name.strip()))
    with errors().status("reading the solved questions"):
        ways = querent.ways_named(names, model=model)
        found = querent.ShotStore(querent.read_shots(source, language=language), ways).search(question, k)
    if not as_json:
        _show(found, names)
        return
    for rank, one in enumerate(found, start=1):
        told: dict[str, Any] = {"rank": rank, "question": one.shot.question, "sql": one.shot.sql}
        print(json.dumps({**told, "score": one.score, "by": dict(one.by)}, ensure_ascii=False))


def _show(found: Sequence[querent.ScoredShot], names: Sequence[str]) -> None:
    """Print each with its score, its query on the next line; of several ways with each one's score."""
    console = Console()
    for one in found:
        scores = f"{one.score:.4f}" if len(names) > 1 else f"{one.score:.3f}"
        line = Text.assemble((f"{scores}  ", "bold"), one.shot.question)
        if len(names) > 1:
            line.append(f"  ({', '.join(f'{name} {one.by[name]:.3f}' for name in names)})", style="dim")
        console.print(line, soft_wrap=True)
        console.print(Text(f"        {one.shot.sql}", style="cyan"), soft_wrap=True)
