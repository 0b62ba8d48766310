"""The LALR(1) tables of each dialect: Lark reads the grammar files and builds them, integers leave.

A state is a number, 0 the first. Terminal 0 is ``$END``. Symbols of rule bodies are terminal numbers,
or ``~n`` for the n-th nonterminal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

import numpy as np
from lark import Lark
from lark.lexer import Lexer, PatternStr
from lark.parsers.lalr_analysis import LALR_Analyzer
from numpy.typing import NDArray

from ...data.errors import ConstraintError

__all__ = ["DIALECTS", "END", "Production", "Tables", "compile_grammar", "grammar_text", "lark_parser"]

DIALECTS = ("sqlite", "mysql", "postgres")
END = 0
"""The terminal of the end of the query."""


@dataclass(frozen=True)
class Production:
    """``head -> body``; ``head`` counts nonterminals."""

    head: int
    body: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tables:
    """One compiled grammar.

    Attributes:
        terminals: names; number 0 is ``$END``.
        texts: the word of each keyword or operator terminal, by name.
        nonterminals: names.
        productions: all rules.
        action: (states, terminals) int32: 0 error, s + 1 shift to s, -(r + 1) reduce by rule r. Reading
            ``$END`` in the accepting state counts as a shift to itself.
        goto: (states, nonterminals) int32: the next state, or -1.
        kernels: the items (rule, dot) that each state stands for.
        accepting: the state in which a whole query has been read.
        source: the text that Lark read.
    """

    terminals: tuple[str, ...]
    texts: Mapping[str, str]
    nonterminals: tuple[str, ...]
    productions: tuple[Production, ...]
    action: NDArray[np.int32]
    goto: NDArray[np.int32]
    kernels: tuple[tuple[tuple[int, int], ...], ...]
    accepting: int
    source: str

    @cached_property
    def names(self) -> list[str]:
        """Return the text of each keyword and operator, the name of each other terminal."""
        return [self.texts.get(t, t) for t in self.terminals]

    @cached_property
    def heads(self) -> list[str]:
        """Return the name of each rule's head."""
        return [str(self.nonterminals[production.head]) for production in self.productions]

    @cached_property
    def bodies(self) -> list[list[str]]:
        """Return the symbols of each rule's body, by text or name."""
        return [
            [self.names[s] if s >= 0 else str(self.nonterminals[~s]) for s in production.body]
            for production in self.productions
        ]

    @cached_property
    def symbols(self) -> list[str]:
        """Return the name, or the text, of the symbol that leads to each state."""
        found = [""] * len(self.kernels)
        for row in self.action.tolist():
            for terminal, action in enumerate(row):
                if action > 0 and terminal:
                    found[action - 1] = self.names[terminal]
        for row in self.goto.tolist():
            for nonterminal, state in enumerate(row):
                if state >= 0:
                    found[state] = str(self.nonterminals[nonterminal])
        return found

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the grammar's text, in hex."""
        return hashlib.sha256(self.source.encode()).hexdigest()


class _NoLexer(Lexer):
    """Stands in for a lexer: words are fed to the parser one by one."""

    def __init__(self, lexer_conf: Any) -> None:
        del lexer_conf

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Any]:
        raise NotImplementedError("feed the tokens")


def grammar_text(dialect: str, *, wide: bool = False) -> str:
    """Return the core grammar and the dialect's changes to it as one text, with those of its form, wide or narrow."""
    if dialect not in DIALECTS:
        raise ConstraintError(f"no grammar for dialect {dialect!r}", hint=f"use one of {', '.join(DIALECTS)}")
    folder = resources.files(__package__ or __name__)
    names = ("core", dialect, "wide", f"{dialect}-wide") if wide else ("core", dialect, "narrow")
    return "\n".join((folder / f"{name}.lark").read_text("utf-8") for name in names)


def lark_parser(text: str) -> Lark:
    """Return Lark's own parser of a grammar: where our tables come from, and their oracle in tests."""
    return Lark(text, parser="lalr", lexer=_NoLexer, maybe_placeholders=False)


def compile_grammar(text: str) -> Tables:
    """Turn a Lark grammar into tables.

    Raises:
        lark.exceptions.GrammarError: the grammar has a conflict.
    """
    lark = lark_parser(text)
    analyzer = LALR_Analyzer(lark.parser.parser_conf, strict=True)
    analyzer.compute_lalr()
    root = analyzer.lr0_start_states["start"]
    states = _number_states(root)
    symbols = {symbol for state in states for i in state.closure for symbol in (i.rule.origin, *i.rule.expansion)}
    terminals = ("$END", *sorted(s.name for s in symbols if s.is_term and s.name != "$END"))
    nonterminals = tuple(sorted(s.name for s in symbols if not s.is_term))
    number = {name: i for i, name in enumerate(terminals)} | {name: ~i for i, name in enumerate(nonterminals)}
    found = {item.rule for state in states for item in state.closure}
    productions = sorted(found, key=lambda r: (r.origin.name, [s.name for s in r.expansion]))
    rule_number = {production: i for i, production in enumerate(productions)}
    action = np.zeros((len(states), len(terminals)), np.int32)
    goto = np.full((len(states), len(nonterminals)), -1, np.int32)
    for state, i in states.items():
        for symbol, following in state.transitions.items():
            if symbol.is_term:
                action[i, number[symbol.name]] = states[following] + 1
            else:
                goto[i, ~number[symbol.name]] = states[following]
        for symbol, (production, *_) in ((s, tuple(r)) for s, r in state.lookaheads.items()):
            action[i, number[symbol.name]] = -(rule_number[production] + 1)
    accepting = next(states[s] for symbol, s in root.transitions.items() if symbol.name == "start")
    action[accepting, END] = accepting + 1
    return Tables(
        terminals=terminals,
        texts={t.name: t.pattern.value for t in lark.terminals if isinstance(t.pattern, PatternStr)},
        nonterminals=nonterminals,
        productions=tuple(
            Production(~number[r.origin.name], tuple(number[s.name] for s in r.expansion)) for r in productions
        ),
        action=action,
        goto=goto,
        kernels=tuple(tuple(sorted((rule_number[i.rule], i.index) for i in s.kernel)) for s in states),
        accepting=accepting,
        source=text,
    )


def _number_states(root: Any) -> dict[Any, int]:
    """Number Lark's states breadth first, by the names of the symbols that lead to them."""
    states = {root: 0}
    queue = [root]
    for state in queue:
        for symbol in sorted(state.transitions, key=lambda s: s.name):
            following = state.transitions[symbol]
            if following not in states:
                states[following] = len(states)
                queue.append(following)
    return states
