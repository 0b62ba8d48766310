"""`querent retrieve`: which solved questions are most like a new one."""

from __future__ import annotations

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

querent retrieve solved.jsonl "how many orders came in May?" --database shop.sqlite -k 3

querent retrieve plant "which tags are in alarm?" --model runs/bi-encoder --json

[dim]These are the solved questions that `querent ask --llm --examples` shows a model. Of a domain its test part is left
out. Where a database is known, the values that questions name are masked, so that what they ask is compared, by the
cosine of the vectors of a bi-encoder. With --json a line for each: rank, question, sql, score, searched_as.[/]
"""


def retrieve(
    source: SolvedSource,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The new one.", show_default=False)],
    *,
    model: Annotated[str, typer.Option("--model", metavar="e5|FOLDER", help="The bi-encoder.")] = "e5",
    k: Annotated[int, typer.Option("-k", min=1, help="How many to show.")] = 5,
    database: MaskedDatabase = None,
    mask: Annotated[bool, typer.Option("--mask/--no-mask", help="Search by questions whose values are masked.")] = True,
    language: QuestionLanguage = None,
    as_json: AsJsonLines = False,
) -> None:
    """Show the solved questions that are most like a new one."""
    question = rooms.asked(question)
    language = language or rooms.language_of(question)
    with errors().status("reading the solved questions"):
        way = rooms.dense_way(model)
        with rooms.open_examples(source, way, language=language, database=database, mask=mask) as store:
            searched, found = store.searched_as(question), store.search(question, k)
    if not as_json:
        output().print(Text(f"searched as: {searched}", style="dim"), soft_wrap=True)
    for rank, one in enumerate(found, start=1):
        if as_json:
            record: dict[str, Any] = {"rank": rank, "question": one.shot.question, "sql": one.shot.sql}
            print(json_line(record | {"score": one.score, "searched_as": searched}))
        else:
            output().print(Text.assemble((f"{one.score:.3f}  ", "bold"), one.shot.question), soft_wrap=True)
            output().print(Text(f"        {one.shot.sql}", style="cyan"), soft_wrap=True)
