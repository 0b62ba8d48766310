"""Constrained decoding of SQL: grammars, vocabularies and the local constraint, with lark and numpy alone.

The modules that mask the tokens of a language model are loaded on first use.
"""

from typing import TYPE_CHECKING, Any

from .decoding.constraint import Constraint
from .decoding.state import State
from .lr.tables import FunctionSpec
from .reading.access import Access
from .reading.grammar import Grammar
from .reading.tokenizer import Token
from .semantics.rules import LEVELS, RULES, Rule
from .types.abstract_values import MAX_WORDS
from .vocabulary.vocabulary import BOS, EOS, PAD, Vocabulary, Word

if TYPE_CHECKING:
    from .tokens.constraint import TokenConstraint as TokenConstraint
    from .tokens.constraint import TokenState as TokenState
    from .tokens.token_texts import TokenSpellings as TokenSpellings

__all__ = [
    "BOS",
    "EOS",
    "LEVELS",
    "MAX_WORDS",
    "PAD",
    "RULES",
    "Access",
    "Constraint",
    "FunctionSpec",
    "Grammar",
    "Rule",
    "State",
    "Token",
    "TokenConstraint",
    "TokenSpellings",
    "TokenState",
    "Vocabulary",
    "Word",
]


def __getattr__(name: str) -> Any:
    if name not in {"TokenConstraint", "TokenSpellings", "TokenState"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .tokens import constraint, token_texts

    return getattr(token_texts if name == "TokenSpellings" else constraint, name)
