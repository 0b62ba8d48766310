"""The questions of one database: drafts of all its formulas, drawn in turn, worded, and run."""

from __future__ import annotations

import random
import sqlite3
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from .calculations import calculations
from .conditions import conditions, narrowed, unions
from .content import chinese
from .drafts import Draft, Scene
from .layouts import Layout
from .meaning import Meaning, meaning
from .plain import plain
from .queries import write

__all__ = ["FORMULAS", "PLAIN", "meanings", "questions", "wordings"]

FORMULAS, PLAIN = 20, 7
"""How many questions of a database need a formula, and how many none."""


@cache
def wordings(language: str, part: str) -> Mapping[str, Sequence[str]]:
    """Return how each template is asked in a part; what is learnt of one part's words is worth nothing in the other."""
    path = Path(__file__).parent / f"wordings.{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))[part]


def meanings(layout: Layout) -> list[Meaning]:
    """Return the formulas that mean something in a database, those left out that nobody names in its language."""
    every = [meaning(layout, f) for f in layout.domain.formulas if f.aliases(layout.language)]
    return [found for found in every if found is not None]


def questions(layout: Layout, path: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the lines of a database: each formula in turn gives a question of a template that was drawn least."""
    rng = random.Random(f"{seed} {layout.name} {layout.language}")
    with closing(sqlite3.connect(path)) as database:
        scene = Scene(layout, database, rng)
        chosen = [*_taken(scene, _of_formulas(scene), FORMULAS), *_taken(scene, [list(plain(scene))], PLAIN)]
    for number, (draft, sql) in enumerate(chosen):
        yield _line(layout, f"{layout.name}_{number:02d}", draft, sql, rng)


def _of_formulas(scene: Scene) -> list[list[Draft]]:
    """Return the drafts of each formula, and those of each pair of a calculation and a condition."""
    found = meanings(scene.layout)
    by_kind = {"calculation": calculations, "condition": conditions, "union": unions}
    drafts = [list(by_kind[m.formula.kind](scene, m)) for m in found]
    both = product(*([m for m in found if m.formula.kind == kind] for kind in ("calculation", "condition")))
    pairs = [d for a, b in both for d in narrowed(scene, a, b) if not set(a.used) & set(b.used)]
    return [d for d in [*drafts, pairs, pairs] if d]


def _taken(scene: Scene, groups: Iterable[list[Draft]], limit: int) -> Iterator[tuple[Draft, str]]:
    """Yield drafts with their queries, from each group in turn, so that no formula and no template takes it all."""
    rng, uses, asked = scene.rng, dict[str, int](), set[str]()
    piles = [_shuffled(group, rng) for group in groups]
    rng.shuffle(piles)
    while piles and len(asked) < limit:
        for pile in list(piles):
            pile.sort(key=lambda draft: -uses.get(draft.template, 0))
            good = _next(scene, pile, asked)
            if good is None or len(asked) >= limit:
                piles.remove(pile)
                continue
            asked.add(good[1])
            uses[good[0].template] = uses.get(good[0].template, 0) + 1
            yield good


def _shuffled(drafts: list[Draft], rng: random.Random) -> list[Draft]:
    """Return drafts in an order in which each template is as likely the last, however many drafts it has."""
    places = {template: rng.random() for template in sorted({draft.template for draft in drafts})}
    return sorted(drafts, key=lambda draft: (places[draft.template], rng.random()))


def _next(scene: Scene, pile: list[Draft], asked: set[str]) -> tuple[Draft, str] | None:
    """Take drafts off a pile until one has rows that answer it and a query that was not written yet."""
    while pile:
        draft = pile.pop()
        sql = write(scene.layout, draft.query)
        if sql not in asked and _answers(scene, draft, sql):
            return draft, sql
    return None


def _answers(scene: Scene, draft: Draft, sql: str) -> bool:
    """Does a query have rows, no NULL and no zero for a single row, and no tie where the first few are asked for?"""
    rows = scene.database.execute(sql).fetchall()
    if not rows or any(cell is None for row in rows for cell in row) or rows == [(0,)]:
        return False
    if draft.query.order is None:
        return True
    query, (direction, value) = draft.query, draft.query.order
    whole = type(query)([value], query.base, query.where, query.group, query.having, (direction, value))
    cells = [row[0] for row in scene.rows(whole)]
    return len(cells) > query.limit and cells[query.limit - 1] != cells[query.limit]


def _line(layout: Layout, name: str, draft: Draft, sql: str, rng: random.Random) -> dict[str, Any]:
    """Return a question as it is written: the formula it names stands first, those within it behind it."""
    language = layout.language
    wording = rng.choice(wordings(language, layout.domain.part)[draft.template])
    if draft.slots.get("condition", "").endswith(("性", "型", "类")):
        wording = wording.replace("{condition}的", "{condition}")
    question = wording.format(**draft.slots)
    if not chinese(question):
        question = question[0].upper() + question[1:]
    used = {(f.name, f.right): None for m in draft.meanings for f in m.used}
    grounding = {k: v for m in draft.meanings for k, v in m.grounding.items()}
    kinds = [m.formula.kind for m in draft.meanings]
    return {
        "id": name,
        "db": layout.name,
        "domain": layout.domain.name,
        "question": question,
        "sql": sql,
        "formulas": [{"name": n, "is": right} for n, right in used],
        "grounding": grounding,
        "kind": kinds[0] if kinds else "none",
        "template": draft.template,
    }
