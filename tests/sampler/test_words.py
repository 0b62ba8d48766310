"""Words for what a schema has, and what its columns are for in questions."""

from pathlib import Path

import pytest
from cases import cases

from querent.data.schema.events import event_of
from querent.data.schema.plain_names import plural
from querent.data.schema.schema import Column
from querent.meaning.profile import ColumnProfile, FlagCells, NumberText, TimeStorage
from querent.sampler.facts.facts import ColumnFacts
from querent.sampler.facts.flag_words import flag_words
from querent.sampler.facts.roles import role_of
from querent.sampler.facts.verbalisation import Noun, column_noun, table_noun, verbalised

WORDS = Path(__file__).with_name("words.toml")
FLAG = ColumnProfile("flag", flag=FlagCells("1", "0", "number"))
PROFILES = {
    "dollars": ColumnProfile("amount", number=NumberText(("$",))),
    "year": ColumnProfile("time", TimeStorage("year", "year", text=False)),
    "ISO day": ColumnProfile("time", TimeStorage("iso", "day", text=True)),
    "UNIX time": ColumnProfile("time", TimeStorage("unix", "second", text=False)),
    "flag": FLAG,
    "open or shut": ColumnProfile("flag", flag=FlagCells("open", "shut", "text")),
}


def _flag(name, language):
    column = ColumnFacts(Column("c", "int"), "t", "c", Noun(name, name), "flag", (0, 1), False, profile=FLAG)
    words = flag_words(column, language)
    return [words.kind, words.said]


def _table(name, language):
    noun = table_noun(name, "", language)
    return [noun.one, noun.many]


def _column(name, language, table, named=False):
    return column_noun(name, "", table_noun(table, "", language), language, named=named).one


def _time(name, language, table, description=None):
    event = event_of(name, description or name, table, language)
    return event and [event.kind, event.past]


def _role(name, language, kind, cells, profile):
    return role_of(Column(name, kind), tuple(cells), PROFILES.get(profile) or ColumnProfile(profile), key=False)


SAID = {
    "name": lambda name, language, description="": verbalised(name, description, language),
    "table": _table,
    "column": _column,
    "plural": lambda name, language: plural(name),
    "flag": _flag,
    "time": _time,
    "role": _role,
}


@pytest.mark.parametrize(
    ("kind", "case"),
    [pytest.param(kind, *case.values, id=f"{kind} {case.id}") for kind in SAID for case in cases(WORDS, kind)],
)
def test_words(kind, case):
    given = {"language": "en", **case}
    words = given.pop("words", None)
    assert SAID[kind](**given) == words
