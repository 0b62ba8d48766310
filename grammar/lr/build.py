"""Write the compiled tables of all dialects: ``python -m querent.grammar.lr.build``, after a ``.lark`` file changed."""

from __future__ import annotations

import io
import json
from dataclasses import fields
from itertools import product
from pathlib import Path

import numpy as np

from .compiled import ARRAYS, file_name, read_compiled
from .lark_tables import compile_grammar
from .tables import DIALECTS, Tables, grammar_text

__all__ = ["compiled_bytes", "write_compiled"]


def compiled_bytes(tables: Tables) -> bytes:
    """Return the file that `compiled.read_compiled` reads."""
    told = {field.name: getattr(tables, field.name) for field in fields(tables) if field.name not in ARRAYS}
    told["productions"] = [(production.head, production.body) for production in tables.productions]
    file = io.BytesIO()
    arrays = {name: getattr(tables, name) for name in ARRAYS}
    np.savez_compressed(file, told=np.array(json.dumps(told, sort_keys=True)), **arrays)
    return file.getvalue()


def write_compiled() -> None:
    """Compile every dialect's grammar in both forms and write their files; what is of today stays."""
    for dialect, wide in product(DIALECTS, (False, True)):
        name, text = file_name(dialect, wide=wide), grammar_text(dialect, wide=wide)
        if read_compiled(name, text) is None:
            file = Path(__file__).parent / "built" / f"{name}.npz"
            file.write_bytes(compiled_bytes(compile_grammar(text)))


if __name__ == "__main__":
    write_compiled()
