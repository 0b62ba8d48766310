"""Write KnowBench: ``python -m bench.knowbench FOLDER``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from .writing import write


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the languages asked for and print how many questions each part has."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.knowbench",
        description="Write questions that need formulas, with databases, banks of formulas and gold queries.",
    )
    parser.add_argument("folder", type=Path, help="where LANGUAGE/databases, LANGUAGE/knowledge and the parts go")
    parser.add_argument("--language", choices=("en", "zh"), help="only this one")
    parser.add_argument("--seed", type=int, default=0, help="of rows, values and wordings (default: 0)")
    options = parser.parse_args(arguments)
    for language in (options.language,) if options.language else ("en", "zh"):
        counts = write(options.folder, language, options.seed)
        print(language, ", ".join(f"{part} {count}" for part, count in counts.items()))


if __name__ == "__main__":
    main()
