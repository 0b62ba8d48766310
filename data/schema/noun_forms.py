"""English nouns of one and of several, and their article."""

from __future__ import annotations

import re

__all__ = ["article", "plural", "singular"]

_IRREGULAR = {
    "person": "people", "child": "children", "man": "men", "woman": "women", "foot": "feet", "medium": "media",
    "analysis": "analyses", "criterion": "criteria", "index": "indexes", "leaf": "leaves", "half": "halves",
}  # fmt: skip
_SINGULARS = {many: one for one, many in _IRREGULAR.items()}
_SAME = {"staff", "information", "data", "series", "news", "equipment", "species", "faculty", "aircraft", "furniture",
         "software", "sales", "gas", "details", "history", "stuff", "music", "personnel"}  # fmt: skip


def plural(phrase: str) -> str:
    """Return the plural of an English noun phrase: dates of birth, categories, people."""
    head, of, rest = phrase.partition(" of ")
    *before, last = head.split() or [head]
    return " ".join([*before, _IRREGULAR.get(last) or _regular(last)]) + of + rest


def singular(word: str) -> str:
    """Return the singular of an English noun."""
    if word in _SAME or word in _SINGULARS:
        return _SINGULARS.get(word, word)
    if word.endswith("ies") and len(word) > 5 and word not in {"movies", "cookies"}:
        return word[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z|[^aou]us)es$", word) and word != "excuses":
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def _regular(word: str) -> str:
    if word in _SAME or word in _SINGULARS:
        return word
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(?:s|sh|ch|x|z)$", word) else "s")


def article(phrase: str) -> str:
    """Return a or an, as stands before a phrase."""
    return "an" if phrase[:1] in "aeio" or re.match(r"u(?![ns]i|se|k)|hour|honou?r", phrase) else "a"
