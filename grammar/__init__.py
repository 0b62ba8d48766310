"""Which word may come next: SQL grammars, vocabularies and the local constraint. Needs lark and numpy only."""

from .constraint import Constraint
from .functions import FunctionSpec
from .grammar import Grammar
from .reader import Token
from .rules import LEVELS, RULES, Rule
from .state import State
from .values import MOST_WORDS
from .vocabulary import BOS, EOS, PAD, Vocabulary, Word

__all__ = [
    "BOS",
    "EOS",
    "LEVELS",
    "MOST_WORDS",
    "PAD",
    "RULES",
    "Constraint",
    "FunctionSpec",
    "Grammar",
    "Rule",
    "State",
    "Token",
    "Vocabulary",
    "Word",
]
