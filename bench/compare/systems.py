"""The systems that are compared, each behind the same few calls: begin on a schema, mask, advance.

A mask stays in the form that its system hands to a sampler: booleans, packed bits, or (GRID within a budget) token ids.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from grid_guide import INSTALL, Grid, grammar_file
from numpy.typing import NDArray

from querent.data.schema.schema import Schema
from querent.grammar import Grammar
from querent.grammar.export import export_grammar
from querent.grammar.tokens.constraint import TokenConstraint
from querent.grammar.tokens.spellings import TokenSpellings

__all__ = ["SYSTEMS", "Run", "System", "lacking"]

BUDGET = 128
"""Tokens of an output, its end among them, for the two that can end within a number of tokens."""


class Run(Protocol):
    """One output that is being written."""

    def mask(self) -> object:
        """Work out which tokens may come next."""
        ...

    def allowed(self) -> NDArray[np.bool_]:
        """Return the last mask as booleans; not measured."""
        ...

    def advance(self, token: int) -> None:
        """Take a token that may come."""
        ...


class System(Protocol):
    """A system that has read a tokenizer."""

    def source(self, schema: Schema) -> Any:
        """Return what the system takes a schema as; not measured."""
        ...

    def prepare(self, source: Any) -> Callable[[], Run]:
        """Make all that a schema needs, and return what begins an output on it."""
        ...


class Querent:
    """Ours, without or with a budget of tokens."""

    def __init__(self, tokenizer: Any, tokens: int | None = None) -> None:
        self._spellings = TokenSpellings.of_tokenizer(tokenizer)
        self._tokens = tokens

    def source(self, schema: Schema) -> Any:
        """Return the schema itself."""
        return schema

    def prepare(self, source: Any) -> Callable[[], Run]:
        """Make a constraint."""
        constraint = TokenConstraint(source, self._spellings, dialect="sqlite", tokens=self._tokens)
        return lambda: _QuerentRun(constraint)


class _QuerentRun:
    def __init__(self, constraint: TokenConstraint) -> None:
        self._state = constraint.start()
        self._constraint = constraint

    def remembered(self) -> tuple[int, int]:
        """Return how much is known of words, and how many masks: what a step adds tells its kind."""
        return self._constraint.words.bytes, len(self._constraint.masks)

    def mask(self) -> object:
        return self._state.allowed()

    def allowed(self) -> NDArray[np.bool_]:
        return self._state.allowed()

    def advance(self, token: int) -> None:
        self._state = self._state.advance(token)


class GridSystem:
    """GRID on its Spider grammar and the schema's names; within a budget its mask comes as an instruction."""

    def __init__(self, tokenizer: Any, grammar: Path, tokens: int | None = None) -> None:
        self._grid = Grid(tokenizer, grammar)
        self._tokens = tokens

    def source(self, schema: Schema) -> Any:
        """Return the schema itself."""
        return schema

    def prepare(self, source: Any) -> Callable[[], Run]:
        """Make a guide."""
        guide = self._grid.guide(source, self._tokens)
        return lambda: _GridRun(guide)


