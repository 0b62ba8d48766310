"""The LALR(1) tables of each dialect: Lark reads the grammar files and builds them, integers leave.

A state is a number, 0 the first. Terminal 0 is ``$END``. Symbols of rule bodies are terminal numbers,
or ``~n`` for the n-th nonterminal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from ...data.errors import ConstraintError

__all__ = ["DIALECTS", "END", "Production", "Tables", "grammar_text"]

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


def grammar_text(dialect: str, *, wide: bool = False) -> str:
    """Return the core grammar and the dialect's changes to it as one text, with those of its form, wide or narrow."""
    if dialect not in DIALECTS:
        raise ConstraintError(f"no grammar for dialect {dialect!r}", hint=f"use one of {', '.join(DIALECTS)}")
    folder = resources.files(__package__ or __name__)
    names = ("core", dialect, "wide", f"{dialect}-wide") if wide else ("core", dialect, "narrow")
    return "\n".join((folder / f"{name}.lark").read_text("utf-8") for name in names)
