"""The grammar as text: what it takes, what it does not, and whether those who are to read it do."""

import random
import re
from collections.abc import Callable
from functools import lru_cache

import pytest
from draws import draws
from grammar_cases import ODD, make_schema, walk
from lark import Lark
from lark.exceptions import LarkError

from querent.data.errors import ConstraintError
from querent.data.schema.schema import Schema
from querent.grammar import Constraint, Grammar, Vocabulary
from querent.grammar.export import FORMATS, export_grammar

DIALECTS = ("sqlite", "mysql", "postgres")
LAND = make_schema(city="name people state", state="name area")
Reads = Callable[[str], bool]


@lru_cache
def exported(schema: Schema, dialect: str, form: str, aliases: tuple[str, ...] | None = None) -> str:
    return export_grammar(Grammar.for_schema(schema, dialect=dialect), form, aliases=aliases)


@lru_cache
def by_lark(schema: Schema, dialect: str, aliases: tuple[str, ...] | None = None) -> Reads:
    parser = Lark(exported(schema, dialect, "lark", aliases), parser="earley", lexer="dynamic")

    def reads(sql: str) -> bool:
        try:
            parser.parse(sql)
        except LarkError:
            return False
        return True

    return reads


def by_llguidance(schema: Schema, dialect: str) -> Reads:
    llguidance = pytest.importorskip("llguidance", reason="llguidance is not installed: pip install llguidance")
    bytewise = llguidance.LLTokenizer("byte")
    text = llguidance.grammar_from("lark", exported(schema, dialect, "lark"))
    assert not llguidance.LLMatcher.validate_grammar(text, bytewise)

    def reads(sql: str) -> bool:
        matcher, tokens = llguidance.LLMatcher(bytewise, text), list(sql.encode())
        taken = matcher.validate_tokens(tokens) == len(tokens) and matcher.consume_tokens(tokens)
        return bool(taken) and matcher.is_accepting()

    return reads


def by_xgrammar(schema: Schema, dialect: str) -> Reads:
    xgrammar = pytest.importorskip("xgrammar", reason="xgrammar is not installed: pip install xgrammar")
    testing = pytest.importorskip("xgrammar.testing", reason="this xgrammar has no test tools")
    grammar = xgrammar.Grammar.from_ebnf(exported(schema, dialect, "ebnf"))
    return lambda sql: testing._is_grammar_accept_string(grammar, sql)


READERS = {"lark": by_lark, "llguidance": by_llguidance, "xgrammar": by_xgrammar}


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> Callable[[Schema, str], Reads]:
    return READERS[request.param]


CASES = {
    "SELECT name FROM city": True,
    "select NAME from City": True,
    "SELECT\n  name,people\nFROM city": True,
    'SELECT "name" FROM "city" AS T1 WHERE T1."people" > 5': True,
    "SELECT T9.name FROM city T9 WHERE T9.people>=2.5 AND T9.state='it''s' LIMIT 3": True,
    "SELECT COUNT(*), MAX( people ) FROM city GROUP BY state ORDER BY COUNT(*) DESC": True,
    "SELECT T1.T2 FROM (SELECT COUNT(*) AS T2 FROM city) AS T1": True,
    "SELECT city.* FROM city WHERE NOT EXISTS(SELECT 1 FROM state WHERE state.name = city.state)": True,
    "SELECT - -people FROM city": True,
    # what a context-free form loses
    "SELECT area FROM city": True,
    "SELECT T1.area FROM city": True,
    "SELECT SUM(name) FROM city": True,
    # white space where SQL needs it
    "SELECTname FROM city": False,
    "SELECT name FROMcity": False,
    "SELECT name FROM city LIMIT5": False,
    "SELECT --people FROM city": False,
    # names
    "SELECT name FROM town": False,
    "SELECT nme FROM city": False,
    "SELECT city.area FROM city": False,
    "SELECT nobody.name FROM city AS nobody": False,
    # what the parser writes: a later use of a table, outputs of a derived one, an end
    "SELECT c.name FROM city AS c": True,
    "SELECT q.name FROM city AS q": False,  # any letter for an alias makes llguidance give up: «Too many items»
    "SELECT city.name FROM city JOIN city AS city_2 ON city.state = city_2.name;": True,
    "SELECT MAX(t1.c1) FROM (SELECT COUNT(*) AS c1 FROM city GROUP BY state) AS t1 ;": True,
    # syntax
    "SELECT name FROM": False,
    "SELECT COUNT(name FROM city": False,
    "SELECT name FROM city WHERE people > 5)": False,
    "SELECT SQUIGGLE(name) FROM city": False,
    "DELETE FROM city": False,
    "": False,
}


