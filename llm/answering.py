"""Questions on one open database into answers of a language model: ask, read, validate, run, correct."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..answers.carried import carried
from ..data.databases.database import Database
from ..data.domains.dialogues import Turn
from ..data.errors import ConstraintError, InputError, LlmError
from ..data.schema.schema import Schema
from ..data.sql.query import Query
from ..grammar import Access, Grammar
from ..ner.language.question import validated_question
from ..retrieval.shots import Shot, ShotStore
from .attempted import Attempts, LlmAnswer
from .executor import Executor
from .messages import Backend, Completions, ConstrainedBackend, Message, SqlTask, digest_of
from .named import NamedFormulas
from .options import LlmOptions
from .prompting import Prompter, fitted
from .prompts import Cells, Prompts, load_prompts

__all__ = ["LlmAnswerer", "masked_backend"]


class LlmAnswerer:
    """Answers questions on one database, or on some of its tables as if it had no others.

    Args:
        backend: the model.
        schema: of the database, or those tables.
        database: open for reading, with the functions that the schema names.
        dialect: sqlite, mysql or postgres.
        options: the defaults if None.
        retriever: finds solved questions to show; none are shown without.
        prompts: what is said; the shipped English ones if None.
        cells: a few values of columns, told beside them.
        named: says which cells of the database a question names; nothing is told of them if None.
        formulas: finds the formulas that a question names; nothing is told of them if None.
        access: what may be read, all if None; a mask holds the model to it, as nothing else could.
        aliases: see `SqlTask`.
        told: what prompts tell of what may be read, in its order; all of it if None.

    Raises:
        InputError: an option asks for what the back end cannot do, ``access`` is given without a mask, or ``prompts``
            tell no formulas where there are some.
    """

    def __init__(
        self,
        backend: Backend,
        schema: Schema,
        database: Database,
        dialect: str,
        *,
        options: LlmOptions | None = None,
        retriever: ShotStore | None = None,
        prompts: Prompts | None = None,
        cells: Cells | None = None,
        named: Callable[[str], str] | None = None,
        formulas: NamedFormulas | None = None,
        access: Access | None = None,
        aliases: tuple[str, ...] = (),
        told: Schema | None = None,
    ) -> None:
        self.options = options or LlmOptions()
        self._backend = backend
        self._retriever = retriever
        self._formulas = formulas
        self._masked = masked_backend(backend, self.options, access)
        if access is not None:  # nobody knows what a function reads
            schema = replace(schema, functions=())
        self._task = SqlTask(schema, dialect, program=self.options.program, access=access, aliases=aliases)
        readable = self._readable = Grammar.for_schema(schema, dialect=dialect, access=access).readable
        self._prompter = Prompter(
            prompts or load_prompts(formulas=formulas is not None),
            readable if told is None else told,
            dialect,
            program=self.options.program,
            told=self.options.schema,
            cells=cells,
            named=named,
            formulas=formulas,
        )
        self._executor = Executor(readable, database, dialect)

    def ask(self, question: str, *, shots: Sequence[Shot] | None = None, before: Sequence[Turn] = ()) -> LlmAnswer:
        """Return the answer to a question in plain words.

        Args:
            shots: solved questions to show, the most alike first; the retriever's if None.
            before: what was asked and answered before it in its conversation, the latest last.

        Raises:
            InputError: the question is empty or too long (`validated_question`).
            QueryError: the query of a solved question is none, and a program should be made of it.
        """
        question = validated_question(question)
        if shots is None:
            shots = self._retriever.similar(question, self.options.shots) if self._retriever else ()
        talk = Attempts(question, shots, self._formulas.uses(question) if self._formulas else ())
        settings = self.options.settings
        while len(talk.rounds) <= self.options.corrections and not talk.over:
            begun, digest = time.perf_counter(), ""
            try:
                asking = talk.question, talk.shots, talk.failures
                room = settings["max_tokens"]
                messages = fitted(self._prompter, self._backend, *asking, before=before, max_tokens=room)
                digest = digest_of(messages, **settings)
                found = self._complete(messages, settings)
            except (LlmError, ConstraintError) as error:
                return talk.fail(digest, str(error), time.perf_counter() - begun)
            seconds = time.perf_counter() - begun
            talk.hear(digest, found, [self._executor.outcome(text) for text in found.texts], seconds)
        answer = talk.answer()
        if not before or answer.sql is None:
            return answer
        earlier, now = (Query(sql, self._task.dialect) for sql in (before[-1].sql, answer.sql))
        return replace(answer, carried=carried(earlier, now, self._readable))

    def takes(self, question: str) -> int:
        """Return how many tokens a question takes with what is told of its schema, and nothing else beside it."""
        return self._backend.count(self._prompter.messages(question))

    def _complete(self, messages: Sequence[Message], settings: dict[str, Any]) -> Completions:
        if self._masked is not None:
            found = self._masked.complete_sql(messages, self._task, **settings)
        else:
            found = self._backend.complete(messages, **settings)
        if not found.texts:
            raise LlmError("the model wrote nothing", field=self._backend.name)
        return found


def masked_backend(backend: Backend, options: LlmOptions, access: Access | None) -> ConstrainedBackend | None:
    """Return the back end if its tokens are to be masked.

    Raises:
        InputError: they cannot be, though an option or ``access`` asks for it.
    """
    able = backend if isinstance(backend, ConstrainedBackend) else None
    if options.constrain and able is None:
        hint = "leave it out, or take a model that runs here"
        raise InputError(f"the tokens of {backend.name} cannot be masked", field="constrain", hint=hint)
    masked = None if options.constrain is False else able
    if access is not None and (masked is None or options.program):
        hint = "take a model that runs here, masked and without a program"
        raise InputError("only a mask on every token holds a model to what may be read", field="access", hint=hint)
    return masked
