"""`querent tune` and `train-retriever`: train a language model, or a search, on solved questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import querent

from .. import rooms
from ..console import errors, output, progress_bar
from .options import Count, NumberBounds, refuse_given

_ONE = ("language", "shots", "retriever", "schema")
_MANY = ("stage", "lessons", "tokens", "samples", "temperature", "timeout", "beta", "alpha")
"""The options that are only for a domain, and those only for collections."""


def tune(
    context: typer.Context,
    domain: str | None = None,
    *,
    model: str,
    out: Path,
    language: str | None = None,
    shots: Annotated[int, NumberBounds(0)] = 1,
    retriever: str | None = None,
    schema: bool = False,
    collections: list[str] | None = None,
    stage: str = "sft",
    options: rooms.TuningOptions,
) -> dict[str, Any]:
    """Tune a language model on the solved questions of a domain, or of collections of databases.

        querent tune library --model smollm2 --language en --out runs/library-smollm2
        querent tune my-domain --model my/qwen --schema --shots 3 --out runs/mine-qwen   # needs a GPU
        querent ask my.sqlite "who wrote Dune?" --llm runs/library-smollm2

    An adapter beside the weights (LoRA) learns the solved questions of the parts train and dev. Each prompt has the
    --shots most similar other questions. The folder records the form of the prompts, and `querent ask --llm` uses the
    same form. It needs pip install '.[tune]' in the clone. On a CPU keep prompts short: 600 questions with one shot
    and without tables take a model of 135 million weights some twenty minutes per epoch. After a kill, the same
    command resumes.

    Any database, in three stages:

        querent tune --collections spider:spider --stage sft --model smollm2 --out runs/sft
        querent tune --collections spider:spider --stage dpo --model runs/sft --out runs/dpo
        querent tune --collections spider:spider --stage correct --model runs/dpo --out runs/correct

    On collections of databases the model learns to read a schema: prompts have the tables that a query needs, among
    others. First (sft) it learns the gold queries. Then (dpo) it writes --samples answers to each question; all are
    run, and it learns to prefer right ones to wrong ones, and running ones to failing ones. Last (correct) it sees its
    own failed queries with the problem, and learns to write the gold query. Each stage takes the folder of the stage
    before as --model; that folder must stay. stage.json records what a stage did. It needs a GPU; --lessons 1000 tries
    it without one.

    Args:
        model (NAME): smollm2, a .gguf file, a folder or hub name, or the folder of the stage before.
        out (FOLDER): The adapter's folder.

    One domain:
        language (en|zh): Language of the questions. Default: that of the domain.
        shots: The number of similar solved questions in each prompt.
        retriever (e5|FOLDER): The bi-encoder that finds similar questions. Default: e5.
        schema: Put tables and functions into each prompt: longer, more general.

    Collections of databases:
        collections (FORMAT:FOLDER): Questions on many databases: spider:…, cspider:…, chase:…; may be given several
            times. A tenth of the databases, by a hash of their names, is held out.
        stage (sft|dpo|correct): The stage of the training.
    """
    hint = f"use it with {'one domain' if collections else '--collections'}"
    refuse_given(context, _ONE if collections else _MANY, hint)
    with progress_bar("tuning", share=True) as bar, errors().status("reading the questions") as status:
        if collections:
            spoken = rooms.read_collection(collections[0]).language
            how: dict[str, Any] = {"shots": 0, "schema": True, "collections": tuple(collections), "stage": stage}
        else:
            spoken = querent.load_domain(domain, language=language).language if domain else ""
            how = {"shots": shots, "retriever": retriever, "schema": schema}
        recipe = rooms.Recipe(model, domain, spoken, **how)
        counts, losses = rooms.tune(recipe, out, options, same=rooms.rows_match, progress=bar, say=status.update)
    for kind, count in counts.items():
        output().print(f"{count:7,} {kind}", highlight=False)
    done = f"{out} holds this run, finished: nothing to do"
    if losses:
        done = f"{out}: mean loss {losses[0]:.3f} in the first tenth, {losses[-1]:.3f} in the last"
    output().print(done, soft_wrap=True)
    return {"out": str(out), "counts": counts, "losses": losses}


def train_retriever(
    source: str | None = None,
    *,
    out: Path,
    schema: list[str] | None = None,
    model: str = "e5",
    database: str | None = None,
    language: str | None = None,
    epochs: Count = 20,
    batch: Annotated[int, NumberBounds(2)] = 64,
    rate: Annotated[float, NumberBounds(0)] = 3e-4,
    frozen: Annotated[int, NumberBounds(0)] = 2,
    seed: int = 0,
) -> dict[str, Any]:
    """Train the retriever of solved questions on a domain, or the retriever of tables on collections.

        querent train-retriever plant --language en --model e5 --out runs/plant-retriever
        querent train-retriever solved.jsonl --database my.sqlite --out runs/finder
        querent train-retriever --schema spider:spider --schema cspider:cspider --out tables.safetensors
        querent ask plant "which tags are in alarm?" --examples plant --retriever runs/plant-retriever

    The bi-encoder learns to place questions with similar queries near to each other (SoftSimMatch); values are masked,
    in training and in search. It learns the parts train and dev. Give the folder to --retriever of `querent ask`,
    `predict`, `evaluate` and `tune`. After a kill, the same command resumes.

    With --schema the retriever learns which tables a question needs, from collections in Spider's layout (HN-SupCon,
    LitE-SQL 2025); large databases help most. Give the file to --schema-retriever of `querent ask`.

    Args:
        out (PATH): The folder of the bi-encoder, or with --schema a file.
        schema (FORMAT:FOLDER): Train the retriever of tables on a collection (spider, cspider, chase); may be given
            several times. Default: none.
        model (e5|FOLDER): The encoder to train; E5 knows English and Chinese.
        database (DB): The database whose values are masked: a SQLite file, URL, or shipped one. Default: the domain's.
        epochs: Passes over the questions.
        batch: Questions per step; each two of them are a pair.
        rate: Highest learning rate.
        frozen: The number of lower layers that stay fixed; more is faster.
    """
    if (source is None) == (not schema):
        raise querent.InputError("one source of questions is needed", field="source", hint="a domain, or --schema")
    with progress_bar("training", share=True) as bar:
        if source is None:
            read_all = [rooms.read_collection(spec, language=language) for spec in schema or ()]
            count = rooms.train_schema_retriever(read_all, out, rooms.RetrieverOptions(seed=seed), progress=bar)
        else:
            options = rooms.BiEncoderOptions(epochs=epochs, batch=batch, rate=rate, frozen=frozen, seed=seed)
            read = rooms.solved_domain(source, language=language, database=database)
            rooms.tune_retriever(read, model, out, options, progress=bar)
            count = len(read.part("train")) + len(read.part("dev"))
    output().print(f"{out}: trained on {count} questions", soft_wrap=True)
    return {"out": str(out), "questions": count}
