"""The first few of each group are sampled: by a category, by what rows refer to, by how many refer to them."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from sampler_drafts import Drafts, wordings
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.databases.schema_readers import from_sqlite
from querent.data.sql.query import Query
from querent.grammar import Grammar
from querent.meaning.profiling import profile_of
from querent.parser.decoding.rewritten import as_people_write
from querent.parser.normal_form import NormalForm
from querent.sampler import STRUCTURE_KINDS, sample
from querent.sampler.parts.draws import SamplingFrame
from querent.sampler.structures import ALL
from querent.sampler.structures.top_of_each import numbered

SCHEMA = """
CREATE TABLE gallery (gallery_id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE artwork (
    artwork_id INTEGER PRIMARY KEY, title TEXT, gallery_id INTEGER REFERENCES gallery (gallery_id), style TEXT,
    price INTEGER
);
"""
WORDS = ("Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper")
STYLES = ("Baroque", "Cubism", "Realism")
KIND = STRUCTURE_KINDS["top-of-each"]


@pytest.fixture(scope="module")
def museum(tmp_path_factory):
    shares = [gallery for gallery in range(10) for _ in range(2 + gallery)]  # no two have as many
    rows = {
        "gallery": [(n, f"{WORDS[n]} hall", ("Rome", "Oslo")[n % 2]) for n in range(10)],
        "artwork": [
            (n, f"{WORDS[n % 10]} {'abcdefg'[n // 10]}", gallery, STYLES[n % 3], 100 + n * 37 % 997)
            for n, gallery in enumerate(shares)
        ],
    }
    return write_sqlite(tmp_path_factory.mktemp("museum") / "museum.sqlite", SCHEMA, rows)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_structure_is_drawn_and_has_the_first_of_each(museum, language):
    schema = from_sqlite(museum)
    grammar = Grammar.for_schema(schema, dialect="sqlite")
    normal = NormalForm(grammar)
    with Database.open(museum) as database:
        found = sample(schema, database, language=language, count=45, seed=5, structures=KIND)
        assert {one.structure for one in found} == set(KIND)
        for one in found:
            rows = database.query(one.sql).rows
            form = normal.of(one.sql)
            most = int(re.search(r"LIMIT (\d) PER ", form)[1])
            groups = [row[0] for row in rows]
            assert 2 <= most <= 5
            assert most == max(map(groups.count, groups))
            assert database.query(as_people_write(Query(form, "sqlite"), grammar.schema).sql).rows == rows


def test_a_tie_at_the_end_of_a_group_is_told(museum):
    with Database.open(museum) as database:
        for order, tied in (("artwork.price", False), ("artwork.price / 1000", True)):
            sql, ties, some_tied = numbered(["artwork.title"], "FROM artwork", "artwork.style", order, 2)
            assert len(database.query(sql).rows) == 6
            assert len(database.query(ties).rows) == 9
            assert len(database.query(some_tied).rows) == tied


def test_a_query_is_looked_at_once_and_one_with_a_tie_never(museum, tmp_path, monkeypatch):
    tied = Path(shutil.copy(museum, tmp_path))
    with closing(sqlite3.connect(tied)) as connection, connection:
        connection.execute("UPDATE artwork SET price = price / 200")
    asked: list[tuple[str, int]] = []
    fetch = Database.fetch

    def noted(self: Database, sql: str) -> Rows:
        rows = fetch(self, sql)
        asked.append((sql, len(rows.rows)))
        return rows

    monkeypatch.setattr(Database, "fetch", noted)
    schema = from_sqlite(tied)
    with Database.open(tied) as database:
        given = {"language": "en", "seed": 5, "profile": profile_of(database, schema)}
        sample(schema, database, count=60, structures=KIND, **given)
    assert len(asked) == len({sql for sql, _ in asked})
    look = "SELECT 1 FROM "
    behind = [later for (sql, found), (later, _) in pairwise(asked) if sql.startswith(look) and found]
    assert behind
    assert all(later.startswith(look) for later in behind)


@pytest.mark.parametrize("name", KIND)
def test_wordings_say_number_and_group(museum, name):
    schema = from_sqlite(museum)
    with Database.open(museum) as database:
        profile = profile_of(database, schema)
        for language, said in (("en", r"\b(each|every|per|by)\b"), ("zh", "每|各|按")):
            frame = SamplingFrame.of(schema, database, language, profile, None)
            draft = Drafts(ALL, frame).first(language, name)
            ways = wordings(draft, language, random.Random(1), enough=300)
            assert len(ways) > 8
            for way in ways:
                assert re.search(said, way), way
                assert re.search(r"[2-5]|two|three|four|five|[两三四五]", way), way
                assert not re.search(r"[{}<>|\[\]]", way), way
