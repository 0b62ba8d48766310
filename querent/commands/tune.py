"""`querent tune`: solved questions and a language model in, an adapter out, which `querent ask --llm` takes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import querent

from .. import rooms
from ..console import errors, finish, share_bar, speaking
from .options import AsJson, QuestionLanguage

__all__ = ["tune"]

TUNE_HELP = """
[bold]Examples[/]

querent tune library --model smollm2 --language en --out runs/library-smollm2

querent tune my-domain --model my/qwen --schema --shots 3 --pot --out runs/mine-qwen   [dim]wants a GPU[/]

querent ask my.sqlite "who wrote Dune?" --llm runs/library-smollm2

[dim]The model learns, by an adapter beside its weights (LoRA), to answer the solved questions of the domain's parts
train and dev, each behind the --shots others that are most like it. The folder tells `querent ask --llm` how it was
tuned, and it is asked in the same way. It needs pip install '.\\[tune]' in the clone. On a CPU keep prompts short: 600
questions with one shot and without tables take a model of 135 million weights some twenty minutes an epoch. After a
kill, give the same command again.[/]

[bold]Any database, in three stages[/]

querent tune --collections spider:spider --stage sft --model smollm2 --out runs/sft

querent tune --collections spider:spider --stage dpo --model runs/sft --out runs/dpo

querent tune --collections spider:spider --stage correct --model runs/dpo --out runs/correct

[dim]On collections of databases the model learns to read a schema: prompts tell the tables that a query needs among
others. First (sft) it learns the gold queries. Then (dpo) it writes --samples to each question; each is run, and it
learns to prefer what is right to what is wrong, and what runs to what fails. Last (correct) it is shown queries of its
own that failed, with what was wrong, and learns to write the gold one. Each stage begins with the folder of the one
before as its --model, which must stay. What a stage did is in its stage.json. It wants a GPU; --lessons 1000 tries it
without.[/]
"""

_one_domain = partial(typer.Option, rich_help_panel="One domain")
_collections = partial(typer.Option, rich_help_panel="Collections of databases")
_ONE = ("language", "shots", "retriever", "pot", "schema")
_MANY = ("stage", "lessons", "tokens", "samples", "temperature", "timeout", "beta", "alpha")
"""Parameters that mean something to a domain alone, and to collections alone."""


def tune(
    context: typer.Context,
    domain: Annotated[
        str | None,
        typer.Argument(
            metavar="DOMAIN",
            help="A domain folder, the name of a shipped domain (plant), or FORMAT:PATH of a public set "
            "(text2sql:…, css:…, spider:…); or else --collections.",
            show_default=False,
        ),
    ] = None,
    *,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="NAME",
            help="smollm2, a .gguf file, a folder or hub name, or the folder of the stage before.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="The adapter's folder.", show_default=False)],
    language: QuestionLanguage = None,
    shots: Annotated[int, _one_domain("--shots", min=0, help="Similar solved questions before each.")] = 1,
    retriever: Annotated[
        str | None,
        _one_domain("--retriever", metavar="e5|FOLDER", help="The bi-encoder that chooses them.", show_default="e5"),
    ] = None,
    pot: Annotated[bool, _one_domain("--pot", help="Learn a program of plain steps before each query.")] = False,
    schema: Annotated[
        bool,
        _one_domain("--schema/--no-schema", help="Tell tables and functions in each prompt: longer, more general."),
    ] = False,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How often each question is learnt.")] = 2,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Questions a step.")] = 8,
    rate: Annotated[
        float | None,
        typer.Option("--rate", min=0, help="Highest learning rate.", show_default="0.001; dpo 0.00005, correct 0.0002"),
    ] = None,
    rank: Annotated[int, typer.Option("--rank", min=1, help="Rank of the adapter's matrices.")] = 16,
    seed: Annotated[int, typer.Option("--seed", help="Of order, draws and first weights.")] = 0,
    collections: Annotated[
        list[str] | None,
        _collections(
            "--collections",
            metavar="FORMAT:FOLDER",
            help="Questions on many databases: spider:…, cspider:…, chase:…; may be given several times. A tenth of "
            "the databases, by a hash of their names, is held out.",
            show_default=False,
        ),
    ] = None,
    stage: Annotated[str, _collections("--stage", metavar="sft|dpo|correct", help="What is learnt.")] = "sft",
    lessons: Annotated[
        int | None,
        _collections("--lessons", min=1, help="Take this many of the questions, drawn at random.", show_default="all"),
    ] = None,
    tokens: Annotated[int, _collections("--tokens", min=1, help="That tables may take in a prompt.")] = 512,
    samples: Annotated[int, _collections("--samples", min=1, help="Answers that it writes to each question.")] = 4,
    temperature: Annotated[float, _collections("--temperature", min=0.01, help="Of these.")] = 0.8,
    timeout: Annotated[float, _collections("--timeout", min=0.01, help="Seconds that a query may take.")] = 2.0,
    beta: Annotated[float, _collections("--beta", min=0, help="How firmly dpo holds it to what it was.")] = 0.1,
    alpha: Annotated[
        float, _collections("--alpha", min=0, help="Weight of the better answer's likelihood in dpo.")
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Tune a language model on the solved questions of a domain, or of collections of databases."""
    _refuse(context, _ONE if collections else _MANY, "one domain" if collections else "--collections")
    options = rooms.TuningOptions(
        epochs, batch, rate, rank, seed, lessons, tokens, samples, temperature, timeout=timeout, beta=beta, alpha=alpha
    )
    with speaking(as_json) as console, share_bar("tuning") as bar, errors().status("reading the questions") as status:
        if collections:
            spoken = rooms.read_collection(collections[0]).language
            told: dict[str, Any] = {"shots": 0, "schema": True, "collections": tuple(collections), "stage": stage}
        else:
            spoken = querent.load_domain(domain, language=language).language if domain else ""
            told = {"shots": shots, "retriever": retriever, "program": pot, "schema": schema}
        recipe = rooms.Recipe(model, domain, spoken, **told)
        counts, losses = rooms.tune(recipe, out, options, same=rooms.rows_match, progress=bar, say=status.update)
        for kind, count in counts.items():
            console.print(f"{count:7,} {kind}", highlight=False)
        if losses:
            first, last = losses[0], losses[-1]
            console.print(f"{out}: mean loss {first:.3f} in the first tenth, {last:.3f} in the last", soft_wrap=True)
        else:
            console.print(f"{out} holds this run, finished: nothing to do", soft_wrap=True)
    finish({"out": str(out), "counts": counts, "losses": losses}, as_json=as_json)


def _refuse(context: typer.Context, names: tuple[str, ...], what: str) -> None:
    """Refuse options that somebody gave though they mean nothing here."""
    for one in context.command.params:
        source: Any = context.get_parameter_source(one.name or "")
        if one.name in names and source is not None and source.name == "COMMANDLINE":
            raise querent.InputError("means nothing here", field=one.opts[0], hint=f"use it with {what}")
