"""The lessons of each stage, made of questions on databases and a model's own answers: LitE-SQL (Piao et al. 2025)."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ...data.databases.database import Database
from ...data.databases.rows import Rows
from ...data.domains.collection import Collection, Pair
from ...data.schema.plain_names import plain_name
from ...data.schema.schema import Column, Schema, Table
from ...data.texts import json_of
from ...ner.index import ValueIndex
from ...retrieval.shots import Shot
from ..backends.causal_model import LanguageModel
from ..backends.local import ends_of, prompt_ids
from ..executor import Executor, Outcome
from ..messages import Message
from ..named import named_values
from ..prompting import Prompter
from ..prompts.templates import Cells, Prompts, example_cells, schema_text
from ..pruned_schema import needed_columns, prune_schema
from .training import Lesson, TuningOptions

_Named = TypeVar("_Named", Table, Column)

_CELLS = 3
"""Values of a text column in a prompt, as many as in a session."""


@dataclass(frozen=True)
class TuningQuestion:
    """One question on a database of a collection.

    Attributes:
        pair: question and gold query.
        file: the database.
        schema: all of it.
        prompter: writes its messages, in the form of a session.
    """

    pair: Pair
    file: Path
    schema: Schema
    prompter: Prompter

    def messages(self, failures: Sequence[Outcome] = ()) -> list[Message]:
        """Return its messages, with earlier answers that failed."""
        return self.prompter.messages(self.pair.question, failures=failures)

    @property
    def answer(self) -> str:
        """Return the gold answer, in the form in which a model is to write it."""
        return self.prompter.answer(Shot(self.pair.question, self.pair.sql))


def tuning_questions(
    collection: Collection, tokenizer: Any, prompts: Prompts, *, tokens: int, seed: int
) -> Iterator[TuningQuestion]:
    """Yield the questions of a collection, database by database; those on databases without a file are left out.

    A prompt has the tables of the gold query, without spare columns where these take too much, and in a random part of
    the budget other tables of the database, in random order, so that the model learns to choose.

    Args:
        tokenizer: of transformers; it counts the ``tokens`` that tables may take in a prompt.
        seed: of all draws.
    """
    for name in dict.fromkeys(pair.database for pair in collection.pairs if pair.database in collection.databases):
        schema, file = _without_echoes(collection.schemas[name]), collection.databases[name]
        with Database.open(file) as database:
            cells = example_cells(schema, database, _CELLS)

        @cache
        def size(table: Table, cells: Cells = cells) -> int:
            text = schema_text(Schema((table,)), "sqlite", cells)
            return len(tokenizer(text, add_special_tokens=False)["input_ids"])

        with ValueIndex.open(file, schema) as index:
            named = named_values(index, collection.language)
            for pair in (one for one in collection.pairs if one.database == name):
                part = _prompt_tables(pair, schema, size, tokens, random.Random(f"{seed} {pair.id} {pair.question}"))
                values = {pair.question: named(pair.question)}  # while the index is open
                prompter = Prompter(prompts, part, "sqlite", cells=cells, named=values.__getitem__)
                yield TuningQuestion(pair, file, schema, prompter)


def _prompt_tables(
    pair: Pair, schema: Schema, size: Callable[[Table], int], tokens: int, drawn: random.Random
) -> Schema:
    """Return the tables of a prompt."""
    needs = needed_columns(pair.sql, schema)
    budget = drawn.randint(min(tokens, sum(size(schema.table(name)) for name in needs)), tokens)
    spare = [table.name for table in schema.tables if table.name not in needs]
    part = prune_schema([*needs, *drawn.sample(spare, len(spare))], schema, size, budget, needs=needs, drawn=drawn)
    return replace(part, tables=tuple(drawn.sample(part.tables, len(part.tables))))


def _without_echoes(schema: Schema) -> Schema:
    """Return a schema without the descriptions that repeat a name (``people_id``: people id)."""
    tables = (replace(table, columns=tuple(map(_plain, table.columns))) for table in schema.tables)
    return replace(schema, tables=tuple(map(_plain, tables)))


def _plain(named: _Named) -> _Named:
    repeats = plain_name(named.name) == plain_name(named.description)
    return replace(named, description="") if repeats else named


SameRows = Callable[[Rows, Rows, str], bool]
"""Takes the rows of a query, the gold ones, and the gold query: is the query right?"""

Judged = tuple[TuningQuestion, Rows | None, Mapping[str, Outcome]]
"""A question, its gold rows, None where they decide nothing, and the outcomes of its different answers."""

_BATCH = 32  # questions that a model answers at a time
_FAILURES = 2  # how many failures of one question are learnt


def answer_lesson(loaded: LanguageModel, messages: Sequence[Message], answer: str) -> Lesson:
    """Return the lesson of an answer behind its messages; the loss is on the answer alone."""
    prompt, written = prompt_ids(loaded.tokenizer, messages), _answer_ids(loaded, answer)
    return {"input_ids": prompt + written, "completion_mask": [0] * len(prompt) + [1] * len(written)}


def _answer_ids(loaded: LanguageModel, answer: str) -> list[int]:
    """Return the tokens of an answer with its end, whatever stands before it."""
    return [*loaded.tokenizer(answer, add_special_tokens=False)["input_ids"], loaded.tokenizer.eos_token_id]


def sampled(
    loaded: LanguageModel,
    questions: Sequence[TuningQuestion],
    file: Path,
    options: TuningOptions,
    *,
    batch: int = _BATCH,
    progress: Callable[[float], object] = lambda _: None,
) -> list[list[str]]:
    """Return the answers of a model to each question; a file keeps each batch, so that a kill loses few."""
    kept = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    whole = len(kept) if len(kept) == len(questions) else len(kept) // batch * batch
    found = [json_of(line) for line in kept[:whole]]
    file.write_text("".join(map(_line, found)), encoding="utf-8")
    for start in range(len(found), len(questions), batch):
        progress(start / len(questions))
        some = questions[start : start + batch]
        texts = _written(loaded, [prompt_ids(loaded.tokenizer, one.messages()) for one in some], options)
        with file.open("a", encoding="utf-8") as stream:
            stream.writelines(map(_line, texts))
        found += texts
    progress(1.0)
    return found


def _line(texts: Sequence[str]) -> str:
    return json.dumps(texts, ensure_ascii=False) + "\n"


def _written(loaded: LanguageModel, prompts: Sequence[list[int]], options: TuningOptions) -> list[list[str]]:
    """Return the answers to a batch of prompts; they depend on these and on the seed alone."""
    import torch  # heavy

    cast = torch.autocast("cuda", torch.bfloat16, enabled=loaded.model.device.type == "cuda")
    padded = loaded.tokenizer.pad({"input_ids": prompts}, padding_side="left", return_tensors="pt")
    with torch.random.fork_rng(), torch.inference_mode(), cast:
        torch.manual_seed(options.seed + sum(map(sum, prompts)) % 2**31)
        rows = loaded.model.generate(
            **padded.to(loaded.model.device),
            do_sample=True,
            temperature=options.temperature,
            num_return_sequences=options.samples,
            max_new_tokens=options.max_tokens,
            pad_token_id=loaded.tokenizer.pad_token_id,
            eos_token_id=ends_of(loaded),
        )[:, padded["input_ids"].shape[1] :]
    texts = loaded.tokenizer.batch_decode(rows, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return [texts[place : place + options.samples] for place in range(0, len(texts), options.samples)]


def judged(questions: Sequence[TuningQuestion], texts: Sequence[Sequence[str]], timeout: float) -> Iterator[Judged]:
    """Yield the outcomes of the answers to each question; a query may take ``timeout`` seconds."""
    with ExitStack() as opened:
        databases: dict[Path, tuple[Database, Executor]] = {}
        for one, written in zip(questions, texts, strict=True):
            if one.file not in databases:
                database = opened.enter_context(Database.open(one.file, timeout=timeout))
                databases[one.file] = database, Executor(one.schema, database, "sqlite")
            database, executor = databases[one.file]
            gold = database.attempt(one.pair.sql)
            known = gold if gold is not None and gold.rows and not gold.truncated else None
            yield one, known, {text: executor.outcome(text) for text in dict.fromkeys(written)}


def preferences(loaded: LanguageModel, answers: Iterable[Judged], same: SameRows) -> tuple[list[Lesson], Counter[str]]:
    """Return pairs of answers, one of them better on the database, and how many there are of each kind."""
    found, counts = list[Lesson](), Counter[str]()
    for question, gold, outcomes in answers:
        if gold is None:
            counts["questions whose rows tell nothing"] += 1
            continue
        verdicts = {text: _verdict(one, gold, question, same) for text, one in outcomes.items()}
        counts.update(f"answers: {verdict}" for verdict in verdicts.values())
        prompt = prompt_ids(loaded.tokenizer, question.messages())
        for chosen, rejected, kind in preferred(verdicts, question.answer):
            better, worse = _answer_ids(loaded, chosen), _answer_ids(loaded, rejected)
            found.append({"prompt_ids": prompt, "chosen_ids": better, "rejected_ids": worse})
            counts[f"pairs: {kind}"] += 1
    return found, counts


def _verdict(outcome: Outcome, gold: Rows, question: TuningQuestion, same: SameRows) -> str:
    if outcome.rows is None:
        return "failing"
    return "right" if same(outcome.rows, gold, question.pair.sql) else "wrong"


def preferred(verdicts: Mapping[str, str], gold: str) -> Iterator[tuple[str, str, str]]:
    """Yield (chosen, rejected, kind) of one question, at most one of each kind.

    A right answer is preferred to a wrong and to a failing one. Where none is right, the gold answer is preferred to a
    wrong one, and that to a failing one; without a wrong one the gold answer is preferred to the failing one.

    Args:
        verdicts: right, wrong or failing, for each different answer of the model, in order.
        gold: the gold answer.
    """
    first = {verdict: text for text, verdict in reversed([*verdicts.items()])}
    right, wrong, failing = first.get("right"), first.get("wrong"), first.get("failing")
    best, name = (gold, "gold") if right is None else (right, "right")
    if wrong is not None:
        yield best, wrong, f"{name} before wrong"
    if failing is not None and right is None and wrong is not None:
        yield wrong, failing, "running before failing"
    elif failing is not None:
        yield best, failing, f"{name} before failing"


def corrections(loaded: LanguageModel, answers: Iterable[Judged]) -> tuple[list[Lesson], Counter[str]]:
    """Return lessons of the gold answer behind a failed one and its problem, and how many there are of each kind.

    As many lessons without a failure are added, so that the model does not forget to answer at once.
    """
    found, plain, counts = list[Lesson](), list[Lesson](), Counter[str]()
    for question, _, outcomes in answers:
        plain.append(answer_lesson(loaded, question.messages(), question.answer))
        for failed in [one for one in outcomes.values() if one.problem is not None][:_FAILURES]:
            if failed.text != question.answer:
                found.append(answer_lesson(loaded, question.messages([failed]), question.answer))
                counts[f"lessons: {failed.failure}"] += 1
    plain = plain[:: max(1, len(plain) // max(1, len(found)))][: len(found)]
    counts["lessons: plain"] = len(plain)
    return found + plain, counts
