"""Templates composed of parts: what is shown or computed, conditions, groups, HAVING, an order.

    [total.average] sql = "AVG({a})", en = ["average {a}"]      what is the average {c1} and the number of {t0s}
    [where.is] sql = "{a} = {v}", en = ["whose {a} is {v}"]     whose {c2} is {v0} for each {c0}?
    SELECT t0.c0, AVG(t0.c1), COUNT(*) FROM t0 WHERE t0.c2 = :v0 GROUP BY t0.c0

The grammar is synchronous: each part has its SQL and its words (``composed.toml``), and a question joins the words as
its query joins the SQL. So a network sees the same parts in many company, and each of them said (Andreas 2020).
"""

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ..data.parsing import read_tree
from .facts.roles import Role
from .mining import KEY, ColumnSlot, Slot, Template, ValueSlot

_FILE = Path(__file__).with_name("composed.toml")
_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_FIELD = re.compile(r"\{(\w+)(\+s)?\}")
_SLOT = re.compile(r"<(\w+)(\+s)?>")
_ASKED: Sequence[tuple[Role | None, bool, int]] = (
    (None, True, 3), ("category", False, 3), ("number", False, 3), ("text", False, 1), ("date", False, 1),
)  # fmt: skip
"""Role, whether it names rows, and share of the columns that people ask to see."""

_REPEATED = ("column", "of-parent", "sum", "average", "most", "least")
"""Parts that may come twice, with other columns."""


@cache
def _grammar() -> Mapping[str, Any]:
    return tomllib.loads(_FILE.read_text("utf-8"))


def composed(language: str, rng: random.Random) -> Template:
    """Return a template of parts that are drawn at random."""
    return _Composer(language, rng).template()


@dataclass(frozen=True)
class _Part:
    """The SQL of a part and its words, in both of which columns and values are slots."""

    name: str
    sql: str
    words: str


