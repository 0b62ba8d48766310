"""Where a question says the names of a schema: whole names, words of names."""

from __future__ import annotations

import random
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from querent.ner.language.words import stem, units
from querent.parser.reader.relations import EXACT, NO_MATCH, PARTIAL, match_names

CASES = tomllib.loads(Path(__file__).with_name("reader.toml").read_text("utf-8"))


def stems_of(text: str) -> list[str]:
    return [stem(unit.text) for unit in units(text)]


def shown(question: str, name: str) -> str:
    """Match a name, one sign a word: ``=`` for all of the name, ``~`` for a word of it."""
    found = match_names(stems_of(question), [stems_of(name)])[:, 0]
    return "".join(".~="[number] for number in found)


@pytest.mark.parametrize(("question", "name", "match"), CASES["whole_names_and_words_of_names"])
def test_whole_names_and_words_of_names(question: str, name: str, match: str) -> None:
    assert shown(question, name) == match


def test_names_are_matched_each_for_itself() -> None:
    words, names = stems_of("the city name of the country"), ["name", "city name", "", "country code", "river"]
    together = match_names(words, [stems_of(name) for name in names])
    assert together.shape == (6, 5)
    assert together.dtype == np.uint8
    for column, name in zip(together.T, names, strict=True):
        assert np.array_equal(column, match_names(words, [stems_of(name)])[:, 0])
    assert match_names(words, []).shape == (6, 0)


NOTHING = {"a", "of", "the"}


def slowly(words: list[str], name: list[str]) -> list[int]:
    """Say what each word matches, by the definition alone."""
    found = [NO_MATCH] * len(words)
    for i, word in enumerate(words):
        if word in name and word not in NOTHING and (len(word) > 1 or word.isdigit()):
            found[i] = PARTIAL
        for shift in (0, 1):
            pair = words[i - shift : i - shift + 2] if i >= shift else []
            if pair in [name[n : n + 2] for n in range(len(name) - 1)] and re.match(r"[\u3400-\u9fff]", pair[0]):
                found[i] = PARTIAL
    for start in range(len(words) - len(name) + 1):
        if words[start : start + len(name)] == name and not (len(name) == 1 and name[0] in NOTHING):
            found[start : start + len(name)] = [EXACT] * len(name)
    return found


def test_like_the_definition_on_random_words() -> None:
    draw = random.Random(1)
    letters = ["city", "name", "of", "the", "a", "b", "7", "城", "市", "名"]
    matched = 0
    for _ in range(3000):
        words = draw.choices(letters, k=draw.randrange(1, 9))
        name = draw.choices(letters, k=draw.randrange(1, 4))
        found = match_names(words, [name])[:, 0].tolist()
        assert found == slowly(words, name), (words, name)
        matched += EXACT in found
    assert matched > 200
