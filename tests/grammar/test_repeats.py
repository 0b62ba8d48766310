"""What says one thing twice, word by word."""

from __future__ import annotations

import pytest
from rule_cases import schema_of

from querent.grammar import RULES, Constraint, Grammar, Vocabulary
from querent.grammar.semantics.repeats import repeats
from querent.grammar.semantics.rules import active

TWICE = [
    "SELECT a.x , | a.x",
    "SELECT DISTINCT a.x , a.y , | a.x",
    "SELECT COUNT ( * ) , a.x , COUNT ( * ) | FROM",
    "SELECT COUNT ( * ) , a.x , COUNT ( * ) | ,",
    "SELECT a.x FROM a WHERE a.y IN ( SELECT b.y , | b.y",
    "SELECT a.x FROM a WHERE a.y = {text0} INTERSECT SELECT a.x FROM a WHERE a.y = {text0} | <eos>",
    "SELECT a.x FROM a UNION ALL SELECT a.x FROM a | <eos>",
    "SELECT a.x FROM a UNION SELECT b.x FROM b EXCEPT SELECT b.x FROM b | <eos>",
    "SELECT COUNT ( * ) FROM ( SELECT a.x FROM a EXCEPT SELECT a.x FROM a | )",
    "SELECT a.x FROM a WHERE a.y LIKE {text0} AND a.y LIKE {text0} | <eos>",
    "SELECT a.x FROM a WHERE a.y < {text0} AND a.z > 1 AND a.y < {text0} | ORDER",
    "SELECT a.x FROM a WHERE a.y BETWEEN 1 AND 2 AND a.y BETWEEN 1 AND 2 | GROUP",
    "SELECT a.x FROM a WHERE a.z = 1 OR ( a.y > 1 AND a.y > 1 | )",
    "SELECT a.x FROM a GROUP BY a.x HAVING COUNT ( * ) > 1 AND COUNT ( * ) > 1 | LIMIT",
    "SELECT a.x FROM a WHERE a.y = {text0} AND a.y | =",
    "SELECT a.x FROM a WHERE a.z > 1 OR ( a.y = 1 AND a.z = 2 AND a.y | =",
    "SELECT a.x FROM a WHERE a.z = 1 AND a.y < | a.y",
    "SELECT a.x FROM a WHERE a.z = 1 OR a.y IN ( {text0} , {text1} , | {text0}",
    "SELECT a.x FROM a WHERE a.y = {text0} OR a.y = {text0} | <eos>",
    "SELECT a.x FROM a WHERE a.y BETWEEN 1 AND 2 OR a.y BETWEEN 1 AND 2 | ORDER",
    "SELECT a.x FROM a WHERE a.y LIKE | NULL",
    "SELECT a.x FROM a GROUP BY a.x HAVING COUNT ( * ) > | NULL",
    "SELECT SUM ( CASE WHEN a.y = 1 THEN 1 ELSE 0 END ) / COUNT ( * ) FROM a WHERE a.y = 1 | <eos>",
    "SELECT CAST ( COUNT ( a.x ) AS REAL ) * 100 / COUNT ( a.x ) | FROM",
    "SELECT a.y , COUNT ( * ) * 100 / COUNT ( * ) | ,",
    "SELECT SUM ( CASE WHEN a.y = 1 THEN 1 ELSE 0 END ) FROM a JOIN b WHERE b.z > 2 AND a.y = 1 | GROUP",
    "SELECT a.x FROM a WHERE a.x > ( SELECT AVG ( CASE WHEN b.y = 1 THEN b.z END ) FROM b WHERE b.y = 1 | )",
]
ONCE = [
    "SELECT a.x FROM a JOIN a_2 WHERE a.y < | a_2.y",
    "SELECT | a.x",
    "SELECT a.x FROM a WHERE a.y IN ( {text0} , | {text1}",
    "SELECT COALESCE ( a.x , a.y , | a.z",
    "SELECT a.x FROM a WHERE a.y IS | NULL",
    "SELECT a.x FROM a WHERE a.y IS NOT | NULL",
    "SELECT SUM ( CASE WHEN a.y = 1 THEN a.x ELSE | NULL",
    "SELECT a.x , | a.y",
    "SELECT a.x , a.y | FROM",
    "SELECT a.x , MAX ( | a.x",
    "SELECT MAX ( a.x ) , MIN ( a.x ) , MAX ( a.x ) - MIN ( a.x ) | FROM",
    "SELECT COALESCE ( a.x , | a.x",
    "SELECT a.x FROM a GROUP BY a.x , | a.x",
    "SELECT a.x FROM a ORDER BY a.y , a.x | ,",
    "SELECT a.x FROM a WHERE a.y = {text0} INTERSECT SELECT a.x FROM a WHERE a.y = {text1} | <eos>",
    "SELECT a.x FROM a WHERE a.x IN ( SELECT a.x FROM a | )",
    "SELECT a.x FROM a | <eos>",
    "SELECT COUNT ( * | )",
    "SELECT a.x FROM a WHERE a.y = {text0} AND a.y = {text1} | <eos>",
    "SELECT a.x FROM a WHERE a.y BETWEEN 1 AND 2 AND a.z BETWEEN 1 AND 2 | <eos>",
    "SELECT a.x FROM a WHERE a.y = 1 AND a.x IN ( SELECT b.x FROM b WHERE a.y = 1 | )",
    "SELECT a.x FROM a WHERE a.y = 1 OR a.z = 2 AND a.y = 1 | <eos>",
    "SELECT a.x FROM a WHERE a.y = {text0} OR a.y | =",
    "SELECT a.x FROM a WHERE a.y = b.y AND a.y | =",
    "SELECT a.x FROM a WHERE a.y > 1 AND a.y | =",
    "SELECT a.x FROM a WHERE a.y = 1 AND a.y | >",
    "SELECT SUM ( a.x ) / COUNT ( a.x ) | FROM",
    "SELECT COUNT ( a.x ) / COUNT ( DISTINCT a.x ) | FROM",
    "SELECT COUNT ( * ) / COUNT ( a.x ) | FROM",
    "SELECT a.x / ( a.x + a.y ) | FROM",
    "SELECT SUM ( CASE WHEN a.y = 1 THEN 1 ELSE 0 END ) FROM a WHERE a.y = 2 | <eos>",
    "SELECT SUM ( CASE WHEN a.y = 1 THEN 1 ELSE 0 END ) FROM a WHERE a.z IN ( SELECT a.z FROM a WHERE a.y = 1 | )",
    "SELECT SUM ( CASE WHEN a.y = 1 THEN 1 ELSE 0 END ) FROM a GROUP BY a.x HAVING a.y = 1 | <eos>",
    "| SELECT",
]


@pytest.mark.parametrize(("query", "expected"), [(q, True) for q in TWICE] + [(q, False) for q in ONCE])
def test_repeats(query: str, expected: bool) -> None:
    before, word = query.split("|")
    assert (word.strip() in repeats(before.split())) == expected


@pytest.mark.parametrize(("sql", "broken"), [(RULES["repeats"].example, True), (RULES["repeats"].instead, False)])
def test_the_rule_of_searches_has_its_example_and_refuses_no_query(sql: str, broken: bool) -> None:
    """A mask lets it come: it runs. With access it may be left out, since it guards no name."""
    vocabulary = Vocabulary.build(Grammar.for_schema(schema_of(sql), dialect="sqlite"), [sql])
    words = [token.text for token in vocabulary.grammar.tokenize(sql)]
    qualified = [f"city.{word}" if word in ("people", "id") else word for word in words]
    assert any(word in repeats(qualified[:i]) for i, word in enumerate([*qualified, "<eos>"])) == broken
    assert Constraint(vocabulary).admits(sql)
    assert "repeats" in active("scope", "sqlite")
    assert "repeats" not in active("runs", "sqlite", ("repeats",), guarded=True) | active("grammar", "sqlite")
