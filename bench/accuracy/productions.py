"""List the productions of composed questions: how often each comes, and an example in each language.

    python bench/accuracy/productions.py --out bench/results/productions.json

A question has several of them; a share is that of the questions which have it, before they are bound to a database.
Examples are as templates say them, with slots for tables (t0), columns (c0) and values (v0).
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from result_files import Result, run

from querent.sampler.composing import Composer, Composition, grammar

KINDS = ("shown", "total", "group", "where", "having", "whole")
LANGUAGES = ("en", "zh", "de")


def measure(
    *, questions: Annotated[int, "how many are composed"] = 20000, seed: Annotated[int, "of the draws"] = 1
) -> Iterator[Result]:
    """Count the productions of composed questions."""
    rng, counts = random.Random(seed), Counter[tuple[str, str]]()
    for _ in range(questions):
        counts.update({*names_of(Composer("en", rng).draw())})
    productions = {
        kind: {
            name: {"share": round(counts[kind, name] / questions, 4), **examples(kind, name, rng)}
            for name in grammar()[kind]
        }
        for kind in KINDS
    }
    yield Result({"productions": productions})


def names_of(question: Composition) -> Iterator[tuple[str, str]]:
    """Yield kind and name of each production of a question."""
    shown = "shown" if question.frame in ("rows", "list") else "total"
    parts = {shown: question.shown, "group": question.groups, "where": question.where}
    parts |= {"having": [question.having], "whole": [question.whole]}
    yield from ((kind, part.name) for kind, several in parts.items() for part in several if part is not None)


def examples(kind: str, name: str, rng: random.Random) -> dict[str, str]:
    """Return the words of a production in each language."""
    composers = {language: Composer(language, rng) for language in LANGUAGES}
    return {language: one.words(one.slots.filled(kind, name, {}), {"where": ""}) for language, one in composers.items()}


if __name__ == "__main__":
    sys.exit(run(measure))