@dataclass
class _Composer:
    """One question and its query while they grow."""

    language: str
    rng: random.Random
    columns: dict[str, ColumnSlot] = field(default_factory=dict[str, ColumnSlot])
    values: dict[str, ValueSlot] = field(default_factory=dict[str, ValueSlot])
    joined: bool = False

    def template(self) -> Template:
        """Draw a whole question."""
        kind = self.rng.choices(("list", "total", "grouped"), (3, 2, 5))[0]
        groups = self._parts("group", self._few(1, 2, 0.4)) if kind == "grouped" else []
        parts = self._parts("shown" if kind == "list" else "total", self._few(1, 4 if kind == "list" else 3, 0.55))
        where = [self._part("where") for _ in range(self._few(0, 2, 0.4))]
        having = self._part("having") if len(groups) == 1 and self.rng.random() < 0.2 else None
        counted = any("<t0" in one.words for one in parts)
        frame = kind if kind == "list" or not counted else {"total": "counted", "grouped": "counted-grouped"}[kind]
        said = {"parts": self._listed(parts), "groups": self._listed(groups), "where": self._condition(where)}
        words, end, clauses = self._words("frames", frame, said), "", ""
        if having is not None:
            end = self._words("ends", "having", {"groups": groups[0].words, "having": having.words})
        keys = [one for one in parts if self._sorts(one)]
        if keys and self.rng.random() < (0.35 if groups else 0.25 if kind == "list" else 0):
            order, clauses = self._order(self.rng.choice(keys))
            end += order
        words = words.rstrip("?？") + end if end else words
        shown = [*(one.sql for one in groups), *(one.sql for one in parts)]
        sql = f"SELECT {', '.join(shown)} FROM t0"
        sql += f" JOIN t1 ON t0.{KEY} = t1.{KEY}" * self.joined
        sql += f" WHERE {' AND '.join(one.sql for one in where)}" * bool(where)
        sql += f" GROUP BY {', '.join(one.sql for one in groups)}" * bool(groups)
        sql += f" HAVING {having.sql}" if having is not None else ""
        tables, joins = {f"t{number}": False for number in range(1 + self.joined)}, (("t0", "t1"),) * self.joined
        query = read_tree(sql + clauses, "sqlite")
        return Template("", self._pieces(words), query, tables, self.columns, self.values, joins)

    def _few(self, least: int, most: int, share: float) -> int:
        """Return a number in a range; each one more in ``share`` of the draws."""
        number = least
        while number < most and self.rng.random() < share:
            number += 1
        return number

    def _parts(self, kind: str, count: int) -> list[_Part]:
        found = list[_Part]()
        while len(found) < count:
            beside = [name for name, part in _grammar()[kind].items() if count == 1 and part.get("beside")]
            found.append(self._part(kind, [*beside, *(one.name for one in found if one.name not in _REPEATED)]))
        return found

    def _part(self, kind: str, known: Sequence[str] = ()) -> _Part:
        """Draw a part of a kind that is not known yet, with new columns and values in its slots."""
        parts = {name: part for name, part in _grammar()[kind].items() if name not in known}
        name = self.rng.choices([*parts], [part.get("of", 1) for part in parts.values()])[0]
        table: Mapping[str, Any] = parts[name]
        slots = {one: self._column(table[one], "t1" if one == "p" else "t0") for one in "abp" if one in table}
        self.joined |= "p" in slots
        for letter in "vwn":
            if f"{{{letter}}}" in table["sql"]:
                slots[letter] = f"v{len(self.values)}"
                column = "" if letter == "n" else slots.get("a") or slots["p"]
                role = table.get("a") or table.get("p")
                self.values[slots[letter]] = ValueSlot(column, bool(column) and role in ("category", "name"))
        written = {
            one: f":{slot}" if slot[0] == "v" else f"{self.columns[slot].table}.{slot}" for one, slot in slots.items()
        }
        said = {"t": "t0", "parent": "t1", **slots}
        words = _FIELD.sub(lambda match: f"<{said[match[1]]}{match[2] or ''}>", self._chosen(table[self.language]))
        return _Part(name, table["sql"].format(**written), words)

    def _column(self, role: str, table: str) -> str:
        """Return a new slot for a column of a role."""
        slot, named = f"c{len(self.columns)}", role == "name"
        wanted: Any = {"sum": "number", "name": None}.get(role, role)
        if role == "any":
            wanted, named, _ = self.rng.choices(_ASKED, [share for *_, share in _ASKED])[0]
        self.columns[slot] = ColumnSlot(table, wanted, named, None, role == "sum", None)
        return slot

    def _sorts(self, part: _Part) -> bool:
        """Is a part a number, so that it has a highest and a lowest?"""
        return part.name not in ("column", "of-parent") or self.columns[part.sql.partition(".")[2]].role == "number"

    def _order(self, key: _Part) -> tuple[str, str]:
        """Return the words and the clauses of an order by a part, perhaps of the first rows alone."""
        direction = self.rng.choice(("down", "up", "first"))
        if direction != "first":
            words = self._words("ends", direction, {"key": key.words})
            return words, f" ORDER BY {key.sql}" + " DESC" * (direction == "down")
        number = self.rng.choice((2, 3, 5, 10))
        return self._words(
            "ends", "first", {"key": key.words, "n": str(number)}
        ), f" ORDER BY {key.sql} DESC LIMIT {number}"

    def _listed(self, parts: Sequence[_Part]) -> str:
        comma, last = _grammar()["joiners"][self.language]
        *before, end = [one.words for one in parts] or [""]
        return f"{comma.join(before)}{last}{end}" if before else end

    def _condition(self, where: Sequence[_Part]) -> str:
        said = _grammar()["more-where"][self.language].join(one.words for one in where)
        return "" if not said else f"{said}的" if self.language == "zh" else f" {said}"

    def _words(self, kind: str, name: str, said: Mapping[str, str]) -> str:
        """Return a wording of a frame or an end with the words of its parts."""

        def put(match: re.Match[str]) -> str:
            if match[1] == "t":
                return f"<t0{match[2] or ''}>"
            words = said[match[1]]
            return words.replace(">", "+s>", 1) if match[2] else words

        return _FIELD.sub(put, self._chosen(_grammar()[kind][name][self.language]))

    def _chosen(self, wordings: Sequence[str]) -> str:
        text = self.rng.choice(wordings)
        while match := _CHOICE.search(text):
            text = text[: match.start()] + self.rng.choice(match[1].split("|")) + text[match.end() :]
        return text

    def _pieces(self, words: str) -> tuple[str | Slot, ...]:
        found, end = list[str | Slot](), 0
        for match in _SLOT.finditer(words):
            found += [words[end : match.start()], Slot(match[1], match[2] is not None)]
            end = match.end()
        return tuple(part for part in (*found, words[end:]) if part)
