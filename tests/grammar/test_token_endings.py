"""How many tokens are enough to end: behind every token that may come those left are, whatever names it makes up."""

import random

import numpy as np
import pytest
from draws import draws
from token_cases import TOKENIZERS, byte_level, constraint_on, draw, spellings

from querent.grammar.tokens.boundaries import At
from querent.grammar.tokens.constraint import TokenConstraint, TokenState
from querent.grammar.tokens.token_texts import TokenSpellings
from querent.grammar.types.abstract_values import NEVER

NAMES = {b"as", b"a", b"s", b"t"}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT Age FROM singer AS user",  # a reserved word, which more letters make a name
        "SELECT Age FROM singer AS by",
        "SELECT Age FROM singer AS averylongname WHERE 1 AND a",  # nothing but its column may follow the name
        "SELECT Name FROM (SELECT Age AS averylongname, Name FROM singer) AS x WHERE x.averyl",
        "SELECT Age AS a1, Name AS b2 FROM singer AS t",
    ],
)
def test_every_name_that_is_begun_can_be_ended(text: str) -> None:
    constraint = constraint_on("singers", "sqlite", "byte-level", 400)
    state = constraint.start()
    for token in byte_level().encode(text, add_special_tokens=False):
        state = state.advance(token)
    for reading in state.readings:
        if reading.at == At.NAME:
            assert constraint.endings.least([reading]) < NEVER, reading


def test_the_longest_name_of_a_token_is_counted_without_what_stands_beside_it() -> None:
    alphabet = [bytes([letter]) for letter in range(256)]
    assert TokenSpellings((*alphabet, b"ab"), (0,)).longest_name == 1
    assert TokenSpellings((*alphabet, b" abcd", b"bc", b"(a.x1y2z3"), (0,)).longest_name == 6
    assert TokenSpellings((*alphabet, b" abcd", b"abcd"), (0,)).longest_name == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_behind_every_token_those_left_are_enough(kind: str) -> None:
    spelled, named = spellings(kind), 0
    for schema in ("singers", "odd"):
        free = constraint_on(schema, "sqlite", kind)
        least = free.endings.least(free.start().readings)
        for more in (25, 60):
            constraint, chance = constraint_on(schema, "sqlite", kind, least + more), random.Random(f"{schema} {more}")
            for _ in range(draws(10)):
                state = constraint.start()
                while not state.ended:
                    assert constraint.endings.least(state.readings) <= (state.left or 0), state.text
                    state = state.advance(_naming(constraint, state, chance))
                named += state.text.lower().count(" as ")
    assert named > draws(10)
    assert spelled.longest_name > 1


def _naming(constraint: TokenConstraint, state: TokenState, chance: random.Random) -> int:
    """Draw a token, most often one that makes up a name or a part of one."""
    allowed = np.flatnonzero(state.allowed()).tolist()
    texts = {token: constraint.spellings.bytes[token] or b" " for token in allowed}
    if any(reading.at == At.NAME or reading.free for reading in state.readings):
        wanted = [token for token, text in texts.items() if text.strip().isalnum()]
    else:
        wanted = [token for token, text in texts.items() if text.strip().lower() in NAMES]
    likely = 0.8 if any(reading.free for reading in state.readings) else 0.5
    return chance.choice(wanted) if wanted and chance.random() < likely else draw(constraint, state, chance)
