"""Fifty formulas that nothing was trained on, written into a file, are answered at once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import pytest
from formula_banks import write_bank

import querent

PEOPLE = ("Brandt", "Kessler", "Orlov", "Tamura", "Nkosi", "Varga", "Ibarra", "Lindqvist", "Osei", "Petrov")
NOUNS = ("index", "ratio", "score", "quotient", "factor")
COLUMNS = ("feed mass", "steam used", "power used", "water used", "product mass", "waste mass")
FORMS: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ('"{}" - "{}"', lambda a, b: a - b),
    ('"{}" / "{}"', lambda a, b: a / b),
    ('"{}" * "{}"', lambda a, b: a * b),
    ('("{}" - "{}") / "{}"', lambda a, b: (a - b) / a),
)
BATCHES = {f"B{n}": [n * k + 3.5 for k in (7, 5, 3, 11, 6, 2)] for n in range(1, 6)}


def formulas() -> list[tuple[str, str, Callable[[float, float], float], str, str]]:
    """Return fifty names with their forms and concepts."""
    names = [f"{person} {noun}" for person, noun in product(PEOPLE, NOUNS)]
    pairs = list(combinations(COLUMNS, 2))
    return [(name, *FORMS[i % len(FORMS)], *pairs[i % len(pairs)]) for i, name in enumerate(names)]


def test_fifty_new_formulas_work_at_once(tmp_path: Path) -> None:
    columns = ", ".join(f"{name.replace(' ', '_')} REAL" for name in COLUMNS)
    rows = ", ".join(str((code, *numbers)) for code, numbers in BATCHES.items())
    script = f"CREATE TABLE batches (code TEXT PRIMARY KEY, {columns}); INSERT INTO batches VALUES {rows};"
    file = write_bank(
        tmp_path, script, {name: ("calculation", form.format(a, b, a)) for name, form, _, a, b in formulas()}
    )
    right, wrong = 0, list[str]()
    with querent.connect(file, language="en", knowledge=tmp_path) as connection:
        for i, (name, _, reckon, a, b) in list(enumerate(formulas()))[::8]:  # the others stand beside them
            code = f"B{i % 5 + 1}"
            wanted = reckon(*(BATCHES[code][COLUMNS.index(concept)] for concept in (a, b)))
            answer = connection.ask(f"what is the {name} of batch {code}?")
            good = len(answer.rows) == 1 and answer.rows[0][-1] == pytest.approx(wanted)
            right += good
            wrong += [] if good else [f"{name} of {code}: {answer.sql} {answer.rows[:1]}"]
    assert right >= 6, wrong
