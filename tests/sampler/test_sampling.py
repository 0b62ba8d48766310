"""What is sampled of four databases: every structure, queries that answer, wordings in whole sentences."""

import re
from collections import Counter
from pathlib import Path

import pytest
from cases import cases
from sampled import NAMES, source

from querent.sampler import STRUCTURES, sample
from querent.sampler.structures import PLAIN

SHAPES = Path(__file__).with_name("shapes.toml")
LANGUAGES = ("en", "zh")
EVERYTHING = [(name, language) for name in NAMES for language in LANGUAGES]


def everything(name, language):
    """Return a few of every structure that a database has something for."""
    return source(name).samples(language, count=200)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_structure_is_drawn_in_eight_wordings(language):
    most, drawn = dict.fromkeys(STRUCTURES, 0), [one for name in NAMES for one in everything(name, language)]
    for seed in range(6):
        for one in drawn:
            most[one.structure] = max(most[one.structure], len({said.casefold() for said in one.sayings}))
        short = [structure for structure, count in most.items() if count < 8]
        if not short:
            return
        # by chance some are not drawn at once, or said in fewer ways
        again = [source(name).samples(language, *short, count=5 * len(short), seed=seed) for name in NAMES]
        drawn = [one for found in again for one in found]
    pytest.fail(f"{short} are not drawn, or not in eight wordings")


@pytest.mark.parametrize(("name", "language"), EVERYTHING)
def test_every_query_answers_and_comes_once(name, language):
    found = everything(name, language)
    silent = [one.sql for one in found if all(cell is None for row in source(name).rows(one.sql) for cell in row)]
    assert silent == []
    assert len({one.sql for one in found}) == len(found)


@pytest.mark.parametrize(("name", "language"), EVERYTHING)
def test_sayings_are_whole_and_different(name, language):
    home = source(name)
    rows = [home.rows(f"SELECT * FROM {table.name}") for table in home.schema.tables]
    known = str((home.schema, rows)).lower() + "year month date"  # what a Chinese question may have of English
    for one in everything(name, language):
        assert one.question == one.sayings[0]
        assert len({*one.sayings}) == len(one.sayings) >= 4
        for said in one.sayings:
            assert not re.search(r"[{}\[\]<>|]|  |\bNone\b", said), said
            if language == "zh":
                assert re.search(r"[\u4e00-\u9fff]", said), said
                assert [word for word in re.findall("[a-z]{3,}", said.lower()) if word not in known] == [], said


@pytest.mark.parametrize("name", NAMES)
def test_ids_and_years_are_never_added_up(name):
    queries = [one.sql for one in everything(name, "en")]
    assert [sql for sql in queries if re.search(r"(?:AVG|SUM)\((?:\w+\.)?\w+(?:_id|_yr|_year|email)\)", sql)] == []


def test_structures_come_equally_often_and_soon():
    found = source("library").samples("en", count=170)
    assert max(Counter(one.structure for one in found).values()) <= 3
    plain = [one for one in found[:60] if one.structure in PLAIN]
    assert 0.4 < len(plain) / 60 < 0.6
    assert {one.structure.partition("-")[0] for one in plain} >= {"entity", "not", "null", "time"}


def test_the_same_seed_draws_the_same():
    home = source("clinic")
    given = {"language": "zh", "count": 90, "now": home.clock, "profile": home.profile}
    first, again, other = (sample(home.schema, home.database, seed=seed, **given) for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_without_a_database_no_values_are_made_up():
    home = source("library")
    found = sample(home.schema, None, language="en", count=100, seed=1)
    assert len(found) > 50
    assert [one.sql for one in found if re.search(r"'|WHERE \w+ [<>=]+ \d", one.sql)] == []
    for one in found:
        home.rows(one.sql)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, *case.values, id=f"{name}-{case.id}")
        for name in NAMES
        if name != "farm"
        for case in cases(SHAPES, name)
    ],
)
def test_shapes_and_their_words(name, case):
    pattern = re.escape(case["sql"]).replace("…", ".*")
    for language in (language for language in LANGUAGES if language in case):
        drawn: dict[str, tuple[str, ...]] = {}
        for seed in range(20):
            drawn |= {one.sql: one.sayings for one in source(name).samples(language, case["structure"], seed=seed)}
            found = [said for sql, sayings in drawn.items() if re.fullmatch(pattern, sql) for said in sayings]
            if any(case[language] in re.sub("['\"“”‘’「」]", "", said.lower()) for said in found):
                break
        else:
            pytest.fail(f"{language}: {found or list(drawn)}")
