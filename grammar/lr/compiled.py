"""The tables of each dialect, from files that `build` writes: Lark takes more than a second to build those of one.

A file that was made of another text than the grammar's is passed over, and the tables are compiled anew.
"""

from __future__ import annotations

import io
import json
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from .tables import Production, Tables, grammar_text

__all__ = ["ARRAYS", "file_name", "load_tables", "read_compiled"]

ARRAYS = ("action", "goto")
"""Fields of `Tables` that a file keeps as arrays; all others are JSON."""


@lru_cache
def load_tables(dialect: str, *, wide: bool = False) -> Tables:
    """Return the tables of a dialect, in the wide form or not, read or compiled once a process."""
    text = grammar_text(dialect, wide=wide)
    return read_compiled(file_name(dialect, wide=wide), text) or _compiled(text)


def _compiled(text: str) -> Tables:
    from .lark_tables import compile_grammar  # slow to import, too

    return compile_grammar(text)


def file_name(dialect: str, *, wide: bool) -> str:
    """Return what the file of a dialect's tables is called, without its ending."""
    return f"{dialect}-wide" if wide else dialect


def read_compiled(name: str, text: str) -> Tables | None:
    """Return the tables that were compiled of ``text``, None if the file called so has others."""
    file = resources.files(__package__ or __name__) / "built" / f"{name}.npz"
    if not file.is_file():
        return None
    with np.load(io.BytesIO(file.read_bytes())) as stored:
        told: dict[str, Any] = json.loads(str(stored["told"]))
        if told["source"] != text:
            return None
        told |= {name: stored[name] for name in ARRAYS}
    told["productions"] = tuple(Production(head, tuple(body)) for head, body in told["productions"])
    told["kernels"] = tuple(tuple((production, dot) for production, dot in kernel) for kernel in told["kernels"])
    told |= {name: tuple(told[name]) for name in ("terminals", "nonterminals")}
    return Tables(**told)
