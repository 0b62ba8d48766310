"""`querent train-retriever`: questions in; out comes what finds solved ones, or the tables of a large database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import querent

from .. import rooms
from ..console import finish, share_bar, speaking
from .options import AsJson, MaskedDatabase, QuestionLanguage

__all__ = ["train_retriever"]

TRAIN_RETRIEVER_HELP = """
[bold]Examples[/]

querent train-retriever plant --language en --model e5 --out runs/plant-retriever

querent train-retriever solved.jsonl --database my.sqlite --out runs/finder

querent train-retriever --schema spider:spider --schema cspider:cspider --out tables.safetensors

querent retrieve plant "which tags are in alarm?" --model runs/plant-retriever

[dim]Questions whose queries are alike come near to each other, those of others apart (SoftSimMatch); values are masked,
as they are where questions are searched. Learnt are the parts train and dev. Give the folder to --retriever of `querent
ask`, `predict`, `evaluate` and `tune`. After a kill, give the same command again.[/]

[dim]With --schema it learns which tables of a database questions need, of collections laid out as Spider's
(HN-SupCon, LitE-SQL 2025): large databases teach most. Give the file to --schema-retriever of `querent ask`.[/]
"""


def train_retriever(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="DOMAIN|FILE",
            help="Solved questions: a domain, or a .jsonl file with question and sql on each line.",
            show_default=False,
        ),
    ] = None,
    *,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="PATH", help="The bi-encoder's folder; of --schema a file.", show_default=False),
    ],
    schema: Annotated[
        list[str] | None,
        typer.Option(
            "--schema",
            metavar="FORMAT:FOLDER",
            help="Train the search for tables on a collection (spider, cspider, chase); may be given several times.",
            show_default="none",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option("--model", metavar="e5|FOLDER", help="What is trained: E5 knows English and Chinese."),
    ] = "e5",
    database: MaskedDatabase = None,
    language: QuestionLanguage = None,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How often each question is seen.")] = 20,
    batch: Annotated[int, typer.Option("--batch", min=2, help="Questions a step; each two of them are a pair.")] = 64,
    rate: Annotated[float, typer.Option("--rate", min=0, help="Highest learning rate.")] = 3e-4,
    frozen: Annotated[int, typer.Option("--frozen", min=0, help="Lower layers that stay as they are: faster.")] = 2,
    seed: Annotated[int, typer.Option("--seed", help="Of order and dropout.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Train the search for solved questions on those of a domain, or that for tables on collections."""
    if (source is None) == (not schema):
        raise querent.InputError("one source of questions is needed", field="source", hint="a domain, or --schema")
    if source is None:
        with speaking(as_json) as console, share_bar("training") as bar:
            read_all = [rooms.read_collection(spec, language=language) for spec in schema or ()]
            count = rooms.train_schema_retriever(read_all, out, rooms.RetrieverOptions(seed=seed), progress=bar)
            console.print(f"{out}: trained on {count} questions", soft_wrap=True)
        finish({"out": str(out), "questions": count}, as_json=as_json)
        return
    options = rooms.BiEncoderOptions(epochs=epochs, batch=batch, rate=rate, frozen=frozen, seed=seed)
    with speaking(as_json) as console, share_bar("training") as bar:
        read = rooms.solved_domain(source, language=language, database=database)
        rooms.tune_retriever(read, model, out, options, progress=bar)
        console.print(f"{out}: trained on {len(read.part('train')) + len(read.part('dev'))} questions", soft_wrap=True)
    finish({"out": str(out)}, as_json=as_json)
