"""Trains the schema retriever on the questions of collections and the tables that their queries read."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from ...data.domains.collection import Collection, Pair
from ...data.errors import InputError
from ...data.sql.sources import tables_of
from ...encoders import Encoder, load_encoder
from ...meaning.profiling import open_profile
from ...ner.index import ValueIndex
from ...ner.language.question import QuestionText
from ...retrieval.schema_retriever.schema_names import SchemaNames
from ...retrieval.schema_retriever.table_scorer import ENCODER, LAYERS, RetrieverQuestion
from ...retrieval.schema_retriever.training import RetrieverLesson, RetrieverOptions, TaughtSchema, train_scorer
from ..reader.catalogue import TableCatalogue, name_vectors, named_cells, question_with_values
from ..reader.question import QuestionWords, words_of_many


def _taught_schemas(collection: Collection) -> Iterator[TaughtSchema]:
    """Yield each database of a collection with the questions whose queries read its tables."""
    encoder = load_encoder(ENCODER)
    for name in collection.databases:
        pairs = [pair for pair in collection.pairs if pair.database == name]
        if pairs:
            catalogue = catalogue_of(collection, name)
            names = SchemaNames.of(catalogue.readable, catalogue.called)
            lessons = list(_lessons(pairs, catalogue, names, encoder))
            yield TaughtSchema(names, name_vectors(names, encoder), lessons)


def catalogue_of(collection: Collection, name: str, cache: Path | None = None) -> TableCatalogue:
    """Open a database of a collection as a user's would be."""
    file, schema = collection.databases[name], collection.schemas[name]
    index, profile = ValueIndex.open(file, schema, cache=cache), open_profile(file, schema, cache=cache)
    return TableCatalogue(schema, index, "sqlite", collection.language, profile=profile)


def _lessons(
    pairs: list[Pair], catalogue: TableCatalogue, names: SchemaNames, encoder: Encoder
) -> Iterator[RetrieverLesson]:
    number = {table.name: n for n, table in enumerate(catalogue.readable.tables)}
    read: list[tuple[QuestionWords, tuple[int, ...]]] = []
    for pair in pairs:
        tables = tables_of(pair.sql, catalogue.readable, catalogue.dialect)
        words = question_with_values(QuestionText(pair.question, catalogue.language), catalogue.index, encoder)
        if tables and words.stems:
            read.append((words, tuple(number[table] for table in tables)))
    for place, states in words_of_many([words for words, _ in read], encoder, LAYERS):
        words, tables = read[place]
        question = RetrieverQuestion(words.stems, states.states.astype("float16"), tuple(named_cells(words, names)))
        yield RetrieverLesson(question, tables)


_READING = 0.8
"""The share of the time that reading the questions takes, once for all steps."""


def train_schema_retriever(
    collections: Sequence[Collection],
    out: Path,
    options: RetrieverOptions | None = None,
    *,
    progress: Callable[[float], object] = lambda _: None,
) -> int:
    """Train the retriever of tables for large databases, write it to a file, and return the number of its questions.

    The wrong tables of a question are the others of its database, so that large databases teach most
    (``bench/accuracy/union_schemas.py`` makes one of many), and those of a single table nothing.

    Args:
        collections: collections with databases; held-out databases are left out (`is_held_out`).
        out: a file, ``.safetensors``.
        options: the options, the defaults if None.
        progress: a callback for the share of the work that is done.

    Raises:
        InputError: the file has another suffix, or there are no questions to learn.
        DatabaseError: a database cannot be read.
    """
    if out.suffix != ".safetensors":
        raise InputError(f"{str(out)!r} is no .safetensors file", field="out", hint="retriever.safetensors")
    schemas: list[TaughtSchema] = []
    parts = [one.part("train") for one in collections]
    total = sum(len(part.databases) for part in parts)
    for schema in chain.from_iterable(map(_taught_schemas, parts)):
        schemas.append(schema)
        progress(_READING * len(schemas) / total)
    out.parent.mkdir(parents=True, exist_ok=True)
    train_scorer(schemas, out, options, progress=lambda done: progress(_READING + (1 - _READING) * done))
    return sum(len(schema.lessons) for schema in schemas)
