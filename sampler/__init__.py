"""Samples queries over any schema and its database, each with several questions in plain words.

`facts` knows the contents of columns from the profile and the links between tables, `parts.draws` makes random choices,
`structures` are the shapes of queries, and `parts.phrases` puts them into words by the templates of
``templates_LANGUAGE.toml`` and its neighbours. Times, flags and numbers in texts are written by `meaning.sql` alone.
"""

from .binding import TemplateBank
from .composing import composed
from .mining import Template, general, mined
from .parts.draws import SamplingFrame
from .parts.self_keyed import with_self_key
from .parts.twin_columns import with_twin_columns
from .sampling import STRUCTURE_KINDS, STRUCTURES, Sampled, clock_of, sample

__all__ = [
    "STRUCTURES",
    "STRUCTURE_KINDS",
    "Sampled",
    "SamplingFrame",
    "Template",
    "TemplateBank",
    "clock_of",
    "composed",
    "general",
    "mined",
    "sample",
    "with_self_key",
    "with_twin_columns",
]
