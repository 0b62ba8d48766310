"""A query as a tree of its brackets, and what its rewriting keeps in mind: names taken, queries of WITH."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias

from ..grammar import Grammar
from ..grammar.lr.tables import AGGREGATES
from ..grammar.reading.lexer import Lexeme, Part

__all__ = [
    "CLAUSES",
    "JOINING",
    "SETS",
    "Group",
    "Node",
    "Nodes",
    "QueryRewriting",
    "UnableError",
    "alias_of",
    "flat",
    "grouped",
    "has_aggregate",
    "index_of",
    "is_aggregate",
    "items_of",
    "label_of",
    "mapped",
    "owned_by",
    "split",
    "text_of",
    "types_called",
    "unlabelled",
    "word",
]


class UnableError(Exception):
    """There is no way to say something with what the grammar has."""


@dataclass(frozen=True)
class Group:
    """What stands in brackets, with both of them."""

    opening: Lexeme
    nodes: Nodes
    closing: Lexeme

    @property
    def is_query(self) -> bool:
        """Say whether a query stands in the brackets."""
        return bool(self.nodes) and word(self.nodes[0]) in {"SELECT", "WITH", "VALUES"}


Node: TypeAlias = Lexeme | Group
Nodes: TypeAlias = tuple[Node, ...]


def grouped(lexemes: Sequence[Lexeme]) -> Nodes | None:
    """Return the tree of some lexemes, None if their brackets do not match."""
    stack: list[tuple[Lexeme, list[Node]]] = []
    nodes: list[Node] = []
    for lexeme in lexemes:
        if lexeme.text == "(":
            stack.append((lexeme, nodes))
            nodes = []
        elif lexeme.text == ")":
            if not stack:
                return None
            opening, around = stack.pop()
            nodes = [*around, Group(opening, tuple(nodes), lexeme)]
        else:
            nodes.append(lexeme)
    return None if stack else tuple(nodes)


def flat(nodes: Iterable[Node]) -> list[Lexeme]:
    """Return the lexemes of a tree in order."""
    found: list[Lexeme] = []
    for node in nodes:
        found += [node] if isinstance(node, Lexeme) else [node.opening, *flat(node.nodes), node.closing]
    return found


def word(node: Node) -> str:
    """Return what a node is as a keyword or an operator: upper case, nothing for texts, names in quotes and groups."""
    if isinstance(node, Group) or node.kind == "string" or any(part.quoted for part in node.parts):
        return ""
    return node.text.upper()


def index_of(nodes: Nodes, words: Iterable[str], start: int = 0) -> int:
    """Return the place of the first of some words outside of brackets, that of the end if there is none.

    The GROUP of ``WITHIN GROUP`` is no clause.
    """
    wanted = set(words)
    found = (i for i in range(start, len(nodes)) if word(nodes[i]) in wanted)
    return next((i for i in found if not i or word(nodes[i - 1]) != "WITHIN"), len(nodes))


def split(nodes: Nodes, separators: Iterable[str] = (",",)) -> list[Nodes]:
    """Return the parts between separators outside of brackets.

    Raises:
        UnableError: if nothing stands beside a separator.
    """
    wanted, found = set(separators), [list[Node]()]
    for node in nodes:
        if word(node) in wanted:
            found.append([])
        else:
            found[-1].append(node)
    if len(found) > 1 and not all(found):
        raise UnableError
    return [tuple(part) for part in found]


def mapped(nodes: Nodes, change: Callable[[Lexeme], Lexeme]) -> Nodes:
    """Return the tree with each of its lexemes changed."""
    return tuple(
        change(node) if isinstance(node, Lexeme) else replace(node, nodes=mapped(node.nodes, change)) for node in nodes
    )


def owned_by(lexeme: Lexeme, owner: str) -> Lexeme:
    """Return a column with another owner before it: ``t.a`` with u is ``u.a``."""
    text = f"{owner}.{lexeme.text.rpartition('.')[2]}"
    return replace(lexeme, text=text, parts=(Part(owner, False), lexeme.parts[-1]))


SETS = ("UNION", "INTERSECT", "EXCEPT")
CLAUSES = ("WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH")
JOINING = {"JOIN", "ON", "USING", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER", ","}


@dataclass
class QueryRewriting:
    """The rewriting of one query.

    Attributes:
        grammar: of the schema.
        lexemes: of the query.
        common: what becomes a query of WITH, by its name.
        taken: keys of the names that tables and queries of WITH have.
    """

    grammar: Grammar
    lexemes: Sequence[Lexeme]
    common: dict[str, Nodes] = field(default_factory=dict[str, Nodes])

    def __post_init__(self) -> None:
        aliases = self.grammar.names.scope(self.lexemes)
        self.key = self.grammar.quoting.key
        self.taken = {*self.grammar.names.tables, *aliases.tables}
        self._written = {self.key(part.text) for lexeme in self.lexemes for part in lexeme.parts}

    def made(self, text: str, at: Node) -> Nodes:
        """Return the tree of some SQL, at the place of a node."""
        place = at if isinstance(at, Lexeme) else at.opening
        found = [replace(x, start=place.start, end=place.end) for x in self.grammar.tokenizer.lexemes(text)]
        nodes = grouped(found)
        assert nodes is not None, text
        return nodes

    def around(self, text: str, argument: Nodes) -> Nodes:
        """Return some SQL whose last brackets begin with X, with an argument in its place."""
        *before, last = self.made(text, argument[0])
        assert isinstance(last, Group)
        return (*before, replace(last, nodes=(*argument, *last.nodes[1:])))

    def listed(self, parts: Sequence[Nodes]) -> Nodes:
        """Return expressions with commas between them."""
        return tuple(x for part in parts for x in (*self.made(",", part[0]), *part))[1:]

    def fresh(self) -> str:
        """Return a name that nothing has; it is taken then."""
        name = next(n for i in count() if (n := f"q{i}") not in self.taken and n not in self._written)
        self.taken.add(name)
        return name

    def is_named(self, name: Lexeme, lexeme: Lexeme) -> bool:
        """Does a lexeme begin with a name, as a table or as a column's owner?"""
        return bool(lexeme.parts) and self.key(lexeme.parts[0].text) == self.key(name.parts[0].text)

    def renamed(self, lexeme: Lexeme, name: Lexeme, new: str) -> Lexeme:
        """Return a lexeme with another name in place of its owner, or of the table that it is."""
        if not self.is_named(name, lexeme) or name.text == new:
            return lexeme
        if len(lexeme.parts) == 2:
            return owned_by(lexeme, new)
        return (
            replace(lexeme, text=new, parts=(replace(lexeme.parts[0], text=new),)) if len(lexeme.parts) == 1 else lexeme
        )


