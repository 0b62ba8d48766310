"""The productions of the grammar: each is said in three languages, and is drawn, runs and has a normal form."""

import re

import pytest
from sampled import NAMES, PRODUCTIONS, source, templates_with

from querent.data.sql.query import Query
from querent.grammar import Grammar
from querent.parser.normal_form import NormalForm
from querent.parser.normal_form.join_rewriter import JoinRewriter
from querent.parser.normal_form.top_k_per_group import for_engines
from querent.sampler.composing import grammar
from querent.sampler.turns import CHANGES

LANGUAGES = ("en", "zh", "de")
TABLES = {"t1": "parent", "t2": "grand", "t3": "child", "t4": "bridge", "t5": "other", "t9": "boss"}
UNSAID = {"amount", "first-time", "birth", "price", "age", "length", "weight", "moment"}
"""Kinds of columns that words such as «cheapest» say, or that a table has one of."""


def fields(words: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", words))


@pytest.mark.parametrize(("kind", "name"), PRODUCTIONS)
def test_each_wording_says_what_its_sql_has(kind, name):
    part = grammar()[kind][name]
    told, sql = part["slots"], part["sql"]
    columns, needed = {letter for letter in told if letter in "abcdefgh"}, fields(sql) - {"joins"}
    values = {letter: (told.get(letter, "").split() or [""])[-1] for letter in needed & set("vwx")}
    places = {told[letter].rpartition(".")[0] for letter in columns} | set(re.findall(r"\bt\d\b|(?<=[+<])t\d", sql))
    for language in LANGUAGES:
        assert part[language]
        for words in part[language]:
            said = fields(words)
            assert said <= needed | {"t", *TABLES.values()}, words
            assert needed - columns - {"and"} - {f"t{n}" for n in range(10)} <= said, words
            by_value = {values[letter] or min(columns) for letter in values if columns}
            for letter in columns - said - by_value:
                table, _, column = told[letter].split(" ")[0].rpartition(".")
                row = TABLES.get(table, "t")
                assert column in UNSAID or (column == "name" and row in said), words
            for table in places & TABLES.keys() - ({"t4"} if "t5" in places else set()):  # a bridge is said by its ends
                of_table = {letter for letter in columns if told[letter].startswith(f"{table}.")}
                assert TABLES[table] in said or (table == "t4" and "other" in said) or of_table & by_value, words


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in ("frames", "ends") for name in grammar()[kind]])
def test_wordings_of_a_frame_have_the_same_parts_in_all_languages(kind, name):
    found = [fields(words) - {"t"} for language in LANGUAGES for words in grammar()[kind][name][language]]
    assert all(one == found[0] for one in found)


def test_each_change_has_words_in_each_language():
    assert grammar()["turn"].keys() == CHANGES.keys()
    assert all(turn[language] for turn in grammar()["turn"].values() for language in LANGUAGES)


@pytest.mark.parametrize(("kind", "name"), PRODUCTIONS)
def test_each_production_is_drawn_and_its_query_and_its_normal_form_have_the_same_rows(kind, name):
    drawn = 0
    for home in map(source, NAMES):
        grammar_of = Grammar.for_schema(home.schema, dialect="sqlite")
        form, meant = NormalForm(grammar_of), JoinRewriter(grammar_of, home.profile)
        for (asked,) in home.asked(templates_with(kind, name), 2):
            drawn += 1
            query = Query(form.of(asked.sql), "sqlite")
            assert form.of(query.sql) == query.sql
            assert meant.of(query) is query  # its joins count no row twice
            rows = home.rows(for_engines(query, home.schema).sql)
            assert sorted(map(str, rows)) == sorted(map(str, home.rows(asked.sql)))
    assert drawn
