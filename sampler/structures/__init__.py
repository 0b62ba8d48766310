"""The shapes of queries, by name: a function samples each, and the templates of its phrase's rule put it into words.

The names in `PLAIN` begin with the topic of the shape: «time», «superlative», «null».
"""

from .durations import DURATIONS
from .entities import ENTITIES
from .flags import FLAGS
from .groups import GROUPS
from .joins import JOINS
from .orders import ORDERS
from .parts import PARTS
from .places import PLACES
from .selections import SELECTIONS
from .self_joins import SELF_JOINS
from .sets import SETS
from .shape import Structure
from .spans import TIME_SPANS
from .superlatives import SUPERLATIVES
from .times import TIMES
from .told_times import TOLD_TIMES
from .top_of_each import TOP_OF_EACH
from .with_none import WITH_NONE
from .written import WRITTEN

__all__ = ["ALL", "KINDS", "PLAIN", "Structure"]

KINDS: dict[str, dict[str, Structure]] = {
    # shapes that need semantic types: times, flags, numbers in text, keys into the same table
    "meant": {**TIME_SPANS, **PARTS, **TOLD_TIMES, **DURATIONS, **FLAGS, **WRITTEN, **SELF_JOINS},
    "self-keys": SELF_JOINS,
    "told": TOLD_TIMES,
    "places": PLACES,
    "with-none": WITH_NONE,
    "top-of-each": TOP_OF_EACH,
}
"""Groups of structures that users ask for, so that a training can weight each group."""

PLAIN: dict[str, Structure] = {
    **ENTITIES,
    **TIMES,
    **SUPERLATIVES,
    **KINDS["meant"],
    **PLACES,
    **WITH_NONE,
    **TOP_OF_EACH,
}
"""The structures of everyday questions, by name."""

ALL: dict[str, Structure] = {**SELECTIONS, **ORDERS, **GROUPS, **JOINS, **SETS, **PLAIN}
"""Every structure by its name."""
