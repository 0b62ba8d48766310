"""Queries outside of the grammar, written with what it has: where the rewritten query runs, the query does.

This is how compilers treat syntactic sugar. Derived tables become queries of WITH, whose columns are known before the
SELECT that reads them; so do VALUES, tables that functions make, and what LATERAL derives from the sources before it.
The window of a name is written where it is used; DISTINCT ON, ROLLUP and their like are taken away once what they ask
for is there. Nothing is executed. All lexemes stay the query's own or stand at the place of one, so that what the rules
say of the rewritten query is said of the place in the query. Whatever cannot be rewritten so that the query fails where
it failed before, is left undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..grammar import MAX_WORDS, Grammar, State
from ..grammar.reading.lexer import Lexeme
from .clause_sugar import distinct_on, finds_one, grouping, windows
from .derived_tables import labelled, operand, rows_of_items, selects_of_values, with_sources, without_stars
from .expression_keys import keys_by_position
from .guards import guarded
from .joins import with_conditions
from .lexeme_tree import Group, Node, Nodes, UnableError, flat, grouped, index_of, mapped, split, word
from .query_rewriting import SETS, QueryRewriting, items_of, label_of
from .recursion import Recursion, Stable
from .sugar import without_sugar

__all__ = ["Desugared", "desugared"]

_SORTING = {"ORDER", "LIMIT", "OFFSET", "FETCH"}


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
    if not nodes or len(lexemes) > MAX_WORDS or word(nodes[0]) not in {"SELECT", "WITH", "VALUES", ""}:
        return None
    rewriting = _Desugaring(grammar, lexemes)
    try:
        nodes = rewriting.query(without_sugar(rewriting, nodes))
        found = flat((*rewriting.defined(nodes[0]), *nodes))
    # IndexError of a clause that ends where a word must stand, RecursionError of brackets by the thousand
    except (UnableError, IndexError, RecursionError):
        return None
    return None if [x.text for x in found] == [x.text for x in lexemes] else Desugared(found, tuple(rewriting.stable))


@dataclass
class _Desugaring(QueryRewriting):
    """The walk through one query and the queries in it; ``stable`` has those that read themselves."""

    stable: list[Stable] = field(default_factory=list[Stable])
    depth: int = 0

    def defined(self, at: Node) -> Nodes:
        """Return WITH and all that it defines."""
        found: list[Node] = []
        for name, body in self.common.items():
            found += (*self.made(f"{', ' if found else 'WITH '}{name} AS", at), *self.around("(X)", body))
        return tuple(found)

    def query(self, nodes: Nodes) -> Nodes:
        """Return a query without WITH, the operands of its set operators rewritten."""
        self.depth += 1
        if word(nodes[0]) == "WITH":
            nodes = self._with(nodes)
        match nodes:
            case (Group() as group, following, *_) if group.is_query and word(following) in _SORTING:
                if not _SORTING & {word(n) for n in group.nodes}:
                    nodes = (*group.nodes, *nodes[1:])
            case _:
                pass
        found: list[Node] = []
        start = 0
        while start < len(nodes):
            end = index_of(nodes, SETS, start)
            compound, part = start > 0 or end < len(nodes), nodes[start:end]
            part = part if compound else keys_by_position(self, part, outermost=self.depth == 1)
            part = self._select(part, compound=compound)
            found += operand(self, part) if compound and part and self.grammar.dialect != "sqlite" else part
            start = end + 1 + (end + 1 < len(nodes) and word(nodes[end + 1]) in {"ALL", "DISTINCT"})
            found += nodes[end:start]
        self.depth -= 1
        return tuple(found)

    def _with(self, nodes: Nodes) -> Nodes:
        """Take the queries of WITH; return what stands behind them."""
        recursive = word(nodes[1]) == "RECURSIVE"
        at = 1 + recursive
        while True:
            name, named = nodes[at], nodes[at + 1]
            start = index_of(nodes, ("AS",), at) + 1
            if start != at + 2 + isinstance(named, Group):
                raise UnableError
            if self.grammar.dialect != "mysql":
                start += [word(n) for n in nodes[start : start + 2]] == ["NOT", "MATERIALIZED"]
                start += word(nodes[start]) == "MATERIALIZED"
            body = nodes[start] if start < len(nodes) else None
            if not isinstance(name, Lexeme) or len(name.parts) != 1 or not isinstance(body, Group) or not body.is_query:
                raise UnableError
            columns = split(named.nodes) if isinstance(named, Group) else None
            if self.key(name.parts[0].text) in self.taken:
                raise UnableError
            self.taken.add(self.key(name.parts[0].text))
            if recursive and any(self.is_named(name, x) for x in flat(body.nodes)):
                self._recursive(name, body.nodes, columns)
            else:
                self.common[name.text] = labelled(self, self.query(body.nodes), columns)
            if start + 1 >= len(nodes) or word(nodes[start + 1]) != ",":
                return nodes[start + 1 :]
            at = start + 2

    def _recursive(self, name: Lexeme, body: Nodes, columns: list[Nodes] | None) -> None:
        """Define what a query is that reads itself, by two steps, of which the second may change no type."""
        found = Recursion.of(self.grammar, name, body)
        if found is None:
            raise UnableError
        first, second = self.fresh(), self.fresh()
        anchor, step = labelled(self, self.query(found.anchor), columns), found.step
        names = columns or [label_of(self, item) for item in split(items_of(anchor))]
        anchor, step, counters, times = found.without_counters(
            anchor, step, [word(n[-1]) if n else "" for n in names], self
        )
        self.common[first] = anchor
        for before, after in ((first, name.text), (name.text, second)):
            read = mapped(step, lambda x, before=before: self.renamed(x, name, before))
            self.common[after] = (*anchor, *found.operator, *self.query(read))
        parts = tuple(x.lower() for x in (first, self.key(name.parts[0].text), second))
        loose = self.grammar.dialect == "sqlite"
        self.stable.append(Stable(parts, counters, times, () if loose else found.alike(self, anchor, found.step)))

    def _select(self, nodes: Nodes, *, compound: bool) -> Nodes:
        if nodes and word(nodes[0]) == "VALUES":
            return selects_of_values(self, nodes)
        nodes = tuple(map(self._nested, ("", *map(word, nodes)), nodes))
        if not nodes or word(nodes[0]) != "SELECT":
            return nodes
        if self.grammar.dialect == "postgres":
            nodes = guarded(self, nodes, nested=self.depth > 1)
        nodes = with_sources(self, rows_of_items(self, windows(nodes)))
        nodes = without_stars(self, with_conditions(self, nodes, compound=compound))
        return grouping(self, distinct_on(self, nodes))

    def _nested(self, before: str, node: Node) -> Node:
        """Return a node with the queries in it rewritten; one that finds a row by its key says so with LIMIT."""
        if isinstance(node, Lexeme):
            return node
        if not node.is_query:
            return replace(node, nodes=tuple(map(self._nested, ("", *map(word, node.nodes)), node.nodes)))
        nodes = self.query(node.nodes)
        pinned = before not in {"IN", "ANY", "ALL", "SOME", "EXISTS"} and finds_one(self, nodes)
        return replace(node, nodes=(*nodes, *self.made("LIMIT 1", node)) if pinned else nodes)
