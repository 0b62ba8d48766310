"""Write docs/plant.md: what the plant domain is, and 20 prototypes drawn by a seed for a reader to judge.

python bench/report/plant_page.py
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from querent import Database, Domain, load_domain
from querent.authoring.checking.figures import CHESQL, figures
from querent.data.examples import Example

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "plant.md"
SEED, DRAWN, ROWS = 2024, 20, 4


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page's text."""
    domains = {language: load_domain("plant", language=language) for language in ("zh", "en")}
    head = (HERE / "plant.head.md").read_text(encoding="utf-8")
    return "".join([head, *_statistics(domains), *_drawn(domains)])


def _statistics(domains: dict[str, Domain]) -> Iterator[str]:
    found = {k: figures(d.examples, d.schema, d.dialect) for k, d in domains.items()}
    sizes = {k: f"{len(d.examples)} pairs of {len({e.prototype for e in d.examples})}" for k, d in domains.items()}
    yield "\n| mean per pair | plant, Chinese | plant, English | ChESQL |\n| --- | --- | --- | --- |\n"
    yield f"| prototypes | {sizes['zh']} | {sizes['en']} | 2130 pairs of 500 |\n"
    for key, paper in CHESQL.items():
        yield f"| {key.replace('_', ' ')} | {found['zh'][key]:.2f} | {found['en'][key]:.2f} | {paper} |\n"


def _drawn(domains: dict[str, Domain]) -> Iterator[str]:
    first: dict[str, dict[str, Example]] = {}
    for language, domain in domains.items():
        for example in domain.examples:
            first.setdefault(example.prototype, {}).setdefault(language, example)
    names = random.Random(SEED).sample(sorted(first), DRAWN)
    yield f"\n## Twenty prototypes, drawn\n\n`python bench/report/plant_page.py`, seed {SEED}: the first pair of each"
    yield " in both languages. The values of the two pairs differ; query and rows are the English pair's.\n"
    database = domains["en"].database
    if database is None:
        raise SystemExit("the plant has no database")
    with Database.open(database, timeout=60.0) as opened:
        for name in sorted(names):
            pair = first[name]
            rows = opened.query(pair["en"].sql)
            yield f"\n### {name}\n\n- {pair['zh'].question}\n- {pair['en'].question}\n\n"
            yield f"```sql\n{pair['en'].sql}\n```\n\n{_table(rows.columns, rows.rows)}"


def _table(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [[f"`{c}`" for c in columns], ["---"] * len(columns), *(map(_cell, row) for row in rows[:ROWS])]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    return text + (f"\n{len(rows)} rows in all.\n" if len(rows) > ROWS else "" if rows else "\nNo rows.\n")


def _cell(value: Any) -> str:
    return "NULL" if value is None else str(value).replace("|", "\\|")


if __name__ == "__main__":
    main()
