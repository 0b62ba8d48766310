"""The network and the span finder that ship with Querent, for English and Chinese.

``python -m bench.train parser/base/recipe.toml`` trains both by their recipe.
"""

from pathlib import Path

from ...data.errors import RunError

__all__ = ["SHIPPED", "base_folder", "parser_folder", "spans_file"]

SHIPPED = "shipped"
"""The name of the shipped network where a parser is an option."""


def base_folder() -> Path:
    """Return the folder of the shipped network."""
    return Path(__file__).parent / SHIPPED


def parser_folder(parser: str | Path) -> Path:
    """Return the folder of a saved parser: the best of a run, a folder with a parser, or the one that is `SHIPPED`.

    Raises:
        RunError: there is no such parser.
    """
    if str(parser) == SHIPPED:
        return base_folder()
    run = Path(parser)
    if (run / "hashes.json").exists() or not run.exists():
        return run
    if (run / "best").exists():
        return run / "best"
    if (run / "config.yaml").exists():
        hint = "run the same `querent train` again, it goes on where it stopped"
        raise RunError("the run has no parser yet", file=run, hint=hint)
    raise RunError(
        "neither a run nor a saved parser", file=run, hint="give the folder that `querent train --out` wrote"
    )


def spans_file() -> Path:
    """Return the weights of the span finder."""
    return Path(__file__).parent / "spans.safetensors"
