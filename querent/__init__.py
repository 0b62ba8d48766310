"""Querent: questions about one database into SQL that always parses and always runs.

>>> import querent
>>> with querent.connect("shop") as db:                         # doctest: +SKIP
...     db.ask("how many customers do we have?").rows
((25,),)

Names load on first use, so that ``import querent`` is fast and ``querent.grammar`` needs no torch.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # By folder, as the rooms import each other: that is how a type checker finds them in a clone.
    from ..authoring.checking.check import check as check
    from ..authoring.checking.view import render as render_check
    from ..authoring.filling.writing import fill_domain as fill_domain
    from ..authoring.starting.skeleton import write_skeleton as write_skeleton
    from ..data.answer import Answer as Answer
    from ..data.asked import asked as asked
    from ..data.databases.database import Database as Database
    from ..data.databases.schema_places import open_schema as open_schema
    from ..data.databases.urls import scrubbed as scrubbed
    from ..data.domains.domain import Domain as Domain
    from ..data.domains.loading import load_domain as load_domain
    from ..data.domains.shipped import cache_folder as cache_folder
    from ..data.errors import DatabaseError as DatabaseError
    from ..data.errors import DomainError as DomainError
    from ..data.errors import InputError as InputError
    from ..data.errors import LlmError as LlmError
    from ..data.errors import QuerentError as QuerentError
    from ..data.errors import RunError as RunError
    from ..data.languages import language_of as language_of
    from ..data.schema.schema import Schema as Schema
    from ..evaluation.answers import Reply as Reply
    from ..evaluation.answers import evaluate_answers as evaluate_answers
    from ..evaluation.answers import in_turn as in_turn
    from ..evaluation.evaluate import answering as answering
    from ..evaluation.evaluate import evaluate as evaluate
    from ..evaluation.scored_run import train as train
    from ..evaluation.scores import Scores as Scores
    from ..evaluation.suite import distill as distill
    from ..evaluation.suite import find_suite as find_suite
    from ..evaluation.suite import load_suite as load_suite
    from ..evaluation.suite import save_suite as save_suite
    from ..evaluation.suite import suite_folder as suite_folder
    from ..grammar import Access as Access
    from ..grammar import Grammar as Grammar
    from ..grammar import Vocabulary as Vocabulary
    from ..grammar.export import export_grammar as export_grammar
    from ..knowledge.exchange.binding import bound_to_columns as bound_to_columns
    from ..knowledge.exchange.formats import read_formulas as read_formulas
    from ..knowledge.exchange.formats import write_formulas as write_formulas
    from ..knowledge.formulas.bank import Bank as Bank
    from ..knowledge.formulas.bank import Formula as Formula
    from ..knowledge.formulas.reading import open_banks as open_banks
    from ..knowledge.grounding.grounded import GroundedConcept as GroundedConcept
    from ..knowledge.grounding.grounder import Grounding as Grounding
    from ..knowledge.mentions import Mention as Mention
    from ..knowledge.mentions import Mentions as Mentions
    from ..knowledge.needed import NeededFormulas as NeededFormulas
    from ..knowledge.solved import open_examples as open_examples
    from ..knowledge.solved import solved_domain as solved_domain
    from ..llm.answering import LlmAnswerer as LlmAnswerer
    from ..llm.answering import LlmOptions as LlmOptions
    from ..llm.answers import LlmAnswer as LlmAnswer
    from ..llm.backends.load import load_backend as load_backend
    from ..llm.connection import LlmConnection as LlmConnection
    from ..llm.connection import connect_llm as connect_llm
    from ..llm.connection import options_of as options_of
    from ..llm.messages import Backend as Backend
    from ..llm.prompts import load_prompts as load_prompts
    from ..llm.prompts import shipped_prompts as shipped_prompts
    from ..llm.recipe import Recipe as Recipe
    from ..llm.tuning.retriever import tune_retriever as tune_retriever
    from ..llm.tuning.training import TuningOptions as TuningOptions
    from ..llm.tuning.tune import tune as tune
    from ..parser.connection import Connection as Connection
    from ..parser.connection import connect as connect
    from ..parser.connection import parser_folder as parser_folder
    from ..parser.decoding.explaining import Explanation as Explanation
    from ..parser.reader.saved import load_network as load_network
    from ..parser.runs.folder import RunFolder as RunFolder
    from ..parser.runs.options import TrainConfig as TrainConfig
    from ..parser.runs.predict import predict as predict
    from ..parser.runs.progress import ProgressTold as ProgressTold
    from ..parser.runs.questions import Question as Question
    from ..parser.runs.questions import count_questions as count_questions
    from ..parser.runs.questions import read_questions as read_questions
    from ..parser.runs.shards import Shard as Shard
    from ..retrieval.shot_files import read_shots as read_shots
    from ..retrieval.shots import ScoredShot as ScoredShot
    from ..retrieval.shots import Shot as Shot
    from ..retrieval.shots import ShotStore as ShotStore
    from ..retrieval.shots import ways_named as ways_named
    from ..retrieval.training import BiEncoderOptions as BiEncoderOptions
    from ..validation import Validation as Validation
    from ..validation import Validator as Validator
    from ..validation import read_statements as read_statements
    from ..validation import validate as validate

_checkout = Path(__file__).resolve().parent.parent
if (_checkout / "grammar" / "__init__.py").is_file() and (_checkout / "pyproject.toml").is_file():
    # Running from a clone that is not installed: the rooms lie beside this folder.
    __path__.append(str(_checkout))

__version__ = "0.1.0"

_HOMES = {
    "Backend": "llm.messages",
    "options_of": "llm.connection",
    "tune_retriever": "llm.tuning.retriever",
    "tune": "llm.tuning.tune",
    "TuningOptions": "llm.tuning.training",
    "Recipe": "llm.recipe",
    "BiEncoderOptions": "retrieval.training",
    "Access": "grammar",
    "Answer": "data.answer",
    "Bank": "knowledge.formulas.bank",
    "Connection": "parser.connection",
    "Database": "data.databases.database",
    "DatabaseError": "data.errors",
    "Domain": "data.domains.domain",
    "DomainError": "data.errors",
    "Explanation": "parser.decoding.explaining",
    "Formula": "knowledge.formulas.bank",
    "Grammar": "grammar",
    "GroundedConcept": "knowledge.grounding.grounded",
    "Grounding": "knowledge.grounding.grounder",
    "InputError": "data.errors",
    "LlmAnswer": "llm.answers",
    "LlmAnswerer": "llm.answering",
    "LlmConnection": "llm.connection",
    "LlmError": "data.errors",
    "LlmOptions": "llm.answering",
    "Mention": "knowledge.mentions",
    "Mentions": "knowledge.mentions",
    "NeededFormulas": "knowledge.needed",
    "ProgressTold": "parser.runs.progress",
    "QuerentError": "data.errors",
    "Question": "parser.runs.questions",
    "Reply": "evaluation.answers",
    "RunError": "data.errors",
    "RunFolder": "parser.runs.folder",
    "Schema": "data.schema.schema",
    "Scores": "evaluation.scores",
    "ScoredShot": "retrieval.shots",
    "Shard": "parser.runs.shards",
    "Shot": "retrieval.shots",
    "ShotStore": "retrieval.shots",
    "TrainConfig": "parser.runs.options",
    "Validation": "validation",
    "Validator": "validation",
    "Vocabulary": "grammar",
    "answering": "evaluation.evaluate",
    "asked": "data.asked",
    "bound_to_columns": "knowledge.exchange.binding",
    "cache_folder": "data.domains.shipped",
    "check": "authoring.checking.check",
    "connect": "parser.connection",
    "connect_llm": "llm.connection",
    "count_questions": "parser.runs.questions",
    "distill": "evaluation.suite",
    "evaluate": "evaluation.evaluate",
    "evaluate_answers": "evaluation.answers",
    "export_grammar": "grammar.export",
    "fill_domain": "authoring.filling.writing",
    "find_suite": "evaluation.suite",
    "in_turn": "evaluation.answers",
    "language_of": "data.languages",
    "load_backend": "llm.backends.load",
    "load_domain": "data.domains.loading",
    "load_network": "parser.reader.saved",
    "load_prompts": "llm.prompts",
    "load_suite": "evaluation.suite",
    "open_banks": "knowledge.formulas.reading",
    "open_examples": "knowledge.solved",
    "solved_domain": "knowledge.solved",
    "open_schema": "data.databases.schema_places",
    "parser_folder": "parser.connection",
    "predict": "parser.runs.predict",
    "read_formulas": "knowledge.exchange.formats",
    "read_questions": "parser.runs.questions",
    "read_shots": "retrieval.shot_files",
    "read_statements": "validation",
    "render_check": "authoring.checking.view:render",
    "save_suite": "evaluation.suite",
    "scrubbed": "data.databases.urls",
    "shipped_prompts": "llm.prompts",
    "suite_folder": "evaluation.suite",
    "train": "evaluation.scored_run",
    "validate": "validation",
    "write_formulas": "knowledge.exchange.formats",
    "ways_named": "retrieval.shots",
    "write_skeleton": "authoring.starting.skeleton",
}

__all__ = [
    "Access",
    "Answer",
    "Backend",
    "Bank",
    "BiEncoderOptions",
    "Connection",
    "Database",
    "DatabaseError",
    "Domain",
    "DomainError",
    "Explanation",
    "Formula",
    "Grammar",
    "GroundedConcept",
    "Grounding",
    "InputError",
    "LlmAnswer",
    "LlmAnswerer",
    "LlmConnection",
    "LlmError",
    "LlmOptions",
    "Mention",
    "Mentions",
    "NeededFormulas",
    "ProgressTold",
    "QuerentError",
    "Question",
    "Recipe",
    "Reply",
    "RunError",
    "RunFolder",
    "Schema",
    "ScoredShot",
    "Scores",
    "Shard",
    "Shot",
    "ShotStore",
    "TrainConfig",
    "TuningOptions",
    "Validation",
    "Validator",
    "Vocabulary",
    "answering",
    "asked",
    "bound_to_columns",
    "cache_folder",
    "check",
    "connect",
    "connect_llm",
    "count_questions",
    "distill",
    "evaluate",
    "evaluate_answers",
    "export_grammar",
    "fill_domain",
    "find_suite",
    "in_turn",
    "language_of",
    "load_backend",
    "load_domain",
    "load_network",
    "load_prompts",
    "load_suite",
    "open_banks",
    "open_examples",
    "open_schema",
    "options_of",
    "parser_folder",
    "predict",
    "read_formulas",
    "read_questions",
    "read_shots",
    "read_statements",
    "render_check",
    "save_suite",
    "scrubbed",
    "shipped_prompts",
    "solved_domain",
    "suite_folder",
    "train",
    "tune",
    "tune_retriever",
    "validate",
    "ways_named",
    "write_formulas",
    "write_skeleton",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, _, other = _HOMES[name].partition(":")
    try:
        found = getattr(import_module(f".{home}", __name__), other or name)
    except ModuleNotFoundError as error:
        problem = f"{name} needs {error.name}, which is not installed"
        raise __getattr__("InputError")(problem, hint=f"pip install {error.name}") from error
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
