"""Names as the engine has them: PostgreSQL folds what stands without quotes, tells names apart by case, has schemas."""

import random
import tomllib
from functools import lru_cache
from pathlib import Path

import pytest
from grammar_cases import walk
from token_cases import byte_level

from querent.data.errors import QueryError
from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.grammar import Access, Constraint, Grammar, Vocabulary
from querent.grammar.tokens.constraint import TokenConstraint
from querent.grammar.tokens.token_texts import TokenSpellings
from querent.parser.normal_form import NormalForm
from querent.validation import Validator

SHOP = Schema(
    (
        Table(
            "users",
            (Column("userId", "integer"), Column("userName", "text"), Column("username", "integer")),
            ("userId",),
            namespace="public",
        ),
        Table("orders", (Column("id", "integer"), Column("day", "date")), ("id",), (), "", (), "public", True),
        Table(
            "Sales.orders",
            (Column("id", "integer"), Column("Total", "numeric(8, 2)"), Column("userId", "integer")),
            ("id",),
            (ForeignKey(("userId",), "users", ("userId",)),),
            namespace="Sales",
            qualified=True,
        ),
        Table("größe.Maß", (Column("Öl", "integer"), Column("a.b", "text")), (), (), "", (), "größe", True),
    )
)
QUERIES: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))
ADMITTED, BESIDE, REFUSED = (QUERIES[how] for how in ("admitted", "beside", "refused"))


@lru_cache
def constraint() -> TokenConstraint:
    return TokenConstraint(SHOP, TokenSpellings.of_tokenizer(byte_level()), dialect="postgres")


def by_tokens(sql: str) -> bool:
    text = constraint().text
    readings = text.start()
    for byte in sql.encode():
        readings = text.step(readings, byte)
    return text.complete(readings)


@pytest.mark.parametrize("sql", [*ADMITTED, *BESIDE])
def test_what_runs_is_admitted(sql: str) -> None:
    assert Validator(SHOP, dialect="postgres").validate(sql).runs
    assert by_tokens(sql) or sql in BESIDE


@pytest.mark.parametrize("sql", REFUSED)
def test_what_does_not_run_is_refused(sql: str) -> None:
    assert Validator(SHOP, dialect="postgres").validate(sql).runs is False
    assert not by_tokens(sql)


def test_the_nearest_right_name_is_told() -> None:
    found = Validator(SHOP, dialect="postgres").validate('SELECT Total FROM "Sales".orders')
    assert (found.word, found.nearest) == ("Total", 'SELECT "Total" FROM "Sales".orders')
    with pytest.raises(QueryError, match="did you mean '\"Total\"'"):
        Grammar.for_schema(SHOP, dialect="postgres").tokenize('SELECT Total FROM "Sales".orders')


def test_words_are_written_as_the_engine_reads_them() -> None:
    grammar = Grammar.for_schema(SHOP, dialect="postgres")
    words = {word.text for word in Vocabulary.build(grammar, ()).words if word.kind in {"table", "column"}}
    names = {'"userName"', "username", 'users."userName"', "public.orders", '"Sales".orders', '"Sales".orders."Total"'}
    assert names | {'größe."Maß"', 'größe."Maß"."a.b"', '"Sales".orders.*'} <= words
    assert not words & {"userName", "Total", '"Sales.orders"', "Sales.orders", "orders", "orders.day"}
    folded = {word.text for word in Vocabulary.build(Grammar.for_schema(SHOP, dialect="sqlite"), ()).words}
    assert {"userName", "Total"} <= folded


def test_whatever_the_constraint_writes_is_read_again() -> None:
    grammar = Grammar.for_schema(SHOP, dialect="postgres")
    words = Vocabulary.build(grammar, (*ADMITTED, 'SELECT d."N" FROM (SELECT COUNT(*) AS "N" FROM users) AS d'))
    draw, made = random.Random(5), Constraint(words, budget=40)
    for _ in range(8):
        sql = words.decode(walk(made, draw, budget=25))
        assert grammar.canonical(sql) == sql


def test_normal_form() -> None:
    normal = NormalForm(Grammar.for_schema(SHOP, dialect="postgres"))
    for sql, wanted in {
        'select o."Total" from "Sales".orders O': 'SELECT "Sales".orders."Total" FROM "Sales".orders',
        "select DAY from Orders": 'SELECT public.orders."day" FROM public.orders',
        'select count(*) from users u, "Sales".orders o where u."userId" = o."userId"': "SELECT COUNT(*) FROM users "
        'JOIN "Sales".orders ON users."userId" = "Sales".orders."userId"',
        'select a.id from "Sales".orders a join "Sales".orders b on a.id = b."userId"': 'SELECT "Sales".orders.id '
        'FROM "Sales".orders JOIN "Sales".orders AS "Sales.orders_2" ON "Sales".orders.id = "Sales.orders_2"."userId"',
    }.items():
        assert normal.of(sql) == wanted
        assert normal.of(wanted) == wanted
    with pytest.raises(QueryError, match="no column"):
        normal.of("SELECT userName, Total FROM users")


def test_access_tells_them_apart() -> None:
    role = Access(("Sales.orders",), {"users": ("userName",)})
    words = {w.text for w in Vocabulary.build(Grammar.for_schema(SHOP, dialect="postgres", access=role), ()).words}
    assert {'"userName"', '"Sales".orders."Total"'} <= words
    assert not words & {"username", "users.username", "public.orders", 'users."userId"'}
