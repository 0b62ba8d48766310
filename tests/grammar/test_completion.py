from __future__ import annotations

import random
from itertools import combinations

import pytest

from querent.grammar.completion import NEVER, Completion
from querent.grammar.stacks import Node, Stacks
from querent.grammar.tables import DIALECTS, END, compile_grammar, load_tables

SMALL = """
%declare N F
start: list
list: item | list "," item
item: sum | sum "AS" N
sum: product | sum "+" product
product: atom | product "*" atom
atom: N | "(" sum ")" | F "(" sum "," sum ")" | "CASE" when+ "END"
when: "WHEN" sum "THEN" list
"""


def fewest_words(stacks: Stacks, node: Node, available: frozenset[int], limit: int, depth: int | None) -> int:
    """Search breadth first for the shortest way to finish: the meaning of `Completion.cost`."""
    layer = {node}
    deepest = 99 if depth is None else depth
    for words in range(limit + 1):
        if any(stacks.complete(n) for n in layer):
            return words
        layer = {after for n in layer for t, after in stacks.following(n).items() if t in available}
        layer = {n for n in layer if n.depth <= deepest}
        if not layer:
            break
    return NEVER


@pytest.mark.parametrize("depth", [None, 3, 2, 1])
def test_costs_are_exact_on_a_small_grammar_whatever_is_at_hand(depth: int | None) -> None:
    tables = compile_grammar(SMALL)
    stacks = Stacks(tables)
    every = frozenset(range(len(tables.terminals)))
    rng = random.Random(3)
    nodes = {stacks.root}
    for _ in range(60):
        node = stacks.root
        for _ in range(rng.randint(1, 7)):
            following = {t: n for t, n in stacks.following(node).items() if t != END}
            node = following[rng.choice(sorted(following))]
            nodes.add(node)
    nodes = {n for n in nodes if depth is None or n.depth <= depth}
    checked = 0
    for missing in [(), *combinations(sorted(every - {END}), 1), *combinations(sorted(every - {END}), 2)]:
        available = every - set(missing)
        completion = Completion(stacks, available, depth=depth)
        for node in rng.sample(sorted(nodes, key=id), 8):
            cost = completion.cost(node)
            searched = fewest_words(stacks, node, available, 7, depth)
            assert cost == searched if searched < NEVER else cost > 7
            checked += cost < NEVER
    assert checked > 100


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_cheapest_word_always_lowers_the_cost_by_one(dialect: str) -> None:
    tables = load_tables(dialect)
    stacks = Stacks(tables)
    rng = random.Random(5)
    every = range(1, len(tables.terminals))
    walked = 0
    for _ in range(60):
        available = frozenset(t for t in every if rng.random() < 0.9)
        completion = Completion(stacks, available)
        node = stacks.root
        for _ in range(rng.randint(0, 30)):
            ways = [t for t, need in enumerate(completion.needs(node)[0]) if t != END and need < NEVER]
            if not ways:
                break
            node = stacks.following(node)[rng.choice(ways)]
        while (cost := completion.cost(node)) not in (0, NEVER):
            needs, most = completion.needs(node)
            assert needs.min() == cost
            assert needs[needs < NEVER].max() == most
            node = stacks.following(node)[int(needs.argmin())]
            assert completion.cost(node) == cost - 1
            walked += 1
        assert cost == NEVER or stacks.complete(node)
    assert walked > 100


def test_nothing_is_finished_without_what_every_query_needs() -> None:
    tables = load_tables("sqlite")
    stacks = Stacks(tables)
    select = tables.terminals.index("SELECT")
    completion = Completion(stacks, frozenset(range(len(tables.terminals))) - {select})
    assert completion.cost(stacks.root) >= NEVER
