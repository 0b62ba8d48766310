"""Questions of one database that are asked of another: templates of pairs, and what binds them."""

import random
from pathlib import Path

from cases import rows
from sampled import source

from querent.sampler import Template, TemplateBank, general, mined

CASES = Path(__file__).with_name("retold.toml")


def wording_of(template: Template) -> str:
    return "".join(one if isinstance(one, str) else f"{{{one.name}{one.form}}}" for one in template.wording)


@rows(CASES, "mined")
def test_a_pair_that_says_all_its_query_names_is_a_template(question, sql, wording, query):
    found = mined("farm", question, sql, source("farm").frame("en"))
    assert (found and wording_of(found), found and found.shape) == (wording, query)


def templates(*pairs: tuple[str, str]) -> list[Template]:
    found = [mined("farm", *pair, source("farm").frame("en")) for pair in pairs]
    return [one for one in found if one is not None]


REGIONS = ("How many towns are there in each region?", "SELECT town.region, COUNT(*) FROM town GROUP BY town.region")
COASTAL = ("How many towns lie on the coast east?", "SELECT COUNT(*) FROM town WHERE town.coast = 'east'")
OF_HILLS = ("Show the crates of harvests of Amber Hill orchards",
            "SELECT harvest.crates FROM harvest JOIN orchard ON harvest.orchard_id = orchard.orchard_id "
            "WHERE orchard.name = 'Amber Hill'")  # fmt: skip


def test_words_that_only_one_database_has_make_no_question_of_others():
    (regions,), (coastal,) = templates(REGIONS), templates(COASTAL)
    elsewhere = [Template(name, *list(vars(regions).values())[1:]) for name in ("a", "b")]
    assert general([regions, coastal, *elsewhere], 3) == [regions]
    assert len(general([regions, coastal], 1)) == 2


def test_questions_are_asked_of_other_databases_and_their_queries_have_rows():
    library = source("library")
    drawn = TemplateBank(templates(REGIONS, COASTAL, OF_HILLS))
    found = dict(drawn.questions(library.frame("en"), library.database, 30, random.Random(1)))
    assert len(found) > 8
    for question, sql in found.items():
        assert library.rows(sql), sql
        assert not any(word in question.lower() for word in ("region", "harvest", "orchard"))
    joined = [sql for sql in found.values() if "JOIN" in sql]
    assert joined
    assert all(" JOIN " in sql and '_id" = ' in sql for sql in joined)


def test_the_same_seed_asks_the_same():
    library, drawn = source("library"), TemplateBank(templates(REGIONS, COASTAL))
    runs = [list(drawn.questions(library.frame("en"), library.database, 6, random.Random(3))) for _ in range(2)]
    assert runs[0] == runs[1]
