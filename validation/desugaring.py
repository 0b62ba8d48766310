"""Queries outside of the grammar, written with what it has: where the rewritten query runs, the query does.

This is how compilers treat syntactic sugar. Derived tables become queries of WITH, whose columns are known before the
SELECT that reads them; so do VALUES, tables that functions make, and what LATERAL derives from the sources before it.
The window of a name is written where it is used; DISTINCT ON, ROLLUP and their like are taken away once what they ask
for is there. Nothing is executed. All lexemes stay the query's own or stand at the place of one, so that what the rules
say of the rewritten query is said of the place in the query. Whatever cannot be rewritten so that the query fails where
it failed before, is left undecided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from ..grammar import Grammar, State
from ..grammar.lr.functions import AGGREGATES
from ..grammar.quirks import QUIRKS
from ..grammar.reading.lexer import Lexeme
from .lexeme_tree import Group, Node, Nodes, flat, grouped, index_of, mapped, owned_by, split, word
from .recursion import Recursion, Stable
from .table_functions import made_by_function

__all__ = ["Desugared", "desugared"]

_SETS = ("UNION", "INTERSECT", "EXCEPT")
_CLAUSES = ("WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH")
_JOINING = {"JOIN", "ON", "USING", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER", ","}


@dataclass(frozen=True)
class Desugared:
    """A query rewritten; it runs as the original does if each query of ``stable`` keeps its types."""

    lexemes: list[Lexeme]
    stable: tuple[Stable, ...]

    def keeps_types(self, state: State) -> bool:
        """Say whether each query that reads itself shows the same types and sizes after one step and after two."""
        scope = state.next_words.scope
        shown = {table.name.lower(): table.columns for table in scope.select.common} if scope else {}
        return all(one.holds(shown) for one in self.stable)


def desugared(grammar: Grammar, lexemes: Sequence[Lexeme]) -> Desugared | None:
    """Return a query without what can be written by other means, None if there is no such thing or no way to say it."""
    nodes = grouped(lexemes)
    if not nodes or word(nodes[0]) not in {"SELECT", "WITH", "VALUES", ""}:
        return None
    rewriting = _Rewriting(grammar, lexemes)
    try:
        nodes = rewriting.query(nodes)
    except _UnableError:
        return None
    found = flat((*rewriting.defined(nodes[0]), *nodes))
    return None if [x.text for x in found] == [x.text for x in lexemes] else Desugared(found, tuple(rewriting.stable))


class _UnableError(Exception):
    """There is no way to say something with what the grammar has."""


@dataclass
class _Rewriting:
    """The rewriting of one query; what becomes a query of WITH is collected in ``common``, by its name."""

    grammar: Grammar
    lexemes: Sequence[Lexeme]
    common: dict[str, Nodes] = field(default_factory=dict[str, Nodes])
    stable: list[Stable] = field(default_factory=list[Stable])

    def __post_init__(self) -> None:
        aliases = self.grammar.names.scope(self.lexemes)
        self._key = self.grammar.quoting.key
        self._taken = {*self.grammar.names.tables, *aliases.tables}
        self._written = {self._key(part.text) for lexeme in self.lexemes for part in lexeme.parts}

    def made(self, text: str, at: Node) -> Nodes:
        """Return the tree of some SQL, at the place of a node."""
        place = at if isinstance(at, Lexeme) else at.opening
        found = [replace(x, start=place.start, end=place.end) for x in self.grammar.tokenizer.lexemes(text)]
        nodes = grouped(found)
        assert nodes is not None, text
        return nodes

    def defined(self, at: Node) -> Nodes:
        """Return WITH and all that it defines."""
        found: list[Node] = []
        for name, body in self.common.items():
            found += (*self.made(f"{', ' if found else 'WITH '}{name} AS", at), *self._around("(X)", body))
        return tuple(found)

    # ---- queries

    def query(self, nodes: Nodes) -> Nodes:
        """Return a query without WITH, the operands of its set operators rewritten."""
        if word(nodes[0]) == "WITH":
            nodes = self._with(nodes)
        found: list[Node] = []
        start = 0
        while start < len(nodes):
            end = index_of(nodes, _SETS, start)
            found += self._select(nodes[start:end])
            start = end + 1 + (end + 1 < len(nodes) and word(nodes[end + 1]) in {"ALL", "DISTINCT"})
            found += nodes[end:start]
        return tuple(found)

    def _with(self, nodes: Nodes) -> Nodes:
        """Take the queries of WITH; return what stands behind them."""
        recursive = word(nodes[1]) == "RECURSIVE"
        at = 1 + recursive
        while True:
            name = nodes[at]
            start = index_of(nodes, ("AS",), at) + 1
            if self.grammar.dialect != "mysql":
                start += [word(n) for n in nodes[start : start + 2]] == ["NOT", "MATERIALIZED"]
                start += word(nodes[start]) == "MATERIALIZED"
            body = nodes[start] if start < len(nodes) else None
            if not isinstance(name, Lexeme) or len(name.parts) != 1 or not isinstance(body, Group) or not body.is_query:
                raise _UnableError
            named = nodes[at + 1]
            columns = split(named.nodes) if isinstance(named, Group) else None
            if self._key(name.parts[0].text) in self._taken:
                raise _UnableError
            self._taken.add(self._key(name.parts[0].text))
            if recursive and any(self._is(name, x) for x in flat(body.nodes)):
                self._recursive(name, body.nodes, columns)
            else:
                self.common[name.text] = self._labelled(self.query(body.nodes), columns)
            if start + 1 >= len(nodes) or word(nodes[start + 1]) != ",":
                return nodes[start + 1 :]
            at = start + 2

    def _recursive(self, name: Lexeme, body: Nodes, columns: list[Nodes] | None) -> None:
        """Define what a query is that reads itself, by two steps, of which the second may change no type."""
        found = Recursion.of(self.grammar, name, body)
        if found is None:
            raise _UnableError
        first, second = self._fresh(), self._fresh()
        anchor, step = self._labelled(self.query(found.anchor), columns), found.step
        names = columns or [self._label(item) for item in split(self._items(anchor))]
        anchor, step, counters = found.without_counters(
            anchor, step, [word(n[-1]) if n else "" for n in names], self.made
        )
        self.common[first] = anchor
        for before, after in ((first, name.text), (name.text, second)):
            read = mapped(step, lambda x, before=before: self._renamed(x, name, before))
            self.common[after] = (*anchor, *found.operator, *self.query(read))
        parts = tuple(x.lower() for x in (first, self._key(name.parts[0].text), second))
        loose = self.grammar.dialect == "sqlite"
        self.stable.append(Stable(parts, counters, () if loose else found.alike(anchor, step)))

    def _is(self, name: Lexeme, lexeme: Lexeme) -> bool:
        return bool(lexeme.parts) and self._key(lexeme.parts[0].text) == self._key(name.parts[0].text)

    def _renamed(self, lexeme: Lexeme, name: Lexeme, new: str) -> Lexeme:
        """Return a lexeme with another name in place of its owner, or of the table that it is."""
        if not self._is(name, lexeme) or name.text == new:
            return lexeme
        if len(lexeme.parts) == 2:
            return owned_by(lexeme, new)
        return (
            replace(lexeme, text=new, parts=(replace(lexeme.parts[0], text=new),)) if len(lexeme.parts) == 1 else lexeme
        )

    def _fresh(self) -> str:
        name = next(n for i in count() if (n := f"q{i}") not in self._taken and n not in self._written)
        self._taken.add(name)
        return name

    # ---- one SELECT

    def _select(self, nodes: Nodes) -> Nodes:
        if nodes and word(nodes[0]) == "VALUES":
            return self._values(nodes)
        nodes = tuple(map(self._nested, ("", *map(word, nodes)), self._within_group(nodes)))
        if not nodes or word(nodes[0]) != "SELECT":
            return nodes
        if self.grammar.dialect == "postgres":
            nodes = self._nonzero(nodes)
        nodes = self._windows(nodes)
        nodes = self._sources(nodes)
        nodes = self._star(self._merged(nodes))
        return self._grouping(self._distinct_on(nodes))

    def _nested(self, before: str, node: Node) -> Node:
        """Return a node with the queries in it rewritten; one that finds a row by its key says so with LIMIT."""
        if isinstance(node, Lexeme):
            return node
        if not node.is_query:
            return replace(
                node, nodes=tuple(map(self._nested, ("", *map(word, node.nodes)), self._within_group(node.nodes)))
            )
        nodes = self.query(node.nodes)
        pinned = before not in {"IN", "ANY", "ALL", "SOME", "EXISTS"} and self._finds_one(nodes)
        return replace(node, nodes=(*nodes, *self.made("LIMIT 1", node)) if pinned else nodes)

    def _finds_one(self, nodes: Nodes) -> bool:
        """Say whether a query finds one row of one table, by a key that equals what no column of the table is."""
        start, where = index_of(nodes, ("FROM",)) + 1, index_of(nodes, ("WHERE",))
        source, words = nodes[start:where], {word(n) for n in nodes}
        first = source[0] if 0 < len(source) <= 3 else None
        if not isinstance(first, Lexeme) or words & {*_CLAUSES[1:], *_SETS, "OR"}:
            return False
        table, (alias, _) = self.grammar.names.table(first.parts), self._alias(source[1:])
        owner = self._key((alias or first).parts[-1].text)
        keys = {*table.unique, *(table.primary_key if len(table.primary_key) == 1 else ())} if table else set[str]()

        def is_key(x: Lexeme) -> bool:
            own = len(x.parts) == 1 or (len(x.parts) == 2 and self._key(x.parts[0].text) == owner)
            return own and self._key(x.parts[-1].text) in map(self._key, keys)

        def is_other(x: Lexeme) -> bool:
            return not x.parts or (len(x.parts) == 2 and self._key(x.parts[0].text) != owner)

        for part in split(nodes[where + 1 :], ("AND",)):
            match part:
                case (Lexeme() as a, Lexeme(text="="), Lexeme() as b) if keys:
                    if (is_key(a) and is_other(b)) or (is_key(b) and is_other(a)):
                        return True
                case _:
                    pass
        return False

    def _within_group(self, nodes: Nodes) -> Nodes:
        """``PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a)``: as AVG, that of one of the values as MAX."""
        at = index_of(nodes, ("WITHIN",))
        called, terms = nodes[at - 1 : at], nodes[at + 2 : at + 3]
        if not called or not terms or not isinstance(called[0], Group) or not isinstance(terms[0], Group):
            return nodes
        name, share = word(nodes[at - 2]), _text(called[0].nodes)
        argument = terms[0].nodes[2 : index_of(terms[0].nodes, ("ASC", "DESC"))]
        over = at + 3 < len(nodes) and word(nodes[at + 3]) == "OVER"
        fits = not share if name == "MODE" else re.fullmatch(r"0?\.\d+|[01](\.0+)?", share) is not None
        if not fits or len(split(argument)) > 1 or over != (self.grammar.dialect == "mysql"):
            raise _UnableError
        found = self.made("AVG(X)" if name == "PERCENTILE_CONT" else "MAX(X)", called[0])
        if name == "PERCENTILE_CONT" and not over:
            argument = self._around("CAST(X AS DOUBLE PRECISION)", argument)
        return (*nodes[: at - 2], found[0], replace(found[1], nodes=argument), *self._within_group(nodes[at + 3 :]))

    def _around(self, text: str, argument: Nodes) -> Nodes:
        """Return some SQL whose last brackets begin with X, with an argument in its place."""
        *before, last = self.made(text, argument[0])
        assert isinstance(last, Group)
        return (*before, replace(last, nodes=(*argument, *last.nodes[1:])))

    def _nonzero(self, nodes: Nodes) -> Nodes:
        """Return a SELECT whose items say what they divide by that is no zero."""
        start, words = index_of(nodes, ("FROM",)), [word(n) for n in nodes]
        grouped_by = "GROUP" in words and not {"ROLLUP", "CUBE", "GROUPING"} & set(words)
        each_row = "HAVING" not in words and not any(map(self._aggregates, split(self._items(nodes))))
        counted = (grouped_by or each_row) and not {"RIGHT", "FULL"} & set(words)
        source = _text(nodes[start + 1 : start + 2]) if counted else ""
        return (*self._counted(nodes[:start], grouped_by=grouped_by, source=source), *nodes[start:])

    def _counted(self, nodes: Nodes, *, grouped_by: bool, source: str) -> Nodes:
        """``/ COUNT(*)`` of a group, which has a row at least: ``/ NULLIF(COUNT(*), 0)``.

        So has the table that FROM begins with, where an item is reckoned of each of its rows.
        """
        found: list[Node] = []
        for node in nodes:
            behind = word(found[-1]) if found else ""
            if isinstance(node, Group) and not node.is_query:
                all_rows = [word(x) for x in node.nodes] == ["*"] and behind == "COUNT"
                if all_rows and grouped_by and len(found) > 1 and word(found[-2]) in {"/", "%"}:
                    found[-1:] = self._around("NULLIF(X, 0)", (found[-1], node))
                    continue
                found.append(replace(node, nodes=self._counted(node.nodes, grouped_by=grouped_by, source=source)))
                continue
            whole = isinstance(node, Group) and _text(node.nodes) == f"select count ( * ) from {source}"
            found += self._around("NULLIF(X, 0)", (node,)) if whole and behind in {"/", "%"} else (node,)
        return tuple(found)

    def _values(self, nodes: Nodes) -> Nodes:
        """``VALUES (1, 'a'), (2, 'b')``: ``SELECT 1, 'a' UNION ALL SELECT 2, 'b'``."""
        end = index_of(nodes, _CLAUSES)
        found: list[Node] = []
        for number, row in enumerate(split(nodes[1:end])):
            if len(row) != 1 or not isinstance(row[0], Group):
                raise _UnableError
            found += self.made("UNION ALL SELECT" if number else "SELECT", row[0])
            for place, value in enumerate(split(row[0].nodes), 1):
                named = self.made(f"AS column{place}", row[0]) if self.grammar.dialect != "mysql" and not number else ()
                found += (*(self.made(",", row[0]) if place > 1 else ()), *value, *named)
        return (*found, *nodes[end:])

    def _aggregates(self, nodes: Nodes) -> bool:
        """Say whether an aggregate stands in an expression, subqueries within left out."""
        known = self.grammar.functions
        called = any((name := word(n)) in known and known[name].terminal in AGGREGATES for n in nodes)
        return called or any(isinstance(n, Group) and not n.is_query and self._aggregates(n.nodes) for n in nodes)

    @staticmethod
    def _items(nodes: Nodes) -> Nodes:
        """Return the select list of a query's first SELECT."""
        start = 1 + (len(nodes) > 1 and word(nodes[1]) in {"DISTINCT", "ALL"})
        return nodes[start : index_of(nodes, ("FROM", *_CLAUSES, *_SETS), start)]

    def _label(self, item: Nodes) -> Nodes:
        """Return the name of an item, nothing if it has none."""
        last = item[-1] if item else None
        if not isinstance(last, Lexeme) or last.kind != "name" or word(last) in {"END", "*", "NULL"}:
            return ()
        if len(item) > 1 and word(item[-2]) != "AS" and not self.grammar.names.ends_operand(flat(item[:-1])[-1]):
            return ()
        return (replace(last, text=last.text.rpartition(".")[2], parts=last.parts[-1:]),)

    def _labelled(self, query: Nodes, columns: list[Nodes] | None) -> Nodes:
        """Return a query whose columns are called by other names: ``t(n) AS (SELECT 1)``: ``SELECT 1 AS n``."""
        if columns is None:
            return query
        query = self._star(query, always=True)
        items = split(self._items(query))
        if len(items) != len(columns) or any(word(item[-1]).endswith("*") for item in items if item):
            raise _UnableError
        found: list[Node] = []
        for item, name in zip(items, columns, strict=True):
            labels = len(item) > 1 and len(self._label(item))
            unlabelled = item[: len(item) - labels - (word(item[len(item) - 2]) == "AS")] if labels else item
            found += (*(self.made(",", name[0]) if found else ()), *unlabelled, *self.made("AS", name[0]), *name)
        start = query.index(items[0][0])
        return (*query[:start], *found, *query[start + len(self._items(query)) :])

    # ---- FROM

    def _sources(self, nodes: Nodes) -> Nodes:
        """Make queries of WITH of what FROM derives, each under a name that nothing else has."""
        start = index_of(nodes, ("FROM",)) + 1
        end = index_of(nodes, _CLAUSES, start)
        source_next, at, names = True, start, list[str]()
        while at < index_of(nodes, _CLAUSES, start):
            if not source_next:
                source_next = word(nodes[at]) in {"JOIN", ","}
                at += 1
                continue
            end = self._end_of_source(nodes, at)
            nodes, alias = self._source(nodes, start, at, end)
            names += [alias] if alias else []
            source_next, at = False, at + 1
        if len(set(names)) < len(names):
            raise _UnableError
        return nodes

    @staticmethod
    def _end_of_source(nodes: Nodes, at: int) -> int:
        stop = (*_JOINING, *_CLAUSES)
        return index_of(nodes, stop, at + (word(nodes[at]) == "LATERAL"))

    def _source(self, nodes: Nodes, start: int, at: int, end: int) -> tuple[Nodes, str]:
        """Return the SELECT with one source replaced, if it derives something, and the key of its alias."""
        source = nodes[at + (lateral := word(nodes[at]) == "LATERAL") : end]
        if not source or (lateral and self.grammar.dialect != "postgres"):
            raise _UnableError
        before, head, rest = nodes[start : at - 1], source[0], source[1:]
        while before and word(before[-1]) in _JOINING - {",", "ON", "USING"}:
            before = before[:-1]
        body = head.nodes if isinstance(head, Group) and head.is_query else None
        if isinstance(head, Lexeme) and rest and isinstance(rest[0], Group):
            lateral, called, rest = bool(before), rest[0], rest[1:]
            alias, columns = self._alias(rest)
            text = made_by_function(self.grammar.dialect, head, called, alias.text if alias else "")
            if text is None:
                raise _UnableError
            body = self.made(text, head)
        alias, columns = self._alias(rest)
        key = self._key(alias.parts[0].text) if alias else ""
        if body is None and isinstance(head, Lexeme):
            body = self.common.get(head.text) if alias and key != self._key(head.text) else None
        if body is None:
            return nodes, key
        if lateral:
            body = self._beside(body, before, head)
        if alias is None and isinstance(head, Lexeme):
            alias = head
        if alias is None and not QUIRKS[self.grammar.dialect].optional_alias:
            raise _UnableError
        name = alias.text if alias and key and key not in self._taken else self._fresh()
        self._taken.add(self._key(name))
        self.common[name] = self._labelled(body, columns)
        nodes = (*nodes[:at], *self.made(name, head), *nodes[end:])
        if alias is not None and alias.text != name:
            nodes = mapped(nodes, lambda x: self._renamed(x, alias, name) if len(x.parts) == 2 else x)
        return nodes, key

    @staticmethod
    def _alias(rest: Nodes) -> tuple[Lexeme | None, list[Nodes] | None]:
        """Return the name behind a source, and those of its columns."""
        rest = rest[1:] if rest and word(rest[0]) == "AS" else rest
        columns = rest[1] if len(rest) > 1 else None
        if not rest:
            return None, None
        if not isinstance(rest[0], Lexeme) or len(rest[0].parts) != 1 or len(rest) > 2 or isinstance(columns, Lexeme):
            raise _UnableError
        return rest[0], split(columns.nodes) if columns else None

    def _beside(self, body: Nodes, before: Nodes, at: Node) -> Nodes:
        """Return what is derived from each row of the sources before it, with these sources in its FROM."""
        place = index_of(body, ("FROM", *_CLAUSES))
        if index_of(body, _SETS) < len(body) or any(word(x[-1]).endswith("*") for x in split(self._items(body)) if x):
            raise _UnableError
        more = (*self.made("FROM", at), *before)
        if place < len(body) and word(body[place]) == "FROM":
            return (*body[:place], *more, *self.made(",", at), *body[place + 1 :])
        return (*body[:place], *more, *body[place:])

    # ---- the other clauses

    def _windows(self, nodes: Nodes) -> Nodes:
        """``OVER w … WINDOW w AS (ORDER BY a)``: ``OVER (ORDER BY a)``."""
        start = index_of(nodes, ("WINDOW",))
        if start == len(nodes):
            return nodes
        end = index_of(nodes, ("ORDER", "LIMIT", "OFFSET", "FETCH"), start)
        named: dict[str, Group] = {}
        for part in split(nodes[start + 1 : end]):
            if len(part) != 3 or not isinstance(part[2], Group):
                raise _UnableError
            named[word(part[0])] = part[2]

        def written(some: Nodes) -> Iterator[Node]:
            for before, node in zip((None, *some), some, strict=False):
                if isinstance(node, Group):
                    yield node if node.is_query else replace(node, nodes=tuple(written(node.nodes)))
                elif before is not None and word(before) == "OVER":
                    if word(node) not in named:
                        raise _UnableError
                    yield named[word(node)]
                else:
                    yield node

        return tuple(written((*nodes[:start], *nodes[end:])))

    def _distinct_on(self, nodes: Nodes) -> Nodes:
        """``SELECT DISTINCT ON (a) b FROM t ORDER BY a``: refused where something else comes first in ORDER BY."""
        if [word(n) for n in nodes[1:3]] != ["DISTINCT", "ON"]:
            return nodes
        if self.grammar.dialect != "postgres" or not isinstance(nodes[3], Group):
            raise _UnableError
        keys = split(nodes[3].nodes)
        order = index_of(nodes, ("ORDER",))
        if order == len(nodes):
            end = index_of(nodes, ("LIMIT", "OFFSET", "FETCH"))
            return (nodes[0], *nodes[4:end], *self.made("ORDER BY", nodes[3]), *nodes[3].nodes, *nodes[end:])
        terms = split(nodes[order + 2 : index_of(nodes, ("LIMIT", "OFFSET", "FETCH"), order)])
        plain = [part[: index_of(part, ("ASC", "DESC", "NULLS"))] for part in terms]
        if {_text(p) for p in plain[: len(keys)]} != {_text(key) for key in keys}:
            raise _UnableError
        return (nodes[0], *nodes[4:])

    def _grouping(self, nodes: Nodes) -> Nodes:
        """``GROUP BY ROLLUP (a, b)``: ``GROUP BY a, b``, but for a primary key, which stands for no row any more."""
        start = index_of(nodes, ("GROUP",)) + 2
        end = index_of(nodes, ("HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH"), start)
        keys = nodes[start:end]
        rolled = self.grammar.dialect == "mysql" and [word(n) for n in keys[-2:]] == ["WITH", "ROLLUP"]
        if rolled and index_of(nodes, ("ORDER",)) == len(nodes):
            return (*nodes[:start], *keys[:-2], *nodes[end:])
        sets = [part for part in split(keys) if part and word(part[0]) in {"ROLLUP", "CUBE", "GROUPING"}]
        if not sets or self.grammar.dialect != "postgres":
            return nodes
        flat_keys = [x for part in split(keys) for x in _keys_of(part, {"ROLLUP", "CUBE", "GROUPING", "SETS"})]
        primary = {self._key(c) for table in self.grammar.schema.tables for c in table.primary_key}
        if any(len(key) != 1 or self._key(flat(key)[0].parts[-1].text) in primary for key in flat_keys):
            raise _UnableError
        found: list[Node] = []
        for key in {_text(key): key for key in flat_keys}.values():
            found += (*(self.made(",", key[0]) if found else ()), *key)
        return (*nodes[:start], *found, *nodes[end:])

    def _merged(self, nodes: Nodes) -> Nodes:
        """``SELECT a FROM t JOIN s USING (a)``: ``SELECT t.a``; the list does not know yet of USING."""
        start = index_of(nodes, ("FROM",)) + 1
        using = index_of(nodes, ("USING",), start)
        first = nodes[start] if start < len(nodes) else None
        merged = nodes[using + 1] if using + 1 < len(nodes) else None
        side = index_of(nodes, ("RIGHT", "FULL"), start)
        if not isinstance(merged, Group) or not isinstance(first, Lexeme) or side < len(nodes):
            return nodes
        alias, _ = self._alias(nodes[start + 1 : index_of(nodes, _JOINING, start)])
        names = {self._key(x.parts[0].text) for x in flat(merged.nodes) if len(x.parts) == 1}
        owner = (alias or first).text

        def with_owner(lexeme: Lexeme) -> Lexeme:
            bare = len(lexeme.parts) == 1 and self._key(lexeme.parts[0].text) in names
            return owned_by(lexeme, owner) if bare else lexeme

        items = self._items(nodes)
        at = nodes.index(items[0])
        shown = [
            mapped(item[: index_of(item, ("AS",))], with_owner) + item[index_of(item, ("AS",)) :]
            for item in split(items)
        ]
        listed = tuple(x for item in shown for x in (*self.made(",", items[0]), *item))[1:]
        return (*nodes[:at], *listed, *nodes[at + len(items) :])

    def _star(self, nodes: Nodes, *, always: bool = False) -> Nodes:
        """``SELECT *, 1 FROM t`` with each column in its place, where a derived table takes no star beside others."""
        items = split(self._items(nodes))
        stars = [i for i, item in enumerate(items) if len(item) == 1 and word(item[0]).endswith("*")]
        needed = always or (len(items) > 1 and QUIRKS[self.grammar.dialect].derived_names_differ)
        columns = self._columns(nodes) if stars and needed else None
        if columns is None:
            return nodes
        found: list[Node] = []
        for number, item in enumerate(items):
            owner = flat(item)[0].text.rpartition(".")[0] if number in stars else ""
            shown = [c for o, some in columns.items() if self._key(owner) in {"", self._key(o)} for c in some]
            written = self.made(", ".join(shown), item[0]) if number in stars else item
            found += (*(self.made(",", item[0]) if found else ()), *written)
        start = nodes.index(items[0][0])
        return (*nodes[:start], *found, *nodes[start + len(self._items(nodes)) :])

    def _columns(self, nodes: Nodes) -> Mapping[str, list[str]] | None:
        """Return the columns of each source of FROM, written with their owner; None if not all are known."""
        start = index_of(nodes, ("FROM",)) + 1
        end = index_of(nodes, (*_CLAUSES, *_SETS), start)
        found: dict[str, list[str]] = {}
        if {word(n) for n in nodes[start:end]} & {"USING", "NATURAL"} or start > len(nodes):
            return None
        for part in split(nodes[start:end], ("JOIN", ",")):
            source = part[: index_of(part, _JOINING)]
            if not source or not isinstance(source[0], Lexeme):
                return None
            table = self.grammar.names.table(source[0].parts)
            alias, _ = self._alias(source[1:])
            owner = (alias or source[0]).text
            if table is not None:
                found[owner] = [f"{owner}.{self.grammar.quoting.write(c.name)}" for c in table.columns]
                continue
            labels = [self._label(item) for item in split(self._items(self.common.get(source[0].text, ())))]
            if not labels or not all(labels):
                return None
            found[owner] = [f"{owner}.{flat(label)[0].text}" for label in labels]
        return found


def _text(nodes: Nodes) -> str:
    return " ".join(lexeme.text.lower() for lexeme in flat(nodes))


def _keys_of(part: Nodes, words: set[str]) -> list[Nodes]:
    """Return the keys of a grouping set, or a key that is none."""
    if part and word(part[0]) in words:
        return [
            key for node in part if isinstance(node, Group) for one in split(node.nodes) for key in _keys_of(one, words)
        ]
    if len(part) == 1 and isinstance(part[0], Group):
        return [key for one in split(part[0].nodes) if one for key in _keys_of(one, words)]
    return [part] if part else []
