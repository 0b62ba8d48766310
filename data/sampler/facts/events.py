"""Verbs that names of columns and tables tell of: ``return_date`` of something returned, orders of what was ordered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from ...schema.noun_forms import singular
from ...schema.plain_names import words

__all__ = ["DateEvent", "Verb", "event_of", "verb_of_table"]

Kind: TypeAlias = Literal["done", "act"]


@dataclass(frozen=True)
class DateEvent:
    """What a date is the date of: ``done`` to the row, as returned is, or an ``act`` of its own, as died is.

    Attributes:
        open: it may be still to come, so that rows without the date are those it has not come to.
    """

    kind: Kind
    past: str
    open: bool


@dataclass(frozen=True)
class Verb:
    """What people do to things: they order them, the things are ordered by them; no ``passive``: that is not said."""

    base: str
    past: str
    passive: str = ""


_DATE_WORDS = {"date", "time", "day", "datetime", "timestamp", "year", "on", "at", "of", "when", "was", "is"}
_STRONG = {"paid", "sold", "sent", "born", "built", "held", "bought", "left"}
_NOUNS = {
    "return": "returned", "delivery": "delivered", "shipment": "shipped", "shipping": "shipped", "ship": "shipped",
    "payment": "paid", "purchase": "purchased", "release": "released", "hire": "hired", "birth": "born",
    "death": "died", "start": "started", "end": "ended", "expiry": "expired", "arrival": "arrived",
    "departure": "departed", "opening": "opened", "open": "opened", "closing": "closed", "close": "closed",
    "approval": "approved", "publication": "published", "completion": "completed", "registration": "registered",
    "cancellation": "cancelled", "discharge": "discharged", "sale": "sold", "join": "joined", "retirement": "retired",
    "termination": "terminated", "creation": "created", "acquisition": "acquired", "founding": "founded",
}  # fmt: skip
_ACTS = {"joined", "left", "died", "started", "ended", "expired", "retired", "arrived", "departed"}
_NOT_YET = {
    "returned", "delivered", "shipped", "paid", "closed", "approved", "published", "completed", "cancelled",
    "discharged", "sold", "released", "died", "ended", "left", "expired", "retired", "arrived", "departed",
    "terminated", "started", "finished", "resolved", "confirmed", "collected", "processed", "answered",
}  # fmt: skip

_PAST_IN_CHINESE = {
    "returned": "归还", "delivered": "送达", "shipped": "发货", "paid": "付款", "purchased": "购买", "released": "发布",
    "hired": "入职", "born": "出生", "died": "去世", "started": "开始", "ended": "结束", "expired": "到期",
    "joined": "加入", "left": "离开", "added": "添加", "reviewed": "评价", "opened": "开设", "closed": "关闭",
    "published": "出版", "registered": "注册", "cancelled": "取消", "sold": "售出", "created": "创建", "placed": "下单",
    "founded": "成立", "built": "建成", "completed": "完成", "approved": "批准", "trained": "训练",
}  # fmt: skip
_CHINESE_DATE = re.compile(r"(?:的)?(?:日期|时间|日|年份)$")
_CHINESE_ACTS = ("出生", "去世", "逝世", "入职", "离职", "加入", "注册", "开始", "结束", "到期", "毕业", "入学", "退休")
_CHINESE_DONE = ("归还", "发货", "送达", "付款", "支付", "下单", "购买", "发布", "发行", "上映", "成立", "创建", "完成",
                 "关闭", "审批", "出版", "借出", "预订", "签订", "签署", "训练", "采集", "登记", "建成", "取消",
                 "创办")  # fmt: skip
_CHINESE_NOT_YET = {"归还", "发货", "送达", "付款", "支付", "完成", "关闭", "审批", "出版", "发布", "取消", "去世",
                    "逝世", "离职", "结束", "到期", "毕业", "退休"}  # fmt: skip

_TABLES = {
    "order": Verb("order", "ordered", "ordered by"), "purchase": Verb("buy", "bought", "bought by"),
    "loan": Verb("borrow", "borrowed", "borrowed by"), "borrowing": Verb("borrow", "borrowed", "borrowed by"),
    "rental": Verb("rent", "rented", "rented by"), "booking": Verb("book", "booked", "booked by"),
    "reservation": Verb("reserve", "reserved", "reserved by"), "visit": Verb("visit", "visited", "visited by"),
    "review": Verb("review", "reviewed", "reviewed by"), "rating": Verb("rate", "rated", "rated by"),
    "prescription": Verb("get", "got", "prescribed to"), "enrollment": Verb("enroll in", "enrolled in"),
    "enrolment": Verb("enrol in", "enrolled in"), "registration": Verb("register for", "registered for"),
    "attendance": Verb("attend", "attended", "attended by"), "subscription": Verb("subscribe to", "subscribed to"),
}  # fmt: skip
_IN_CHINESE = {
    "order": "订购", "buy": "购买", "borrow": "借", "rent": "租", "book": "预订", "reserve": "预约", "visit": "去",
    "review": "评价", "rate": "评分", "enroll in": "选", "enrol in": "选", "register for": "报名",
    "attend": "参加", "subscribe to": "订阅", "get": "用",
}  # fmt: skip


_CHINESE_VERBS = {"购买", "借阅", "租赁", "预订", "预约", "评论", "评价", "选课", "报名", "参观", "收藏", "订购"}


@cache
def event_of(name: str, said: str, table: str, language: str = "en") -> DateEvent | None:
    """Return what a date column tells of, by its name and what it is called; None if nobody knows.

    >>> event_of("return_dt", "return date", "loan").past
    'returned'
    """
    if not said.isascii():
        return _chinese(said) if language == "zh" else None
    own = {*words(table)}
    parts = [part for part in words(name) if part not in _DATE_WORDS and part not in own]
    if len(parts) != 1:
        return None
    past = _NOUNS.get(parts[0], parts[0])
    if not ((past.endswith("ed") and not past.endswith("eed")) or past in _STRONG or past == "died"):
        return None
    told = past if language == "en" else _PAST_IN_CHINESE.get(past)
    return None if told is None else DateEvent("act" if past in _ACTS else "done", told, past in _NOT_YET)


def _chinese(said: str) -> DateEvent | None:
    verb = _CHINESE_DATE.sub("", said)
    acts = verb.endswith(_CHINESE_ACTS)
    if verb == said or not (acts or verb.endswith(_CHINESE_DONE)):
        return None
    return DateEvent("act" if acts else "done", verb[-2:], verb[-2:] in _CHINESE_NOT_YET)


def verb_of_table(parts: Sequence[str], language: str) -> Verb | None:
    """Return what people do to entities in a table that these words name."""
    if language == "zh":
        said = (_IN_CHINESE[verb.base] for part in parts if (verb := _TABLES.get(singular(part))))
        known = next(said, None) or next((p for p in parts if p in _CHINESE_VERBS), None)
        return None if known is None else Verb(known, known)
    return next((verb for part in parts if (verb := _TABLES.get(singular(part)))), None)
