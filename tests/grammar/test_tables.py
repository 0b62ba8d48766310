import random
from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from draws import draws, some
from grammar_cases import following
from lark import Token as LarkToken
from lark.exceptions import GrammarError

from querent.data.errors import ConstraintError
from querent.grammar.lr import tables
from querent.grammar.lr.build import compile_grammar, lark_parser
from querent.grammar.lr.tables import file_name, load_functions, load_tables, read_compiled
from querent.grammar.stack.graph_stack import GraphStack, Node

SMALL = """
%declare N
start: sum
sum: product | sum "+" product
product: atom | product "*" atom
atom: N | "(" sum ")" | "-" atom
"""


FORMS = [*product(tables.DIALECTS, (False, True))]


@pytest.mark.parametrize(("dialect", "wide"), FORMS)
def test_what_is_stored_was_made_of_this_grammar(dialect: str, wide: bool) -> None:
    text = tables.grammar_text(dialect, wide=wide)
    assert read_compiled(file_name(dialect, wide=wide), text) is not None, "run python -m querent.grammar.lr.build"
    assert read_compiled(file_name(dialect, wide=wide), text + " ") is None


@pytest.mark.parametrize(("dialect", "wide"), some(FORMS, 3))
def test_a_dialect_has_no_conflicts(dialect: str, wide: bool) -> None:
    compiled = compile_grammar(tables.grammar_text(dialect, wide=wide))  # raises on any conflict
    stored = read_compiled(file_name(dialect, wide=wide), compiled.source)
    assert stored is not None
    for field in fields(compiled):
        one, other = getattr(stored, field.name), getattr(compiled, field.name)
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other, field.name
    assert compiled.action.shape == (len(compiled.kernels), len(compiled.terminals))
    assert compiled.terminals[tables.END] == "$END"


def test_conflicts_are_refused() -> None:
    with pytest.raises(GrammarError, match="Shift/Reduce"):
        compile_grammar('%declare N\nstart: sum\nsum: N | sum "+" sum')


def test_an_unknown_dialect_names_those_that_are_known() -> None:
    with pytest.raises(ConstraintError, match="use one of sqlite, mysql, postgres"):
        load_tables("oracle")


@pytest.mark.parametrize("dialect", tables.DIALECTS)
def test_every_function_has_a_place_in_the_grammar(dialect: str) -> None:
    known = set(load_tables(dialect).terminals)
    assert {f.name: f.terminal for f in load_functions(dialect).values() if f.terminal not in known} == {}


@pytest.mark.parametrize("dialect", tables.DIALECTS)
def test_follow_sets_are_those_of_lark(dialect: str) -> None:
    compiled = load_tables(dialect)
    lark = lark_parser(compiled.source)
    stacks = GraphStack(compiled)
    rng = random.Random(1)
    steps = 0
    for _ in range(draws(25)):
        node, oracle = stacks.root, lark.parse_interactive("")
        for _ in range(40):
            after = following(stacks, node)
            assert {compiled.terminals[t] for t in after} == oracle.accepts()
            terminal = rng.choice(sorted(after))
            if terminal == tables.END:
                break
            oracle.feed_token(LarkToken(compiled.terminals[terminal], ""))
            node = after[terminal]
            steps += 1
    assert steps > draws(600)


def test_equal_stacks_are_one_object_and_old_ones_outlive_a_trim() -> None:
    stacks = GraphStack(compile_grammar(SMALL), limit=5)
    number = {name: i for i, name in enumerate(stacks.tables.terminals)}

    def after(*names: str) -> Node:
        node = stacks.root
        for name in names:
            node = following(stacks, node)[number[name]]
        return node

    assert after("N", "PLUS", "N", "PLUS") is after("LPAR", "N", "RPAR", "PLUS")
    old = after("LPAR", "N")
    assert stacks.trim()
    assert stacks.count == 0
    assert {stacks.tables.terminals[t] for t in following(stacks, old)} == {"PLUS", "STAR", "RPAR"}
