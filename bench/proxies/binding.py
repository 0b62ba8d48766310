"""Draws what the slots of a template stand for: things, their columns, values and numbers."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .draws import NoDraw, Scene, draw_value, needs, one_of, threshold
from .layouts import Placed, PlacedThing
from .phrases import Condition, flagged, is_value, label_words, names, things

__all__ = ["SLOT", "Binder", "Slots", "Template"]

SLOT = re.compile(r"\{([^{}]+)\}")
Template = Mapping[str, Any]
"""Clauses, wordings and needs, as `templates.toml` has them."""

_KINDS = {"n": "number", "c": "category", "d": "date", "f": "flag"}
_OF_PARENT = {"p", "ps", "pname", "pc", "pn", "pTS", "pcl"}


@dataclass
class Slots:
    """What was drawn: SQL and words by slot, and the things, columns and conditions behind them."""

    terms: dict[str, str] = field(default_factory=dict[str, str])
    words: dict[str, str] = field(default_factory=dict[str, str])
    things: dict[str, PlacedThing] = field(default_factory=dict[str, PlacedThing])
    columns: dict[str, Placed] = field(default_factory=dict[str, Placed])
    conditions: list[Condition] = field(default_factory=list[Condition])

    def fill(self, clause: str) -> str:
        """Fill a clause.

        Raises:
            KeyError: there is no such slot.
        """
        return SLOT.sub(lambda found: self.terms[found[1]], clause)

    def say(self, wording: str) -> str:
        """Fill a wording.

        Raises:
            KeyError: there is no such slot.
        """
        text = SLOT.sub(lambda found: self.words[found[1]], wording)
        return text[0].upper() + text[1:]

    def put(self, name: str, text: str) -> None:
        """Let a slot stand for a text, in SQL and in words."""
        self.words[name] = text
        self.terms[name] = text.replace("'", "''")


@dataclass(frozen=True)
class Binder:
    """Draws the slots of one template on one database.

    Attributes:
        asked: the slots that its texts name.
    """

    template: Template
    scene: Scene
    asked: frozenset[str]
    rng: random.Random
    slots: Slots

    def _need(self, letter: str) -> str:
        return self.template.get("need", {}).get(letter, "")

    def draw(self) -> None:
        """Draw all slots.

        Raises:
            NoDraw: this database has nothing for one of them.
        """
        roots = {name.split(".")[0].removeprefix("TS:") for name in self.asked}
        self._things(roots)
        self._columns(roots | ({"c"} if roots & {"v", "w"} else set()))
        self._values()
        if "n" in self.slots.columns:
            self._numbers()
        if "k" in self.asked:
            offered = (2, 3, 4, 5) if self.template["query"].get("limit") else (2, 3, 4, 5, 8, 10, 20, 30)
            self.slots.put("k", str(self.rng.choice(offered)))
        if self.asked & {"y", "d.inyear"}:
            self._year()

    def _things(self, roots: set[str]) -> None:
        layout = self.scene.layout
        coded = {"named": False, "coded": True}.get(self._need("t"))
        offered = [name for name, one in layout.things.items() if coded is None or bool(one.thing.code) == coded]
        self.rng.shuffle(offered)
        for name in offered:
            parents = list(layout.parents(name))
            if roots & _OF_PARENT:
                if not parents:
                    continue
                parent = self.rng.choice(parents)
                others = [other for other in layout.children(parent) if other != name]
                if roots & {"q", "qs"} and not others:
                    continue
                self._thing("p", parent)
                self._link("t", name, parent)
                if roots & {"q", "qs"}:
                    other = self.rng.choice(others)
                    self._thing("q", other)
                    self._link("q", other, parent)
            self._thing("t", name)
            self.slots.words |= label_words(layout.things[name])
            return
        raise NoDraw

    def _thing(self, letter: str, name: str) -> None:
        thing = self.scene.layout.things[name]
        self.slots.things[letter] = thing
        self.slots.terms |= {f"{letter}.{part}": thing.own(getattr(thing, part)) for part in ("key", "label")}
        self.slots.terms[f"{letter}.table"] = thing.table
        self.slots.words |= names(letter, thing)

    def _link(self, letter: str, name: str, parent: str) -> None:
        thing = self.scene.layout.things[name]
        self.slots.terms[f"{letter}.p"] = thing.own(thing.links[parent])

    def _columns(self, roots: set[str]) -> None:
        for letter, kind in _KINDS.items():
            if letter in roots:
                self._column(letter, self.slots.things["t"], kind)
        for letter, kind in (("pc", "category"), ("pn", "number")):
            if letter in roots or (letter == "pc" and roots & {"u", "pTS"}):
                self._column(letter, self.slots.things["p"], kind)

    def _column(self, letter: str, thing: PlacedThing, kind: str) -> None:
        slots, used = self.slots, self.slots.columns.values()
        offered = [one for one in thing.columns.values() if one.column.kind == kind and one not in used]
        offered = [one for one in offered if _fits(one, thing, self._need(letter))]
        placed = one_of(offered, self.rng)
        slots.columns[letter], slots.terms[letter] = placed, placed.sql
        slots.words[letter] = placed.word
        for side in {"top", "low"} & placed.column.phrases.keys():
            slots.words[f"{letter}.{side}"] = placed.phrase(side)
        if kind == "date":
            for unit, form in (("year", "%Y"), ("month", "%m")):
                slots.terms[f"{letter}.{unit}"] = f"STRFTIME('{form}', {placed.full})"
        if kind == "flag":
            condition = flagged(placed, True)
            slots.terms["f.yes"] = condition.sql.rsplit(" = ", 1)[1]
            slots.words["TS:f"] = things(thing, [condition])

    def _values(self) -> None:
        slots, asked = self.slots, self.asked
        if "c" in slots.columns and asked & {"v", "w", "TS:v", "TS:w"}:
            placed = slots.columns["c"]
            chosen = [draw_value(self.scene, placed, self.rng) for _ in range(2)]
            needs(chosen[0] != chosen[1])
            for letter, value in zip("vw", chosen, strict=True):
                condition = is_value(placed, value)
                slots.words |= {letter: value, f"TS:{letter}": things(slots.things["t"], [condition])}
                slots.terms[letter] = _cell(condition)
        if "pc" in slots.columns and asked & {"u", "pTS"}:
            placed = slots.columns["pc"]
            condition = is_value(placed, draw_value(self.scene, placed, self.rng))
            slots.words["pTS"] = things(slots.things["p"], [condition])
            slots.terms["u"] = _cell(condition)
        for letter, slot in (("t", "name"), ("p", "pname")):
            if slot in asked:
                slots.put(slot, self.rng.choice(self.scene.labels(slots.things[letter])))
        if "initial" in asked:
            slots.put("initial", self.rng.choice(self.scene.labels(slots.things["t"]))[0])

    def _numbers(self) -> None:
        cells = self.scene.cells(self.slots.columns["n"])
        if "xx" in self.asked:
            self.slots.put("x", threshold(cells, self.rng, 0.2, 0.45))
            self.slots.put("xx", threshold(cells, self.rng, 0.55, 0.85))
        mean = sum(cells) / len(cells)
        if "xa" in self.asked:  # near the mean, which the means of groups are, too
            self.slots.put("xa", threshold([mean * share for share in (0.9, 0.95, 1, 1.03, 1.1)], self.rng))
        if "xs" in self.asked:
            rows, owners = (len(self.scene.labels(self.slots.things[letter])) for letter in "tp")
            total = mean * rows / max(1, owners)
            self.slots.put("xs", threshold([total * share for share in (0.5, 0.8, 1, 1.3, 2)], self.rng))

    def _year(self) -> None:
        placed = self.slots.columns["d"]
        year = self.rng.randint(*placed.column.date)
        self.slots.put("y", str(year))
        bounds = f"{placed.full} >= '{year}-01-01' AND {placed.full} < '{year + 1}-01-01'"
        self.slots.terms["d.inyear"] = bounds


def _cell(condition: Condition) -> str:
    """Return the cell that a condition compares with, without its quotes."""
    return condition.sql.rsplit(" = ", 1)[1].strip("'")


def _fits(placed: Placed, thing: PlacedThing, wanted: str) -> bool:
    """Is a column what a template needs: by default any that is no year?"""
    told = placed.column
    tests = {
        "": not told.is_year,
        "summed": told.sum,
        "top": "top" in told.phrases,
        "low": "low" in told.phrases,
        "missing": told.missing > 0,
        "whole": told.missing == 0 and not told.is_year,
        "own": placed.table == thing.table and not told.is_year,
    }
    return tests[wanted]
