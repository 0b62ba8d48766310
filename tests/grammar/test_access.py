"""What a role may read: the words that it has, and the queries that it may write with them; sql/access.sql has more."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from rule_cases import LAND, stop, typed
from tokenizer_cases import KINDS, SPECIAL
from transformers import PreTrainedTokenizerFast

from querent.data.errors import ConstraintError, InputError, QueryError
from querent.data.schema.schema import ForeignKey, Schema
from querent.grammar import Access, Constraint, Grammar, Vocabulary
from querent.grammar.huggingface import SqlLogitsProcessor
from querent.grammar.lr.tables import DIALECTS
from querent.grammar.tokens.constraint import TokenConstraint
from querent.grammar.tokens.token_texts import TokenSpellings

PART = Access(("State",), {"CITY": ("Name", "people")})
"""Of `LAND`: all of state, some of city, nothing of river."""

WORDS = [
    "SELECT T1.name, id, T1.id FROM city AS T1 JOIN state USING (name) JOIN river USING (state_id) WHERE state.id = 1",
    "SELECT T1.*, T2.name FROM state AS T1, state AS T2",
    "SELECT d.name, d.deep, d.* FROM (SELECT name, deep FROM river, city) AS d ORDER BY name",
    "SELECT name AS length, people AS rowid, COUNT(*) FROM city",
]

BYTES = TokenSpellings((*(bytes([n]) for n in range(256)), None), (256,))


def constraint(dialect: str, level: str = "runs", access: Access = PART) -> Constraint:
    grammar = Grammar.for_schema(LAND, dialect=dialect, access=access)
    return Constraint(Vocabulary.build(grammar, WORDS), level=level, budget=60)


@lru_cache
def constraint_on_bytes(dialect: str, *, held: bool) -> TokenConstraint:
    return TokenConstraint(LAND, BYTES, dialect=dialect, access=PART if held else None)


def keyed() -> Schema:
    """Tables that refer to a state by its key."""
    key = (ForeignKey(("state_id",), "state", ()),)
    tables = {t.name: t for t in LAND.tables}
    state = replace(tables["state"], primary_key=("id",), unique=("name",))
    return Schema((replace(tables["city"], foreign_keys=key), state, replace(tables["river"], foreign_keys=key)))


# ---- the list


def test_what_is_named_nowhere_may_not_be_read() -> None:
    left = PART.narrowed(LAND)
    assert [(t.name, [c.name for c in t.columns]) for t in left.tables] == [
        ("city", ["name", "people"]),
        ("state", ["id", "name", "area", "founded"]),
    ]


def test_a_table_of_both_lists_is_read_by_its_columns() -> None:
    both = Access(("city", "state"), {"city": ("name", "people")})
    assert both.narrowed(LAND) == PART.narrowed(LAND)
    assert both.partial(LAND) == PART.partial(LAND) == {"city": {"name", "people"}}


def test_keys_of_what_may_not_be_read_are_no_keys() -> None:
    assert all(table.foreign_keys for table in keyed().tables if table.name != "state")
    seen = Access(("river",), {"city": ("name",), "state": ("id",)}).narrowed(keyed())
    assert {t.name: (len(t.foreign_keys), t.primary_key, t.unique) for t in seen.tables} == {
        "city": (0, (), ()),
        "state": (0, ("id",), ()),
        "river": (1, (), ()),
    }
    blind = Access(("river",), {"state": ("name",)})
    assert [t.foreign_keys for t in blind.unlinked(keyed()).tables] == [(), (), ()]
    assert blind.narrowed(keyed()).table("state").primary_key == ()


@pytest.mark.parametrize(
    ("access", "problem"),
    [
        (Access(("citty",)), "no table 'citty' (did you mean 'city'?)"),
        (Access(("state",), {"city": ("nam",)}), "table 'city' has no column 'nam' (did you mean 'name'?)"),
    ],
)
def test_a_name_that_is_not_there_is_an_error(access: Access, problem: str) -> None:
    with pytest.raises(InputError, match="did you mean") as error:
        Grammar.for_schema(LAND, dialect="sqlite", access=access)
    assert str(error.value).endswith(problem)


def test_names_that_differ_in_case_alone_are_an_error_where_the_engine_takes_them_for_one() -> None:
    twins = typed(t='a INTEGER, A INTEGER, "b" TEXT')
    with pytest.raises(InputError, match="but for case"):
        Grammar.for_schema(twins, dialect="sqlite", access=Access((), {"t": ("a",)}))
    grammar = Grammar.for_schema(twins, dialect="postgres", access=Access((), {"t": ("A",)}))
    words = {word.text for word in Vocabulary.build(grammar, ()).words}
    assert {'"A"', 't."A"'} <= words
    assert {"a", "t.a", "b", "t.b"}.isdisjoint(words)
    mixed = typed(t="Id INTEGER, ID INTEGER")
    with pytest.raises(InputError, match="'id' may be 2 names that differ in case"):
        Grammar.for_schema(mixed, dialect="postgres", access=Access((), {"t": ("id",)}))


def test_nothing_is_no_access() -> None:
    with pytest.raises(InputError, match="nothing may be read"):
        Access()
    with pytest.raises(InputError, match="no column may be read"):
        Access(("state",), {"city": ()})
    with pytest.raises(InputError, match="no list of names"):
        Access("state")  # pyright: ignore[reportArgumentType]


def test_a_file(tmp_path: Path) -> None:
    text = '[tables]\nwhole = ["State"]\n\n[columns]\nCITY = ["Name", "people"]\n'
    (tmp_path / "role.toml").write_text(text, "utf-8")
    assert Access.read(tmp_path / "role.toml") == PART


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[table]\n", "did you mean 'tables'"),
        ('[tables]\nwhol = ["a"]\n', "did you mean 'whole'"),
        ('tables = ["a"]\n', r"tables is no section \(tables that may be read whole: \[tables\] whole = "),
        (
            "[tables]\nstate = true\n",
            r"'tables': unknown entry 'state' \(tables that may be read whole: \[tables\] whole = ",
        ),
        ('[tables]\nread = ["a"]\n', r"unknown entry 'read' \(tables that may be read whole: \[tables\] whole = "),
        ("[columns]\ncity = 'name'\n", "no list of names"),
        ("[columns]\ncity = [1]\n", "no name"),
        ("", "nothing may be read"),
        ("[", "cannot be read"),
    ],
)
def test_a_file_that_says_something_else(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "role.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=problem) as error:
        Access.read(file)
    assert error.value.file == file
    with pytest.raises(InputError, match="cannot be read"):
        Access.read(tmp_path / "none.toml")


# ---- words


@pytest.mark.parametrize("dialect", DIALECTS)
def test_words_of_what_may_not_be_read_are_gone(dialect: str) -> None:
    words = {(w.text, w.terminal): w for w in constraint(dialect).vocabulary.words}
    names = {text for (text, _), w in words.items() if w.kind in {"table", "column", "alias"}}
    assert not {n for n in names if "river" in n or "length" in n or "deep" in n or "state_id" in n or "rowid" in n}
    assert {"city", "state", "name", "id", "city.name", "state.id", "d.name", "d.*", "state.*"} <= names
    assert "city.id" not in names
    assert words["id", "COLUMN"].tables == ("state",)
    assert words["id", "COLUMN"].table == "state"
    assert words["name", "COLUMN"].tables == ("city", "state")
    assert words["T1.*", "QSTAR"].tables == ("state",)


def test_a_query_that_reads_more_has_no_words() -> None:
    words = constraint("sqlite").vocabulary
    assert words.decode(words.encode("SELECT city.name FROM city")) == "SELECT city.name FROM city"
    with pytest.raises(QueryError, match="not in the vocabulary"):
        words.encode("SELECT city.id FROM city")


@pytest.mark.parametrize("column", ["rowid", "oid", "_rowid_"])
def test_a_bare_name_that_may_be_a_row_s_number_is_gone(column: str) -> None:
    """``SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM s WHERE oid > 1)``: SQLite takes the row's number of s."""
    schema = typed(t=f"{column} INTEGER, a INTEGER", s="id INTEGER, b INTEGER")
    grammar = Grammar.for_schema(schema, dialect="sqlite", access=Access(("t",), {"s": ("b",)}))
    names = {w.text for w in Vocabulary.build(grammar, ()).words}
    assert column not in names
    assert f"t.{column}" in names


