"""Follow-ups: what people say to change the question before, and the question that they mean then.

Each function of `CHANGES` changes a `Composition` in parts, and returns the new one with the words that ``turns.toml``
puts into its utterance.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..data.parsing import read_tree
from .composing import Composer, Composition, SlottedPart, grammar
from .frame import NothingToDraw
from .template import Template, TemplateTurn

Words: TypeAlias = Mapping[str, str]
Change: TypeAlias = Callable[[Composer, Composition], tuple[Composition, Words]]

_TRIES = 6
"""For one follow-up."""

_UNGROUPED = ("total", "counted", "among", "how-many")
_KEPT = ("list", "rows")


def composed(
    language: str, rng: random.Random, *, turns: int = 1, wordings: int = 1, wholes: Sequence[str] = ()
) -> Template:
    """Return a template of parts that are drawn at random.

    Args:
        language: en, zh or de.
        turns: how many follow one another; more than one begin with a question of parts.
        wordings: the largest number of ways to say the first.
        wholes: names of whole queries, of which it is one.
    """
    composer = Composer(language, rng)
    question = composer.whole(wholes) if wholes else composer.of_parts() if turns > 1 else composer.draw()
    first = composer.turn(question, wordings)
    return composer.template([first, *_follow_ups(composer, question, turns - 1)])


def _follow_ups(composer: Composer, question: Composition, count: int) -> Iterator[TemplateTurn]:
    """Yield up to ``count`` follow-ups of a question, no change twice."""
    left = dict(grammar()["turn"])
    for _ in range(_TRIES * count):
        if not count or not left:
            return
        name = composer.rng.choices([*left], [turn.get("of", 1) for turn in left.values()])[0]
        try:
            new, words = CHANGES[name](composer, question)
        except NothingToDraw:
            continue
        count, question = count - 1, new
        turn = left.pop(name)
        said = composer.put(composer.chosen(turn[composer.language]), {}, words)
        yield TemplateTurn((composer.pieces(said),), read_tree(question.sql, "sqlite"), name)


def _check(holds: object) -> None:
    if not holds:
        raise NothingToDraw


def _valued(composer: Composer, question: Composition) -> SlottedPart:
    """Return a condition that compares a column with one value."""
    found = [one for one in question.where if one.entry.get("other") and "v" in one.slots]
    _check(found)
    return composer.rng.choice(found)


def _with(question: Composition, old: SlottedPart, *new: SlottedPart) -> Composition:
    return replace(question, where=[*(one for one in question.where if one is not old), *new])


def _said(part: SlottedPart, slot: str) -> str:
    return f"<{part.slots[slot].rpartition('.')[2]}>"


def _other_value(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    part = _valued(composer, question)
    new = composer.slots.filled(
        "where", part.name, {letter: slot for letter, slot in part.slots.items() if slot[0] == "t"}
    )
    return _with(question, part, new), {"v": _said(new, "v"), "old": _said(part, "v"), "a": _said(part, "a")}


def _without_value(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    part = _valued(composer, question)
    return _with(question, part), {"a": _said(part, "a"), "v": _said(part, "v")}


def _only(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(len(question.where) < 3)
    new = composer.slots.part("where", [one.name for one in question.where])
    return _with(question, new, new), {"cond": composer.words(new)}


def _leave_out(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    new = composer.slots.filled("where", "is-not", {})
    return _with(question, new, new), {"v": _said(new, "v"), "a": _said(new, "a")}


def _count(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(question.frame in _KEPT and not question.key)
    return replace(question, frame="how-many", shown=[composer.slots.filled("total", "count", {})]), {}


def _list(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(question.frame == "how-many")
    named = composer.slots.filled("shown", "named", {})
    return replace(question, frame="rows", shown=[named]), {"a": composer.words(named)}


def _also(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(question.frame in _KEPT)
    new = composer.slots.part("shown", ["named"])
    words = {"part": composer.words(new), "old": composer.words(question.shown[0])}
    return replace(question, frame="list", shown=[*question.shown, new]), words


def _instead(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(question.frame in _KEPT and len(question.shown) == 1 and not question.key)
    new = composer.slots.filled("shown", "column", {})
    words = {"part": composer.words(new), "old": composer.words(question.shown[0])}
    return replace(question, frame="list", shown=[new]), words


def _figure(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(question.frame in (*_KEPT, "how-many") and not question.key)
    new = composer.slots.filled("total", composer.rng.choice(("sum", "average", "most", "least")), {})
    return replace(question, frame="total", shown=[new]), {"part": composer.words(new)}


def _also_figure(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(question.frame not in ("", *_KEPT))
    new = composer.slots.part("total", [one.name for one in question.shown])
    frame = "counted-grouped" if question.groups else "counted"
    return replace(question, frame=frame, shown=[*question.shown, new]), {"part": composer.words(new)}


def _by(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(question.frame in _UNGROUPED)
    new = composer.slots.part("group")
    frame = "grouped" if question.frame == "total" else f"{question.frame}-grouped"
    return replace(question, frame=frame, groups=[new]), {"groups": composer.words(new)}


def _by_other(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(len(question.groups) == 1 and not question.having)
    (old,) = question.groups
    new = composer.slots.part("group")
    return replace(question, groups=[new]), {"groups": composer.words(new), "old": composer.words(old)}


def _by_both(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(len(question.groups) == 1 and not question.having)
    new = composer.slots.part("group", [question.groups[0].name] * (question.groups[0].name != "column"))
    return replace(question, groups=[*question.groups, new]), {"groups": composer.words(new)}


def _groups_with(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(len(question.groups) == 1 and not question.having)
    new = composer.slots.part("having")
    return replace(question, having=new), {"having": composer.words(new), "groups": composer.words(question.groups[0])}


def _ordered(end: str) -> Change:
    def change(composer: Composer, question: Composition) -> tuple[Composition, Words]:
        keys = [one for one in question.shown if composer.sorts(one)]
        _check(keys and not question.key and question.frame not in _UNGROUPED)
        key, number = composer.rng.choice(keys), composer.rng.choice((2, 3, 5, 10))
        new = replace(question, key=key, end=end, number=number)
        return new, {"part": composer.words(key), "n": str(number)}

    return change


def _leading(composer: Composer, question: Composition) -> tuple[Composition, Words]:
    """Return the first group alone, and nothing beside it."""
    _check(len(question.groups) == 1 and len(question.shown) == 1 and not question.key)
    new = replace(question, shown=[], key=question.shown[0], end="first", number=1)
    return new, {"groups": composer.words(question.groups[0])}


def _all(_: Composer, question: Composition) -> tuple[Composition, Words]:
    _check(question.end == "first" and question.number > 1)
    return replace(question, end="down"), {}


CHANGES: Mapping[str, Change] = {
    "other value": _other_value,
    "a condition fewer": _without_value,
    "a condition more": _only,
    "a condition against": _leave_out,
    "count": _count,
    "list": _list,
    "a column more": _also,
    "another column": _instead,
    "figure": _figure,
    "a figure more": _also_figure,
    "groups": _by,
    "other groups": _by_other,
    "more groups": _by_both,
    "groups of a size": _groups_with,
    "highest first": _ordered("down"),
    "lowest first": _ordered("up"),
    "top": _ordered("first"),
    "leading group": _leading,
    "all again": _all,
}
"""The changes by what they are called."""
