"""PostgreSQL's UUIDs: keys of many schemas, which compare with themselves and with texts that are UUIDs."""

from __future__ import annotations

import pytest
from rule_cases import judge, reason, stop, typed

SCHEMA = typed(shop="id UUID, town TEXT", sale="id UUID, shop_id UUID, price INTEGER")
ONE = "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"
WORDS = (
    f"SELECT DISTINCT COUNT(sale.id), MAX(price), town FROM shop JOIN sale ON shop.id = shop_id WHERE shop.id = {ONE}",
    "SELECT n.value1, CAST('x' AS UUID) FROM (SELECT shop_id, COUNT(*) AS value1 FROM sale) AS n ORDER BY shop_id, 1",
)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT town FROM shop JOIN sale ON shop.id = shop_id",
        f"SELECT town FROM shop WHERE shop.id = {ONE}",
        f"SELECT town FROM shop WHERE shop.id IN ({ONE}, NULL)",
        "SELECT town FROM shop WHERE shop.id IN (SELECT shop_id FROM sale)",
        "SELECT shop_id, MAX(price) FROM sale GROUP BY shop_id ORDER BY shop_id",
        "SELECT COUNT(DISTINCT shop_id) FROM sale",
        "SELECT n.value1 FROM (SELECT shop_id, COUNT(*) AS value1 FROM sale GROUP BY shop_id) AS n",
        "SELECT shop.id FROM shop EXCEPT SELECT shop_id FROM sale",
        f"SELECT CAST({ONE} AS UUID)",
    ],
)
def test_they_join_group_and_compare(sql: str) -> None:
    assert stop(judge(WORDS, "postgres", schema=SCHEMA), sql) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT town FROM shop WHERE shop.id = »'x'",
        "SELECT town FROM shop WHERE shop.id = »town",
        "SELECT town FROM shop JOIN sale ON shop.id = »price",
        "SELECT CAST('x' AS »UUID)",
        "SELECT MAX(sale.id») FROM sale",
    ],
)
def test_no_other_text_is_one(sql: str) -> None:
    assert reason(judge(WORDS, "postgres", schema=SCHEMA), sql)
