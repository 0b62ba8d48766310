"""The time of a mask of tokens along gold queries, each database's constraint made anew, in CPU milliseconds.

The tokenizer's folder is what `AutoTokenizer.from_pretrained` reads. With --llguidance its masks over the grammar that
`export_grammar` writes are timed on the same tokens. The process has called `gc.freeze()` after the tokenizer was
loaded, as docs/constrain-your-model.md advises.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from rich.progress import track
from transformers import AutoTokenizer

import querent
from querent.data.domains.collection import Collection, Pair, read_collection
from querent.grammar import Grammar, TokenConstraint, TokenSpellings

__all__ = ["measure"]

Times = dict[str, list[float]]


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Walk the queries, print the figures, and return them."""
    collection = read_collection(options.collection)
    pairs = random.Random(options.seed).sample(list(collection.pairs), options.queries)
    tokenizer = AutoTokenizer.from_pretrained(options.tokenizer)
    walks = {"querent": ours(collection, tokenizer)}
    if options.llguidance:
        walks["llguidance"] = theirs(collection, tokenizer)
    gc.freeze()
    found: dict[str, Any] = {"tokens": len(tokenizer), "queries": options.queries, "seed": options.seed}
    for name, walk in walks.items():
        times: Times = {"schema": [], "mask": [], "step": []}
        refused = sum(not walk(pair, times) for pair in track(pairs, name))
        found[name] = {what: figures(some) for what, some in times.items()} | {"queries refused": refused}
        print(name, json.dumps(found[name]))
    return found


def ours(collection: Collection, tokenizer: Any) -> Callable[[Pair, Times], bool]:
    """Return what walks a query under our constraint, and says whether it was admitted to its end."""
    spellings, made = TokenSpellings.of_tokenizer(tokenizer), dict[str, TokenConstraint]()

    def walk(pair: Pair, times: Times) -> bool:
        if pair.database not in made:
            schema = collection.schemas[pair.database]
            made[pair.database] = timed(times["schema"], lambda: TokenConstraint(schema, spellings, dialect="sqlite"))
        state = made[pair.database].start()
        for token in [*tokenizer.encode(pair.sql, add_special_tokens=False), tokenizer.eos_token_id]:
            if not timed(times["mask"], state.allowed)[token]:
                return False
            state = timed(times["step"], lambda: state.advance(token))  # noqa: B023 - called at once
        return True

    return walk


def theirs(collection: Collection, tokenizer: Any) -> Callable[[Pair, Times], bool]:
    """Return what walks a query under llguidance."""
    import llguidance  # pyright: ignore[reportMissingImports]
    import llguidance.hf  # pyright: ignore[reportMissingImports]
    import llguidance.numpy  # pyright: ignore[reportMissingImports]

    vocabulary, made = llguidance.hf.from_tokenizer(tokenizer), dict[str, Any]()
    bits = llguidance.numpy.allocate_token_bitmask(1, vocabulary.vocab_size)

    def compiled(database: str) -> Any:
        grammar = Grammar.for_schema(collection.schemas[database], dialect="sqlite", wide=True)
        return llguidance.LLMatcher.grammar_from_lark(querent.export_grammar(grammar, "lark"))

    def walk(pair: Pair, times: Times) -> bool:
        if pair.database not in made:
            made[pair.database] = timed(times["schema"], lambda: compiled(pair.database))
        matcher = llguidance.LLMatcher(vocabulary, made[pair.database])
        for token in tokenizer.encode(pair.sql, add_special_tokens=False):
            timed(times["mask"], lambda: llguidance.numpy.fill_next_token_bitmask(matcher, bits, 0))
            if not timed(times["step"], lambda: matcher.consume_token(token)):  # noqa: B023 - called at once
                return False
        return True

    return walk


_T = TypeVar("_T")


def timed(times: list[float], make: Callable[[], _T]) -> _T:
    """Return what is made, with the CPU milliseconds noted that it took."""
    begun = time.process_time()
    made = make()
    times.append(1e3 * (time.process_time() - begun))
    return made


def figures(times: list[float]) -> dict[str, float]:
    """Return count, mean and percentiles of some times."""
    percentiles = {f"p{p}": round(float(np.percentile(times, p)), 3) for p in (50, 90, 99)}
    return {"count": len(times), "mean": round(float(np.mean(times)), 3)} | percentiles | {"most": round(max(times), 1)}
