"""Requests to change data, and questions that only sound alike."""

from __future__ import annotations

import pytest

from querent.parser.decoding.orders import order_in

ORDERS = {
    "delete all cancelled orders": "delete",
    "Please remove the customers from Leeds": "remove",
    "could you please update the price of the tent?": "update",
    "raise all prices by 10 percent": "raise",
    "I want to add a new customer": "add",
    "set the limit of TI-201 to 90": "set",
    "请删除所有已取消的订单": "删除",
    "把帐篷的价格改成 20": "改成",
    "帮我新增一个客户": "新增",
}
QUESTIONS = [
    "which orders were deleted?",
    "add up the fines of each member",
    "how many updates were there?",
    "set points of TI-201",
    "removed items",
    "cancelled orders",
    "who created the most documents?",
    "increase",
    "lower limits of all tags",
    "drop in pressure per hour",
    "show the orders to cancel",
    "已取消的订单有几个？",
    "取消的订单有哪些",
    "最近更新的文档",
    "把手的价格是多少？",
    "",
]


@pytest.mark.parametrize(("text", "order"), ORDERS.items())
def test_orders(text: str, order: str) -> None:
    assert order_in(text) == order


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions(text: str) -> None:
    assert order_in(text) is None
