"""Every gold query of the plant gives the same answer on SQLite, MariaDB and PostgreSQL.

One query of every sixth prototype is run, the first that its pairs ask; with QUERENT_ALL_INSTANCES=1 all are.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from servers import copy_sqlite, fresh_database, url_of

from querent.authoring.filling.instantiate import renamed
from querent.authoring.filling.writing import DomainSource
from querent.data.databases.database import Database
from querent.data.domains.loading import load_domain
from querent.data.domains.prototypes import Prototype, numbered
from querent.data.domains.slot_rules import Named
from querent.data.shipped import shipped_folder
from querent.data.sql.dialects import translate
from querent.data.values.numerals import plain
from querent.data.values.slots import Value, ValueMention, fill_sql
from querent.evaluation.metrics import is_ordered

pytestmark = pytest.mark.slow

FOLDER = shipped_folder("plant")
THEMES = sorted(file.stem for file in (FOLDER / "prototypes").glob("*.toml"))
EVERYTHING = bool(os.environ.get("QUERENT_ALL_INSTANCES"))
LIMITS = {"timeout": 20, "max_rows": 200_000}


@dataclass(frozen=True)
class Gold:
    """One query that a pair asks, in the pair's SQLite and its prototype's MySQL, values filled in."""

    pair: str
    sqlite: str
    mysql: str

    @property
    def texts(self) -> dict[str, str]:
        """Return the text by dialect."""
        postgres = translate(self.mysql, read="mysql", write="postgres")
        return {"sqlite": self.sqlite, "mysql": self.mysql, "postgres": postgres}


@pytest.fixture(scope="module")
def queries() -> Mapping[str, list[Gold]]:
    """Return every distinct query of all pairs, by its prototype's id, in the order of the pairs."""
    source = DomainSource.of("plant")
    assert source is not None and source.problems == () and source.manifest.prototype_dialect == "mysql"
    prototypes = {prototype.id: prototype for prototype in source.prototypes}
    found: dict[str, dict[str, Gold]] = defaultdict(dict)
    for language in source.languages:
        for line in (source.folder / f"examples.{language}.jsonl").read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            gold = _gold(prototypes[pair["prototype"]], language, pair)
            found[pair["prototype"]].setdefault(gold.mysql, gold)
    assert found.keys() == prototypes.keys()
    return {name: list(golds.values()) for name, golds in found.items()}


def _gold(prototype: Prototype, language: str, pair: Mapping[str, Any]) -> Gold:
    """Fill the prototype's own text, whose slots the pair numbers as its question names them."""
    wordings = prototype.wordings[language]
    names = numbered(wordings[int(pair["id"].rpartition(".")[2]) % len(wordings)])
    said = {slot: value["sql"] for slot, value in pair["values"].items()}
    # authors write 5 for «5 %», and the pair's value is 0.05
    shares = {names[slot] for slot, rule in prototype.fill.items() if rule == Named("share")}
    meant = {slot: plain(100 * Fraction(sql)) if slot in shares else sql for slot, sql in said.items()}
    mysql = fill_sql(renamed(prototype.sql, names), _values(meant), dialect="mysql")
    return Gold(pair["id"], fill_sql(pair["sql"], _values(said)), mysql)


def _values(said: Mapping[str, str]) -> list[Value]:
    return [Value(slot, ValueMention(0, 0, "", slot.rstrip("0123456789"), sql)) for slot, sql in said.items()]


@pytest.fixture(scope="module")
def engines() -> Iterator[Mapping[str, Database]]:
    """Return the plant's database on each engine, by dialect."""
    file = load_domain("plant").database
    assert file is not None
    with ExitStack() as stack:
        places = {"sqlite": str(file)}
        for dialect in ("mysql", "postgres"):
            places[dialect] = stack.enter_context(fresh_database(url_of(dialect)))
            copy_sqlite(file, (FOLDER / "schema.sql").read_text(encoding="utf-8"), places[dialect])
        yield {dialect: stack.enter_context(Database.open(place, **LIMITS)) for dialect, place in places.items()}


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("theme", THEMES)
def test_engines_agree(engines: Mapping[str, Database], queries: Mapping[str, list[Gold]], theme: str) -> None:
    of_theme = [golds for name, golds in queries.items() if name.split(".")[0] == theme]
    chosen = [gold for golds in of_theme for gold in golds] if EVERYTHING else [golds[0] for golds in of_theme[::6]]
    for gold in chosen:
        ordered, texts = is_ordered(gold.mysql, "mysql"), gold.texts
        answers = {name: cells(database.query(texts[name]).rows, ordered) for name, database in engines.items()}
        words, numbers = answers.pop("sqlite")
        for dialect, (its_words, its_numbers) in answers.items():
            assert its_words == words, (gold.pair, texts[dialect])
            # in AVG and in a division MySQL keeps four decimals more than the dividend has
            assert its_numbers == pytest.approx(numbers, rel=1e-6, abs=6e-5), (gold.pair, texts[dialect])


def cells(rows: Sequence[Sequence[Any]], ordered: bool) -> tuple[list[list[str]], list[float]]:
    """Return the cells of rows, numbers apart, in the rows' order or in that of their texts and numbers."""
    found = [[float(c) if isinstance(c, int | float | Decimal) else str(c) for c in row] for row in rows]
    if not ordered:
        found.sort(key=lambda row: sorted((c, 0) if isinstance(c, str) else ("~", round(c, 2)) for c in row))
    words = [["a number" if isinstance(c, float) else c for c in row] for row in found]
    return words, [c for row in found for c in row if isinstance(c, float)]
