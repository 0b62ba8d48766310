"""`querent evaluate`: scores a parser or a language model on a part of a domain."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import querent

from .. import rooms
from ..console import errors, output, progress_bar
from .options import AskOptions, ConnectOptions, Count, LlmOptions, Part, Split, connect_model, refuse_idle
from .predict import run_options
from .printing import show_scores


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
        querent evaluate shipped library --examples library   # with solved questions
        querent evaluate plant --llm smollm2 --examples plant --shots 3   # a language model in the parser's place

    em is exact match of normal forms, em_by_query its mean over distinct gold queries. execution compares bags of
    rows, in order only under ORDER BY; execution_filled leaves out gold queries without rows. The prompt of a
    language model has the descriptions and functions of the domain, and no question of the part that is scored.

    Args:
        places ([RUN] DOMAIN): RUN: a run folder (its best parser is used), a saved parser's, or shipped; none
            with --llm. DOMAIN: a domain folder, the name of a shipped domain (plant), or FORMAT:PATH
            of a public set (text2sql:…, css:…, spider:…).
        part: The part to answer.
        split: The split that the part belongs to. Default: the one trained on.
        values: Give the parser the gold values, or let it find them (own).
        limit: The number of questions, spread evenly over the part. Default: all.
        global_: The mode of the global constraint.
    """
    with ExitStack() as stack:
        run, domain = _run_and_domain(places, model=llm is not None)
        refuse_idle(context, model=llm is not None, only={"values": "parser", "global_": "parser"})
        loaded = None if run is None else querent.network_of(run)
        languages = loaded.languages if loaded else ()
        language = languages[0] if len(languages) == 1 else None
        read = querent.load_domain(domain, language=connecting.language or language)
        options = None if run is None else run_options(run)
        chosen: dict[str, Any] = {"part": part, "split": split or (options.data.split if options else "question")}
        gold = read.part(part, split=chosen["split"])
        opening = replace(connecting, language=read.language, hidden=[example.question for example in gold])
        bar, steps = stack.enter_context(progress_bar("answering")), count(1)
        chosen |= {"limit": limit, "progress": lambda: bar(next(steps), min(len(gold), limit or len(gold)))}
        if loaded is not None:
            how: dict[str, Any] = {"values": values, "beam": asking.beam, "options": opening, "global_mode": global_}
            scores = rooms.evaluate(loaded, read, **how, **chosen)
        else:
            with errors().status("opening the database") as status:
                answers = _model(context, llm or "", read, how=model, opening=opening, progress=status.update)
            stack.enter_context(answers)
            scores = rooms.evaluate_answers(lambda one: answers.ask(one.question), read, **chosen)
    found = scores.to_json()
    show_scores(found, read.name, output())
    return {"run": run and str(run), "llm": llm, "domain": read.name, **found}


def _run_and_domain(places: list[str], *, model: bool) -> tuple[Path | None, str]:
    """Return the run and the domain of one or two words."""
    if len(places) > 2 - model:
        hint = "give DOMAIN, which the model answers alone" if model else "give RUN DOMAIN"
        raise querent.InputError(f"one word too many: {places[2 - model]!r}", hint=hint)
    if model:
        return None, places[0]
    if len(places) == 1:
        hint = "give RUN DOMAIN, where RUN may be shipped; or --llm, which answers in a parser's place"
        raise querent.InputError(f"one word, {places[0]!r}, where a parser and a domain are needed", hint=hint)
    return Path(places[0]), places[1]


def _model(
    context: typer.Context,
    spec: str,
    domain: rooms.Domain,
    *,
    how: LlmOptions,
    opening: ConnectOptions,
    progress: Callable[[str], None],
) -> querent.Connection:
    """Open the database of a domain for a language model that answers in its dialect."""
    if domain.database is None:
        raise querent.InputError(f"{domain.name} has no database, and a language model needs one", field="--llm")
    opened = connect_model(context, domain.database, spec, how, opening, progress=progress, schema=domain.schema)
    if opened.dialect != domain.dialect:
        opened.close()
        problem = f"{domain.name} has queries in {domain.dialect}, and a database in {opened.dialect}"
        raise querent.InputError(problem, field="--llm")
    return opened
