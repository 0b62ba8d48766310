"""MariaDB's shapes, addresses, UUIDs and JSON: few functions take them, and all but JSON compare with texts alone."""

from __future__ import annotations

from rule_cases import LAND, typed

from querent.grammar import Constraint, Grammar, Vocabulary
from querent.grammar.semantics.rules import TYPED, active

SITE = typed(
    site="id UUID, spot POINT, host INET4, name VARCHAR(20), size INTEGER, opened DATE",
    visit="id UUID, area POLYGON, size INTEGER",
)


def test_the_rules_hold_where_a_column_is_of_such_a_type() -> None:
    for schema, rules in ((SITE, active("runs", "mysql")), (LAND, active("runs", "mysql") - TYPED)):
        grammar = Grammar.for_schema(schema, dialect="mysql")
        assert Constraint(Vocabulary.build(grammar, ())).rules == rules
