"""Names of tables and columns in plain words, and their forms."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...data.schema.plain_names import natural, plural, singular, words

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_BOTH = re.compile(r"([\u4e00-\u9fff]{2,}) +[A-Za-z]")
"""A description in Chinese and then in English."""
_PERSONS = {
    "student", "customer", "employee", "member", "person", "people", "teacher", "professor", "instructor", "user",
    "artist", "singer", "actor", "player", "author", "staff", "guest", "doctor", "physician", "patient", "nurse",
    "driver", "client", "manager", "advisor", "candidate", "coach", "director", "editor", "wrestler", "swimmer",
    "climber", "pilot", "owner", "tourist", "visitor", "reviewer", "scientist", "representative", "resident", "voter",
    "journalist", "captain", "builder", "gymnast", "athlete", "host", "worker", "supplier", "parent", "child",
    "entrepreneur", "politician", "perpetrator", "faculty", "musician", "dentist", "tenant", "borrower", "reader",
    "学生", "客户", "顾客", "员工", "嘉宾", "演员", "教师", "教授", "老师", "歌手", "作者", "作家", "导演", "球员",
    "会员", "用户", "医生", "病人", "患者", "飞行员", "登山者", "人物", "运动员", "选手", "教练", "经理", "乘客",
    "候选人", "明星", "艺术家", "记者", "工人", "司机", "诗人", "音乐人", "候选者", "居民", "创始人", "科学家",
}  # fmt: skip
_MASSES = {"information", "data", "history", "details", "stock", "weather", "music", "news", "sales", "equipment"}
_ENDLESS = re.compile(r" in |(?:^| )(?:to|from|by|of|at|in|on|for|held|[a-z]+ed|mph|percent|pct|[a-z]|km|usd)$")
"""Ends of column names that take no plural: date from, date opened, wind speed mph."""
_MEASURE = re.compile(r"(?<=\w\w) (?:g|kg|mg|km|cm|mm|sqm|sqft|usd|eur|gbp|mph|kmh|ms|lbs)$")
"""Measures at the end of names: the ``weight g`` of a product is its weight."""
_DONE = re.compile(r"(\w+ed|paid|sold|sent|born|built|held|made) (?:on|at)")
_NOISE = {"tbl", "tb", "ref", "dim", "fact", "table", "tab"}


@dataclass(frozen=True)
class Noun:
    """A thing in words: ``one`` and ``many`` of it; ``several``: one of it is many already, as points are."""

    one: str
    many: str
    person: bool = False
    several: bool = False

    def form(self, form: str) -> str:
        """Return a form: ``s`` many, ``who`` or that, ``what`` or who, in Chinese 谁 or 哪个."""
        match form:
            case "s":
                return self.many
            case "who":
                return "who" if self.person else "that"
            case "what":
                asked = ("who", "what") if self.one.isascii() else ("谁", "哪个")
                return asked[not self.person]
            case _:
                return self.one


def verbalised(name: str, description: str, language: str) -> str:
    """Return a name as people say it: its description's first clause, if natural in the language, or its words."""
    told = re.split(r"[,;:.(（，；：。]", description.strip(), maxsplit=1)[0].strip()
    if language == "zh" and (both := _BOTH.match(told)):
        told = both[1]
    told = natural(told.replace("_", " "))
    foreign = bool(_CHINESE.search(told)) != (language == "zh")
    if told and not (foreign and _CHINESE.search(name if language == "zh" else told)):
        return told.lower()
    return name.replace("_", "") if _CHINESE.search(name) else " ".join(words(name)) or name


def table_noun(name: str, description: str, language: str) -> Noun:
    """Return the noun of one row of a table."""
    said = verbalised(name, description, language)
    if _CHINESE.search(said):
        said = re.sub(r"(?<=..)(信息|表|信息表)$", "", said)
        return Noun(said, said, any(said.endswith(person) for person in _PERSONS if _CHINESE.search(person)))
    parts = said.split()
    kept = [singular(part) if is_person(part) else part for part in parts[:-1] if part not in _NOISE] + parts[-1:]
    one = " ".join([*kept[:-1], singular(kept[-1])]) + (" record" if kept[-1] in _MASSES and language == "en" else "")
    many = plural(one) if language == "en" else one
    return Noun(one, many, is_person(kept[-1]))


def column_noun(name: str, description: str, table: Noun, language: str, *, named: bool) -> Noun:
    """Return the noun of a column, without the name of its table: ``product price`` of products is a price.

    ``named``: a column that is called as its table is, is its name.
    """
    said = verbalised(name, description, language)
    if named and said.lower() in {table.one.lower(), table.many.lower()}:
        return Noun("名称", "名称") if _CHINESE.search(said) else Noun("name", "names")
    for prefix in (table.one, table.one.split()[-1] if table.one.split() else ""):
        rest = said[len(prefix) :].strip() if prefix and said.lower().startswith(prefix.lower()) else ""
        if rest and (_CHINESE.search(rest) is None or len(rest) > 1) and not rest.startswith(("s ", "of ", "的")):
            said = rest if said[len(prefix)] == " " or _CHINESE.search(rest) else said
            break
    if _CHINESE.search(said) or language == "zh":
        return Noun(said, said)
    said = _MEASURE.sub("", said)
    own = re.escape(table.one)
    said = re.sub(rf"(?<=^date )(?:{own} (\w+)|(\w+) {own})$", r"\1\2", said)  # date order placed, date left staff
    said = _DONE.sub(r"date \1", said) if _DONE.fullmatch(said) else _without_short(said, table)
    if re.search(r"[^su i]s$", said.partition(" of ")[0]):
        return Noun(said, said, several=True)
    return Noun(said, plural(said) if language == "en" and said[-1:].isalpha() and not _ENDLESS.search(said) else said)


def _without_short(said: str, table: Noun) -> str:
    """Leave out the table's name where it is cut short: the ``cat name`` of a category is its name."""
    first, _, rest = said.partition(" ")
    return rest if rest and len(first) > 2 and table.one.split()[-1].startswith(first) else said


def joined(nouns: Sequence[Noun], language: str) -> Noun:
    """Return several nouns as one: name, age and city."""
    if len(nouns) == 1:
        return nouns[0]
    if language == "zh":
        text = "和".join(["、".join(n.one for n in nouns[:-1]), nouns[-1].one])
        return Noun(text, text)
    if {n.one.split()[0] for n in nouns} <= {"first", "last", "middle"}:  # first and last names
        first = " and ".join(n.one.split()[0] for n in nouns)
        return replace(nouns[-1], one=f"{first} name", many=f"{first} names", several=True)
    last = " und " if language == "de" else " and "
    one, many = (last.join([", ".join(t[:-1]), t[-1]]) for t in ([n.one for n in nouns], [n.many for n in nouns]))
    return Noun(one, many, several=True)


def is_person(word: str) -> bool:
    """Does an English word mean a person?"""
    return word in _PERSONS or singular(word) in _PERSONS
