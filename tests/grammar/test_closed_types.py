"""MariaDB's shapes, addresses, UUIDs and JSON: few functions take them, and all but JSON compare with texts alone."""

from __future__ import annotations

import pytest
from rule_cases import LAND, judge, reason, stop, typed

from querent.grammar import Constraint, Grammar, Vocabulary
from querent.grammar.semantics.rules import TYPED, active

SITE = typed(
    site="id UUID, spot POINT, host INET4, name VARCHAR(20), size INTEGER, opened DATE",
    visit="id UUID, area POLYGON, size INTEGER",
)
ABLE = [
    "SELECT id, spot, host FROM site WHERE host = '10.0.0.1' ORDER BY id",
    "SELECT site.name FROM site, visit WHERE site.id = visit.id AND spot IS NOT NULL",
    "SELECT name FROM site WHERE id IN (SELECT visit.id FROM visit WHERE size > 3)",
    "SELECT COUNT(spot), COUNT(DISTINCT host) FROM site GROUP BY id",
    "SELECT CASE WHEN size > 3 THEN id ELSE 'none' END FROM site",
    "SELECT * FROM site UNION SELECT * FROM site",
    "SELECT host FROM site UNION SELECT name FROM site",
]
REFUSED = [
    "SELECT name FROM site WHERE id»",
    "SELECT name FROM site WHERE NOT spot»",
    "SELECT name FROM site WHERE id = »3",
    "SELECT name FROM site WHERE size <> »id",
    "SELECT name FROM site WHERE id = »host",
    "SELECT name FROM site WHERE size IN (2, »id)",
    "SELECT name FROM site WHERE opened BETWEEN »spot AND NULL",
    "SELECT id »+ 1 FROM site",
    "SELECT YEAR(»id) FROM site",
    "SELECT CASE size WHEN id »THEN 1 END FROM site",
    "SELECT CASE WHEN size > 3 THEN spot ELSE »size END FROM site",
    "SELECT id FROM site UNION SELECT »size FROM site",
    "SELECT host AS n FROM site GROUP BY host HAVING »n > 3",
    # MariaDB compares the column of each side
    "SELECT name FROM site WHERE spot IN (SELECT name FROM site »UNION SELECT size FROM visit)",
    "SELECT t.name FROM (SELECT id »AS name FROM site) AS t WHERE t.name > 3",
]


@pytest.mark.parametrize("sql", ABLE)
def test_what_runs_is_admitted(sql: str) -> None:
    assert stop(judge((sql,), "mysql", schema=SITE), sql) is None


@pytest.mark.parametrize("sql", REFUSED)
def test_what_cannot_be_compared_is_refused(sql: str) -> None:
    assert reason(judge((sql,), "mysql", schema=SITE), sql)


@pytest.mark.parametrize(
    ("sql", "stops"),
    [
        ("SELECT IFNULL(doc, draft) FROM note", None),
        ("SELECT COALESCE(doc, draft, NULL) FROM note", None),
        ("SELECT COALESCE(NULL, doc) FROM note", None),
        ("SELECT IFNULL(doc, »size) FROM note", "IFNULL does not take span, int"),
        ("SELECT COALESCE(size, »doc) FROM note", "COALESCE does not take int, span"),
    ],
)
def test_json_is_replaced_by_json_alone(sql: str, stops: str | None) -> None:
    stopped = reason(judge((sql,), "mysql", schema=typed(note="doc JSON, draft JSON, size INTEGER")), sql)
    assert (stops or "") in (stopped or "")


def test_the_rules_hold_where_a_column_is_of_such_a_type() -> None:
    for schema, rules in ((SITE, active("runs", "mysql")), (LAND, active("runs", "mysql") - TYPED)):
        grammar = Grammar.for_schema(schema, dialect="mysql")
        assert Constraint(Vocabulary.build(grammar, ())).rules == rules
