"""Games between players, and walks under the constraint on their short forms."""

import sqlite3

import numpy as np
from numpy.typing import NDArray
from sql_pairs import schema

from querent.data.schema.schema import Schema
from querent.data.values.slots import SLOT
from querent.parser.normal_form import ShortConstraint

SCHEMA = schema("games")
LIKED = {"FROM": 6.0, "JOIN": 6.0, "LEFT": 5.0, "(": 1.0}
"""What walks like, so that they come to joins."""


def filled(schema: Schema) -> sqlite3.Connection:
    """Return a database with one row of ones in each table."""
    connection = sqlite3.connect(":memory:")
    for table in schema.tables:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
        connection.execute(f'INSERT INTO "{table.name}" VALUES ({", ".join("1" for _ in table.columns)})')
    return connection


def liked(steps: ShortConstraint, more: dict[str, float] = LIKED) -> NDArray[np.float64]:
    """Return how much a walk likes each word: some, and tables."""
    tables = {"TABLE", "ALIAS"}
    return np.array([more.get(w.text, 3.0 if w.terminal in tables else 0.0) for w in steps.vocabulary.words])


def walked(
    steps: ShortConstraint,
    rng: np.random.Generator,
    likes: NDArray[np.float64],
    budget: int,
    database: sqlite3.Connection,
) -> set[str]:
    """Walk to an end by chance, and run what was written; return the later uses of tables in it."""
    words, written = steps.vocabulary.words, list[int]()
    state = steps.start(budget=budget)
    while not state.inner.ended:
        chosen = np.where(state.allowed(), likes + rng.gumbel(size=len(words)), -np.inf)
        written.append(int(chosen.argmax()))
        state = state.advance(written[-1])
    sql = steps.vocabulary.decode(state.sql_words)
    assert len(state.sql_words) <= budget
    again = steps.form.sql((words[i].text, words[i].terminal) for i in written[:-1])
    assert again.replace(" AS ", " ") == sql.replace(" AS ", " ")  # which the last words of a budget do without
    assert sql.count("JOIN") - sql.count("CROSS") == sql.count(" ON "), sql
    database.execute(SLOT.sub("7", sql)).fetchmany(10)
    return {words[i].text for i in written if words[i].terminal == "ALIAS"}
