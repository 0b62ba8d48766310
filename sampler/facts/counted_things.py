"""What numbers of a column count, where «how many» asks for their sum: crates, bottles sold, people."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ...data.schema.plain_names import plural, singular
from .facts import ColumnFacts, TableFacts
from .verbalisation import Noun

_STARTS = ("number of ", "count of ", "quantity of ", "number ")
_QUANTITIES = {"quantity", "units", "count"}
_MEASURES = {"tonnes", "tons", "litres", "liters", "gallons", "barrels", "kilograms", "kilos", "pounds", "hectares"}
"""What may be counted in fractions."""
_NO_THINGS = {
    "sales", "earnings", "wages", "costs", "prices", "fees", "taxes", "revenues", "profits", "expenses", "proceeds",
    "savings", "assets", "funds", "charges", "dollars", "euros", "pounds", "cents", "hundreds", "thousands",
    "millions", "billions", "details", "degrees", "years", "months", "seconds", "milliseconds", "meters", "metres",
    "feet", "inches", "miles", "knots", "bytes", "pixels", "ranks", "rates", "scores", "grades", "marks", "ratings",
    "stars", "versions", "species", "series", "news", "atlas", "bias", "canvas", "gas",
}  # fmt: skip
"""Plurals that say how much, how far or how good."""
_NO_SUMS = {"average", "mean", "median", "max", "maximum", "min", "minimum", "per", "percent", "in", "rate", "ratio",
            "share", "density", "speed", "index", "limit"}  # fmt: skip
_KINDS = {"", "count", "pages", "duration", "score"}
_PEOPLE = {"population": "live", "attendance": "come", "enrollment": "enroll", "enrolment": "enroll"}
_VERBS = {
    "sold": ("sell", "卖出"), "picked": ("pick", "采摘"), "harvested": ("harvest", "收获"),
    "ordered": ("order", "订购"), "bought": ("buy", "购买"), "shipped": ("ship", "发出"), "lent": ("lend", "借出"),
    "delivered": ("deliver", "送达"), "produced": ("produce", "生产"), "scored": ("score", "拿下"),
    "booked": ("book", "预订"), "won": ("win", "赢得"), "donated": ("donate", "捐赠"), "exported": ("export", "出口"),
    "imported": ("import", "进口"), "carried": ("carry", "运送"), "published": ("publish", "出版"),
    "built": ("build", "建成"),
}  # fmt: skip
"""By what was done to things: the verb of those who did it, and what is done in Chinese."""
_DONE_IN = {
    "sale": "sold", "pick": "picked", "picking": "picked", "harvest": "harvested", "order": "ordered",
    "purchase": "bought", "shipment": "shipped", "delivery": "delivered", "production": "produced",
    "booking": "booked", "reservation": "booked", "donation": "donated", "export": "exported", "import": "imported",
    "销售": "卖出", "订单": "订购", "采购": "购买", "发货": "发出", "采摘": "采摘", "收获": "收获", "生产": "生产",
    "捐赠": "捐赠", "出口": "出口", "进口": "进口",
}  # fmt: skip
"""What the rows of a table do to things, by a word of its name."""
_CHINESE_ENDS = ("总数量", "总人数", "数量", "人数", "个数", "总数", "数目", "数")
_CHINESE_PEOPLE = re.compile(r"(?:总|常住)?人口(?:总)?(?:数|数量)?")
_CHINESE_PERSON = re.compile(r"[员生工者客众人师民丝家]$")
_CHINESE_DONE = re.compile(
    r"(?:总)?(销售?|售出|订购|预订|租借|采购|购买|下单|发货|供货|生产|发行|出口|进口|捐赠)(?:数量|数|量)"
)
_NO_CHINESE = re.compile(
    r"[指分系倍基参届周月天年次匹]数|字节数|里程数|平均|百分|比|人均|最|每|率|第|[^总]总|[^\u4e00-\u9fff]|排名"
    r"|^(?:建成|规划|现存|剩余|余|关注|收藏|停靠|入围|容纳)"
)
"""What is no sum, or is called by what is done alone."""


@dataclass(frozen=True)
class CountedThings:
    """What a number counts.

    Attributes:
        noun: one of them and several.
        past: what is done to them, empty where nobody knows.
        kind: what people do who are counted: ``live``, ``come``, ``enroll``; empty of other things.
    """

    noun: Noun
    past: str = ""
    kind: str = ""

    def among(self, nouns: Collection[str]) -> bool:
        """Do tables hold them, by the last words of their nouns?"""
        return any(word in nouns for word in self.noun.one.split())


def counted_things(column: ColumnFacts, table: TableFacts, language: str) -> CountedThings | None:
    """Return what a column counts: copies that are sold, of ``copies_sold``.

    None of prices, rates, ages and of whatever does not add up.
    """
    if column.role != "number" or not _adds_up(column):
        return None
    said = column.noun.one
    found = _english(said.split()) if said.isascii() else _chinese(said)
    if found is None or not (_whole(column) or found.noun.many.split()[-1] in _MEASURES):
        return None
    done_in = next((_DONE_IN[word] for word in _words(table.noun.one) if word in _DONE_IN), "")
    past = found.past or done_at(table.first_time) or done_in
    if language == "en":
        return replace(found, past=past) if said.isascii() else None
    chinese = _VERBS[past][1] if past in _VERBS else "" if past.isascii() else past
    return replace(found, noun=_in_chinese(found, said), past=chinese)


def base_of(past: str) -> str:
    """Return the verb of those who did something: sell of what was sold; empty where nobody knows."""
    return past if past and not past.isascii() else _VERBS.get(past, ("", ""))[0]


def done_at(time: ColumnFacts | None) -> str:
    """Return what was done to things at a time of their row: picked; empty of what is done to the row alone."""
    event = time.event if time is not None else None
    known = {*_VERBS, *(chinese for _, chinese in _VERBS.values())}
    return event.past if event is not None and event.kind == "done" and event.past in known else ""


def _adds_up(column: ColumnFacts) -> bool:
    if column.kind == "score":  # marks on a scale have no zero, points of a game have
        return column.noun.one.split()[-1] == "points" and column.values[:1] == [0]
    return column.sums and (column.kind in _KINDS or column.kind == "population")


def _whole(column: ColumnFacts) -> bool:
    return all(isinstance(value, int) and value >= 0 for value in column.values)


def _english(parts: Sequence[str]) -> CountedThings | None:
    said = parts[1:] if parts[0] == "total" else parts
    if not said or {*said} & _NO_SUMS:
        return None
    if said[-1] in _PEOPLE and len(said) == 1:
        kind = _PEOPLE[said[-1]]
        return CountedThings(Noun("student", "students") if kind == "enroll" else Noun("person", "people"), kind=kind)
    past = said[-1] if len(said) > 1 and _is_done(said[-1]) else ""
    text = " ".join(said[:-1] if past else said)
    if text.split()[-1] == "quantity" or (past and text in _QUANTITIES):
        return CountedThings(Noun("unit", "units"), past)
    start = next((start for start in _STARTS if text.startswith(start)), "")
    counts = text.endswith(" count")
    named = text.removeprefix(start).removesuffix(" count").split()
    if not named or not all(word.isalpha() for word in named):
        return None
    one = " ".join([*named[:-1], singular(named[-1])])
    many = plural(one)
    plain = many == " ".join(named) and many != one
    if many.split()[-1] in _NO_THINGS or not (plain or counts or start not in ("", "number ")):
        return None
    return CountedThings(Noun(one, many), past)


def _is_done(word: str) -> bool:
    """Does a word say what was done to things? It may be what they are, too: available."""
    return word in _VERBS or word == "available" or (word.endswith("ed") and len(word) > 5 and not word.endswith("eed"))


def _chinese(said: str) -> CountedThings | None:
    if _CHINESE_PEOPLE.fullmatch(said):
        return CountedThings(Noun("人", "人"), kind="live")
    if done := _CHINESE_DONE.fullmatch(said):
        return CountedThings(Noun("件", "件"), "卖出" if "销" in done[1] or "售" in done[1] else done[1])
    end = next((end for end in _CHINESE_ENDS if said.endswith(end)), "")
    if not end or _NO_CHINESE.search(said.removesuffix(end).removesuffix("总") + "数"):
        return None
    thing = said.removesuffix(end).removeprefix("总")
    if "人" in end:
        thing = _chinese_people(thing)
    elif not thing and end == "数量":
        thing = "件"
    return CountedThings(Noun(thing, thing)) if thing else None


def _chinese_people(said: str) -> str:
    """Return who is counted: pupils are called so, 报名 are those who sign up, 成 are adults."""
    if _CHINESE_PERSON.search(said):
        return said
    return f"{said}的人" if len(said) > 1 else f"{said}人"


def _in_chinese(found: CountedThings, said: str) -> Noun:
    """Return things in Chinese: those of an English name as it calls them, people and units in words."""
    if not said.isascii():
        return found.noun
    word = {"unit": "件", "person": "人"}.get(found.noun.one) or ("人" if found.kind else said)
    return Noun(word, word)


def _words(noun: str) -> list[str]:
    """Return the words of a table's noun, the last first; of a Chinese one the ends that a verb may have."""
    if noun.isascii():
        return [singular(word) for word in reversed(noun.split())]
    bare = noun.removesuffix("记录").removesuffix("明细")
    return [bare[-2:], bare[:2]]
