"""Questions with queries to learn from, over any schema and its database.

A `Template` is a question and its query with slots: `mining` makes them of people's pairs, `composing` of the parts in
``parts.toml``, ``wholes.toml`` and ``turns.toml``, and `binding` puts a database's names and values into the slots. It
reads `facts`: what columns hold, and how tables are linked. Times, flags and numbers in texts are written by
`meaning.sql` alone.
"""

from .binding import Asked, TemplateBank
from .composing import WHOLES
from .frame import Language, SamplingFrame, clock_of
from .mining import general, mined
from .self_keyed import with_self_key
from .template import Template
from .turns import composed
from .twin_columns import with_twin_columns

__all__ = [
    "WHOLES",
    "Asked",
    "Language",
    "SamplingFrame",
    "Template",
    "TemplateBank",
    "clock_of",
    "composed",
    "general",
    "mined",
    "with_self_key",
    "with_twin_columns",
]
