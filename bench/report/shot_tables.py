"""Solved questions and language models, measured: a section of docs/results.md."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pieces import commands, table

__all__ = ["answers", "followed", "selection"]

_SHOTS = ("jaccard@1", "jaccard@2", "jaccard@5")
_SELECTION = (
    "Which solved questions come back for a new one (BibSQL 2025, tables 2 and 3): the parts train and dev of the"
    " [library](library.md), 595 questions, searched by the 595 of its test part, which another hand wrote. Mean"
    " Jaccard similarity between the words of the shots' queries and the gold one's, values left out, at 1, 2 and 5"
    " shots; «first» is the share of questions whose first shot has the gold query's pattern, which is what copying its"
    " query with the question's own values would answer rightly. A value that is found has the name of its column in"
    " its place."
)
_ANSWERS = (
    "A language model shown such shots, a copy of the nearest shot's query with the question's values, and the parser"
    " that `querent train` makes of the same 595 pairs: a draw of test questions, one for all rows with as many. Parser"
    " and language model find values themselves, the copy has them from the pairs. smollm2 is SmolLM2 as it is (135"
    " million weights, the GGUF file, served on loopback by cyllama, which calls it otherwise; it was asked before"
    " prompts told values), smollm2-tuned what `querent tune` makes of it on the same pairs, one shot before each, a"
    " quarter of them shots of other patterns, without tables, two epochs, in this process, without corrections but"
    " where it says correct. base is the shipped parser, which saw no pair of the library, parser the one trained on"
    " them; behind «solved» both are shown the 595 pairs, found by the trained bi-encoder. each-1: one solved question"
    " of a pattern alone is there to be shown. GeoQuery's rows: an adapter of its own, shots"
    " found by MiniLM as it is; both: the language model where the parser has no sure query. A mask that knows no names"
    " but T1 and the like lets few of GeoQuery's queries through, which call tables CITYalias0; the names in solved"
    " queries are told it since."
)
_FOLLOWED = (
    "The parser shown the solved questions of the parts train and dev (`--examples`), asked those of the test part,"
    " spread evenly over it: the shipped one (base), and one trained on the same pairs. Found by n-grams of characters"
    " (tfidf), by an encoder as it is (minilm, e5), or by one that `querent train-retriever` made of the same pairs in"
    " minutes. Of GeoQuery and plant the test questions have query patterns of the training part (question split)."
)
_FIGURES = ("em", "ex", "runs", "answered")


def selection(result: dict[str, Any]) -> str:
    """Return the section on which solved questions are found."""
    text = f"\n## Solved questions that are shown\n\n{_SELECTION}\n"
    for name, entry in result["sets"].items():
        told = f"SoftSimMatch: {entry['encoder']}, {entry['training_seconds']:.0f} s of training beside other work,"
        told += f" Spearman {entry['spearman_before']:.3f} before and {entry['spearman']:.3f} after."
        rows = [
            [way, *(f"{figures[shots]:.3f}" for shots in _SHOTS), f"{figures['first']:.3f}"]
            for way, figures in entry["ways"].items()
        ]
        text += f"\n### {name}\n\n{told}\n\n" + table(["", "1 shot", "2 shots", "5 shots", "first"], rows)
    return f"{text}\n{commands(result)}"


def followed(result: dict[str, Any]) -> str:
    """Return the section on what solved questions are worth to the parser."""
    rows = [
        [*name.split("/"), e["n"], *(f"{e[f]:.3f}" for f in ("em", "execution", "refused")), e["seconds"]]
        for name, e in result["sets"].items()
    ]
    heads = ["", "parser", "solved questions", "questions", "EM", "EX", "refused", "seconds"]
    text = f"\n## Solved questions that the parser follows\n\n{_FOLLOWED}\n\n{table(heads, rows)}"
    return f"{text}\n{commands(result)}"


def answers(result: dict[str, Any]) -> str:
    """Return the section on what is answered."""
    sets: dict[str, dict[str, Any]] = defaultdict(dict)
    for name, entry in result["sets"].items():
        domain, _, system = name.partition("/")
        sets[domain][system] = entry
    text = f"\n## A language model beside the parser\n\n{_ANSWERS}\n"
    for domain, systems in sets.items():
        rows = [
            [name, e["n"], *(f"{e[f]:.3f}" for f in _FIGURES), f"{e['tokens']:,.0f}", e["seconds"]]
            for name, e in systems.items()
        ]
        heads = ["", "questions", "EM", "EX", "runs", "answered", "tokens", "seconds"]
        text += f"\n### {domain}\n\n{table(heads, rows)}"
    return f"{text}\n{commands(result)}"