# ---- queries


def test_no_star_where_nothing_may_be_read_whole() -> None:
    found = stop(constraint("sqlite", access=Access((), {"city": ("name",)})), "SELECT * FROM city")
    assert found == (len("SELECT "), "'*' is not allowed here: no table may be read whole")


def test_access_to_everything_leaves_the_masks_as_they_are() -> None:
    everything = Access(tuple(table.name for table in LAND.tables))
    for dialect in DIALECTS:
        grammars = (Grammar.for_schema(LAND, dialect=dialect, access=access) for access in (None, everything))
        free, held = (Vocabulary.build(grammar, ()) for grammar in grammars)
        assert free.words == held.words


def test_names_must_be_held_to_something() -> None:
    vocabulary = Vocabulary.build(Grammar.for_schema(LAND, dialect="sqlite", access=PART), ())
    for rule in ("access", "visible", "sources", "ambiguous", "common columns"):
        with pytest.raises(ConstraintError, match=f"access without the rule '{rule}'"):
            Constraint(vocabulary, without=(rule,))
    assert "grouping" not in Constraint(vocabulary, without=("grouping",)).rules


# ---- texts


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "may"),
    [
        ("select LENGTH", " from"),  # a function's name, too, whose bracket must follow
        ("select ", "state_id"),
        ("select T1.", "state_id"),
        ("select name from ", "river"),
        ("select name as ", "state_id from"),
        ("select name as ", "deep from"),
        ("select 1 from city c where c.", "id"),
        ("select city.", "id"),
        ("select * from ", "city"),
    ],
)
def test_texts_do_not_spell_it(dialect: str, sql: str, may: str) -> None:
    """Each text goes on so without `PART`, and not with it."""
    assert [spelled(sql, may, constraint_on_bytes(dialect, held=held)) for held in (False, True)] == [True, False]


