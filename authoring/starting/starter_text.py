"""Starter prototypes as the text of a prototypes file, for people to mend."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from ...data.prototypes.reader import Prototype
from .choosing import Starter

__all__ = ["starter_text"]

_HEAD = """\
# Prototypes: one query each, with the wordings that ask for it. `querent fill` makes question-SQL pairs of them.
#
#   [[prototype]]
#   id = "start.name"              unique; the part before the dot is the theme, best the name of the file
#   question = ["…", "…"]          several ways to ask, as your people would; each with every slot of the query
#   sql = "SELECT …"               slots of entities and times in quotes, number slots bare
#   fill = { number0 = "few" }     how number and time slots are filled
#
# A slot is a type and a number: {TYPES}, {number0}, {time0}; the types are those of entities.jsonl.
# `fill` takes a name (number: few, top, count, percent; time: day, since, week), a query
# ("SELECT population FROM city"), a list (["10", "20"]) or a range ({ from = 2, to = 10 }).
# Those below are queries drawn over your own tables, and put into words by their names. Mend the words, throw away
# what nobody would ask, and add your own: they are a beginning, and know nothing of what your people want.
# `querent check` tells what is wrong, with file and line.
"""


def starter_text(found: Iterable[Starter], types: Sequence[str]) -> str:
    """Return the file of prototypes of a domain with these types of entities."""
    slots = ", ".join(f"{{{name}0}}" for name in types[:8]) or "{name0}"
    return "\n".join([_HEAD.replace("{TYPES}", slots), *(_entry(one.prototype, one.slotted.fill) for one in found)])


def _entry(prototype: Prototype, fill: Mapping[str, object]) -> str:
    (wordings,) = prototype.wordings.values()
    said = "".join(f"    {_quoted(wording)},\n" for wording in wordings)
    lines = [f'[[prototype]]\nid = "{prototype.id}"', f"question = [\n{said}]", f"sql = {_quoted(prototype.sql)}"]
    if fill:
        lines.append(f"fill = {{ {', '.join(f'{slot} = {_rule(rule)}' for slot, rule in fill.items())} }}")
    return "\n".join([*lines, ""])


def _rule(rule: object) -> str:
    if isinstance(rule, Mapping):
        return f"{{ {', '.join(f'{key} = {value}' for key, value in rule.items())} }}"
    return _quoted(str(rule))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
