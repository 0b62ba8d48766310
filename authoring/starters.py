"""Makes the starter prototypes of a new domain: they are composed over its tables, and chosen evenly.

A composed query comes with several questions. `align` finds the values of the query in each, and slots replace them.
The rule that fills a slot follows from the column that its value is compared with.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rapidfuzz import fuzz
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from ..data.databases.database import Database
from ..data.databases.rows import Rows
from ..data.domains.aligner import align
from ..data.domains.prototypes import Prototype, numbered, slots
from ..data.domains.slot_rules import parse_rule
from ..data.errors import DatabaseError, DomainError, QueryError
from ..data.parsing import PARSE_ERRORS, parse_problem, read_tree
from ..data.schema.schema import Schema
from ..data.sql.query import readable, written
from ..meaning.profiling import profile_of
from ..sampler import Asked, Language, SamplingFrame, Template, TemplateBank, composed
from .entity_types import EntityTypes, Place
from .pairs import Maker, PrototypeQueries, normal, renamed
from .values import Fills, type_of

_TEMPLATES = 1000
_COMPOSED = 240  # with slots, many of them become the same query
_SAYINGS = 8
_MOST_CHOSEN = 48
_LEAST, _MOST = 2, 6  # the number of wordings of a query
_SEED = 1
_FILE = Path("prototypes") / "start.toml"
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)
_QUOTED_SLOT = re.compile(r"['\"“「‘](\{\w+\})['\"”」’]")
_TOUCHING = re.compile(r"(?<=[A-Za-z0-9])(?=\{)|(?<=\})(?=[A-Za-z0-9])")


class PlainSql:
    """Translates the queries of `sampler`, which are SQLite with one name for each table, into a dialect.

    Args:
        dialect: the dialect of the database.
        quote: a function that quotes a name as the dialect needs it.
        schema: the schema, whose tables may be in a namespace.
    """

    def __init__(self, dialect: str, quote: Callable[[str], str], schema: Schema) -> None:
        self._dialect, self._quote = dialect, quote
        self.paths = {table.name: table.path for table in schema.tables}

    def write(self, tree: exp.Expr) -> str:
        """Return a query in the dialect, with its slots in braces.

        Servers want all that is shown in GROUP BY, and PostgreSQL's grammar has no NULLS FIRST.
        """
        for ordered in tree.find_all(exp.Ordered) if self._dialect == "postgres" else ():
            ordered.set("nulls_first", False)
        for group in tree.find_all(exp.Group) if self._dialect != "sqlite" else ():
            known, columns = group.expressions, cast("exp.Select", group.parent).expressions
            group.set(
                "expressions", [*known, *(c.copy() for c in columns if isinstance(c, exp.Column) and c not in known)]
            )
        for node in tree.find_all(exp.Table, exp.Column):
            name = "this" if isinstance(node, exp.Table) else "table"
            table = node.args.get(name)
            path = self.paths.get(table.name, ()) if table is not None else ()
            if len(path) > 1:
                node.set(name, exp.to_identifier(path[-1]))
                node.set("db", exp.to_identifier(path[0]))
        for name in tree.find_all(exp.Identifier):
            name.set("quoted", self._quote(name.name) != name.name)
        return written(tree, self._dialect, unsupported_level=ErrorLevel.RAISE)

    def cells(self, place: Place, *, day: bool = False) -> str:
        """Return a query of the cells of a column, or of their days."""
        table, column = ".".join(map(self._quote, self.paths[place[0]])), self._quote(place[1])
        return f"SELECT DISTINCT {f'DATE({column})' if day else column} FROM {table} WHERE {column} IS NOT NULL"


class DialectDatabase(Database):
    """A database that runs the queries of `sampler`, whatever its own dialect."""

    def __init__(self, database: Database, plain: PlainSql) -> None:
        super().__init__(database.session, database.place, timeout=database.timeout, max_rows=database.max_rows)
        self._plain = plain

    def fetch(self, sql: str) -> Rows:
        """Run a query of `sampler`, see `Database.fetch`."""
        try:
            text = self._plain.write(read_tree(sql, "sqlite"))
        except PARSE_ERRORS as error:
            raise DatabaseError(f"cannot be written in this dialect: {parse_problem(error)}") from error
        return super().fetch(text)


@dataclass(frozen=True)
class Starter:
    """A candidate prototype with the kind of its question, the tables of its query, and its rules as text."""

    prototype: Prototype
    kind: str
    tables: frozenset[str]
    rules: Mapping[str, object]


def starters(
    schema: Schema,
    database: Database,
    types: EntityTypes,
    *,
    dialect: str,
    quote: Callable[[str], str],
    language: Language,
    instances: int,
) -> list[Starter]:
    """Return prototypes for a database that can be filled at once.

    Args:
        schema: the schema of the database, as the domain will have it.
        database: the database that the queries are tried on.
        types: its entities.
        dialect: the dialect of the database.
        quote: a function that quotes a name in the dialect.
        language: the language of the wordings.
        instances: the number of pairs of each prototype.
    """
    drafts = StarterDrafts(schema, types, dialect, quote, language)
    rng = random.Random(f"{_SEED}:{language}")
    composed_ones = (composed(language, rng, wordings=_SAYINGS) for _ in range(_TEMPLATES))
    bank, asked_of = (
        TemplateBank([one for one in composed_ones if fit_to_start(one, dialect)]),
        DialectDatabase(database, drafts.plain),
    )
    frame = SamplingFrame.of(schema, asked_of, language, profile_of(database, schema))
    asked = [first for first, *_ in bank.conversations(frame, asked_of, _COMPOSED, rng)]
    answered = bool(asked)  # there are none of a database without rows
    if not answered:
        asked = [
            first for first, *_ in bank.conversations(SamplingFrame.of(schema, None, language), None, _COMPOSED, rng)
        ]
    found = [one for each in sorted(asked, key=lambda one: one.name) if (one := drafts.starter(each)) is not None]
    entities = [entity for of_type in types.entities.values() for entity in of_type]
    fills = Fills({}, entities, language, database=database)

    def works(prototype: Prototype) -> bool:
        try:
            pairs, answers = Maker(fills, drafts.queries, instances).pairs(prototype)
        except DomainError:
            return False
        return bool(pairs) and (answers or not answered)

    return _chosen(found, works)


def fit_to_start(template: Template, dialect: str) -> bool:
    """Do the times of a template become slots, and does it divide whole numbers in SQLite alone?"""
    times = any(value.kind in ("span", "recurring") for value in template.values.values())
    return not times and (dialect != "mysql" or "'quarter'" not in template.shape)


class StarterDrafts:
    """Makes starters of composed questions about a database, none of which have the same query or wording."""

    def __init__(
        self, schema: Schema, types: EntityTypes, dialect: str, quote: Callable[[str], str], language: Language
    ) -> None:
        self.plain = PlainSql(dialect, quote, schema)
        self.queries = PrototypeQueries(schema, dialect)
        self._schema, self._dialect, self._types, self._language = schema, dialect, types, language
        self._known, self._wordings, self._names = set[str](), set[str](), Counter[str]()

    def starter(self, asked: Asked) -> Starter | None:
        """Return a question with slots; None if it has too few new wordings, or a slot that cannot be filled."""
        slotted, wordings = self._slotted(asked)
        tree = read_tree(readable(slotted, "sqlite"), "sqlite")
        tables = frozenset(table.name for table in tree.find_all(exp.Table))
        rules = dict(_rules(tree, self.plain, self._types))
        if len(wordings) < _LEAST or rules.keys() != {*slots(slotted)}:
            return None
        counts, names = Counter[str](), dict[str, str]()
        for slot, (kind, _) in rules.items():
            names[slot] = f"{kind}{counts[kind]}"
            counts[kind] += 1
        try:
            sql = self.queries.canonical(renamed(self.plain.write(tree), names))
            query = normal(sql, dialect=self._dialect, schema=self._schema)
        except QueryError:
            return None
        if query in self._known:
            return None
        self._known.add(query)
        self._wordings |= set(map(_folded, wordings))
        name = re.sub(r"\W+", "_", "_".join([asked.name, *sorted(tables)]).lower())
        self._names[name] += 1
        name += f"_{self._names[name]}" if self._names[name] > 1 else ""
        by_language = {self._language: tuple(renamed(wording, names) for wording in wordings)}
        fill = {names[slot]: rule for slot, (_, rule) in rules.items() if rule is not None}
        parsed = {slot: parse_rule(rule) for slot, rule in fill.items()}
        return Starter(Prototype(f"start.{name}", by_language, sql, parsed, _FILE), asked.name, tables, fill)

    def _slotted(self, asked: Asked) -> tuple[str, tuple[str, ...]]:
        """Return the query of a question with slots, and the new wordings that have exactly these slots."""
        drafts: dict[str, dict[str, str]] = {asked.sql: {}}
        for saying in asked.sayings:
            slotted, values = align(saying, asked.sql, language=self._language)
            if {value.slot for value in values} == {*slots(slotted)}:
                text = saying
                for mention, slot in ((value.mention, value.slot) for value in reversed(values)):
                    text = f"{text[: mention.start]}{{{slot}}}{text[mention.end :]}"
                names = numbered(slotted)
                wording = renamed(_QUOTED_SLOT.sub(r"\1", text), names)
                if self._language == "zh":  # no space separates a Latin value from a Latin word beside it
                    wording = _TOUCHING.sub(" ", wording)
                drafts.setdefault(renamed(slotted, names), {}).setdefault(_folded(wording), wording)
        slotted, wordings = max(drafts.items(), key=lambda draft: len(draft[1]))
        return slotted, _various([wording for key, wording in wordings.items() if key not in self._wordings])


def _rules(tree: exp.Expr, plain: PlainSql, types: EntityTypes) -> Iterator[tuple[str, tuple[str, object]]]:
    """Yield each slot of a query that can be filled, with its type and its rule, None for any entity of the type."""
    for node in tree.find_all(exp.Placeholder, exp.Literal, bfs=False):
        slot, above = node.name.strip("{}"), node.parent
        if isinstance(above, exp.Limit) and isinstance(node, exp.Placeholder):
            yield slot, ("number", "few")
        elif isinstance(above, _COMPARISONS) and (isinstance(node, exp.Placeholder) or node.name == f"{{{slot}}}"):
            place, kind = _place(above.this.find(exp.Column)), type_of(slot)
            if isinstance(above.this, exp.Count) and kind == "number":
                yield slot, ("number", {"from": 2, "to": 5})
            elif place is None or place[0] not in plain.paths:  # a column of a derived table, for instance a row number
                continue
            elif kind == "number" and isinstance(node, exp.Placeholder):
                yield slot, ("number", plain.cells(place))
            elif kind == "time" and isinstance(above, exp.GT | exp.LT):
                # «before 1 May» names a day, even if the column has moments
                yield slot, ("time", plain.cells(place, day=isinstance(above, exp.LT)))
            elif isinstance(above, exp.EQ | exp.NEQ | exp.In) and (own := types.columns.get(place)):
                yield slot, (own, None if place == types.own[own] else plain.cells(place))


def _place(column: exp.Column | None) -> Place | None:
    """Return the table and name of a column; without a table in its name, that is the only table of its SELECT."""
    if column is None or column.table:
        return column and (column.table, column.name)
    select = column.find_ancestor(exp.Select)
    return None if select is None or select.args.get("joins") else (select.args["from_"].this.name, column.name)


def _various(wordings: Sequence[str]) -> tuple[str, ...]:
    """Return the most different wordings, in their order."""
    kept = list(wordings[:1])
    while len(kept) < min(_MOST, len(wordings)):
        left = (one for one in wordings if one not in kept)
        kept.append(min(left, key=lambda one: max(fuzz.token_sort_ratio(one, other) for other in kept)))
    return tuple(one for one in wordings if one in kept)


def _folded(wording: str) -> str:
    return wording.rstrip("?？.。 ").casefold()


def _chosen(candidates: Sequence[Starter], works: Callable[[Prototype], bool]) -> list[Starter]:
    """Return up to 48 of the candidates that work, in order, with all kinds and tables as evenly as possible."""
    used, tables, chosen = Counter[str](), Counter[str](), list[Starter]()

    def cost(starter: Starter) -> float:
        share = sum(tables[name] for name in starter.tables) / len(starter.tables) / max(1, tables.total())
        return 3 * used[starter.kind] + share * len(tables)  # a share of 1 is the mean

    left = random.Random(_SEED).sample(candidates, len(candidates))
    while left and len(chosen) < _MOST_CHOSEN:
        best = min(left, key=cost)
        left.remove(best)
        if works(best.prototype):
            chosen.append(best)
            used[best.kind] += 1
            tables.update(best.tables)
    return [one for one in candidates if one in chosen]


_HEAD = """\
# Prototypes: one query each, with the wordings that ask for it. `querent fill` makes question-SQL pairs of them.
#
#   [[prototype]]
#   id = "start.name"              unique; the part before the dot is the theme, best the name of the file
#   question = ["…", "…"]          several ways to ask, as your people would; each with every slot of the query
#   sql = "SELECT …"               slots of entities and times in quotes, number slots bare
#   fill = { number0 = "few" }     how number and time slots are filled
#
# A slot is a type and a number: {TYPES}, {number0}, {time0}; the types are those of entities.jsonl.
# `fill` takes a name (number: few, top, count, percent; time: day, since, week), a query
# ("SELECT population FROM city"), a list (["10", "20"]) or a range ({ from = 2, to = 10 }).
# Those below are queries drawn over your own tables, and put into words by their names. Mend the words, throw away
# what nobody would ask, and add your own: they are a beginning, and know nothing of what your people want.
# `querent check` tells what is wrong, with file and line.
"""


def starter_text(found: Iterable[Starter], types: Sequence[str]) -> str:
    """Return the text of the file of prototypes, with types of entities as examples of slots."""
    named = ", ".join(f"{{{name}0}}" for name in types[:8]) or "{name0}"
    return "\n".join([_HEAD.replace("{TYPES}", named), *map(_entry, found)])


def _entry(one: Starter) -> str:
    (wordings,) = one.prototype.wordings.values()
    questions = "".join(f"    {_quoted(wording)},\n" for wording in wordings)
    lines = [f'[[prototype]]\nid = "{one.prototype.id}"', f"question = [\n{questions}]"]
    lines.append(f"sql = {_quoted(one.prototype.sql)}")
    rules = [f"{slot} = {_rule(rule)}" for slot, rule in one.rules.items()]
    return "\n".join([*lines, *([f"fill = {{ {', '.join(rules)} }}"] if rules else []), ""])


def _rule(rule: object) -> str:
    if isinstance(rule, Mapping):
        return f"{{ {', '.join(f'{key} = {value}' for key, value in rule.items())} }}"
    return _quoted(str(rule))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
