"""The lexemes of a query as a tree of its brackets, for rewriting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..grammar.reading.lexer import Lexeme, Part

__all__ = [
    "Group",
    "Node",
    "Nodes",
    "UnableError",
    "flat",
    "grouped",
    "index_of",
    "mapped",
    "owned_by",
    "split",
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