def items_of(nodes: Nodes) -> Nodes:
    """Return the select list of a query's first SELECT."""
    start = 1 + (len(nodes) > 1 and word(nodes[1]) in {"DISTINCT", "ALL"})
    return nodes[start : index_of(nodes, ("FROM", *CLAUSES, *SETS), start)]


def label_of(rewriting: QueryRewriting, item: Nodes) -> Nodes:
    """Return the name of an item, nothing if it has none."""
    last = item[-1] if item else None
    if not isinstance(last, Lexeme) or last.kind != "name" or word(last) in {"END", "*", "NULL"}:
        return ()
    bare = len(item) > 1 and word(item[-2]) != "AS"
    names, kept = rewriting.grammar.names, rewriting.grammar.quoting.refused.names
    if bare and (word(last) in kept or not names.ends_operand(flat(item[:-1])[-1])):
        return ()
    return (replace(last, text=last.text.rpartition(".")[2], parts=last.parts[-1:]),)


def unlabelled(rewriting: QueryRewriting, item: Nodes) -> Nodes:
    """Return an item without its name, which a column alone keeps."""
    labels = len(item) > 1 and len(label_of(rewriting, item))
    return item[: len(item) - labels - (word(item[len(item) - 2]) == "AS")] if labels else item


def alias_of(rest: Nodes) -> tuple[Lexeme | None, list[Nodes] | None]:
    """Return the name behind a source, and those of its columns."""
    rest = rest[1:] if rest and word(rest[0]) == "AS" else rest
    columns = rest[1] if len(rest) > 1 else None
    if not rest:
        return None, None
    if not isinstance(rest[0], Lexeme) or len(rest[0].parts) != 1 or len(rest) > 2 or isinstance(columns, Lexeme):
        raise UnableError
    return rest[0], split(columns.nodes) if columns else None


def text_of(nodes: Nodes) -> str:
    """Return a tree as text by which two expressions are compared: in lower case, but for texts and names in quotes."""
    return " ".join(x.text if x.text[:1] in "'\"`" else x.text.lower() for x in flat(nodes))


def is_aggregate(grammar: Grammar, name: str) -> bool:
    """Say whether a word, in upper case, is that of a function which makes one value of many rows."""
    return name in grammar.functions and grammar.functions[name].terminal in AGGREGATES


def has_aggregate(rewriting: QueryRewriting, nodes: Nodes) -> bool:
    """Say whether an aggregate stands in an expression, subqueries within left out."""
    called = any(is_aggregate(rewriting.grammar, word(n)) for n in nodes)
    return called or any(isinstance(n, Group) and not n.is_query and has_aggregate(rewriting, n.nodes) for n in nodes)


def types_called(rewriting: QueryRewriting, lexeme: Lexeme) -> set[str]:
    """Return the types of the schema's columns that are called as a name is, in upper case."""
    name = rewriting.key(lexeme.parts[-1].text) if lexeme.parts else ""
    return {c.type.upper() for _, c in rewriting.grammar.schema.columns() if rewriting.key(c.name) == name}
