"""The value index on gold queries of public sets: a few databases of each, so that a lost class of values shows."""

import json
import re
import warnings
from pathlib import Path

import pytest

from querent.data.domains.collection import from_spider
from querent.data.parsing import tidy
from querent.data.schema.schema import Schema
from querent.ner.index import ValueIndex
from querent.ner.language.question import QuestionText
from querent.parser.reader.value_mentions import value_mentions

STRING = re.compile(r"'((?:[^']|'')+)'")


def pairs(folder: Path) -> list[tuple[str, str, str]]:
    if (path := folder / "train_spider.json").is_file():
        return [(r["db_id"], r["question"], r["query"]) for r in json.loads(path.read_text(encoding="utf-8"))]
    rows = json.loads((folder / "chase_train.json").read_text(encoding="utf-8"))
    firsts = [(r["db_id"], r["interaction"][0]) for r in rows if not r["db_id"].isascii()]
    return [(name, turn["utterance"], turn["query"]) for name, turn in firsts]


@pytest.mark.parametrize(
    ("name", "language", "step", "strings", "least", "most"),
    [("spider-train", "en", 32, 75, 0.92, 4), ("chase-train", "zh", 16, 40, 0.8, 4)],
)
def test_gold_strings_are_found(
    shared_data: Path, tmp_path: Path, name: str, language: str, step: int, strings: int, least: float, most: float
) -> None:
    folder = shared_data / "multi" / name
    if not folder.is_dir():
        pytest.skip(f"{name} is not at ../shared/data/multi")
    named = pairs(folder)
    chosen = set(sorted({row[0] for row in named})[::step])
    hits: list[bool] = []
    sizes: list[int] = []
    schemas: dict[str, Schema] = {}
    indexes: dict[str, ValueIndex] = {}
    for database, question, sql in named:
        if database not in chosen:
            continue
        if database not in indexes:
            schemas[database] = from_spider(folder / "tables.json", database)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # tables.json names tables that are not there
                file = folder / "database" / database / f"{database}.sqlite"
                indexes[database] = ValueIndex.open(file, schemas[database], cache=tmp_path)
        asked = QuestionText(question, language)
        found = {f.value for f in indexes[database].find(asked, mentions=value_mentions(asked))}
        sizes.append(len(found))
        gold = STRING.findall(tidy(sql, dialect="sqlite", names=schemas[database].names))
        hits += [value.replace("''", "'").strip("%") in found for value in gold]
    assert len(hits) >= strings
    assert sum(hits) / len(hits) >= least
    assert sum(sizes) / len(sizes) <= most
