"""Write the compiled tables of all dialects: ``python -m querent.grammar.lr.build``, after a ``.lark`` file changed."""

import io
import json
from collections.abc import Iterator
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from lark import Lark
from lark.lexer import Lexer, PatternStr
from lark.parsers.lalr_analysis import LALR_Analyzer

from .tables import ARRAYS, DIALECTS, END, Production, Tables, file_name, grammar_text, read_compiled


def _compiled_bytes(tables: Tables) -> bytes:
    """Return the file that `tables.read_compiled` reads."""
    known = {field.name: getattr(tables, field.name) for field in fields(tables) if field.name not in ARRAYS}
    known["productions"] = [(production.head, production.body) for production in tables.productions]
    file = io.BytesIO()
    arrays = {name: getattr(tables, name) for name in ARRAYS}
    np.savez_compressed(file, fields=np.array(json.dumps(known, sort_keys=True)), **arrays)
    return file.getvalue()


def _write_compiled() -> None:
    """Compile every dialect's grammar in both forms and write their files; files that are up to date stay."""
    for dialect, wide in product(DIALECTS, (False, True)):
        name, text = file_name(dialect, wide=wide), grammar_text(dialect, wide=wide)
        if read_compiled(name, text) is None:
            file = Path(__file__).parent / "built" / f"{name}.npz"
            file.write_bytes(_compiled_bytes(compile_grammar(text)))


class _NoLexer(Lexer):
    """Stands in for a lexer: words are fed to the parser one by one."""

    def __init__(self, lexer_conf: Any) -> None:
        del lexer_conf

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Any]:
        raise NotImplementedError("feed the tokens")


def lark_parser(text: str) -> Lark:
    """Return Lark's own parser of a grammar: where our tables come from, and their oracle in tests."""
    return Lark(text, parser="lalr", lexer=_NoLexer, maybe_placeholders=False)


def compile_grammar(text: str) -> Tables:
    """Turn a Lark grammar into tables.

    Raises:
        lark.exceptions.GrammarError: the grammar has a conflict.
    """
    lark = lark_parser(text)
    analyzer = LALR_Analyzer(lark.parser.parser_conf, strict=True)
    analyzer.compute_lalr()
    root = analyzer.lr0_start_states["start"]
    states = _number_states(root)
    symbols = {symbol for state in states for i in state.closure for symbol in (i.rule.origin, *i.rule.expansion)}
    terminals = ("$END", *sorted(s.name for s in symbols if s.is_term and s.name != "$END"))
    nonterminals = tuple(sorted(s.name for s in symbols if not s.is_term))
    number = {name: i for i, name in enumerate(terminals)} | {name: ~i for i, name in enumerate(nonterminals)}
    found = {item.rule for state in states for item in state.closure}
    productions = sorted(found, key=lambda r: (r.origin.name, [s.name for s in r.expansion]))
    rule_number = {production: i for i, production in enumerate(productions)}
    action = np.zeros((len(states), len(terminals)), np.int32)
    goto = np.full((len(states), len(nonterminals)), -1, np.int32)
    for state, i in states.items():
        for symbol, following in state.transitions.items():
            if symbol.is_term:
                action[i, number[symbol.name]] = states[following] + 1
            else:
                goto[i, ~number[symbol.name]] = states[following]
        for symbol, (production, *_) in ((s, tuple(r)) for s, r in state.lookaheads.items()):
            action[i, number[symbol.name]] = -(rule_number[production] + 1)
    accepting = next(states[s] for symbol, s in root.transitions.items() if symbol.name == "start")
    action[accepting, END] = accepting + 1
    return Tables(
        terminals=terminals,
        texts={t.name: t.pattern.value for t in lark.terminals if isinstance(t.pattern, PatternStr)},
        nonterminals=nonterminals,
        productions=tuple(
            Production(~number[r.origin.name], tuple(number[s.name] for s in r.expansion)) for r in productions
        ),
        action=action,
        goto=goto,
        kernels=tuple(tuple(sorted((rule_number[i.rule], i.index) for i in s.kernel)) for s in states),
        accepting=accepting,
        source=text,
    )


def _number_states(root: Any) -> dict[Any, int]:
    """Number Lark's states breadth first, by the names of the symbols that lead to them."""
    states = {root: 0}
    queue = [root]
    for state in queue:
        for symbol in sorted(state.transitions, key=lambda s: s.name):
            following = state.transitions[symbol]
            if following not in states:
                states[following] = len(states)
                queue.append(following)
    return states


if __name__ == "__main__":
    _write_compiled()
