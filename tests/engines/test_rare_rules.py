"""Rules that random walks hardly miss (rare_rules.toml): a query that each stops fails on the engine."""

from pathlib import Path

import pytest
from cases import cases
from servers import execute, fresh
from sqlalchemy.exc import DBAPIError

from querent.authoring.check import objection
from querent.data.schema.ddl import from_ddl
from querent.grammar import Constraint, Grammar, Vocabulary

TABLES = ["CREATE TABLE city (id INTEGER, name TEXT, people INTEGER)", "CREATE TABLE lake (id INTEGER)"]
TAG = "CREATE TABLE tag (mark UUID)"
"""A type of MariaDB."""
ROWS = [f"INSERT INTO city VALUES (1, '{'a' * 2999}', 5)", "INSERT INTO lake VALUES (1)"]
"""A city's name is as long as a name may be, and nothing but the letter a."""


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("rare_rules.toml")))
def test_without_the_rule_a_query_fails(case: dict[str, str], tmp_path: Path) -> None:
    dialect, sql = case["dialect"], " ".join(case["sql"].split())
    tables = [*TABLES, *[TAG] * (dialect == "mysql")]
    vocabulary = Vocabulary.build(Grammar.for_schema(from_ddl(";".join(tables), dialect), dialect=dialect), [sql])
    words = vocabulary.encode(sql)
    assert objection(Constraint(vocabulary), words)
    assert objection(Constraint(vocabulary, without=[case["rule"]]), words) is None
    with fresh(dialect, tmp_path) as url:
        execute(url, *tables, *ROWS)
        with pytest.raises(DBAPIError, match=case["error"]):
            execute(url, sql)
