"""What a command that lets a language model answer opens, by the options of `llm_options`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

import querent

from .llm_options import LLM_ONLY, PARSER_ONLY, options_given, refuse

__all__ = ["connect_told", "refuse_others"]


def refuse_others(
    context: typer.Context, *, llm: dict[str, str] = LLM_ONLY, parser: dict[str, str] = PARSER_ONLY
) -> None:
    """Refuse what means nothing to the one who answers.

    Args:
        llm: parameters of a language model alone, and how they are written.
        parser: those of a parser alone.

    Raises:
        InputError: one was given to the other.
    """
    told = context.params["llm"] is not None
    refuse(context, parser if told else llm, "leave it out" if told else "use it with --llm")


def connect_told(context: typer.Context, database: str | Path, **more: Any) -> querent.LlmConnection:
    """Open a database for a language model, both as the command line tells.

    Args:
        more: further arguments of `querent.connect_llm`.

    Raises:
        QuerentError: as from `querent.load_backend` and `querent.connect_llm`.
    """
    told = context.params
    backend = querent.load_backend(told["llm"])
    chosen: dict[str, Any] = {name: told[name] for name in ("examples", "retriever", "prompts", "cells")}
    chosen["knowledge"] = told["knowledge"] or ()
    return querent.connect_llm(database, backend, options=options_given(context, backend), **chosen, **more)
