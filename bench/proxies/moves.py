"""How a turn changes the query before it: each move names its wording and returns the new state, or raises `NoDraw`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from .draws import NoDraw, Scene, draw_condition, needs, one_of
from .layouts import Placed, PlacedThing
from .phrases import names, ones, things
from .state import State

__all__ = ["MOVES", "Move", "opened"]


def opened(scene: Scene, thing: PlacedThing, way: str, rng: random.Random) -> State:
    """Return the state of a turn that needs nothing before it; ``way`` ends in rows, count or total."""
    conditions = [draw_condition(scene, thing, "any", (), rng)] if rng.random() < 0.7 or "rows" in way else []
    state = State(thing, tuple(conditions), words={"TS": things(thing, conditions)})
    if way.endswith("count"):
        return replace(state, figure="COUNT")
    if way.endswith("total"):
        used = [one.placed for one in conditions]
        return _figured(scene, state, "SUM", rng, used=used)
    return state


def _figured(scene: Scene, state: State, figure: str, rng: random.Random, used: Sequence[Placed] = ()) -> State:
    taken = [*used, *(one.placed for one in state.conditions)]
    columns = [one for one in state.thing.columns.values() if one.column.kind == "number" and one not in taken]
    columns = [one for one in columns if one.column.sum or (figure != "SUM" and not one.column.is_year)]
    of = one_of(columns, rng)
    return replace(state, figure=figure, of=of, words={**state.words, "n": of.word})


def _plain(state: State) -> None:
    """Raise NoDraw unless rows are shown, neither cut off nor another thing's."""
    needs(not (state.figure or state.limit or state.parent))


def _open(state: State) -> None:
    """Raise NoDraw where a further condition would change what was cut off or led."""
    needs(not (state.limit or state.leader or state.parent))


def _filter(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    _open(state)
    needs(len(state.conditions) < 3)
    used = [one.placed for one in state.conditions] + [one for one in (state.group, state.of) if one]
    new = draw_condition(scene, state.thing, "any", used, rng)
    words = {"ones": ones(new)}
    name = "filter-figure" if state.figure else "filter-rows"
    return name, replace(state, conditions=(*state.conditions, new), words=words)


def _change(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    needs(state.parent is None)
    places = [n for n, one in enumerate(state.conditions) if one.kind != "flag"]
    place = one_of(places, rng)
    old = state.conditions[place]
    others = [one for one in state.thing.columns.values() if one != old.placed]
    new = draw_condition(scene, state.thing, old.kind, others, rng)
    sign = [one.sql.rsplit(" ", 2)[1] for one in (old, new)]
    needs(new.value != old.value and (old.kind != "number" or sign[0] == sign[1]))
    conditions = (*state.conditions[:place], new, *state.conditions[place + 1 :])
    words = {"v": new.value, "old": old.value}
    return f"change-{old.kind}", replace(state, conditions=conditions, words=words)


def _drop(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    _open(state)
    places = [n for n, one in enumerate(state.conditions) if one.kind != "flag"]
    place = one_of(places, rng)
    conditions = (*state.conditions[:place], *state.conditions[place + 1 :])
    return "drop", replace(state, conditions=conditions, words={"c": state.conditions[place].placed.word})


def _project(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    _plain(state)
    used = [*state.columns, *(one.placed for one in state.conditions)]
    offered = [one for one in state.thing.columns.values() if one not in used and one.column.kind in ("number", "date")]
    needs(state.order is None)
    new = one_of(offered, rng)
    words = {"n": new.word}
    if state.label and not state.columns and rng.random() < 0.3:
        return "only-column", replace(state, label=False, columns=(new,), words=words)
    return "add-column", replace(state, columns=(*state.columns, new), words=words)


def _aggregate(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    needs(not (state.group or state.limit or state.parent))
    figures = {"how-many": "COUNT", "average": "AVG", "total": "SUM", "largest": "MAX"}
    name = rng.choice([one for one, figure in figures.items() if figure != state.figure])
    plain = State(state.thing, state.conditions)
    if name == "how-many":
        return name, replace(plain, figure="COUNT")
    return name, _figured(scene, plain, figures[name], rng)


def _group(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    needs(state.figure in ("COUNT", "AVG", "SUM") and state.group is None)
    used = [one.placed for one in state.conditions]
    kinds = ("category", "date") if state.thing.thing.code else ("category",)
    offered = [one for one in state.thing.columns.values() if one.column.kind in kinds and one not in used]
    by = one_of(offered, rng)
    name, letter = ("group-years", "d") if by.column.kind == "date" else ("group", "c")
    return name, replace(state, group=by, years=letter == "d", words={letter: by.word})


def _lead(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    if state.group is None or state.years or state.leader:
        raise NoDraw
    return "leader", replace(state, leader=True, words={"c": state.group.word})


def _order(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    _plain(state)
    columns = [one for one in state.thing.columns.values() if one.column.kind == "number" and not one.column.missing]
    needs(state.order is None)
    by = one_of(columns, rng)
    tops = by.phrase("top") if "top" in by.column.phrases else ""
    words = {"n": by.word} | ({"n.top": tops} if tops else {})
    if tops and rng.random() < 0.5:
        return "best", replace(state, order=by, limit="1", columns=(), label=True, words=words)
    return "order", replace(state, order=by, words=words)


def _cut(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    needs(state.order is not None and not state.limit)
    count = rng.choice(("2", "3", "4", "5"))
    return "cut", replace(state, limit=count, words={"k": count})


def _owners(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    _plain(state)
    parents = list(state.thing.links)
    needs(state.order is None)
    link = one_of(parents, rng)
    parent = scene.layout.things[link]
    return "parents", replace(state, parent=(parent, link), columns=(), label=True, words=names("p", parent))


def _topic(scene: Scene, state: State, rng: random.Random) -> tuple[str, State]:
    needs(rng.random() >= 0.6)
    things_ = [one for one in scene.layout.things.values() if one is not state.thing]
    way = rng.choice(("topic-rows", "topic-count"))
    return way, opened(scene, rng.choice(things_), way, rng)


Move = Callable[[Scene, State, random.Random], tuple[str, State]]
MOVES: tuple[Move, ...] = (
    *(_filter, _filter, _filter, _change, _change, _drop, _project, _project, _aggregate, _aggregate, _group, _group),
    *(_lead, _lead, _order, _order, _cut, _cut, _owners, _topic),
)