class _GridRun:
    def __init__(self, guide: Any) -> None:
        from grid.protocols import Write

        self._forcing = Write
        self._guide, self._state = guide, guide.initial_state
        self._bits = np.zeros(-(-guide.vocab_size // 32), np.uint32)
        self._ids: Any = None

    def mask(self) -> object:
        if self._guide.max_new_tokens is None:
            self._guide.fill_bitmask(self._state, self._bits)
            return self._bits
        self._ids = self._guide.get_next_instruction(self._state)
        return self._ids

    def allowed(self) -> NDArray[np.bool_]:
        if self._ids is None:
            return _unpacked(self._bits, self._guide.vocab_size)
        allowed = np.zeros(self._guide.vocab_size, np.bool_)
        # the tokens of «Write» are to be written one after another
        forced = isinstance(self._ids, self._forcing)
        allowed[self._ids.tokens.numpy()[: 1 if forced else None]] = True
        return allowed

    def advance(self, token: int) -> None:
        self._state = self._guide.get_next_state(self._state, token)


class LLGuidance:
    """llguidance on our Lark grammar of the schema."""

    def __init__(self, tokenizer: Any) -> None:
        import llguidance.hf

        self._tokenizer, self._size = llguidance.hf.from_tokenizer(tokenizer), len(tokenizer)

    def source(self, schema: Schema) -> Any:
        """Return the exported grammar."""
        return export_grammar(Grammar.for_schema(schema, dialect="sqlite"), "lark")

    def prepare(self, source: Any) -> Callable[[], Run]:
        """Read a grammar."""
        import llguidance

        matcher = llguidance.LLMatcher(self._tokenizer, llguidance.grammar_from("lark", source))
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return lambda: _LLGuidanceRun(matcher, self._size)


class _LLGuidanceRun:
    def __init__(self, matcher: Any, size: int) -> None:
        from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

        matcher.reset()  # one at a time: a copy would not know what its lexer has met
        self._matcher, self._size, self._fill = matcher, size, fill_next_token_bitmask
        self._bits = allocate_token_bitmask(1, size)

    def mask(self) -> object:
        self._fill(self._matcher, self._bits, 0)
        return self._bits

    def allowed(self) -> NDArray[np.bool_]:
        return _unpacked(self._bits, self._size)

    def advance(self, token: int) -> None:
        if not self._matcher.consume_token(token):
            raise ValueError(self._matcher.get_error())


class XGrammar:
    """XGrammar on our EBNF grammar of the schema."""

    def __init__(self, tokenizer: Any) -> None:
        import xgrammar

        self._size = len(tokenizer)
        told = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=self._size)
        self._compiler = xgrammar.GrammarCompiler(told, max_threads=1)

    def source(self, schema: Schema) -> Any:
        """Return the exported grammar."""
        return export_grammar(Grammar.for_schema(schema, dialect="sqlite"), "ebnf")

    def prepare(self, source: Any) -> Callable[[], Run]:
        """Compile a grammar."""
        compiled = self._compiler.compile_grammar(source)
        return lambda: _XGrammarRun(compiled, self._size)


class _XGrammarRun:
    def __init__(self, compiled: Any, size: int) -> None:
        import xgrammar

        self._matcher, self._size = xgrammar.GrammarMatcher(compiled), size
        self._bits: Any = xgrammar.allocate_token_bitmask(1, size)

    def mask(self) -> object:
        self._matcher.fill_next_token_bitmask(self._bits)
        return self._bits

    def allowed(self) -> NDArray[np.bool_]:
        return _unpacked(self._bits.numpy(), self._size)

    def advance(self, token: int) -> None:
        if not self._matcher.accept_token(token):
            raise ValueError(f"token {token} is refused")


def _unpacked(bits: NDArray[Any], size: int) -> NDArray[np.bool_]:
    return np.unpackbits(bits.reshape(-1).view(np.uint8), count=size, bitorder="little").view(np.bool_)


SYSTEMS: dict[str, Callable[[Any, Path | None], System]] = {
    "querent": lambda tokenizer, _: Querent(tokenizer),
    "querent-budget": lambda tokenizer, _: Querent(tokenizer, BUDGET),
    "grid": lambda tokenizer, grammar: GridSystem(tokenizer, grammar_file(grammar)),
    "grid-budget": lambda tokenizer, grammar: GridSystem(tokenizer, grammar_file(grammar), BUDGET),
    "llguidance": lambda tokenizer, _: LLGuidance(tokenizer),
    "xgrammar": lambda tokenizer, _: XGrammar(tokenizer),
}
"""What reads a tokenizer, by name; GRID is given the file of its grammar."""

_MODULES = {
    "grid": ("grid", INSTALL),
    "llguidance": ("llguidance", "pip install llguidance==1.9.1"),
    "xgrammar": ("xgrammar", "pip install --no-deps xgrammar==0.2.8 apache-tvm-ffi"),
}


def lacking(system: str) -> str:
    """Return how to install what a system lacks, nothing if it is there."""
    module, install = _MODULES.get(system.removesuffix("-budget"), ("querent", ""))
    return "" if find_spec(module) else install
