"""The fewest words that finish a query, held against a search through all words."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from draws import draws
from grammar_cases import following

from querent.grammar.completion.shortest import NEVER, Completion
from querent.grammar.completion.suffixes import Yields
from querent.grammar.lr.build import compile_grammar
from querent.grammar.lr.tables import DIALECTS, END, Tables, load_tables
from querent.grammar.stack.graph_stack import GraphStack
from querent.grammar.stack.node import Node

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


def fewest_words(stacks: GraphStack, node: Node, available: frozenset[int], limit: int) -> int:
    """Search breadth first for the shortest way to finish: the meaning of `Completion.cost`."""
    layer = {node}
    for words in range(limit + 1):
        if any(stacks.complete(n) for n in layer):
            return words
        layer = {after for n in layer for t, after in following(stacks, n).items() if t in available}
        if not layer:
            break
    return NEVER


def without_some(tables: Tables) -> list[frozenset[int]]:
    """Return all terminals, all but one, and all but two."""
    every = frozenset(range(len(tables.terminals)))
    return [every - set(missing) for n in range(3) for missing in combinations(sorted(every - {END}), n)]


def test_costs_are_exact_on_a_small_grammar_whatever_is_at_hand() -> None:
    tables = compile_grammar(SMALL)
    stacks = GraphStack(tables)
    rng = random.Random(3)
    nodes = {stacks.root: 0}
    for _ in range(draws(60)):
        node = stacks.root
        for _ in range(rng.randint(1, 7)):
            after = {t: n for t, n in following(stacks, node).items() if t != END}
            node = after[rng.choice(sorted(after))]
            nodes.setdefault(node, len(nodes))
    finished = stuck = 0
    for available in without_some(tables):
        completion = Completion(stacks, available)
        for node in rng.sample(list(nodes), 8):
            cost = completion.cost(node)
            searched = fewest_words(stacks, node, available, 7)
            assert cost == searched if searched < NEVER else cost > 7
            finished += cost < NEVER
            stuck += cost >= NEVER
    assert finished > 100
    assert stuck > 30


def test_yields_are_the_costs_of_queries_that_begin_there() -> None:
    """What a nonterminal costs is what the whole query costs in a grammar that starts with it."""
    tables = compile_grammar(SMALL)
    for head in ("list", "item", "sum", "product", "atom", "when"):
        began = compile_grammar(SMALL.replace("start: list", f"start: {head}\nunused: list"))
        names = {name: i for i, name in enumerate(began.terminals)}
        stacks = GraphStack(began)
        number = tables.nonterminals.index(head)
        for available in without_some(tables)[:30]:
            here = frozenset(names[tables.terminals[t]] for t in available if tables.terminals[t] in names)
            searched = fewest_words(stacks, stacks.root, here, 5)
            words = Yields(tables, available).of[number]
            assert words == searched if searched < NEVER else words > 5


def test_free_terminals_count_nothing_in_their_own_rules_only() -> None:
    tables = compile_grammar(SMALL)
    every = frozenset(range(len(tables.terminals)))
    number = {name: i for i, name in enumerate(tables.nonterminals)}
    plain = Yields(tables, every)
    free = Yields(tables, every, frozenset({("atom", "CASE"), ("atom", "END"), ("when", "WHEN"), ("list", "N")}))
    assert plain.of[number["when"]] == 4
    assert free.of[number["when"]] == 3
    assert free.of[number["atom"]] == plain.of[number["atom"]] == 1  # N is free in lists, and no list begins with it
    only_case = Yields(tables, every - {tables.terminals.index("N"), tables.terminals.index("F")})
    assert min(only_case.of[number["atom"]], only_case.of[number["list"]]) >= NEVER
    body = next(r.body for r in tables.productions if tables.nonterminals[r.head] == "item" and len(r.body) == 3)
    assert plain.rest(number["item"], body[1:]) == 2
    assert Yields(tables, every - {body[1]}).rest(number["item"], body[1:]) == NEVER


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_cheapest_word_always_lowers_the_cost_by_one(dialect: str) -> None:
    tables = load_tables(dialect)
    stacks = GraphStack(tables)
    rng = random.Random(5)
    every = range(1, len(tables.terminals))
    walked = 0
    for _ in range(draws(40)):
        available = frozenset(t for t in every if rng.random() < 0.9)
        completion = Completion(stacks, available)

        def needs(
            node: Node, available: frozenset[int] = available, completion: Completion = completion
        ) -> dict[Node, int]:
            able = [after for t, after in following(stacks, node).items() if t in available]
            return {after: 1 + completion.cost(after) for after in able if completion.cost(after) < NEVER}

        node = stacks.root
        for _ in range(rng.randint(0, 30)):
            ways = needs(node)
            if not ways:
                break
            node = rng.choice(list(ways))
        while (cost := completion.cost(node)) not in (0, NEVER):
            ways = needs(node)
            assert min(ways.values()) == cost
            node = min(ways, key=lambda after: ways[after])
            walked += 1
        assert cost == NEVER or stacks.complete(node)
        assert cost < NEVER or not needs(node)
    assert walked > draws(60)
