"""`querent tune`: a domain and a language model in, an adapter out, which `querent ask --llm` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import querent

from ..console import errors, finish, share_bar, speaking
from .options import AsJson, DomainName, Language

__all__ = ["tune"]

EPILOG = """
[bold]Examples[/]

querent tune library --model smollm2 --language en --out runs/library-smollm2

querent tune my-domain --model my/qwen --schema --shots 3 --pot --out runs/mine-qwen   [dim]wants a GPU[/]

querent ask my.sqlite "who wrote Dune?" --llm runs/library-smollm2

[dim]The model learns, by an adapter beside its weights (LoRA), to answer the solved questions of the domain's parts
train and dev, each behind the --shots others that are most like it. The folder tells `querent ask --llm` how it was
tuned, and it is asked in the same way. It needs pip install 'querent[tune]'. On a CPU keep prompts short: 600 questions
with one shot and without tables take a model of 135 million weights some twenty minutes an epoch. After a kill, give
the same command again.[/]
"""


def tune(
    domain: DomainName,
    *,
    model: Annotated[
        str,
        typer.Option(
            "--model", metavar="NAME", help="smollm2, a .gguf file, or a folder or hub name.", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="The adapter's folder.", show_default=False)],
    language: Language = None,
    shots: Annotated[int, typer.Option("--shots", min=0, help="Similar solved questions before each.")] = 1,
    retriever: Annotated[
        str | None,
        typer.Option(
            "--retriever",
            metavar="e5|FOLDER",
            help="The bi-encoder that chooses them; `querent train-retriever` trains one.",
            show_default="how alike they are spelled",
        ),
    ] = None,
    pot: Annotated[bool, typer.Option("--pot", help="Learn a program of plain steps before each query.")] = False,
    schema: Annotated[
        bool,
        typer.Option("--schema/--no-schema", help="Tell tables and functions in each prompt: longer, more general."),
    ] = False,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How often each question is learnt.")] = 2,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Questions a step.")] = 8,
    rate: Annotated[float, typer.Option("--rate", min=0, help="Highest learning rate.")] = 1e-3,
    rank: Annotated[int, typer.Option("--rank", min=1, help="Rank of the adapter's matrices.")] = 16,
    distractors: Annotated[
        float,
        typer.Option(
            "--distractors", min=0, max=1, help="Share of the questions that are shown none of their own query pattern."
        ),
    ] = 0.25,
    seed: Annotated[int, typer.Option("--seed", help="Of order and first weights.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Tune a language model on the solved questions of a domain."""
    with speaking(as_json) as console, share_bar("tuning") as bar, errors().status("reading the domain") as status:
        read = querent.load_domain(domain, language=language)
        recipe = querent.Recipe(
            model=model,
            examples=domain,
            language=read.language,
            shots=shots,
            retriever=retriever,
            program=pot,
            schema=schema,
        )
        options = querent.TuningOptions(
            epochs=epochs, batch=batch, rate=rate, rank=rank, distractors=distractors, seed=seed
        )
        losses = querent.tune(recipe, out, options, progress=bar, say=status.update)
        if losses:
            console.print(f"{out}: mean loss {losses[0]:.3f} in the first tenth, {losses[-1]:.3f} in the last")
        else:
            console.print(f"{out} holds this run, finished: nothing to do", soft_wrap=True)
    finish({"out": str(out), "losses": losses}, as_json=as_json)
