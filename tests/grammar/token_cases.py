"""Schemas, tokenizers trained on SQL, and an oracle of masks for the tests of the constraint on tokens."""

import random
from functools import lru_cache
from typing import Any

import numpy as np
import tokenizer_cases
from grammar_cases import ODD
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from bench.fuzz.engines import Sqlite
from bench.fuzz.schemas import random_rows
from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.grammar import Grammar
from querent.grammar.tokens.boundaries import At, TextReading
from querent.grammar.tokens.constraint import TokenConstraint, TokenState
from querent.grammar.tokens.spelling.trie import ROOT
from querent.grammar.tokens.token_texts import TokenSpellings

SPECIAL = ["<unk>", "<s>", "</s>", "<pad>"]
SINGERS = Schema(
    (
        Table(
            "singer",
            (Column("singer_id", "INTEGER"), Column("Name", "TEXT"), Column("Age", "INTEGER"), Column("born", "DATE")),
            ("singer_id",),
        ),
        Table(
            "concert",
            (Column("concert_id", "INTEGER"), Column("singer_id", "INTEGER"), Column("Price", "DECIMAL(8, 2)")),
            ("concert_id",),
            (ForeignKey(("singer_id",), "singer", ("singer_id",)),),
        ),
    )
)
CITIES = Schema(
    (
        Table("城市", (Column("名称", "TEXT"), Column("人口", "INTEGER"), Column("省", "VARCHAR(20)")), ("名称",)),
        Table("省", (Column("省", "VARCHAR(20)"), Column("面积", "DOUBLE PRECISION"))),
    )
)
SCHEMAS = {"singers": SINGERS, "cities": CITIES, "odd": ODD}
LINES = (
    "SELECT T1.Name, COUNT(*) FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id = T2.singer_id GROUP BY T1.Name",
    "select name from singer where age > 20 and born >= '2000-01-01' order by age desc limit 3;",
    "SELECT DISTINCT a.Name, a.Age FROM singer a WHERE a.singer_id NOT IN (SELECT singer_id FROM concert)",
    "SELECT AVG(Price), MAX(Price), MIN(Price), SUM(Price)\nFROM concert\nWHERE Price BETWEEN 10 AND 99.5",
    "SELECT `名称`, 人口 FROM 城市 WHERE 省 = '江苏' ORDER BY 人口 DESC LIMIT 1",
    'SELECT "省", SUM(人口) AS total FROM "城市" GROUP BY "省" HAVING SUM(人口) > 1000000',
    "SELECT 面积 FROM 省 LEFT JOIN 城市 ON 省.省 = 城市.省 WHERE 城市.名称 IS NULL OR 城市.名称 LIKE '%南%'",
    "SELECT CASE WHEN Age < 18 THEN 'young' ELSE 'it''s' END AS label, LENGTH(Name) FROM singer",
    'SELECT "group by", [my col], `select`, date, year FROM "order" UNION SELECT 姓名, `it\'s`, `a``b` FROM 病人',
    'SELECT "a""b", "1st", key, time, timestamp, day FROM 病人 WHERE first IN (1, 2, 3) AND EXISTS (SELECT 1)',
    'SELECT "c.d", "user", "values", "window", "left", row, type, text, Interval, count FROM "a.b" AS a CROSS JOIN x',
    "SELECT ROUND(Price * 100.0 / 3, 2), COALESCE(Age, 0), CAST(Age AS INTEGER) FROM concert, singer WHERE 1 = 1",
    "```sql\nSELECT 1 FROM singer\n```",
)
LETTERS = sorted({*"▁\n\t", *map(chr, range(33, 127)), *(letter for line in LINES for letter in line if letter != " ")})


def as_fast(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    unk, bos, eos, pad = SPECIAL
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token=unk, bos_token=bos, eos_token=eos, pad_token=pad, padding_side="left"
    )


@lru_cache
def byte_level() -> PreTrainedTokenizerFast:
    return as_fast(tokenizer_cases.byte_level(LINES, SPECIAL, 600, split=False))


@lru_cache
def unigram(*, ascii_only: bool = False) -> PreTrainedTokenizerFast:
    """SentencePiece's Unigram, T5's kind: without bytes, so that it has no letter that it has not seen.

    It has the pieces of the byte-level one, since no seed makes the library train two of Unigram alike.
    """
    unseen = set("<{}~^\\\n\t�")  # T5's own has none of these
    texts = [byte_level().decode([token]).replace(" ", "▁") for token in range(len(SPECIAL), len(byte_level()))]
    able = [
        text
        for text in [*LETTERS, *texts]
        if not unseen & {*text} and (text.replace("▁", "").isascii() or not ascii_only)
    ]
    pieces = sorted(dict.fromkeys(able), key=lambda text: (-len(text), text))
    vocabulary = [(piece, 0.0) for piece in SPECIAL] + [(piece, -1.0 - n / 100) for n, piece in enumerate(pieces)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens(SPECIAL)
    return as_fast(tokenizer)


TOKENIZERS = {"byte-level": byte_level, "unigram": unigram}


@lru_cache
def spellings(kind: str) -> TokenSpellings:
    return TokenSpellings.of_tokenizer(TOKENIZERS[kind]())


@lru_cache
def constraint_on(
    schema: str, dialect: str, kind: str = "byte-level", tokens: int | None = None, **options: Any
) -> TokenConstraint:
    return TokenConstraint(SCHEMAS[schema], spellings(kind), dialect=dialect, tokens=tokens, **options)


def oracle(constraint: TokenConstraint, readings: tuple[TextReading, ...]) -> NDArray[np.bool_]:
    """Return the mask behind the first token, found byte by byte; the end is allowed where the text is complete."""
    mask = np.zeros(constraint.spellings.size, np.bool_)
    todo = [(ROOT, readings)]
    while todo:
        node, before = todo.pop()
        for byte, child in constraint.trie.children(node).items():
            after = constraint.text.step(before, byte)
            if after:
                mask[constraint.trie.at(child)] = True
                todo.append((child, after))
    mask[constraint.ends] = constraint.text.complete(readings)
    return mask


def draw(constraint: TokenConstraint, state: TokenState, chance: random.Random) -> int:
    """Return a token that may come, spaces and the middle of texts less often than they are many."""
    allowed = np.flatnonzero(state.allowed()).tolist()
    token = chance.choice(allowed)
    if chance.random() < 0.7:
        for _ in range(4):
            spelled = constraint.spellings.bytes[token] or b"."
            if spelled.strip() and (b"'" in spelled or all(reading.at != At.TEXT for reading in state.readings)):
                break
            token = chance.choice(allowed)
    return token


def database(schema: Schema, chance: random.Random) -> Any:
    """Return SQLite in memory with the tables of a schema and a few rows, as the walks of bench/fuzz have it."""
    engine = Sqlite(2.0)
    write = Grammar.for_schema(schema, dialect="sqlite").quoting.write
    engine.create(schema, write, {t.name: random_rows(chance, t, "sqlite") for t in schema.tables})
    return engine


def runs(engine: Any, sql: str) -> str:
    """Return what SQLite says against a query, nothing if it runs; one that takes long has begun to run."""
    problem = engine.problem(sql)
    return "" if problem is None or problem.kind == "time-out" else f"{problem.message}: {sql}"
