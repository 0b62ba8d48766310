"""Querent: questions about one database into SQL that always parses and always runs.

>>> import querent
>>> with querent.connect("shop") as db:                         # doctest: +SKIP
...     db.ask("how many customers do we have?").rows
((20,),)

Names load on first use; ``__init__.pyi`` lists them.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from .lazy import lazily

_checkout = Path(__file__).resolve().parent.parent
if (_checkout / "grammar" / "__init__.py").is_file() and (_checkout / "pyproject.toml").is_file():
    # Running from a clone that is not installed: the rooms lie beside this folder.
    __path__.append(str(_checkout))

_packages: Any = importlib.import_module(".data.packages", __name__)
__version__: str = _packages.VERSION

_load, __dir__, __all__ = lazily(__file__)
_load_for_commands, *_ = lazily(str(Path(__file__).with_name("rooms.py")))


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except AttributeError:  # the names for commands, which are not public
        return _load_for_commands(name)
