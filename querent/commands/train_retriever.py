"""`querent train-retriever`: a domain in, a bi-encoder out, which finds solved questions like a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import querent

from ..console import finish, share_bar, speaking
from .options import AsJson, Language, MaskedDatabase, SolvedSource

__all__ = ["train_retriever"]

EPILOG = """
[bold]Examples[/]

querent train-retriever plant --language en --model e5 --out runs/plant-retriever

querent train-retriever solved.jsonl --database my.sqlite --out runs/finder

querent retrieve plant "which tags are in alarm?" --model runs/plant-retriever

[dim]Questions whose queries are alike come near to each other, those of others apart (SoftSimMatch); values are masked,
as they are where questions are searched. Learnt are the parts train and dev. Give the folder to --retriever of `querent
ask`, `predict`, `evaluate` and `tune`. After a kill, give the same command again.[/]
"""


def train_retriever(
    source: SolvedSource,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="The bi-encoder's folder.", show_default=False)],
    model: Annotated[
        str,
        typer.Option("--model", metavar="e5|FOLDER", help="What is trained: E5 knows English and Chinese."),
    ] = "e5",
    database: MaskedDatabase = None,
    language: Language = None,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How often each question is seen.")] = 20,
    batch: Annotated[int, typer.Option("--batch", min=2, help="Questions a step; each two of them are a pair.")] = 64,
    rate: Annotated[float, typer.Option("--rate", min=0, help="Highest learning rate.")] = 3e-4,
    frozen: Annotated[int, typer.Option("--frozen", min=0, help="Lower layers that stay as they are: faster.")] = 2,
    seed: Annotated[int, typer.Option("--seed", help="Of order and dropout.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Train the search for solved questions on those of a domain."""
    options = querent.BiEncoderOptions(epochs=epochs, batch=batch, rate=rate, frozen=frozen, seed=seed)
    with speaking(as_json) as console, share_bar("training") as bar:
        read = querent.solved_domain(source, language=language, database=database)
        querent.tune_retriever(read, model, out, options, progress=bar)
        console.print(f"{out}: trained on {len(read.part('train')) + len(read.part('dev'))} questions", soft_wrap=True)
    finish({"out": str(out)}, as_json=as_json)
