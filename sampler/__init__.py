"""Questions with queries to learn from, over any schema and its database.

A `Template` is a question and its query with slots: `mining` makes them of people's pairs, `composing` of parts, and
`binding` puts a database's names and values into the slots. Beside them stands the older sampler: `structures` are
shapes of queries, and `parts.phrases` puts them into words by ``templates_LANGUAGE.toml``. Both read `facts`: what
columns hold, and how tables are linked. Times, flags and numbers in texts are written by `meaning.sql` alone.
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
