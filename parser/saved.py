"""A parser as a folder: weights, words, schema and all, tied together by hashes; no pickle.

config.json, model.safetensors        the network
tokenizer.json, tokenizer_config.json its encoder's tokenizer
schema.json, vocabulary.json          the database and the SQL words
parser.json                           dialect, grammar digest, language, switches of both constraints
classifiers/, values/                 the global constraint's classifiers; the value finder
README.md                             the model card
hashes.json                           SHA-256 of every other file
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import PreTrainedTokenizerFast

from ..data.errors import QuerentError, RunError
from ..data.schema import Schema
from ..grammar import Grammar, Vocabulary
from ..ner import ValueFinder
from .card import model_card
from .config import ParserConfig
from .global_constraint import GlobalConstraint
from .hashed_folder import AGAIN, check_hashes, read_json, write_hashes, write_json
from .model import ParserModel
from .runs import replace_folder

if TYPE_CHECKING:
    from .pipeline import Parser

__all__ = ["load", "save"]


def save(parser: Parser, folder: Path, *, facts: dict[str, Any]) -> None:
    """Write ``parser`` into ``folder``, replacing what is there only once everything is written."""

    def fill(draft: Path) -> None:
        parser.model.config.save_pretrained(draft)
        weights = {name: value.contiguous() for name, value in parser.model.state_dict().items()}
        save_file(weights, draft / "model.safetensors", metadata={"format": "pt"})
        parser.tokenizer.save_pretrained(draft)
        write_json(draft / "schema.json", parser.grammar.schema.to_json())
        write_json(draft / "vocabulary.json", parser.vocabulary.to_json())
        if parser.global_constraint is not None:
            parser.global_constraint.save(draft / "classifiers")
        if parser.finder is not None:
            (draft / "values").mkdir()
            parser.finder.save(draft / "values")
        write_json(draft / "parser.json", _switches(parser))
        (draft / "README.md").write_text(model_card(parser, facts), encoding="utf-8")
        write_hashes(draft)

    replace_folder(folder, fill)


def _switches(parser: Parser) -> dict[str, Any]:
    found = parser.global_constraint
    return {
        "dialect": parser.grammar.dialect,
        "grammar": parser.grammar.digest,
        "language": parser.language,
        "local": parser.local,
        "level": parser.level,
        "grouping": parser.grouping,
        "global": None if found is None else {"mode": found.mode, "weight": found.weight},
        "values": parser.finder is not None,
        "alpha": parser.alpha,
    }


def load(folder: Path, *, device: str) -> dict[str, Any]:
    """Return the fields of `Parser`.

    Raises:
        RunError: a file is missing, is not what `save` wrote, or does not fit the others.
    """
    check_hashes(folder)
    about = read_json(folder / "parser.json")
    try:
        grammar = Grammar.for_schema(Schema.from_json(read_json(folder / "schema.json")), dialect=about["dialect"])
        if about["grammar"] != grammar.digest:
            problem = "the grammar is not the one that the parser was trained with"
            raise RunError(problem, file=folder / "parser.json", field="grammar", hint="train again with this version")
        vocabulary = Vocabulary.from_json(read_json(folder / "vocabulary.json"), grammar)
        found = about["global"]
        return {
            "model": _model(folder, device),
            "tokenizer": PreTrainedTokenizerFast.from_pretrained(folder),
            "vocabulary": vocabulary,
            "global_constraint": found and GlobalConstraint.load(folder / "classifiers", vocabulary, **found),
            "finder": ValueFinder.load(folder / "values") if about["values"] else None,
            "local": about["local"],
            "level": about["level"],
            "grouping": about["grouping"],
            "language": about["language"],
            "alpha": about["alpha"],
        }
    except RunError:
        raise
    except (QuerentError, KeyError, TypeError) as error:
        raise RunError(f"not a saved parser: {error}", file=folder, hint=AGAIN) from error


def _model(folder: Path, device: str) -> ParserModel:
    file = folder / "model.safetensors"
    model = ParserModel(ParserConfig.from_dict(read_json(folder / "config.json")))
    try:
        model.load_state_dict(load_file(file))
    except (SafetensorError, RuntimeError) as error:
        raise RunError(f"the weights do not fit: {str(error).splitlines()[0]}", file=file, hint=AGAIN) from error
    cast(nn.Module, model).to(device)
    return model.eval()
