"""Gold queries as rows of tokens that all systems can take: lower case, texts in single quotes, single spaces."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import spider

__all__ = ["Walk", "lowered", "walks"]

Walk = tuple[str, list[int]]
"""A database and the tokens of a query on it, without the end."""

MOST = 80
"""Tokens of a walk; behind more of them, GRID within 128 would begin to end it."""

_QUOTED = re.compile(r"('(?:[^']|'')*'|\"[^\"]*\")")


def lowered(gold: str) -> str | None:
    """Return a query in lower case outside of its texts; None if a text has a quote in it.

    Spider writes texts in double quotes, too, which are names by the standard.
    """
    parts = _QUOTED.split(" ".join(gold.split()).rstrip("; "))
    if any("'" in part[1:-1] for part in parts[1::2]):
        return None
    parts[1::2] = [f"'{part[1:-1]}'" for part in parts[1::2]]
    parts[::2] = [part.lower() for part in parts[::2]]
    return "".join(parts)


def walks(tokenizer: Any, folder: Path, *, databases: int, steps: int, seed: int) -> list[Walk]:
    """Draw walks of so many steps in all, each database with as many; those of one database stand together.

    Steps are tokens and the end. Half as many again are drawn, since a system may refuse some of them.
    """
    draw = random.Random(seed)
    of: dict[str, list[str]] = {}
    for question in spider.questions(folder):
        of.setdefault(question.database, []).append(question.gold)
    found, share = list[Walk](), 1.5 * steps / databases
    for name in draw.sample(sorted(of), len(of)):
        mine, left = list[Walk](), share
        golds = list(dict.fromkeys(of[name]))
        for gold in draw.sample(golds, len(golds)):
            text = lowered(gold)
            tokens = [] if text is None else tokenizer.encode(text, add_special_tokens=False)
            if text is not None and len(tokens) <= MOST and not isinstance(spider.answer(folder, name, text), str):
                mine.append((name, tokens))
                left -= len(tokens) + 1
            if left <= 0:
                break
        if left <= 0:  # databases with too few queries are passed over
            found += mine
            databases -= 1
        if not databases:
            break
    return found
