"""The messages of a question: header, solved questions, the question with its schema, and what failed so far."""

from collections.abc import Callable, Sequence

from ..data.domains.dialogues import Turn
from ..data.errors import LlmError
from ..data.schema.schema import Schema
from ..retrieval.shots import Shot
from .executor import Outcome
from .messages import Backend, Message
from .programs import program_of
from .prompts.templates import Cells, Prompts, functions_text, schema_text

_DIALECTS = {"sqlite": "SQLite", "mysql": "MySQL", "postgres": "PostgreSQL"}


class Prompter:
    """Builds the messages of questions on one schema.

    Args:
        prompts: what is said.
        schema: of the database, or the part that may be told.
        dialect: sqlite, mysql or postgres.
        program: whether the model is to think in a program first; solved questions then show one.
        told: whether tables and functions are told; a model that was tuned on them knows them.
        cells: a few values of columns.
        named: says which cells of the database a question names; nothing is said of them if None.
        formulas: says what the formulas are that a question names; nothing is said of them if None.
    """

    def __init__(
        self,
        prompts: Prompts,
        schema: Schema,
        dialect: str,
        *,
        program: bool = False,
        told: bool = True,
        cells: Cells | None = None,
        named: Callable[[str], str] | None = None,
        formulas: Callable[[str], str] | None = None,
    ) -> None:
        self._named = named
        self._formulas = formulas
        self._prompts = prompts
        self._dialect = dialect
        self._program = program
        self._schema = schema_text(schema, dialect, cells) if told else None
        self._header = self._headed(schema)

    def messages(
        self, question: str, shots: Sequence[Shot] = (), failures: Sequence[Outcome] = (), before: Sequence[Turn] = ()
    ) -> list[Message]:
        """Return the messages of a question.

        Args:
            shots: solved questions, the most alike first; it stands last, next to the conversation.
            failures: earlier answers, the oldest first.
            before: turns of the conversation before the question, the latest last.
        """
        told = [Message("system", self._header)]
        told += [message for shot in reversed(shots) for message in self._shown(shot)]
        told += [message for turn in before for message in self._shown(Shot(turn.utterance, turn.sql))]
        told.append(Message("user", self._asked(question)))
        return told + [message for failure in failures for message in self._failed(failure)]

    def answer(self, shot: Shot) -> str:
        """Return an answer as a model is to write it: program, if one is asked for, and query."""
        program = (shot.program or program_of(shot.sql, self._dialect)) if self._program else ""
        return self._prompts["answer"].fill(program=program, sql=shot.sql)

    def _asked(self, question: str) -> str:
        if self._schema is None:
            return self._example(question)
        return self._prompts["question"].fill(schema=self._schema, question=question, **self._known(question))

    def _example(self, question: str) -> str:
        return self._prompts["example"].fill(question=question, **self._known(question))

    def _known(self, question: str) -> dict[str, str]:
        """Return what is told of the values and the formulas that a question names."""
        values = self._named(question) if self._named else ""
        formulas = self._formulas(question) if self._formulas else ""
        return {
            "values": self._prompts["values"].fill(values=values) if values else "",
            "formulas": self._prompts["formulas"].fill(formulas=formulas) if formulas else "",
        }

    def _headed(self, schema: Schema) -> str:
        dialect = _DIALECTS.get(self._dialect, self._dialect)
        program = self._prompts["program"].fill() if self._program else ""
        if self._schema is None:
            return self._prompts["brief"].fill(dialect=dialect, program=program)
        functions = functions_text(schema)
        told = self._prompts["functions"].fill(dialect=dialect, functions=functions) if functions else ""
        return self._prompts["header"].fill(dialect=dialect, functions=told, program=program)

    def _shown(self, shot: Shot) -> tuple[Message, Message]:
        return Message("user", self._example(shot.question)), Message("assistant", self.answer(shot))

    def _failed(self, failure: Outcome) -> tuple[Message, Message]:
        told = self._prompts["correction"].fill(sql=failure.sql, problem=failure.problem or "")
        return Message("assistant", failure.text), Message("user", told)


def fitted(
    prompter: Prompter,
    backend: Backend,
    question: str,
    shots: Sequence[Shot] = (),
    failures: Sequence[Outcome] = (),
    *,
    before: Sequence[Turn] = (),
    max_tokens: int,
) -> list[Message]:
    """Return the messages of a question, cut to what the back end reads.

    The least alike solved questions go first, then the oldest turns, then the oldest failures.

    Args:
        max_tokens: what the answer may take of the context.

    Raises:
        LlmError: the bare question with its schema does not fit.
    """
    shots, failures, before = list(shots), list(failures), list(before)
    while True:
        messages = prompter.messages(question, shots, failures, before)
        if backend.context is None or (taken := backend.count(messages)) + max_tokens <= backend.context:
            return messages
        if shots:
            shots.pop()
        elif before:
            before.pop(0)
        elif failures:
            failures.pop(0)
        else:
            problem = f"question and schema take {taken} tokens and the answer {max_tokens}"
            hint = "take a model with a longer context, or tell it fewer tables"
            raise LlmError(f"{problem}, but {backend.name} reads {backend.context}", field="context", hint=hint)