def test_every_reader_takes_and_refuses_the_same(reader):
    reads = reader(LAND, "sqlite")
    assert {sql: reads(sql) for sql in CASES} == CASES


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_dialects_say_otherwise(dialect):
    reads = by_lark(LAND, dialect)
    assert reads("SELECT COUNT (*) FROM city") == (dialect != "mysql")
    assert reads("SELECT `name` FROM `city`") == (dialect == "mysql")
    assert reads("SELECT people::TEXT FROM city") == (dialect == "postgres")
    assert reads("SELECT name FROM city WHERE people > ALL (SELECT area FROM state)") == (dialect != "sqlite")
    assert reads("(SELECT name FROM city) UNION (SELECT name FROM state)") == (dialect != "sqlite")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_wide_form_has_windows(dialect):
    grammar = Grammar.for_schema(LAND, dialect=dialect, wide=True)
    parser = Lark(export_grammar(grammar, "lark"), parser="earley", lexer="dynamic")
    ranked = "SELECT name, rank() OVER (PARTITION BY state ORDER BY people DESC) AS T2 FROM city"
    assert parser.parse(f"SELECT T1.name FROM ({ranked}) AS T1 WHERE T1.T2 <= 3")
    assert parser.parse("SELECT SUM(people) OVER(), SUM(people) FROM city")
    with pytest.raises(LarkError):
        parser.parse("SELECT LAG(people) OVER (PARTITION BY state) FROM city")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_whatever_the_constraint_writes_is_taken(reader, dialect):
    """The grammar as text loses promises, and no query."""
    grammar = Grammar.for_schema(ODD, dialect=dialect)
    write = grammar.quoting.write
    first, second = ODD.tables[:2]
    a, b = write(first.columns[0].name), write(second.columns[0].name)
    query = (
        f"SELECT COUNT(*) AS T3, T1.*, {a} FROM {write(first.name)} T1, {write(second.name)} T2 WHERE T2.{b} = 'it''s'"
    )
    vocabulary = Vocabulary.build(grammar, [query, "SELECT 2.5"], functions="all")
    constraint = Constraint(vocabulary, budget=40)
    reads, draw = reader(ODD, dialect), random.Random(11)
    for _ in range(draws(8 if reader is by_lark else 25)):
        sql = vocabulary.decode(walk(constraint, draw, budget=25))
        assert reads(sql), sql


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_header_says_what_is_lost_and_every_rule_is_there(form, dialect):
    text = exported(LAND, dialect, form)
    comment = "//" if form == "lark" else "#"
    header = [line for line in text.splitlines() if line.startswith(comment)]
    assert text.startswith(header[0])
    assert all(word in " ".join(header) for word in ("scope", "types", "run time", "budget", dialect))
    defined = set(re.findall(r"^([\w-]+)(?::| ::=)", text, re.MULTILINE))
    rules = "\n".join(line for line in text.splitlines() if not line.startswith(comment))
    bare = re.sub(r'"(?:[^"\\]|\\.)*"i?|\[(?:[^\]\\]|\\.)*\]|/(?:[^/\\]|\\.)*/|\{[\d,]+\}', " ", rules)
    assert defined == set(re.findall(r"[A-Za-z][\w-]*", bare))
    # llama.cpp follows no rule that begins with itself, and knows no underscore in names
    assert form != "gbnf" or not re.search(r"^[\w-]*_[\w-]* ::=|^([\w-]+) ::= \1\b", text, re.MULTILINE)


def test_aliases_are_those_that_are_given():
    reads = by_lark(LAND, "sqlite", ("a", "order"))
    assert reads('SELECT a.name FROM city AS a, state AS "order" WHERE "order".area > 5')
    assert not reads("SELECT T1.name FROM city AS T1")
    assert not reads("SELECT order.name FROM city AS order")
    with pytest.raises(ConstraintError, match="no aliases"):
        exported(LAND, "sqlite", "lark", ())


def test_an_unknown_format_is_told():
    with pytest.raises(ConstraintError, match=r"no format 'gbfn'.*did you mean 'gbnf'"):
        exported(LAND, "sqlite", "gbfn")


def test_names_that_need_quotes_stand_in_them(reader):
    reads = reader(ODD, "sqlite")
    assert reads('SELECT "group by", "order"."my col" FROM "order"')
    assert reads("SELECT 姓名 FROM 病人")
    assert reads('SELECT 病人."a""b" FROM 病人 WHERE 病人."it\'s" = \'x\'')
    assert not reads("SELECT my col FROM order")
