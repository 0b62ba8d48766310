"""`querent evaluate`: how well a parser, a language model, or both answer one part of a domain."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import querent

from .. import rooms
from ..console import errors, output, progress_bar
from .options import AskOptions, ConnectOptions, Count, LlmOptions, Part, Split, connect_model, refuse_idle
from .predict import run_options
from .shown import show_scores

if TYPE_CHECKING:
    from ...data.domains.domain import Example
    from ...evaluation.evaluate import Ask
    from ...parser.answering.answerer import Answerer

__all__ = ["evaluate"]


def evaluate(
    context: typer.Context,
    places: list[str],
    *,
    part: Part = "test",
    split: Split | None = None,
    values: Literal["gold", "own"] = "own",
    limit: Count | None = None,
    global_: Literal["hard", "soft", "off"] = "soft",
    asking: Annotated[AskOptions, "beam"],
    connecting: Annotated[ConnectOptions, "language", "level", "knowledge", "examples", "retriever"],
    llm: str | None = None,
    model: LlmOptions,
) -> dict[str, Any]:
    """Answer one part of a domain and score the answers against its gold queries.

        querent evaluate runs/plant plant --part test
        querent evaluate runs/geo text2sql:../shared/data/text2sql/geography --values gold --beam 5 --json
        querent evaluate shipped plant --part dev --split query   # the shipped parser, without training
        querent evaluate shipped library --examples library   # shown solved questions
        querent evaluate plant --llm smollm2 --examples plant --shots 3   # a language model in the parser's place
        querent evaluate runs/plant plant --llm http://localhost:11434/v1#qwen3   # where the parser is not sure

    em is exact match of normal forms, em_by_query its mean over distinct gold queries; execution compares bags of rows,
    in order only under ORDER BY; execution_filled leaves out gold queries without rows. A language model is told the
    domain's descriptions and functions; of --examples no question of the part is shown that is asked. Where the parser
    is not sure and the model has no query, the parser's counts.

    Args:
        places ([RUN] DOMAIN): RUN: a run folder (its best parser is used), a saved parser's, or shipped; left out, the
            model of --llm answers alone. DOMAIN: a domain folder, the name of a shipped domain (plant), or FORMAT:PATH
            of a public set (text2sql:…, css:…, spider:…).
        part: The part to answer.
        split: The split that the part belongs to. Default: the one trained on.
        values: Hand over the gold values, or have the parser find its own.
        limit: Questions asked, spread evenly over the part. Default: all.
        global_: How far the classifiers are followed.
    """
    with ExitStack() as stack:
        run, domain = _run_and_domain(places, alone=llm is not None)
        only = {"values": "alone", "global_": "parser"}
        refuse_idle(context, model=llm is not None, parser=run is not None, only=only)
        loaded = None if run is None else querent.network_of(run)
        language = connecting.language or _only(loaded.languages if loaded else ())
        read = querent.load_domain(domain, language=language)
        options = None if run is None else run_options(run)
        asked: dict[str, Any] = {"part": part, "split": split or (options.data.split if options else "question")}
        gold = read.part(part, split=asked["split"])
        told = replace(connecting, language=read.language, hidden=[example.question for example in gold])
        how: dict[str, Any] = {"options": told, "global_mode": global_}
        ask = None
        if llm is not None:
            if read.database is None:
                raise querent.InputError(f"{read.name} has no database, and a language model needs one", field="--llm")
            with errors().status("opening the database") as status:
                more: dict[str, Any] = {"progress": status.update, "schema": read.schema}
                answers = stack.enter_context(connect_model(context, read.database, llm, model, told, **more))
            parser = loaded and stack.enter_context(rooms.answering(loaded, read, **how))
            ask = _asking(answers, parser, read, asking)
        bar = stack.enter_context(progress_bar("answering"))
        task = bar.add_task("", total=min(len(gold), limit or len(gold)))
        asked |= {"limit": limit, "progress": lambda: bar.advance(task, 1)}
        if ask is not None:
            scores = rooms.evaluate_answers(ask, read, beam=None if run is None else asking.beam, **asked)
        else:
            assert loaded is not None  # without --llm a run is given
            scores = rooms.evaluate(loaded, read, values=values, beam=asking.beam, **how, **asked)
    found = scores.to_json()
    show_scores(found, read.name, output())
    return {"run": run and str(run), "llm": llm, "domain": read.name, **found}


def _only(languages: Sequence[str]) -> str | None:
    """Return the language of a parser that reads one alone."""
    return languages[0] if len(languages) == 1 else None


def _run_and_domain(places: list[str], *, alone: bool) -> tuple[Path | None, str]:
    """Return what is to be read, from one or two words."""
    if len(places) == 2:
        return Path(places[0]), places[1]
    if len(places) > 2:
        raise querent.InputError(f"one word too many: {places[2]!r}", hint="give RUN DOMAIN")
    if not alone:
        hint = "give RUN DOMAIN, where RUN may be shipped; or --llm, which answers in a parser's place"
        raise querent.InputError(f"one word, {places[0]!r}, where a parser and a domain are needed", hint=hint)
    return None, places[0]


def _asking(model: querent.Connection, parser: Answerer | None, domain: rooms.Domain, asking: AskOptions) -> Ask:
    """Return what asks the language model, or the parser first if there is one."""
    if model.dialect != domain.dialect:
        problem = f"{domain.name} has queries in {domain.dialect}, and a database in {model.dialect}"
        raise querent.InputError(problem, field="--llm")
    if parser is None:
        return lambda example: rooms.Reply.of(model.ask(example.question))

    def ask_parser(example: Example) -> rooms.Reply:
        question = rooms.QuestionText(example.question, parser.context.language)
        return rooms.Reply.of(parser.ask(question, options=asking))

    return rooms.in_turn(ask_parser, lambda example: rooms.Reply.of(model.ask(example.question)))
