"""Write docs/plant.md and docs/library.md: what each domain is, and questions drawn by a seed for a reader to judge.

python bench/report/domain_pages.py
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from page_tables import table

from querent import Database, Domain, load_domain
from querent.authoring.checking.figures import CHESQL, figures
from querent.data.domains.examples import Example

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = ("plant", "library")
SEED, PROTOTYPES, QUESTIONS, ROWS = 2024, 20, 15, 4


def main() -> None:
    """Write the pages."""
    for name in PAGES:
        (ROOT / "docs" / f"{name}.md").write_text(page(name), encoding="utf-8")


def page(name: str) -> str:
    """Return the text of one domain's page."""
    domains = {language: load_domain(name, language=language) for language in ("zh", "en")}
    head = (HERE / f"{name}.head.md").read_text(encoding="utf-8")
    told = [*_statistics(domains), *_prototypes(domains)] if name == "plant" else [*_questions(domains)]
    return "".join([head, *told])


def _statistics(domains: dict[str, Domain]) -> Iterator[str]:
    found = {k: figures(d.examples, d.schema, d.dialect) for k, d in domains.items()}
    sizes = {k: f"{len(d.examples)} pairs of {len({e.prototype for e in d.examples})}" for k, d in domains.items()}
    yield "\n| mean per pair | plant, Chinese | plant, English | ChESQL |\n| --- | --- | --- | --- |\n"
    yield f"| prototypes | {sizes['zh']} | {sizes['en']} | 2130 pairs of 500 |\n"
    for key, paper in CHESQL.items():
        yield f"| {key.replace('_', ' ')} | {found['zh'][key]:.2f} | {found['en'][key]:.2f} | {paper} |\n"


def _prototypes(domains: dict[str, Domain]) -> Iterator[str]:
    first: dict[str, dict[str, Example]] = {}
    for language, domain in domains.items():
        for example in domain.examples:
            first.setdefault(example.prototype, {}).setdefault(language, example)
    names = random.Random(SEED).sample(sorted(first), PROTOTYPES)
    yield f"\n## Twenty prototypes, drawn\n\n`python bench/report/domain_pages.py`, seed {SEED}: the first pair of each"
    yield " in both languages. The values of the two pairs differ; query and rows are the English pair's.\n"
    with _opened(domains["en"]) as opened:
        for name in sorted(names):
            pair = first[name]
            yield f"\n### {name}\n\n- {pair['zh'].question}\n- {pair['en'].question}\n"
            yield from _answered(opened, pair["en"].sql)


def _questions(domains: dict[str, Domain]) -> Iterator[str]:
    yield f"\n## Fifteen test questions, drawn\n\n`python bench/report/domain_pages.py`, seed {SEED}, in turn from each"
    yield " language.\n"
    asked = {k: sorted(d.part("test"), key=lambda e: e.id) for k, d in domains.items()}
    rng = random.Random(SEED)
    with _opened(domains["en"]) as opened:
        for number in range(QUESTIONS):
            example = rng.choice(asked["zh" if number % 2 else "en"])
            yield f"\n### {example.question}\n\n`{example.prototype}`\n"
            yield from _answered(opened, example.sql)


def _opened(domain: Domain) -> Database:
    if domain.database is None:
        raise SystemExit(f"{domain.name} has no database")
    return Database.open(domain.database, timeout=60.0, functions=domain.schema.functions)


def _answered(database: Database, sql: str) -> Iterator[str]:
    rows = database.query(sql)
    yield f"\n```sql\n{sql}\n```\n\n{_table(rows.columns, rows.rows)}"


def _table(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    text = table([f"`{column}`" for column in columns], [[_cell(cell) for cell in row] for row in rows[:ROWS]])
    return text + (f"\n{len(rows)} rows in all.\n" if len(rows) > ROWS else "" if rows else "\nNo rows.\n")


def _cell(value: Any) -> str:
    return "NULL" if value is None else str(value).replace("|", "\\|")


if __name__ == "__main__":
    main()
