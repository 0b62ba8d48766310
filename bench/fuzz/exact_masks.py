"""Is the mask of every token what the token spells, character by character?

    python bench/fuzz/exact_masks.py --states 500 --tokenizer smollm2 --databases ../shared/data/multi

At states met on random walks, each token of the vocabulary is spelled byte after byte along the readings of the text,
with no trie and no table of tokens; it may come where a reading is left. Where the mask says otherwise, it is told.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from tokens import choose, spellings_of
from walk_results import fresh_seed, keep
from walk_schemas import drawn_schemas
from walking import DIALECTS

from querent.grammar.tokens.constraint import TokenConstraint, TokenState
from querent.grammar.tokens.reading import Reading

A_SCHEMA = 10
"""States of one schema."""

MOST = 60
"""Tokens of a walk at most."""


def main() -> None:
    """Walk, compare, count."""
    options = arguments()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    count = -(-options.states // A_SCHEMA)
    schemas = drawn_schemas(options.databases, chance, count, options.dialect)
    spellings = spellings_of(options.tokenizer, schemas)
    told: Counter[str] = Counter(states=0, tokens=0, differences=0)
    start = time.perf_counter()
    for schema in track(schemas, "schemas", disable=not sys.stderr.isatty()):
        constraint = TokenConstraint(schema, spellings, dialect=options.dialect)
        for state in states(constraint, chance, min(A_SCHEMA, options.states - told["states"])):
            told.update(compared(constraint, state))
    entry = {"seed": options.seed, "schemas": len(schemas), **told, "seconds": round(time.perf_counter() - start, 1)}
    print(json.dumps({"dialect": options.dialect, **entry}))
    if options.out is not None:
        keep(options.out, options.dialect, entry)


def states(constraint: TokenConstraint, chance: random.Random, count: int) -> list[TokenState]:
    """Return some states of random walks, none of them the first one, whose tokens may spell otherwise."""
    met: list[TokenState] = []
    while len(met) < 3 * count:
        state = constraint.start().advance(choose(constraint, constraint.start(), chance))
        for _ in range(MOST):
            if state.ended:
                break
            met.append(state)
            state = state.advance(choose(constraint, state, chance))
    return chance.sample(met, count)


def compared(constraint: TokenConstraint, state: TokenState) -> Counter[str]:
    """Hold the mask of a state against what its tokens spell."""
    ours, theirs = state.allowed(), spelled(constraint, state)
    wrong = np.flatnonzero(ours != theirs)
    if len(wrong):
        shown = [(constraint.spellings.bytes[token], bool(theirs[token])) for token in wrong[:5].tolist()]
        print(f"{state.text!r}: {shown}", flush=True)
    return Counter(states=1, tokens=len(ours), differences=len(wrong))


def spelled(constraint: TokenConstraint, state: TokenState) -> NDArray[np.bool_]:
    """Return the mask that spelling each token gives; the end may come where the text is complete."""
    mask = np.zeros(constraint.spellings.size, np.bool_)
    behind: dict[bytes, tuple[Reading, ...]] = {b"": state.readings}  # tokens that begin alike are spelled once so far
    for token, text in enumerate(constraint.spellings.bytes):
        for n in range(1, len(text or b"") + 1):
            before, now = text[: n - 1] if text else b"", text[:n] if text else b""
            if now not in behind:
                behind[now] = constraint.text.step(behind[before], now[-1]) if behind[before] else ()
        mask[token] = bool(text and behind[text])
    mask[constraint.ends] = constraint.text.complete(state.readings)
    return mask


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialect", choices=sorted(set(DIALECTS.values())), default="sqlite")
    parser.add_argument("--states", type=int, default=50)
    parser.add_argument("--seed", type=int, default=fresh_seed(), help="of all chance (default: a fresh one)")
    parser.add_argument("--tokenizer", help="a folder that transformers reads, or smollm2")
    parser.add_argument("--databases", type=Path, required=True, help="folder with SQLite files in it or below")
    parser.add_argument("--out", type=Path, help="result file to keep the figures in")
    return parser.parse_args()


if __name__ == "__main__":
    main()
