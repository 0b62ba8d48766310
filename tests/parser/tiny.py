"""A tiny domain and tiny random networks, made in a moment, for the parser's tests."""

from __future__ import annotations

import torch

from querent.data.examples import Example, Mention, bind, fill_sql
from querent.data.schema import Column, Schema, Table
from querent.grammar import Grammar, Vocabulary
from querent.parser.config import ParserConfig
from querent.parser.encoder import scratch_config
from querent.parser.model import ParserModel
from querent.parser.pipeline import Parser
from querent.parser.tokenizer import scripts, train_tokenizer
from querent.parser.words import word_parts

SCHEMA = Schema(
    (
        Table("CITY", (Column("NAME"), Column("STATE"), Column("PEOPLE", "int"))),
        Table("RIVER", (Column("NAME"), Column("LENGTH", "int"))),
    ),
    name="tiny",
)

PAIRS = [
    ("how many people live in [austin|city]", "SELECT PEOPLE FROM CITY WHERE NAME = '{city0}'"),
    ("which cities are in [texas|state]", "SELECT NAME FROM CITY WHERE STATE = '{state0}'"),
    ("rivers longer than [500|number]", "SELECT NAME FROM RIVER WHERE LENGTH > {number0}"),
    ("how many rivers are there", "SELECT COUNT ( * ) FROM RIVER"),
    ("the biggest city of [ohio|state]", "SELECT NAME FROM CITY WHERE STATE = '{state0}' ORDER BY PEOPLE DESC LIMIT 1"),
    ("哪些城市在[德州|state]或[俄亥俄|state]", "SELECT NAME FROM CITY WHERE STATE = '{state0}' OR STATE = '{state1}'"),
]


def example(marked: str, slotted: str) -> Example:
    """Make an example of a question with ``[text|type]`` for each value."""
    text, mentions = "", []
    for n, piece in enumerate(marked.replace("]", "[").split("[")):
        if n % 2:
            said, type_ = piece.split("|")
            literal = "number" if type_ == "number" else "string"
            mentions.append(Mention(len(text), len(text) + len(said), said, type_, said, literal))
            text += said
        else:
            text += piece
    values = bind(mentions)
    return Example(id=text, question=text, sql=fill_sql(slotted, values), slotted=slotted, values=values)


EXAMPLES = [example(*pair) for pair in PAIRS]


def vocabulary() -> Vocabulary:
    """Make the vocabulary of the tiny domain."""
    return Vocabulary.build(Grammar.for_schema(SCHEMA, dialect="sqlite"), [e.slotted for e in EXAMPLES])


def parser(*, seed: int = 0, width: int = 64, local: bool = True, **options) -> Parser:
    """Make a parser with random weights."""
    torch.manual_seed(seed)
    words = vocabulary()
    types = sorted({v.mention.type for e in EXAMPLES for v in e.values})
    tokenizer = train_tokenizer([e.question for e in EXAMPLES], types=types, size=200)
    parts, sizes = word_parts(words)
    settings = {
        "encoder_config": scratch_config(len(tokenizer), width=width, layers=1, heads=2, dropout=0.0),
        "vocab_size": len(words),
        "part_sizes": sizes,
        "width": width,
        "layers": 2,
        "heads": 2,
        "dropout": 0.0,
        "budget": 30,
        "scripts": sorted(set().union(*(scripts(e.question) for e in EXAMPLES))),
        **options,
    }
    return Parser(ParserModel.create(ParserConfig(**settings), parts), tokenizer, words, local=local, language="en")
