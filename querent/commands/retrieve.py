"""`querent train-retriever`: a search for solved questions that are like a new one, or for tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import querent

from .. import rooms
from ..console import output, share_bar
from .options import Count, NumberBounds

__all__ = ["train_retriever"]


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
        querent ask plant "which tags are in alarm?" --examples plant --retriever runs/plant-retriever

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
