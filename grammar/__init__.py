"""Which word may come next: SQL grammars, vocabularies and the local constraint. Needs lark and numpy only."""

from .access import Access
from .decoding.constraint import Constraint
from .decoding.state import State
from .grammar import Grammar
from .lr.functions import FunctionSpec
from .reading.tokenizer import Token
from .semantics.rules import LEVELS, RULES, Rule
from .types.abstract_values import MOST_WORDS
from .vocabulary.vocabulary import BOS, EOS, PAD, Vocabulary
from .vocabulary.word import Word

__all__ = [
    "BOS",
    "EOS",
    "LEVELS",
    "MOST_WORDS",
    "PAD",
    "RULES",
    "Access",
    "Constraint",
    "FunctionSpec",
    "Grammar",
    "Rule",
    "State",
    "Token",
    "Vocabulary",
    "Word",
]
