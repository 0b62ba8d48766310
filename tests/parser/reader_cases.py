"""Two small databases, a random encoder, and networks upon it, made in a moment: what the tests of the reader share."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import databases
import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from querent.classifiers.heads import GlobalConstraint
from querent.data.databases.schema_readers import from_ddl
from querent.data.schema.schema import Column, Schema, Table
from querent.encoders import Encoder, load_encoder
from querent.encoders.text_vectors import TextVectors
from querent.encoders.weights import selected
from querent.grammar import Constraint
from querent.ner.index import FoundValue
from querent.ner.language.question import QuestionText
from querent.parser.decoding.history import history_of
from querent.parser.decoding.parsing import BUDGET, SchemaParser
from querent.parser.learning.graphs import answering
from querent.parser.learning.network import TrainableNetwork
from querent.parser.network.network import Network, NetworkConfig, States
from querent.parser.normal_form import ShortConstraint
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.inputs import Input, make_input
from querent.parser.reader.items import SchemaItems
from querent.parser.reader.question import QuestionWords, read_question

if TYPE_CHECKING:
    from transformers import BertModel

torch.set_num_threads(1)

DDL = {
    "music": """
CREATE TABLE artist (artist_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE album (
    album_id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist (artist_id), year INTEGER, cut DATE
);
CREATE TABLE review (album_id INTEGER REFERENCES album, stars REAL, text TEXT);
""",
    # the two tables refer to each other, and employee to itself
    "staff": """
CREATE TABLE department (code TEXT PRIMARY KEY, name TEXT, head INTEGER REFERENCES employee (id));
CREATE TABLE employee (
    id INTEGER PRIMARY KEY, name TEXT, salary REAL, boss INTEGER REFERENCES employee (id),
    department TEXT REFERENCES department (code), active BOOLEAN
);
""",
}

ROWS = {
    "music": """
INSERT INTO artist VALUES (1, 'Nina Simone', 'USA'), (2, 'Björk', 'Iceland'), (3, 'Can', 'Germany');
INSERT INTO album VALUES (1, 'Pastel Blues', 1, 1965, '1965-10-01'), (2, 'Debut', 2, 1993, '1993-07-05'),
    (3, 'Post', 2, 1995, '1995-06-13'), (4, 'Tago Mago', 3, 1971, '1971-02-01');
INSERT INTO review VALUES (1, 4.5, 'deep'), (2, 4.0, 'fresh'), (2, 3.5, NULL), (4, 5.0, 'wild');
""",
    "staff": """
INSERT INTO department VALUES ('R1', 'Research', 1), ('S1', 'Sales', 3);
INSERT INTO employee VALUES (1, 'Ada', 90.5, NULL, 'R1', 1), (2, 'Grace', 80, 1, 'R1', 1), (3, 'Linus', 50, 1, 'S1', 0);
""",
}

PAIRS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("tiny_data.toml").read_text("utf-8"))["pairs"]
"""Queries by their questions, by the database: what a small training learns by heart."""

TEXTS = (
    "which albums came out before 1990 and what are their titles",
    "how many employees earn more than 500 in the department of research",
    "name of every artist from Germany or Iceland with over 3 reviews",
    "who is the boss of Ada and Linus, and what is the average salary",
    "list all stars 0123456789 of Top10 albums, don't forget Pastel Blues",
    "哪些城市的专辑最多德国冰岛部门员工工资多少",
)


def write_database(folder: Path, name: str = "music") -> Path:
    """Write one of the databases as a SQLite file."""
    return databases.create(folder / f"{name}.sqlite", DDL[name] + ROWS[name])


@cache
def schema(name: str = "music") -> Schema:
    """Return the schema of one of the databases."""
    return from_ddl(DDL[name], "sqlite", name=name)


@cache
def context(name: str = "music", dialect: str = "sqlite") -> DatabaseContext:
    """Return a database as the parser sees it, without its values."""
    return DatabaseContext.of(schema(name), None, dialect=dialect, language="en")


@cache
def large() -> SchemaItems:
    """Return forty tables of ten columns, of which one is called ``wingspan`` and one holds «Concorde»."""
    tables = [
        Table(f"part{n}", (Column("id", "int"), *(Column(f"detail {n} {i}") for i in range(9))), ("id",))
        for n in range(40)
    ]
    tables[31] = Table("aircraft", (Column("id", "int"), Column("wingspan", "real"), Column("maker")), ("id",))
    tables[35] = Table("craft names", (Column("id", "int"), Column("label")), ("id",))
    return SchemaItems(Schema(tuple(tables)))


@cache
def tokenizer() -> Tokenizer:
    """Return a BERT tokenizer of the characters and the short words of a handful of texts.

    Not a trained one: trainers break ties by chance, so that a network's words would differ from run to run.
    """
    lowered = normalizers.BertNormalizer().normalize_str(" ".join(TEXTS))
    words = [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(lowered)]
    characters = sorted(set("".join(words)))
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *characters, *(f"##{c}" for c in characters)]
    pieces += sorted({word for word in words if 1 < len(word) <= 6})
    inner = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return inner


def bert() -> BertModel:
    """Return a BERT of two layers with random weights, the same ones every time."""
    from transformers import BertConfig, BertModel  # two seconds, which runs on what is written already do not need

    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(
        vocab_size=tokenizer().get_vocab_size(), max_position_embeddings=300, initializer_range=0.3, **sizes
    )
    return BertModel(config, add_pooling_layer=False).eval()


@cache
def encoder() -> Encoder:
    """Return that BERT as the encoder of tests."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_encoder(write_encoder(Path(folder)))
        model = replace(loaded.model, weights=selected(loaded.model.weights))  # the file will be gone
        return replace(loaded, name="tiny", model=model)


def write_encoder(folder: Path) -> str:
    """Save the encoder, and return the name that `load_encoder` takes."""
    bert().save_pretrained(folder)
    tokenizer().save(str(folder / "tokenizer.json"))
    return str(folder)


@cache
def vectors() -> TextVectors:
    """Return what the encoder says of texts."""
    return TextVectors(encoder())


def trainable(*, seed: int = 0, frozen: int = 1, name: str = "tiny", **sizes: float) -> TrainableNetwork:
    """Return a network with random weights on the encoder, in evaluation mode, not as even as one is drawn."""
    model = encoder().model  # whose own weights are drawn before
    torch.manual_seed(seed)
    given = {"width": 32, "layers": 1, "decoder_layers": 2, "heads": 2, "dropout": 0.1, **sizes}
    made = TrainableNetwork(NetworkConfig(encoder=name, hidden=32, **given), model, frozen)
    for part in made.parameters():
        if part.ndim > 1:
            torch.nn.init.normal_(part, std=part.shape[-1] ** -0.5)
    return made.eval()


def network(*, seed: int = 0, frozen: int = 1, name: str = "tiny", **sizes: float) -> Network:
    """Return that network as it answers."""
    return answering(trainable(seed=seed, frozen=frozen, name=name, **sizes), encoder(), frozen)


def writes(made: Network, fixed: Iterable[int]) -> None:
    """Let a network write these fixed words alone."""
    made.seen[:] = np.isin(np.arange(len(made.seen)), list(fixed))


def value(text: str, said: str, *, kind: str = "cell", how: str = "exact", **given: object) -> FoundValue:
    """Return a value that a question says; ``is_`` is what it is in SQL, ``columns`` where it is a cell."""
    start = text.index(said)
    columns = given.get("columns", ())
    return FoundValue(start, start + len(said), said, str(given.get("is_", said)), kind, how, columns, 1.0)


def question(text: str, *values: FoundValue, max_pieces: int = 64) -> QuestionWords:
    """Return a question as the network reads it."""
    return read_question(QuestionText(text), values, encoder(), max_pieces=max_pieces)


def encode(made: Network, one: Input, *, said: Mapping | None = None) -> States:
    """Read an input; ``said`` takes the place of the encoder's vectors."""
    if said is None:
        said = vectors()
        said.prepare(text for texts in one.texts() for text in texts)
    return made.encode(one, said)


GERMAN = "which albums of artists from Germany came out before 1990?"


def german() -> QuestionWords:
    """Return a question with a cell and a number."""
    cell = value(GERMAN, "Germany", columns=(("artist", "country"),))
    return question(GERMAN, cell, value(GERMAN, "1990", kind="number", how="literal"))


def boss() -> QuestionWords:
    """Return a question without values."""
    return question("who is the boss of the head of research?")


def two_inputs() -> list[Input]:
    """Return questions on both databases, which differ in every size."""
    return [make_input(german(), context("music").items), make_input(boss(), context("staff").items)]


AFTER = "and those of France, by year?"
BEFORE = "SELECT artist.country, COUNT(*) FROM album JOIN artist ON album.artist_id = artist.artist_id "
BEFORE += "WHERE artist.country = 'Germany' AND album.year > 1990 GROUP BY artist.country LIMIT 3"


def follow_up() -> Input:
    """Return a question that leans on the one before, with that one's query."""
    music = context("music")
    history = history_of(["who is there?", "what of artists?", GERMAN], BEFORE, music)
    cell = value(AFTER, "France", columns=(("artist", "country"),))
    values, after = history.beside([cell]), QuestionText(AFTER)
    asked = read_question(after, values, encoder(), earlier=history.utterances, max_pieces=64)
    return make_input(asked, music.items, before=history.query(asked, music))


def schema_parser(seed: int = 0, **given: GlobalConstraint) -> SchemaParser:
    """Return a parser with random weights."""
    return SchemaParser(network(seed=seed), **given)


_constraints: dict[int, tuple[DatabaseContext, ShortConstraint]] = {}


def constraint(of: DatabaseContext) -> ShortConstraint:
    """Return the local constraint as answers are written under, the same one for a database each time."""
    if id(of) not in _constraints:
        made = Constraint(of.vocabulary, budget=BUDGET, level="runs", sources=6)
        _constraints[id(of)] = of, ShortConstraint(made)
    return _constraints[id(of)][1]