def spelled(begun: str, text: str, constraint: TokenConstraint) -> bool:
    """Say whether a text may go on with another one, and a space behind it."""
    state = constraint.start()
    for byte in begun.encode():
        state = state.advance(byte)
    for byte in f"{text} ".encode():
        if not state.allowed()[byte]:
            return False
        state = state.advance(byte)
    return True


def test_several_roles_in_one_batch() -> None:
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=KINDS["byte-level"](), eos_token=SPECIAL[2])
    processor = SqlLogitsProcessor(tokenizer, schemas=[LAND, LAND, LAND], access=[None, PART, None])
    grammars = [one.words.grammar for one in processor.constraints]
    assert [grammar.access for grammar in grammars] == [None, PART, None]
    assert processor.constraints[0] is processor.constraints[2]
    assert SqlLogitsProcessor(tokenizer, LAND, access=PART).constraints[0].words.grammar.access is PART
    with pytest.raises(ConstraintError, match="2 of access for 1 schemas"):
        SqlLogitsProcessor(tokenizer, LAND, access=[None, PART])


# ---- what the server itself lets be read in part


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_star_shows_a_table_of_which_the_server_shows_some_columns(dialect: str) -> None:
    tables = (replace(t, partial=t.name == "city") for t in LAND.tables)
    words = [*WORDS, "SELECT city.*, state.* FROM city, state"]
    vocabulary = Vocabulary.build(Grammar.for_schema(replace(LAND, tables=tuple(tables)), dialect=dialect), words)
    held = Constraint(vocabulary, budget=60)
    assert {"city.*", "state.*"} & {word.text for word in vocabulary.words} == {"state.*"}
    for sql, able in (
        ("SELECT * FROM state", True),
        ("SELECT * FROM city", False),
        ("SELECT * FROM state, city", False),
        ("SELECT name, people FROM city", True),
        ("SELECT COUNT(*) FROM city", True),
    ):
        assert held.admits(sql) is able, sql
