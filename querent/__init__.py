"""Querent: questions about one database into SQL that always parses and always runs.

>>> import querent
>>> with querent.connect("shop") as db:                         # doctest: +SKIP
...     db.ask("how many customers do we have?").rows
((20,),)

Names load on first use, so that ``import querent`` is fast and ``querent.grammar`` needs no torch;
``__init__.pyi`` lists them.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import lazy_loader

_checkout = Path(__file__).resolve().parent.parent
if (_checkout / "grammar" / "__init__.py").is_file() and (_checkout / "pyproject.toml").is_file():
    # Running from a clone that is not installed: the rooms lie beside this folder.
    __path__.append(str(_checkout))

_packages: Any = importlib.import_module(".data.packages", __name__)
__version__: str = _packages.VERSION

_homes: dict[str, list[str]] = {}
for _one in ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8")).body:
    if isinstance(_one, ast.ImportFrom) and _one.module:
        _homes.setdefault(_one.module, []).extend(name.name for name in _one.names)
_load, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs=_homes)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        problem = f"{name} needs {error.name}, which is not installed"
        refused: Any = _load("InputError")
        extra = "mcp" if error.name == "mcp" else "train"
        raise refused(problem, hint=_packages.install_hint(extra)) from error
