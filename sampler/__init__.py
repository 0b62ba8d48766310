"""Queries sampled over any schema and its database, each said in plain words in several ways.

`facts` tells what the columns of a database hold, by its profile; `joins` how its tables hang together, `draws` takes
chances, `structures` are the shapes of queries, `phrases` puts them into words by the templates of
``templates_LANGUAGE.toml`` and its neighbours. Times, flags and numbers in texts are written by `meaning_sql` alone.
"""

from __future__ import annotations

from .parts.self_keyed import with_self_key
from .parts.twin_columns import with_twin_columns
from .sampling import STRUCTURE_KINDS, STRUCTURES, Sampled, clock_of, sample

__all__ = ["STRUCTURES", "STRUCTURE_KINDS", "Sampled", "clock_of", "sample", "with_self_key", "with_twin_columns"]
