"""GRID (arXiv:2607.11951; PyPI `grid-guardrail`, Apache-2.0) on a schema, in the way of its own Spider bench.

What is the same for all schemas (LALR tables, scanner, trie) is made once; a schema adds its lexicon of table and
column names, and the table of shortest ends. Names are lower case and plain, as its grammar wants them; others cannot
be written, and are counted. The grammar is no part of the package: `grammars/sql_spider.grid` of its repository.
"""

from __future__ import annotations

import hashlib
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from querent.data.schema.schema import Schema

__all__ = ["INSTALL", "Grid", "grammar_file", "made_of"]

INSTALL = "pip install --no-deps grid-guardrail==0.4.2 grid-core==0.2.0"
_GRAMMAR = "grammars/sql_spider.grid of https://github.com/evolutionIdGmbH/grid"
_NAME = re.compile(r"[a-z_][a-z0-9_]*")


def grammar_file(file: Path | None) -> Path:
    """Return the file of GRID's grammar.

    Raises:
        SystemExit: it is not there, or GRID is not installed.
    """
    if find_spec("grid") is None or find_spec("grid_core") is None:
        raise SystemExit(f"GRID is missing: {INSTALL}")
    if file is None or not file.is_file():
        raise SystemExit(f"--grid-grammar is wanted: {_GRAMMAR}; the package does not have it")
    return file


def made_of(file: Path | None) -> dict[str, str]:
    """Return what tells GRID's grammar from others, for results."""
    return {} if file is None else {"grid grammar, sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


class Grid:
    """GRID's guides for the schemas of one tokenizer.

    Args:
        tokenizer: one of transformers.
        grammar: the file of the dialect.
    """

    def __init__(self, tokenizer: Any, grammar: Path) -> None:
        from grid.grammar import spec
        from grid.grammar.projection import RoleProjection
        from grid.lalr.compile import compile_tables
        from grid.lexer.dfa import build_scanner
        from grid.models.hf_adapter import HFTokenizerAdapter
        from grid.trie.build import build_trie

        self.adapter = HFTokenizerAdapter(tokenizer)
        read = spec.load(grammar.read_text(encoding="utf-8"))
        names = frozenset({"TABLE_NAME", "COLUMN_NAME"})
        self._tables = compile_tables(RoleProjection.full(read).build(), names)
        self._scanner: Any = build_scanner(read.terminals, read.terminal_order)
        self._trie = build_trie(self.adapter)

    def guide(self, schema: Schema, most: int | None = None) -> Any:
        """Return the guide of a schema; given the most tokens of an output, it ends queries within them."""
        from grid.guide import GridGuide
        from grid.lalr.reserve import ReserveTable
        from grid.policy.schema import SchemaSnapshot

        snapshot = SchemaSnapshot.from_dict(plain_names(schema))
        lexicons = snapshot.lexicons(self._tables)
        reserve = ReserveTable(tables=self._tables, dfa=self._scanner, adapter=self.adapter, lexicons=lexicons)
        return GridGuide(
            tables=self._tables,
            dfa=self._scanner,
            trie=self._trie,
            adapter=self.adapter,
            lexicons=lexicons,
            schema_fingerprint=snapshot.fingerprint,
            reserve=reserve,
            max_new_tokens=most,
        )

    def processor(self, guide: Any) -> Any:
        """Return a logits processor for one output."""
        from grid.processors import GridLogitsProcessor

        return GridLogitsProcessor(self.adapter, guide.copy())


def plain_names(schema: Schema) -> dict[str, list[str]]:
    """Return the columns of each table, those whose names GRID's grammar can write."""
    return {
        table.name.lower(): [c.name.lower() for c in table.columns if _NAME.fullmatch(c.name.lower())]
        for table in schema.tables
        if _NAME.fullmatch(table.name.lower())
    }
