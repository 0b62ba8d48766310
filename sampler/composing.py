"""Templates composed of parts: what is shown or computed, conditions, groups, HAVING, an order; and whole queries.

    [total.average] sql = "AVG({a})", en = ["average {a}"]      what is the average {c1} and the number of {t0s}
    [where.is] sql = "{a} = {v}", en = ["whose {a} is {v}"]     whose {c2} is {v0} for each {c0}?
    SELECT t0.c0, AVG(t0.c1), COUNT(*) FROM t0 WHERE t0.c2 = :v0 GROUP BY t0.c0

The grammar is synchronous: each part has its SQL and its words (``parts.toml``, ``wholes.toml``), and a question joins
the words as its query joins the SQL. So a network sees the same parts in many company, and each of them said (Andreas
2020). Tables have the slots t0, whose rows are asked for, t1 that it refers to, t2 that this refers to, t3 that refers
to t0, t4 and t5 a bridge and its other side, t8 and t9 of `template.AGAIN`.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ..data.parsing import read_tree
from .template import ColumnSlot, Slot, Template, TemplateTurn, ValueSlot, Wording

_FOLDER = Path(__file__).parent
_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_FIELD = re.compile(r"\{(\w+)(!|(?:\+(\w+))?)\}")
_TOLD = re.compile(r"\{(\w):([^{}!]+)(!?)\}")
_SLOT = re.compile(r"<(\w+)(?:\+(\w+))?>")
_JOIN = re.compile(r"\{([+<])(t\d)\}")
_ASKED: Sequence[tuple[str, int]] = (("name", 3), ("category", 3), ("number", 3), ("text", 1), ("date", 1))
"""The kinds of columns that people ask to see, and their shares."""

_ON = {
    "t1": ("t0", "t1"),
    "t2": ("t1", "t2"),
    "t3": ("t3", "t0"),
    "t4": ("t4", "t0"),
    "t5": ("t4", "t5"),
    "t9": ("t0", "t9"),
}
"""For each table's slot the child and the parent of the join that adds it."""

_WHOLE = 0.4
"""The share of whole queries."""

_ALSO_SHOWN = 0.3
"""The share of conditions on a column that stands beside them, where there is one."""

_TABLES = {"t": "t0", "parent": "t1", "grand": "t2", "child": "t3", "bridge": "t4", "other": "t5", "boss": "t9"}
"""What wordings call the tables."""

_REPEATED = ("column", "of-parent", "sum", "average", "most", "least")
"""Parts that may come twice, with other columns."""


