"""Whether the constraint admits what a query has become since its words were chosen."""

from __future__ import annotations

from collections.abc import Mapping

from ...data.domains.examples import SLOT
from ...grammar import Constraint, Token, Vocabulary, Word

__all__ = ["admitted"]


def admitted(sql: str, values: Mapping[str, str], constraint: Constraint) -> bool:
    """Does a constraint admit a query, though its vocabulary may lack some of its texts, numbers and slots?

    Args:
        sql: with slots.
        values: what fills them.
        constraint: on the words that the query was first written with.
    """
    grammar, known = constraint.grammar, constraint.vocabulary.words
    tokens = {(one.text, one.terminal): one for one in grammar.tokenize(sql)}
    new = sorted(tokens.keys() - {(word.text, word.terminal) for word in known})
    if any(tokens[key].tables or key[1] == "ALIAS" for key in new):
        return False
    words = [_word(tokens[key]) for key in new]
    return (constraint.over(Vocabulary(grammar, (*known, *words))) if words else constraint).admits(sql, values)


def _word(token: Token) -> Word:
    slots = SLOT.findall(token.text)
    return Word(token.text, token.terminal, "slot" if slots else "constant", slot="".join(slots[0]) if slots else None)
