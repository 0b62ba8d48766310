"""The plant's gold queries in each dialect, as its pairs ask them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from querent.authoring.filling.instantiate import renamed
from querent.authoring.filling.writing import DomainSource
from querent.data.domains.prototypes import Prototype, numbered
from querent.data.domains.slot_rules import Named
from querent.data.sql.dialects import translate
from querent.data.values.numerals import plain
from querent.data.values.slots import Value, ValueMention, fill_sql


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


def plant() -> DomainSource:
    """Return the plant's folder, all its prototypes read."""
    source = DomainSource.of("plant")
    assert source is not None
    assert source.problems == ()
    assert source.manifest.prototype_dialect == "mysql"
    return source


def golds() -> dict[str, list[Gold]]:
    """Return every distinct query of all pairs, by its prototype's id, in the order of the pairs."""
    source = plant()
    prototypes = {prototype.id: prototype for prototype in source.prototypes}
    found: dict[str, dict[str, Gold]] = defaultdict(dict)
    for language in source.languages:
        for line in (source.folder / f"examples.{language}.jsonl").read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            gold = _gold(prototypes[pair["prototype"]], language, pair)
            found[pair["prototype"]].setdefault(gold.mysql, gold)
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
