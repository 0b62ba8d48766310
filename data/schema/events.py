"""Verbs that names of columns and tables tell of: ``return_date`` of something returned, orders of what was ordered."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from .plain_names import singular, words

__all__ = ["DateEvent", "Verb", "event_of", "verb_of_table"]

DATE_WORDS = {"date", "time", "day", "datetime", "timestamp", "year", "on", "at", "of", "when", "was", "is"}
BESIDE = {"last", "latest", "recent", "actual"}  # last_checked is when a row was checked
STRONG_PARTICIPLES = {
    "paid", "sold", "sent", "born", "built", "held", "bought", "left", "made", "written", "begun", "taken", "found",
    "given", "won", "lost", "caught", "taught", "drawn", "shot", "cast", "grown", "brought", "set up", "moved in",
    "moved out", "checked in", "checked out", "signed up",
}  # fmt: skip
PARTICIPLES = {
    "return": "returned", "delivery": "delivered", "shipment": "shipped", "shipping": "shipped", "ship": "shipped",
    "payment": "paid", "purchase": "purchased", "release": "released", "hire": "hired", "birth": "born",
    "death": "died", "start": "started", "end": "ended", "expiry": "expired", "arrival": "arrived",
    "departure": "departed", "opening": "opened", "open": "opened", "closing": "closed", "close": "closed",
    "approval": "approved", "publication": "published", "completion": "completed", "registration": "registered",
    "cancellation": "cancelled", "discharge": "discharged", "sale": "sold", "join": "joined", "retirement": "retired",
    "termination": "terminated", "creation": "created", "acquisition": "acquired", "founding": "founded",
    "create": "created", "update": "updated", "admission": "admitted", "issue": "issued", "inspection": "inspected",
    "check": "checked", "test": "tested", "launch": "launched", "manufacture": "manufactured", "enrollment": "enrolled",
    "enrolment": "enrolled", "graduation": "graduated", "construction": "built", "establishment": "established",
    "foundation": "founded", "production": "produced", "submission": "submitted", "renewal": "renewed",
    "installation": "installed", "birthday": "born", "birthdate": "born", "expiration": "expired",
    "settlement": "settled", "revision": "revised", "repair": "repaired",
    "vaccination": "vaccinated", "request": "requested", "collection": "collected", "donation": "donated",
    "harvest": "harvested",
}  # fmt: skip
ACTS = {
    "joined": "join", "left": "leave", "died": "die", "started": "start", "ended": "end", "expired": "expire",
    "retired": "retire", "arrived": "arrive", "departed": "depart", "graduated": "graduate", "moved in": "move in",
    "moved out": "move out", "checked in": "check in", "checked out": "check out", "signed up": "sign up",
    "begun": "begin", "lost": "lose", "won": "win",
}  # fmt: skip
"""What rows do themselves, and how one asks whether they did."""
OURS = {
    "acquired": ("acquire", "acquisitions"), "purchased": ("purchase", "purchases"), "bought": ("buy", "purchases"),
    "ordered": ("order", "orders"), "shipped": ("ship", "shipments"), "delivered": ("deliver", "deliveries"),
    "received": ("receive", "receipts"), "sold": ("sell", "sales"),
    "hired": ("hire", "hires"), "admitted": ("admit", "admissions"), "discharged": ("discharge", "discharges"),
    "opened": ("open", "openings"), "closed": ("close", "closures"), "created": ("create", "creations"),
    "produced": ("produce", "productions"), "built": ("build", "constructions"),
    "released": ("release", "releases"), "published": ("publish", "publications"), "launched": ("launch", "launches"),
    "checked": ("check", "checks"), "tested": ("test", "tests"), "inspected": ("inspect", "inspections"),
    "examined": ("examine", "examinations"), "serviced": ("service", "services"), "repaired": ("repair", "repairs"),
    "installed": ("install", "installations"), "added": ("add", "additions"), "registered": ("register",
    "registrations"), "recorded": ("record", "recordings"), "issued": ("issue", "issues"), "approved": ("approve",
    "approvals"), "cancelled": ("cancel", "cancellations"), "completed": ("complete", "completions"),
    "updated": ("update", "updates"), "paid": ("pay", "payments"), "settled": ("settle", "settlements"),
    "collected": ("collect", "collections"), "enrolled": ("enrol", "enrolments"), "treated": ("treat", "treatments"),
    "booked": ("book", "bookings"), "planted": ("plant", "plantings"), "harvested": ("harvest", "harvests"),
    "supplied": ("supply", "supplies"), "signed": ("sign", "signings"), "renewed": ("renew", "renewals"),
}  # fmt: skip
"""What «we» do to rows: «did we acquire», «acquisitions»."""
NOT_YET = {
    "returned", "delivered", "shipped", "paid", "closed", "approved", "published", "completed", "cancelled",
    "discharged", "sold", "released", "died", "ended", "left", "expired", "retired", "arrived", "departed",
    "terminated", "started", "finished", "resolved", "confirmed", "collected", "processed", "answered",
}  # fmt: skip

IN_CHINESE = {
    "returned": "归还", "delivered": "送达", "shipped": "发货", "paid": "付款", "purchased": "购买", "released": "发布",
    "hired": "入职", "born": "出生", "died": "去世", "started": "开始", "ended": "结束", "expired": "到期",
    "joined": "加入", "left": "离开", "added": "添加", "reviewed": "评价", "opened": "开设", "closed": "关闭",
    "published": "出版", "registered": "注册", "cancelled": "取消", "sold": "售出", "created": "创建", "placed": "下单",
    "founded": "成立", "built": "建成", "completed": "完成", "approved": "批准", "trained": "训练",
    "acquired": "购入", "bought": "购买", "ordered": "订购", "received": "收到", "sent": "发送", "made": "制作",
    "produced": "生产", "manufactured": "制造", "checked": "检查", "tested": "检测", "inspected": "检验",
    "admitted": "收治", "discharged": "出院", "launched": "推出", "issued": "签发", "installed": "安装",
    "updated": "更新", "recorded": "记录", "established": "设立", "enrolled": "报名", "repaired": "维修",
    "arrived": "到达", "departed": "出发", "graduated": "毕业", "moved in": "入住", "moved out": "搬出",
    "settled": "结算", "collected": "收取", "reported": "报告", "resolved": "解决", "signed": "签署",
    "harvested": "收割", "planted": "种植", "treated": "治疗", "vaccinated": "接种", "donated": "捐赠",
    "requested": "申请", "submitted": "提交", "raised": "提出", "provided": "提供", "revised": "修订",
    "renewed": "续签",
}  # fmt: skip
CHINESE_DATE = re.compile(r"(?:的)?(?:日期|时间|日|年份|年代|时期)$")
CHINESE_PLANNED = ("计划", "预计", "预期", "拟")
CHINESE_ACTS = ("出生", "去世", "逝世", "入职", "离职", "加入", "注册", "开始", "结束", "到期", "毕业", "入学", "退休",
                 "就职", "入院", "出院", "入住", "搬出", "离校", "上任", "离任", "到达", "抵达", "出发", "开业", "上市",
                 "下市", "上线", "生效", "失效", "登录")  # fmt: skip
CHINESE_DONE = ("归还", "发货", "送达", "付款", "支付", "下单", "购买", "发布", "发行", "上映", "成立", "创建", "完成",
                 "关闭", "审批", "出版", "借出", "预订", "签订", "签署", "训练", "采集", "登记", "建成", "取消",
                 "创办", "购入", "收购", "采购", "订购", "订货", "到货", "入库", "收到", "接收", "发送", "制作", "制造",
                 "生产", "创作", "创立", "设立", "建立", "建造", "竣工", "安装", "检查", "检测", "检验", "体检", "更新",
                 "启用", "开通", "记录", "存储", "签约", "签发", "审核", "雇佣", "聘用", "录取", "解决", "返还", "结算",
                 "提交", "报告", "治疗", "接种", "收割", "种植", "邮寄", "投递", "维修", "捐赠")  # fmt: skip
CHINESE_OURS = {
    "购入", "购买", "收购", "采购", "订购", "订货", "入库", "收到", "接收", "发送", "发货", "送达", "制作", "制造",
    "生产", "创建", "设立", "建造", "安装", "检查", "检测", "检验", "体检", "更新", "启用", "开通", "记录", "登记",
    "签订", "签署", "签约", "签发", "审批", "审核", "批准", "雇佣", "聘用", "录取", "解决", "返还", "结算", "关闭",
    "完成", "取消", "售出", "借出", "采集", "出版", "发布", "发行", "推出", "开设", "添加", "收治", "治疗", "接种",
    "收割", "种植", "邮寄", "投递", "维修",
}  # fmt: skip
CHINESE_NOT_YET = {"归还", "发货", "送达", "付款", "支付", "完成", "关闭", "审批", "出版", "发布", "取消", "去世",
                    "逝世", "离职", "结束", "到期", "毕业", "退休", "解决", "返还", "出院", "离校", "搬出",
                    "离任", "失效", "下市", "到货", "结算"}  # fmt: skip


Kind: TypeAlias = Literal["done", "act"]


@dataclass(frozen=True)
class DateEvent:
    """What a date is the date of: ``done`` to the row, as returned is, or an ``act`` of its own, as died is.

    Attributes:
        open: it may be still to come, so that rows without the date are those it has not come to.
        base: the verb of «did we acquire» and «did join»; empty of what «we» do not do to rows, as being born.
        deeds: the noun of what we do: acquisitions; empty where it is not ours.
    """

    kind: Kind
    past: str
    open: bool
    base: str = ""
    deeds: str = ""


@dataclass(frozen=True)
class Verb:
    """What people do to things: they order them, the things are ordered by them; no ``passive``: that is not said."""

    base: str
    past: str
    passive: str = ""


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
    own = {*words(table), *BESIDE}
    past = next((past for text in (name, said) if (past := _past(words(text), own))), None)
    if past is None:
        return None
    kind: Kind = "act" if past in ACTS else "done"
    if language == "en":
        base, deeds = (ACTS[past], "") if kind == "act" else OURS.get(past, ("", ""))
        if deeds and singular(deeds) in own:  # nobody says «shipment shipments»
            base, deeds = "", ""
        return DateEvent(kind, past, past in NOT_YET, base, deeds)
    told = IN_CHINESE.get(past)
    return None if told is None else DateEvent(kind, told, past in NOT_YET, _base_in_chinese(kind, told))


def _past(named: Sequence[str], beside: Collection[str]) -> str | None:
    """Return the participle that the words of a date's name come down to: returned of a return date."""
    parts = [part for part in named if part not in beside and part not in DATE_WORDS]
    past = PARTICIPLES.get(parts[0], parts[0]) if len(parts) == 1 else " ".join(parts)
    regular = past.isalpha() and past.endswith("ed") and not past.endswith("eed")
    return past if regular or past in STRONG_PARTICIPLES or past == "died" else None


def _chinese(said: str) -> DateEvent | None:
    verb = "出生" if said == "生日" else CHINESE_DATE.sub("", said)
    acts = verb.endswith(CHINESE_ACTS)
    if verb == said or verb.startswith(CHINESE_PLANNED) or not (acts or verb.endswith(CHINESE_DONE)):
        return None
    kind: Kind = "act" if acts else "done"
    return DateEvent(kind, verb[-2:], verb[-2:] in CHINESE_NOT_YET, _base_in_chinese(kind, verb[-2:]))


def _base_in_chinese(kind: Kind, told: str) -> str:
    return told if kind == "act" or told in CHINESE_OURS else ""


def verb_of_table(parts: Sequence[str], language: str) -> Verb | None:
    """Return what people do to entities in a table that these words name."""
    if language == "zh":
        said = (_IN_CHINESE[verb.base] for part in parts if (verb := _TABLES.get(singular(part))))
        known = next(said, None) or next((p for p in parts if p in _CHINESE_VERBS), None)
        return None if known is None else Verb(known, known)
    return next((verb for part in parts if (verb := _TABLES.get(singular(part)))), None)
