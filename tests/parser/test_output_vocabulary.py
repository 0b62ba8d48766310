"""The row of words that a network scores: each word of a vocabulary has a place of its own, each place a meaning."""

import os
import subprocess
import sys
from functools import cache

import pytest
import sql_pairs
from reader_cases import context, schema

from querent.grammar import Grammar
from querent.parser.normal_form import vocabulary
from querent.parser.reader.items import SchemaItems
from querent.parser.reader.output_vocabulary import BEGIN, END, ROLES, UNKNOWN, OutputVocabulary, Role, fixed_words

ODD = sql_pairs.schema("odd")
DIALECTS = ("sqlite", "mysql", "postgres")
COLUMN_ROLES = (Role.COLUMN, Role.COLUMN_AGAIN, Role.COLUMN_THIRD)


@cache
def row(name: str, dialect: str) -> OutputVocabulary:
    if name != "odd":
        return context(name, dialect).outputs
    words = vocabulary(Grammar.for_schema(ODD, dialect=dialect), texts=4, numbers=4)
    return OutputVocabulary(words, SchemaItems(ODD))


CASES = [(name, dialect) for name in ("music", "staff", "odd") for dialect in DIALECTS]


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_places_are_one_to_one_and_all_but_some_words_have_one(name: str, dialect: str) -> None:
    places = row(name, dialect).places
    kept = places[places >= 0]
    assert len(places) == len(row(name, dialect).vocabulary)
    assert len(set(kept.tolist())) == len(kept)
    assert not {BEGIN, UNKNOWN} & set(kept.tolist())
    assert END in kept
    made = row(name, dialect)
    without = {word.text for word, place in zip(made.vocabulary.words, made.places, strict=True) if place < 0}
    names = {word.text for word in made.vocabulary.words if word.kind == "alias" and word.table}
    read = {made.items.items[i].table for i in range(made.items.tables)}
    stars = {f"{name}.*" for name in names if name not in read}  # all columns of a second use that is no item
    assert without == {"<pad>", "<bos>"} | stars


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_a_place_says_what_its_word_says(name: str, dialect: str) -> None:
    made, fixed = row(name, dialect), fixed_words()
    items, write = made.items, made.vocabulary.grammar.quoting.write
    texts = {Role.TEXT: "'{{text{}}}'", Role.CONTAINS: "'%{{text{}}}%'", Role.STARTS: "'{{text{}}}%'"}
    texts |= {Role.ENDS: "'%{{text{}}}'", Role.NUMBER: "{{number{}}}"}
    seen: set[Role] = set()
    for word, place in zip(made.vocabulary.words, made.places.tolist(), strict=True):
        if place < 0:
            continue
        if place < len(fixed):
            assert fixed[place][1] == word.terminal
            assert fixed[place][0] in (word.text, f"<derived {word.text}>")
            continue
        node, role = divmod(place - len(fixed), ROLES)
        seen.add(Role(role))
        if node >= len(items):
            assert word.text == texts[Role(role)].format(node - len(items))
            continue
        item, own = items.items[node], write(items.items[node].table)
        referred = next((t.name for t in items.schema.tables if items.owner[node] in items.referred(t.name)), None)
        assert word.table == (referred or item.table)
        assert word.text.startswith(own + ".") == (role in (Role.STAR, Role.COLUMN))
        assert (role in COLUMN_ROLES) == (item.column is not None)
        if role == Role.TABLE:
            assert (word.text, word.terminal) == (own, "ALIAS" if referred else "TABLE")
        elif role in (Role.TABLE_AGAIN, Role.TABLE_THIRD):
            assert (word.text != own, word.terminal) == (True, "ALIAS")
        elif role == Role.STAR:
            assert word.text == own + ".*"
        else:
            assert word.text.endswith("." + write(item.column))
            assert word.column == item.column
    later = {role for role in Role if role.name.endswith(("_AGAIN", "_THIRD"))}
    assert seen == set(Role) - (later if name != "odd" else {Role.TABLE_THIRD, Role.COLUMN_THIRD})


def test_what_rows_refer_to_in_their_table_is_an_item_of_its_own() -> None:
    made = row("staff", "sqlite")
    place = {word.text: int(p) for word, p in zip(made.vocabulary.words, made.places, strict=True)}
    boss = made.items.find("employee_2")
    assert (made.items.items[boss].name, made.items.referred("employee")) == ("boss", (boss,))
    assert made.items.items[made.items.find("employee_2", "salary")].texts[1] == "boss salary"
    assert place["employee_2"] == made.pointer(boss, Role.TABLE)
    assert place["employee_2.salary"] == made.pointer(made.items.find("employee_2", "salary"), Role.COLUMN)
    assert place["employee_2.*"] == made.pointer(boss, Role.STAR)
    assert made.items.referred("department") == ()


def test_each_use_of_a_table_has_a_role_of_its_own() -> None:
    grammar = Grammar.for_schema(schema("staff"), dialect="sqlite")
    uses = {"employee": 4, "department": 4}
    made = OutputVocabulary(vocabulary(grammar, texts=0, numbers=0, uses=uses), SchemaItems(schema("staff")))
    place = {word.text: int(p) for word, p in zip(made.vocabulary.words, made.places, strict=True)}
    table, name = made.items.find("department"), made.items.find("department", "name")
    assert place["department_2"] == made.pointer(table, Role.TABLE_AGAIN)
    assert place["department_3"] == made.pointer(table, Role.TABLE_THIRD)
    assert place["department_3.name"] == made.pointer(name, Role.COLUMN_THIRD)
    assert place["department_4"] == place["department_4.name"] == place["department_3.*"] == -1
    boss = made.items.find("employee_2")  # of whom a boss is the second use
    assert place["employee_3"] == made.pointer(boss, Role.TABLE_AGAIN)
    assert place["employee_4"] == made.pointer(boss, Role.TABLE_THIRD)


def test_fixed_words_hold_those_of_all_dialects_once() -> None:
    found = fixed_words()
    assert len(set(found)) == len(found)
    assert [text for text, _ in found[:3]] == ["<begin>", "<unknown>", "<eos>"]
    assert (BEGIN, UNKNOWN, END) == (0, 1, 2)
    for dialect in DIALECTS:
        for word in vocabulary(Grammar.for_schema(schema(), dialect=dialect), texts=1, numbers=1).words:
            if word.kind in {"keyword", "operator", "function", "constant"}:
                assert (word.text, word.terminal) in found


def test_fixed_words_are_the_same_in_another_process_whatever_its_hashes() -> None:
    code = "from querent.parser.reader.output_vocabulary import fixed_words; print(repr(fixed_words()))"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        found = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
        )
        assert found.stdout.strip() == repr(fixed_words())