@cache
def grammar() -> Mapping[str, Any]:
    """Return the parts by kind and name."""
    files = [tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8")) for name in ("parts", "wholes", "turns")]
    found = {kind: entries for one in files for kind, entries in one.items()}
    for kind in ("shown", "total", "group", "where", "having", "whole"):
        for entry in found[kind].values():
            entry["slots"] = {letter: told for letter, told, _ in sorted(_TOLD.findall(entry["sql"]))}
            entry["sql"] = _TOLD.sub(r"{\1\3}", entry["sql"])
    return found


WHOLES = tuple(grammar()["whole"])
"""Names of whole queries."""


@dataclass(frozen=True)
class SlottedPart:
    """A production with slots for its letters, and the parts within it."""

    name: str
    entry: Mapping[str, Any]
    slots: Mapping[str, str]
    within: tuple["SlottedPart", ...] = ()

    @property
    def sql(self) -> str:
        """Return its SQL."""
        text = self.entry["sql"]
        for name, part in zip(("cond", "cond2"), self.within, strict=False):
            text = text.replace(f"{{{name}}}", part.sql)
        return _FIELD.sub(lambda match: self._written(match[1], bare=match[2] == "!") or match[0], text)

    def _written(self, letter: str, *, bare: bool) -> str:
        slot = self.slots.get(letter, "")
        name = slot.rpartition(".")[2]
        return f":{slot}" if slot[:1] == "v" else name if bare else slot


@dataclass
class Slots:
    """The columns and values of a conversation."""

    rng: random.Random
    columns: dict[str, ColumnSlot] = field(default_factory=dict[str, ColumnSlot])
    values: dict[str, ValueSlot] = field(default_factory=dict[str, ValueSlot])

    def part(self, kind: str, known: Sequence[str] = ()) -> SlottedPart:
        """Draw a part of a kind that is not known yet, with new columns and values in its slots."""
        options = {name: part for name, part in grammar()[kind].items() if name not in known}
        name = self.rng.choices([*options], [part.get("of", 1) for part in options.values()])[0]
        return self.filled(kind, name, {})

    def filled(self, kind: str, name: str, given: Mapping[str, str]) -> SlottedPart:
        """Return a part with new columns and values in the slots of all letters but those that are given."""
        entry, slots = grammar()[kind][name], dict(given)
        told, text = entry["slots"], entry["sql"]
        for letter in (one for one in told if one in "abcdefgh" and one not in slots):
            slots[letter] = self._column(told[letter], slots)
        for letter in (one for one in "uvwxn" if f"{{{one}}}" in text and one not in slots):
            slots[letter] = f"v{len(self.values)}"
            self.values[slots[letter]] = self._value(told.get(letter, "" if letter != "n" else "small"), slots)
        simple = [one for one, part in grammar()["where"].items() if not part.get("simple", True)]
        inner = tuple(self.part("where", simple) for one in ("{cond}", "{cond2}") if one in text)
        return SlottedPart(name, entry, slots, inner)

    def _column(self, told: str, slots: Mapping[str, str]) -> str:
        """Return a new slot for a column as ``t1.date after a`` tells it."""
        place, _, after = told.partition(" after ")
        table, _, kind = place.rpartition(".")
        if kind == "any":
            kind = self.rng.choices([kind for kind, _ in _ASKED], [share for _, share in _ASKED])[0]
        slot, table = f"c{len(self.columns)}", table or "t0"
        self.columns[slot] = ColumnSlot(table, kind, slots[after].rpartition(".")[2] if after else None)
        return f"{table}.{slot}"

    def _value(self, told: str, slots: Mapping[str, str]) -> ValueSlot:
        """Return what a value must be, as ``contains b`` tells it; without a word a cell of the first column."""
        if told == "small":
            return ValueSlot("", told)
        kind, _, letter = told.partition(" ")
        column = slots[letter or next(iter(slots))].rpartition(".")[2]
        role = self.columns[column].kind
        texts = role in ("category", "name", "text", "status")
        return ValueSlot(column, kind or ("text" if texts else "number"))


@dataclass
class Composition:
    """A question in parts.

    Attributes:
        frame: of ``frames``; for a whole query, the query stands in ``whole``.
        key, end, number: what rows are sorted by, how (of ``ends``), and how many of them come, with the end ``first``.
    """

    frame: str
    shown: list[SlottedPart] = field(default_factory=list[SlottedPart])
    groups: list[SlottedPart] = field(default_factory=list[SlottedPart])
    where: list[SlottedPart] = field(default_factory=list[SlottedPart])
    having: SlottedPart | None = None
    key: SlottedPart | None = None
    end: str = ""
    number: int = 0
    whole: SlottedPart | None = None

    @property
    def sql(self) -> str:
        """Return the query."""
        where = " AND ".join(part.sql for part in self.where)
        if self.whole is not None:
            text = self.whole.entry["sql"].replace("{where}", f" WHERE {where}" * bool(where))
            text = SlottedPart("", {"sql": text}, self.whole.slots, self.whole.within).sql
        else:
            text = f"SELECT {', '.join(one.sql for one in (*self.groups, *self.shown))} FROM t0{{joins}}"
            text += f" WHERE {where}" * bool(where)
            text += f" GROUP BY {', '.join(one.sql for one in self.groups)}" * bool(self.groups)
            text += f" HAVING {self.having.sql}" if self.having else ""
            if self.key is not None:
                text += f" ORDER BY {self.key.sql}" + " DESC" * (self.end != "up")
                text += f" LIMIT {self.number}" * (self.end == "first")
        return _numbered(_joined(text))


_PER = re.compile(r"SELECT (.+?) FROM (.+) ORDER BY (.+) LIMIT (\S+) PER (\S+)")


def _numbered(text: str) -> str:
    """Write LIMIT … PER, the first rows of each group, with numbered rows in a derived table."""
    if not (found := _PER.fullmatch(text)):
        return text
    shown, source, order, count, key = found.groups()
    names = {column: f"k{place}" for place, column in enumerate(dict.fromkeys([*shown.split(", "), key]))}
    inner = ", ".join(f"{column} AS {name}" for column, name in names.items())
    number = f"ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY {order}) AS k9"
    outer = ", ".join(f"t7.{names[column]}" for column in shown.split(", "))
    rows = f"SELECT {inner}, {number} FROM {source}"
    return f"SELECT {outer} FROM ({rows}) AS t7 WHERE t7.k9 <= {count} ORDER BY t7.{names[key]}, t7.k9"


def _joined(text: str) -> str:
    """Write the joins of a query: ``{+t3}``, ``{<t3}`` for LEFT JOIN, and ``{joins}`` for tables that it only names."""
    own = {match[2] for match in _JOIN.finditer(text)}
    text = _JOIN.sub(lambda match: _join(match[2], "LEFT " * (match[1] == "<")), text)
    needed = [slot for slot in ("t1", "t2") if slot not in own and re.search(rf"\b{slot}\.", text)]
    if needed == ["t2"] and "t1" not in own:
        needed = ["t1", "t2"]
    return text.replace("{joins}", "".join(_join(slot) for slot in needed))


def _join(slot: str, left: str = "") -> str:
    child, parent = _ON[slot]
    table = "t0 AS t9" if slot == "t9" else slot
    return f" {left}JOIN {table} ON {child}.key_{parent} = {parent}.key_{child}"


class Composer:
    """Draws questions and says them.

    Args:
        language: en, zh or de.
    """

    def __init__(self, language: str, rng: random.Random) -> None:
        self.language, self.rng = language, rng
        self.slots = Slots(rng)

    def template(self, turns: Sequence[TemplateTurn]) -> Template:
        """Return the template of turns."""
        text = " ".join(turn.query.sql("sqlite") for turn in turns)
        joins = tuple(_ON[slot] for slot in _ON if re.search(rf"(?<![a-z0-9]){slot}\b", text))
        tables = dict.fromkeys(["t0", *(slot for pair in joins for slot in pair)], False)
        return Template("", tuple(turns), tables, self.slots.columns, self.slots.values, joins, self.language)

    def draw(self) -> Composition:
        """Draw a question."""
        return self.whole() if self.rng.random() < _WHOLE else self.of_parts()

    def whole(self, names: Sequence[str] = ()) -> Composition:
        """Draw a question whose query is no list of parts: one of these names, or any."""
        part = self.slots.filled("whole", self.rng.choice(names), {}) if names else self.slots.part("whole")
        text = part.entry["sql"]
        some = self._few(0, 1, 0.3) if "{where}" in text else 0
        return Composition("", whole=part, where=[self._condition([]) for _ in range(some)])

    def of_parts(self) -> Composition:
        """Draw a question of parts."""
        kind = self.rng.choices(("rows", "list", "total", "grouped"), (2, 4, 3, 5))[0]
        groups = self._parts("group", self._few(1, 2, 0.4)) if kind == "grouped" else []
        most = 5 if kind == "list" else 3
        named = kind == "rows"
        shown = (
            [self.slots.filled("shown", "named", {})]
            if named
            else self._parts("shown" if kind == "list" else "total", self._few(1, most, 0.6))
        )
        where = [self._condition([*groups, *shown]) for _ in range(self._few(0, 3, 0.45))]
        having = self.slots.part("having") if len(groups) == 1 and self.rng.random() < 0.2 else None
        question = Composition(self._frame(kind, shown, where), shown, groups, where, having)
        keys = [one for one in shown if self.sorts(one)]
        if keys and self.rng.random() < (0.3 if groups else 0.25 if kind == "list" else 0):
            question.key, question.end = self.rng.choice(keys), self.rng.choice(("down", "up", "first"))
            question.number = self.rng.choice((2, 3, 5, 10))
        return question

    def _frame(self, kind: str, shown: Sequence[SlottedPart], where: Sequence[SlottedPart]) -> str:
        counted = [one.name == "count" for one in shown]
        if counted == [True] and self.rng.random() < 0.6:
            return "how-many" if kind == "total" else "how-many-grouped"
        if kind in ("total", "grouped") and any("{t" in words for one in shown for words in one.entry[self.language]):
            frame = "among" if where and any(one.within for one in shown) else "counted"
            return frame if kind == "total" else f"{frame}-grouped"
        return kind

    def _condition(self, beside: Sequence[SlottedPart]) -> SlottedPart:
        """Draw a condition, sometimes one on a column that is shown or grouped by as well."""
        known = [one for one in beside if one.name == "column"]
        if known and self.rng.random() < _ALSO_SHOWN:
            one = self.rng.choice(known)
            fitting = [name for name, part in grammar()["where"].items() if part["slots"].get("a") == self._kind(one)]
            if fitting:
                return self.slots.filled("where", self.rng.choice(fitting), {"a": one.slots["a"]})
        return self.slots.part("where")

    def _kind(self, part: SlottedPart) -> str:
        return self.slots.columns[part.slots["a"].rpartition(".")[2]].kind

    def _few(self, least: int, most: int, share: float) -> int:
        """Return a number in a range; each one more in ``share`` of the draws."""
        number = least
        while number < most and self.rng.random() < share:
            number += 1
        return number

    def _parts(self, kind: str, count: int) -> list[SlottedPart]:
        found = list[SlottedPart]()
        beside = [
            name for name, part in grammar()[kind].items() if part.get("of") == 0 or (count == 1 and part.get("beside"))
        ]
        while len(found) < count:
            found.append(self.slots.part(kind, [*beside, *(one.name for one in found if one.name not in _REPEATED)]))
        return found

    def sorts(self, part: SlottedPart) -> bool:
        """Is a part a number, so that it has a highest and a lowest?"""
        return part.name not in ("column", "of-parent", "named") or self._kind(part) == "number"

    def said(self, question: Composition) -> str:
        """Return the words of a question, with slots in angle brackets."""
        before = [one for one in question.where if self.language in one.entry.get("before", ())][:1]
        where = [self.words(one) for one in question.where if one not in before]
        said = {
            "parts": self._listed([self.words(one) for one in question.shown]),
            "groups": self._listed([self.words(one) for one in question.groups]),
            "where": self._conditions(where),
            "before": "".join(f"{self.words(one)} " for one in before),
        }
        if question.whole is not None:
            return self.words(question.whole, said)
        text, end = self._framed("frames", question.frame, said), ""
        if question.having is not None:
            having = {"groups": self.words(question.groups[0]), "having": self.words(question.having)}
            end = self._framed("ends", "having", having)
        if question.key is not None:
            end += self._framed("ends", question.end, {"key": self.words(question.key), "n": str(question.number)})
        return text.rstrip("?？") + end if end else text

    def words(self, part: SlottedPart, said: Mapping[str, str] | None = None) -> str:
        """Return one of the wordings of a part."""
        inner = [self.words(one) for one in part.within]
        more = dict(zip(("cond", "cond2"), inner, strict=False)) | dict(said or {})
        return self.put(self.chosen(part.entry[self.language]), part.slots, more)

    def _framed(self, kind: str, name: str, said: Mapping[str, str]) -> str:
        return self.put(self.chosen(grammar()[kind][name][self.language]), {}, said)

    def put(self, text: str, slots: Mapping[str, str], said: Mapping[str, str]) -> str:
        before = said.get("before", "")

        def put(match: re.Match[str]) -> str:
            nonlocal before
            name, form = match[1], match[3] or ""
            if name in said:
                words = said[name]
                return words.replace(">", f"+{form}>", 1) if form and "+" not in words else words
            slot = _TABLES.get(name) or slots[name].rpartition(".")[2]
            first, before = (before, "") if name == "t" and form in ("", "s") else ("", before)
            return f"{first}<{slot}+{form}>" if form else f"{first}<{slot}>"

        return _FIELD.sub(put, text)

    def _listed(self, parts: Sequence[str]) -> str:
        comma, last = grammar()["joiners"][self.language]
        *before, end = parts or [""]
        return f"{comma.join(before)}{last}{end}" if before else end

    def _conditions(self, where: Sequence[str]) -> str:
        text = grammar()["more-where"][self.language].join(where)
        return "" if not text else f"{text}的" if self.language == "zh" else f" {text}"

    def chosen(self, wordings: Sequence[str]) -> str:
        text = self.rng.choice(wordings)
        while match := _CHOICE.search(text):
            text = text[: match.start()] + self.rng.choice(match[1].split("|")) + text[match.end() :]
        return text

    def turn(self, question: Composition, wordings: int) -> TemplateTurn:
        """Return a question in up to ``wordings`` ways, with its query."""
        said = dict.fromkeys(self.said(question) for _ in range(wordings))
        name = question.frame if question.whole is None else question.whole.name
        return TemplateTurn(tuple(map(self.pieces, said)), read_tree(question.sql, "sqlite"), name)

    @staticmethod
    def pieces(words: str) -> Wording:
        """Return words with their slots."""

        def parts() -> Iterator[str | Slot]:
            end = 0
            for match in _SLOT.finditer(words):
                yield words[end : match.start()]
                yield Slot(match[1], match[2] or "")
                end = match.end()
            yield words[end:]

        return tuple(part for part in parts() if part)
