"""Syntactic sugar by a table: what some engine has and the grammar has not, in words that it has (sugar.toml)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from zoneinfo import available_timezones

from ..grammar.reading.lexer import Lexeme
from .lexeme_tree import Group, Node, Nodes, UnableError, flat, grouped, index_of, word
from .query_rewriting import QueryRewriting, text_of, types_called

__all__ = ["without_sugar"]

_HOLE = re.compile(r"[XERDNFPTZACGQ]\d")
_TYPES = {"A": {"TEXT[]", "VARCHAR[]"}, "C": {"TEXT"}, "G": {"TEXT[]"}}
_SHARE = re.compile(r"0?\.\d+|[01](\.0+)?")
_NUMBER = re.compile(r"[1-9]\d*")


def without_sugar(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """Return a query with each pattern of the table replaced, the innermost first."""
    inner = [n if isinstance(n, Lexeme) else replace(n, nodes=without_sugar(rewriting, n.nodes)) for n in nodes]
    nodes, found, at = tuple(inner), list[Node](), 0
    while at < len(nodes):
        for pattern, instead in _patterns(rewriting.grammar.dialect, rewriting.grammar.tokenizer.lexemes):
            able = _hole(pattern[0]) or (
                word(pattern[0]) == word(nodes[at]) and not _apart(rewriting, nodes[at : at + 2])
            )
            fit = next(_Fit(rewriting).ends(pattern, nodes, at, {}), None) if able else None
            if fit is not None and fit[0] > at and _links(fit[1]):
                if not instead:
                    raise UnableError
                found += _filled(rewriting.made(instead, _first(nodes[at])), fit[1])
                at = fit[0]
                break
        else:
            found.append(nodes[at])
            at += 1
    return tuple(found)


def _links(held: Mapping[str, Nodes]) -> bool:
    """Say whether columns with owners, Q1 and its like, are one of the source that R1 joins and one of another."""
    columns = [x for hole, some in held.items() if hole[0] == "Q" for x in flat(some)]
    owners = {column.parts[0].text.lower() for column in columns}
    return not columns or (len(owners) == 2 and flat(held["R1"])[-1].text.rpartition(".")[2].lower() in owners)


def _apart(rewriting: QueryRewriting, nodes: Nodes) -> bool:
    """Say whether a function is no call because its bracket stands apart."""
    match nodes:
        case (Lexeme() as name, Group() as called):
            return word(name) in rewriting.grammar.quoting.refused.unspaced and called.opening.start > name.end
        case _:
            return False


@lru_cache
def _patterns(dialect: str, lexemes: Callable[[str], Iterable[Lexeme]]) -> list[tuple[Nodes, str]]:
    """Return the table of a dialect, whose patterns a lexer has cut."""
    table: Mapping[str, Mapping[str, str]] = tomllib.loads(
        (resources.files(__package__ or __name__) / "sugar.toml").read_text("utf-8")
    )
    return [(grouped(list(lexemes(pattern))) or (), instead) for pattern, instead in table[dialect].items()]


def _first(node: Node) -> Lexeme:
    return node if isinstance(node, Lexeme) else node.opening


def _hole(node: Node) -> str:
    return node.text if isinstance(node, Lexeme) and _HOLE.fullmatch(node.text) else ""


@dataclass(frozen=True)
class _Fit:
    """Fits patterns to the nodes of one query."""

    rewriting: QueryRewriting

    def ends(
        self, pattern: Nodes, nodes: Nodes, at: int, held: Mapping[str, Nodes]
    ) -> Iterator[tuple[int, Mapping[str, Nodes]]]:
        """Yield where a pattern ends that begins at a place, and what its holes hold."""
        if not pattern:
            yield at, held
            return
        first, rest = pattern[0], pattern[1:]
        hole, node = _hole(first), nodes[at] if at < len(nodes) else None
        if isinstance(first, Group):
            inner = node.nodes if isinstance(node, Group) else None
            for end, within in self.ends(first.nodes, inner, 0, held) if inner is not None else ():
                if end == len(inner or ()):
                    yield from self.ends(rest, nodes, at + 1, within)
            return
        for end in self._ends_of(hole, nodes, at):
            if text_of(held.get(hole, nodes[at:end])) == text_of(nodes[at:end]):
                yield from self.ends(rest, nodes, end, {**held, hole: nodes[at:end]})
        if not hole and node is not None and word(node) == word(first) != "":
            yield from self.ends(rest, nodes, at + 1, held)
        elif word(first) == "," and _hole(rest[0])[:1] == "R":
            yield from self.ends(rest[1:], nodes, at, {**held, _hole(rest[0]): ()})

    def _ends_of(self, hole: str, nodes: Nodes, at: int) -> Iterator[int]:
        """Yield where what a hole may hold ends, the shortest first."""
        match hole[:1]:
            case "X" | "E" as kind:
                comma = index_of(nodes, (",",), at)
                yield from (end for end in range(at + 1, comma + 1) if kind == "X" or not _bare(nodes[at:end]))
            case "R":
                yield from range(at, len(nodes) + 1)
            case "D":
                yield at
                yield from [at + 1] * (_word_at(nodes, at) in {"ASC", "DESC"})
            case "":
                return
            case kind:
                node = nodes[at] if at < len(nodes) else None
                yield from [at + 1] * (isinstance(node, Lexeme) and self._is(kind, node))

    def _is(self, kind: str, node: Lexeme) -> bool:
        """Say whether a lexeme may fill a hole of a kind."""
        text = node.text[1:-1]
        match kind:
            case "N" | "F":
                able = node.kind == "number" and (_NUMBER if kind == "N" else _SHARE).fullmatch(node.text) is not None
            case "P":
                able = node.kind == "string" and _NUMBER.match(text) is not None
            case "Q":
                able = len(node.parts) == 2
            case "Z":
                able = node.kind == "string" and text in available_timezones()
            case "A" | "C" | "G":
                types = types_called(self.rewriting, node)
                able = bool(types) and types <= _TYPES[kind]
            case _:
                able = node.kind == "string"
        return able


def _bare(nodes: Nodes) -> bool:
    """Say whether an expression is a text or NULL alone, of which an engine may know no type."""
    written = [x for x in flat(nodes[: index_of(nodes, ("ORDER",))]) if x.text.upper() not in {"(", ")", "DISTINCT"}]
    return len(written) == 1 and (written[0].kind == "string" or word(written[0]) == "NULL")


def _word_at(nodes: Nodes, at: int) -> str:
    """Return the word at a place, nothing behind the last."""
    return word(nodes[at]) if at < len(nodes) else ""


def _filled(nodes: Nodes, held: Mapping[str, Nodes]) -> Nodes:
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Group):
            found.append(replace(node, nodes=_filled(node.nodes, held)))
        elif hole := _hole(node):
            if not held[hole] and found and word(found[-1]) == ",":
                found.pop()
            found += held[hole]
        else:
            found.append(node)
    return tuple(found)
