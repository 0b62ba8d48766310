"""Questions that are composed of parts: each part has words in each language, and a question says all of its query."""

import random
import re
import tomllib
from pathlib import Path

import pytest
from sampled import source

import querent.sampler
from querent.sampler import Template, TemplateBank, composed

GRAMMAR = tomllib.loads(Path(querent.sampler.__file__).with_name("composed.toml").read_text("utf-8"))
LANGUAGES = ("en", "zh", "de")
PARTS = [(kind, name) for kind in ("shown", "total", "group", "where", "having") for name in GRAMMAR[kind]]


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_each_part_has_its_words_in_each_language(kind, name):
    part = GRAMMAR[kind][name]
    needed = set(re.findall(r"\{([abpvwn])\}", part["sql"]))
    for language in LANGUAGES:
        for words in part[language]:
            said = set(re.findall(r"\{(\w+)", words))
            by_name = {"p"} if name == "parent" else set[str]()
            implied = {"a", "p"} if "v" in said else by_name  # a text can say its column
            assert said - {"t", "parent"} <= needed <= said | implied, words


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k in ("frames", "ends") for n in GRAMMAR[k]])
def test_frames_of_all_languages_have_the_same_parts(kind, name):
    frames = [set(re.findall(r"\{(\w+)", words)) - {"t"} for one in LANGUAGES for words in GRAMMAR[kind][name][one]]
    assert all(parts == frames[0] for parts in frames)


def templates(language: str, count: int = 300) -> list[Template]:
    draw = random.Random(1)
    return [composed(language, draw) for _ in range(count)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["farm", "library"])
def test_a_question_says_each_column_and_value_of_its_query(language, name):
    known, frame = source(name), source(name).frame("zh" if language == "zh" else "en")
    names = {c.column.name: [c.noun.one, c.noun.many] for table in frame.tables for c in table.columns}
    for table in frame.tables:
        for column in table.names:
            names[column.column.name] += [table.noun.one, table.noun.many]
    found = dict(TemplateBank(templates(language)).questions(frame, known.database, 25, random.Random(2)))
    assert len(found) > 20
    for question, sql in found.items():
        assert known.rows(sql)
        for column in re.findall(r"\.([a-z_]\w*)", re.sub(r"ON \S+ = \S+|'[^']*'", "", sql)):
            forms = [*names[column], *re.findall(rf"\b{column} = '([^']+)'", sql)]
            assert any(form.lower() in question.lower() for form in forms), question
        for value in re.findall(r"'([^']*)'", sql):
            assert value.startswith("%") or value.lower() in question.lower()


def test_all_parts_are_drawn():
    shapes = " ".join(template.shape for template in templates("en", 600))
    for clause in (
        " JOIN ",
        " WHERE ",
        " GROUP BY ",
        " HAVING ",
        " ORDER BY ",
        " LIMIT ",
        " IS NULL",
        " OR ",
        "AVG(t0.c0 - t0.c1)",
    ):
        assert clause in shapes


def test_the_same_seed_composes_the_same():
    assert templates("zh", 20) == templates("zh", 20)
