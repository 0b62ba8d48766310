"""`querent retrieve`: which solved questions are most like a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from .. import rooms
from ..console import errors, json_line, output
from .options import AsJsonLines, MaskedDatabase, QuestionLanguage, SolvedSource

__all__ = ["retrieve"]

RETRIEVE_HELP = """
[bold]Examples[/]

querent retrieve plant "which tags are in alarm?"

querent retrieve solved.jsonl "how many orders came in May?" --database shop.sqlite -k 3 --by tfidf,bm25

querent retrieve plant "which tags are in alarm?" --by dense --model runs/bi-encoder --json

[dim]These are the solved questions that `querent ask --llm --examples` shows a model. Of a domain its test part is left
out. Where a database is known, the values that questions name are masked, so that what they ask is compared. Several
ways are fused by their ranks (1 / (60 + rank), added up); each way's own score stands beside: the cosine of TF-IDF
vectors over n-grams of characters, BM25 over words, the cosine of a bi-encoder's vectors. BM25 and the bi-encoder need
pip install '.\\[train]' in the clone. With --json a line for each: rank, question, sql, score, by, searched_as.[/]
"""


def retrieve(
    source: SolvedSource,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The new one.", show_default=False)],
    *,
    by: Annotated[
        str, typer.Option("--by", metavar="tfidf,bm25,dense", help="How to search; several ways are fused.")
    ] = "dense",
    model: Annotated[str, typer.Option("--model", metavar="e5|FOLDER", help="The bi-encoder of --by dense.")] = "e5",
    k: Annotated[int, typer.Option("-k", min=1, help="How many to show.")] = 5,
    database: MaskedDatabase = None,
    mask: Annotated[bool, typer.Option("--mask/--no-mask", help="Search by questions whose values are masked.")] = True,
    language: QuestionLanguage = None,
    as_json: AsJsonLines = False,
) -> None:
    """Show the solved questions that are most like a new one."""
    question = rooms.asked(question)
    names = list(dict.fromkeys(name.strip() for name in by.split(",") if name.strip()))
    language = language or rooms.language_of(question)
    with errors().status("reading the solved questions"):
        ways = rooms.ways_named(names, model=model)
        with rooms.open_examples(source, ways, language=language, database=database, mask=mask) as store:
            searched, found = store.searched_as(question), store.search(question, k)
    if not as_json:
        _show(searched, found, names)
        return
    for rank, one in enumerate(found, start=1):
        record: dict[str, Any] = {"rank": rank, "question": one.shot.question, "sql": one.shot.sql}
        record |= {"score": one.score, "by": dict(one.by), "searched_as": searched}
        print(json_line(record))


def _show(searched: str, found: Sequence[rooms.ScoredShot], names: Sequence[str]) -> None:
    """Print what was searched, and each that was found with its score; of several ways with each one's score."""
    console = output()
    console.print(Text(f"searched as: {searched}", style="dim"), soft_wrap=True)
    for one in found:
        scores = f"{one.score:.4f}" if len(names) > 1 else f"{one.score:.3f}"
        line = Text.assemble((f"{scores}  ", "bold"), one.shot.question)
        if len(names) > 1:
            line.append(f"  ({', '.join(f'{name} {one.by[name]:.3f}' for name in names)})", style="dim")
        console.print(line, soft_wrap=True)
        console.print(Text(f"        {one.shot.sql}", style="cyan"), soft_wrap=True)
