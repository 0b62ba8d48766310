"""`querent retrieve` and `train-retriever`: which solved questions are like a new one, and what finds them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from rich.text import Text

import querent

from .. import rooms
from ..console import errors, json_line, output, share_bar
from .options import Count, NumberBounds

__all__ = ["retrieve", "train_retriever"]


def retrieve(
    source: str,
    question: str,
    *,
    model: str = "e5",
    k: Count = 5,
    database: str | None = None,
    language: str | None = None,
    as_json: bool = False,
) -> None:
    """Show the solved questions that are most like a new one.

        querent retrieve plant "which tags are in alarm?"
        querent retrieve solved.jsonl "how many orders came in May?" --database shop.sqlite -k 3
        querent retrieve plant "which tags are in alarm?" --model runs/bi-encoder --json

    These are the solved questions that `querent ask --llm --examples` shows a model. Of a domain its test part is left
    out. Where a database is known, the values that questions name are masked, so that what they ask is compared, by the
    cosine of the vectors of a bi-encoder. With --json a line for each: rank, question, sql, score, searched_as.

    Args:
        model (e5|FOLDER): The bi-encoder.
        k: How many to show.
        database (DB): Whose values are masked: a SQLite file, a URL, or a shipped one. Default: the domain's own.
        as_json: Print one JSON object for each, on a line.
    """
    question = rooms.validated_question(question)
    language = language or rooms.language_of(question)
    with errors().status("reading the solved questions"):
        way = rooms.dense_way(model)
        with rooms.open_examples(source, way, language=language, database=database) as store:
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
    """Train the search for solved questions on those of a domain, or that for tables on collections.

        querent train-retriever plant --language en --model e5 --out runs/plant-retriever
        querent train-retriever solved.jsonl --database my.sqlite --out runs/finder
        querent train-retriever --schema spider:spider --schema cspider:cspider --out tables.safetensors
        querent retrieve plant "which tags are in alarm?" --model runs/plant-retriever

    Questions whose queries are alike come near to each other, those of others apart (SoftSimMatch); values are masked,
    as they are where questions are searched. Learnt are the parts train and dev. Give the folder to --retriever of
    `querent ask`, `predict`, `evaluate` and `tune`. After a kill, give the same command again.

    With --schema it learns which tables of a database questions need, of collections laid out as Spider's (HN-SupCon,
    LitE-SQL 2025): large databases teach most. Give the file to --schema-retriever of `querent ask`.

    Args:
        out (PATH): The bi-encoder's folder; of --schema a file.
        schema (FORMAT:FOLDER): Train the search for tables on a collection (spider, cspider, chase); may be given
            several times. Default: none.
        model (e5|FOLDER): What is trained: E5 knows English and Chinese.
        database (DB): Whose values are masked: a SQLite file, a URL, or a shipped one. Default: the domain's own.
        epochs: How often each question is seen.
        batch: Questions a step; each two of them are a pair.
        rate: Highest learning rate.
        frozen: Lower layers that stay as they are: faster.
    """
    if (source is None) == (not schema):
        raise querent.InputError("one source of questions is needed", field="source", hint="a domain, or --schema")
    with share_bar("training") as bar:
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
