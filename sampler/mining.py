"""Templates mined from people's pairs: a question and its query, with slots for names and values.

    What is the average age of students in Rome? SELECT AVG(student.age) FROM student WHERE student.city = 'Rome'
    What is the average {c0} of {t0} in {v0}?    SELECT AVG(t0.c0) FROM t0 WHERE t0.c1 = :v0

A pair becomes a template if its question says each table and column of its query by its name, or by a text of the
column, and each value. What is left between the slots must not be about one database: `general` keeps the templates
whose words are said of many.
Invented questions from rules of real ones are due to GraPPa (Yu et al. 2021) and GAZP (Zhong et al. 2020).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sqlglot import exp

from ..data.parsing import read_tree
from .facts.facts import ColumnFacts, TableFacts
from .facts.verbalisation import Noun
from .frame import SamplingFrame
from .template import KEY, ColumnSlot, Slot, Template, TemplateTurn, ValueSlot

_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_SMALL = {"1", "2", "3", "4", "5"}
"""Numbers that a question may write as words; they stay as they are."""


def general(templates: Iterable[Template], least: int) -> list[Template]:
    """Return the templates whose words are said of ``least`` databases or more, each wording of a query once."""
    known, found = defaultdict[str, set[str]](set), dict[tuple[object, str], Template]()
    every = list(templates)
    for one in every:
        for word in one.words:
            known[word].add(one.source)
    for one in every:
        if all(len(known[word]) >= least for word in one.words):
            found.setdefault((one.wording, one.shape), one)
    return list(found.values())


def mined(source: str, question: str, sql: str, frame: SamplingFrame) -> Template | None:
    """Return the template of a pair, None if the question does not say all that its query names.

    Args:
        source: the database.
        sql: the query in normal form, which has the table before each column.
        frame: what is known of the database.
    """
    try:
        return _Miner(question, read_tree(sql, "sqlite"), frame).template(source)
    except LookupError:
        return None


class _Said(NamedTuple):
    """A place of a question that says something: its start, its end, and the slot that takes it."""

    start: int
    end: int
    slot: Slot


class _Miner:
    """Makes a template of one pair."""

    def __init__(self, question: str, tree: exp.Expr, frame: SamplingFrame) -> None:
        self.question, self.tree, self.frame = question, tree, frame
        known = {table.table.name.lower(): table for table in frame.tables}
        names = dict.fromkeys(table.name.lower() for table in tree.find_all(exp.Table))
        self.tables = {name: known[name] for name in names}
        self.said: list[_Said] = []

    def template(self, source: str) -> Template:
        """Return the template.

        Raises:
            LookupError: the question does not say something.
        """
        tables = {name: f"t{number}" for number, name in enumerate(self.tables)}
        links = [on for on in map(_link, self.tree.find_all(exp.Join)) if on is not None]
        if len(links) < sum(1 for _ in self.tree.find_all(exp.Join)):
            raise LookupError("a join is no link")
        ends = {id(column) for on in links for column in (on.this, on.expression)}
        columns = self._columns(ends)
        slots = {place: f"c{number}" for number, place in enumerate(columns)}
        values = dict(self._values(slots))
        compared = {value.column for value in values.values() if value.kind == "text"}
        said = self._names(tables, columns, slots, compared)
        if self._says_others():
            raise LookupError("the question says more than the query")
        summed = {slots[_place(c)] for total in self.tree.find_all(exp.Sum, exp.Avg)
                  for c in total.find_all(exp.Column) if _place(c) in slots}  # fmt: skip
        joins = tuple(dict.fromkeys(self._directed(on, tables) for on in links))
        wanted = {
            slot: ColumnSlot(tables[place[0]], _kind(self.tables[place[0]], facts, slot in summed), None,
                             facts.noun.several, None if slot in said else facts.kind)
            for place, slot in slots.items() for facts in [columns[place]]
        }  # fmt: skip
        persons = {slot: self.tables[name].noun.person for name, slot in tables.items()}
        self._put_slots(tables, slots, ends)
        return Template(source, (TemplateTurn((self._wording(),), self.tree),), persons, wanted, values, joins)

    def _columns(self, ends: set[int]) -> dict[tuple[str, str], ColumnFacts]:
        """Return the columns beside those of joins, by table and name."""
        found = dict[tuple[str, str], ColumnFacts]()
        for column in self.tree.find_all(exp.Column):
            if id(column) not in ends:
                place = _place(column)
                facts = self.tables[place[0]].column(place[1])
                if facts is None:
                    raise LookupError(column.name)
                found[place] = facts
        return found

    def _values(self, slots: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, ValueSlot]]:
        """Put slots in place of the literals, and yield them."""
        for literal in list(self.tree.find_all(exp.Literal)):
            above = literal.parent
            if isinstance(above, exp.Limit):
                continue
            if not isinstance(above, _COMPARED):
                raise LookupError("a literal is compared with nothing")
            other = above.this if above.expression is literal else above.expression
            column = slots[_place(other)] if isinstance(other, exp.Column) else ""
            if not column and not isinstance(other, exp.Count):
                raise LookupError("a literal is compared with what has no values")
            places = self._free(re.escape(literal.this), ignore_case=literal.is_string)
            if len(places) != 1:
                if not column and literal.this in _SMALL:
                    continue
                raise LookupError("the question does not say a value")
            name = f"v{sum(one.slot.name[0] == 'v' for one in self.said)}"
            self.said.append(_Said(*places[0], Slot(name)))
            literal.replace(exp.Placeholder(this=name))
            yield name, ValueSlot(column, "text" if literal.is_string else "number" if column else "small")

    def _names(
        self,
        tables: Mapping[str, str],
        columns: Mapping[tuple[str, str], ColumnFacts],
        slots: Mapping[tuple[str, str], str],
        compared: set[str],
    ) -> set[str]:
        """Find the names of columns and tables in the question, longer ones first; return the slots that it says.

        Raises:
            LookupError: a column is said neither by its name nor by a text of its own, or a table not at all.
        """
        nouns = defaultdict[Noun, list[str]](list)
        for place, facts in columns.items():
            nouns[facts.noun].append(slots[place])
        for name, slot in tables.items():
            nouns[self.tables[name].noun].append(slot)
        said = set[str]()
        for noun in sorted(nouns, key=lambda one: -len(one.one)):
            found = self._spoken(noun)
            alike = nouns[noun]
            if found and len(alike) > 1 and len(alike) != len(found):
                raise LookupError("several things have one name")
            for number, (start, end, many) in enumerate(found):
                slot = alike[number if len(alike) > 1 else 0]
                self.said.append(_Said(start, end, Slot(slot, "s" * many)))
                said.add(slot)
        if not {slot for slot in slots.values() if slot not in compared} <= said:
            raise LookupError("the question does not say a column")
        bare = {slot for slot in tables.values() if slot not in said}
        if bare and (len(tables) < 3 or any(tables[place[0]] in bare for place in columns)):
            raise LookupError("the question does not say a table")
        return said

    def _spoken(self, noun: Noun) -> list[tuple[int, int, bool]]:
        """Return the places that say a noun, and whether they say many."""
        if not noun.one.isascii():
            return [(start, end, False) for start, end in self._free(re.escape(noun.one))]
        many = self._free(_phrase(noun.many)) if noun.many != noun.one else []
        return sorted([(*place, True) for place in many] + [(*place, False) for place in self._free(_phrase(noun.one))])

    def _free(self, pattern: str, *, ignore_case: bool = True) -> list[tuple[int, int]]:
        """Return the places of a pattern, between words, that say nothing else yet."""
        bounded = rf"(?<![A-Za-z0-9.]){pattern}(?![A-Za-z0-9])"
        found = [match.span() for match in re.finditer(bounded, self.question, re.IGNORECASE if ignore_case else 0)]
        return [(a, b) for a, b in found if all(b <= one.start or one.end <= a for one in self.said)]

    def _says_others(self) -> bool:
        """Does the question, outside of its slots, say the name of another column of its tables?"""
        others = (column.noun for table in self.tables.values() for column in table.columns)
        return any(self._spoken(noun) for noun in others)

    def _directed(self, on: exp.EQ, tables: Mapping[str, str]) -> tuple[str, str]:
        """Return the slots of a join's child and parent."""
        ends = _place(on.this), _place(on.expression)
        for join in self.frame.joins:
            known = [(table.table.name.lower(), column.column.name.lower())
                     for table, column in ((join.child, join.key), (join.parent, join.target))]  # fmt: skip
            if known in ([*ends], [*reversed(ends)]):
                return tables[known[0][0]], tables[known[1][0]]
        raise LookupError("a join goes along no key")

    def _put_slots(self, tables: Mapping[str, str], slots: Mapping[tuple[str, str], str], ends: set[int]) -> None:
        """Put slots in place of the names of the query."""
        for on in (on for on in map(_link, self.tree.find_all(exp.Join)) if on is not None):
            one, other = tables[_place(on.this)[0]], tables[_place(on.expression)[0]]
            on.this.set("this", exp.to_identifier(KEY + other))
            on.expression.set("this", exp.to_identifier(KEY + one))
        for column in list(self.tree.find_all(exp.Column)):
            place = _place(column)
            if id(column) not in ends:
                column.set("this", exp.to_identifier(slots[place]))
            column.set("table", exp.to_identifier(tables[place[0]]))
        for table in self.tree.find_all(exp.Table):
            table.set("this", exp.to_identifier(tables[table.name.lower()]))

    def _wording(self) -> tuple[str | Slot, ...]:
        parts, end = list[str | Slot](), 0
        for one in sorted(self.said):
            parts += [self.question[end : one.start], one.slot]
            end = one.end
        return tuple(part for part in (*parts, self.question[end:]) if part)


def _kind(table: TableFacts, column: ColumnFacts, summed: bool) -> str:
    return "name" if column in table.names else "sum" if summed and column.role == "number" else column.role


def _link(join: exp.Join) -> exp.EQ | None:
    on = join.args.get("on")
    both = isinstance(on, exp.EQ) and isinstance(on.this, exp.Column) and isinstance(on.expression, exp.Column)
    return on if both else None


def _place(column: exp.Expr) -> tuple[str, str]:
    return column.text("table").lower(), column.name.lower()


def _phrase(words: str) -> str:
    return re.escape(words).replace(r"\ ", r"[ _]")
