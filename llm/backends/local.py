"""A language model in this process, whose every token can be masked."""

import threading
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from ...data.errors import LlmError
from ...grammar import TokenSpellings
from ..messages import Completions, Message, SqlTask
from .causal_model import LanguageModel, load_model

_FENCE = ("```sql\n", "\n```")
"""The text before and behind a query."""

_OPENINGS = ("```sql", "```SQL")
"""A program of thoughts ends at these."""

_SLACK = 8
"""The tokens that a program may take more when it is read than when it was written."""

_SCHEMAS = 4
"""How many schemas the masks are kept of; each may take 130 MB."""


class LocalBackend:
    """A causal model of transformers.

    Sampling is as the model's maker sets it (``top_k``, ``top_p``), but for the temperature. Each answer depends on the
    messages and the settings alone, not on earlier questions. Threads take turns.

    Args:
        name: as `load_model` takes it.

    Attributes:
        recipe: the recipe by which `querent tune` made the model, None for other models.

    Raises:
        InputError: the model cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        loaded = load_model(name)
        self.context, self.recipe = loaded.context, loaded.recipe
        self._tokenizer, self._model = loaded.tokenizer, loaded.model
        self._ends = ends_of(loaded)
        self._lock = threading.Lock()
        self._processor = lru_cache(maxsize=_SCHEMAS)(self._new_processor)
        self._spellings = lru_cache(maxsize=1)(self._read_spellings)

    def complete(
        self, messages: Sequence[Message], *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        """Return ``n`` answers to a chat, see `Backend`; at temperature 0 one is written, and repeated.

        Raises:
            LlmError: messages and answer do not fit in the context, or the memory does not suffice.
        """
        prompt = prompt_ids(self._tokenizer, messages)
        outputs = self._written(prompt, n, temperature, max_tokens)
        return self._completions(prompt, list(map(self._text, outputs)), outputs, n)

    def complete_sql(
        self, messages: Sequence[Message], task: SqlTask, *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        """Return answers that end in a fenced query which runs, see `ConstrainedBackend`.

        A program may take half of the tokens; it ends there, or where the model opens a fence.

        Raises:
            LlmError: as from `complete`.
            ConstraintError: no query has so few tokens, or the tokenizer cannot spell the schema.
        """
        prompt = prompt_ids(self._tokenizer, messages)
        self._check_room(len(prompt), max_tokens)
        if not task.program:
            outputs = self._written(prompt, n, temperature, max_tokens, task=task)
            return self._completions(prompt, list(map(self._text, outputs)), outputs, n)
        half = max_tokens // 2
        outputs = self._written(prompt, n, temperature, max(half - _SLACK, 1), stop=_OPENINGS)
        texts = [_before_fence(self._text(program)) for program in outputs]
        for place, begun in enumerate(texts):
            prompted = prompt_ids(self._tokenizer, messages, begun)
            (query,) = self._written(prompted, 1, temperature, max_tokens - half, task=task)
            texts[place] = begun + self._text(query)
            outputs.append(query)
        return self._completions(prompt, texts, outputs, n)

    def count(self, messages: Sequence[Message]) -> int:
        """Return how many tokens messages take, those of the chat template included."""
        return len(prompt_ids(self._tokenizer, messages))

    def _completions(self, prompt: list[int], texts: list[str], outputs: list[list[int]], n: int) -> Completions:
        repeated = texts * n if len(texts) == 1 else texts
        return Completions(tuple(repeated), len(prompt), sum(map(len, outputs)))

    def _written(
        self,
        prompt: list[int],
        n: int,
        temperature: float,
        max_tokens: int,
        *,
        stop: Sequence[str] = (),
        task: SqlTask | None = None,
    ) -> list[list[int]]:
        """Return the tokens of each output, the one that ends it included.

        Args:
            stop: texts; an output ends behind the first of them.
            task: the query that masks each token; free text if None.
        """
        import torch  # heavy
        from transformers import LogitsProcessorList

        self._check_room(len(prompt), max_tokens)
        settings: dict[str, Any] = {"max_new_tokens": max_tokens, "do_sample": temperature > 0}
        if temperature > 0:
            settings |= {"temperature": temperature, "num_return_sequences": n}
        else:
            settings |= dict.fromkeys(
                ("temperature", "top_k", "top_p")
            )  # without them transformers warns of the maker's
        if stop:
            settings |= {"stop_strings": list(stop), "tokenizer": self._tokenizer}
        ids = torch.tensor([prompt], device=self._model.device)
        with self._lock, torch.random.fork_rng(), torch.inference_mode():
            masks = [] if task is None else [self._processor(task, max_tokens)]
            for mask in masks:
                mask.restart()
            torch.manual_seed(0)
            try:
                outputs = self._model.generate(
                    input_ids=ids,
                    attention_mask=torch.ones_like(ids),
                    logits_processor=LogitsProcessorList(masks),
                    pad_token_id=self._tokenizer.pad_token_id,
                    eos_token_id=self._ends,
                    **settings,
                ).tolist()
            except torch.OutOfMemoryError as error:
                hint = "take a smaller model, fewer answers or a shorter prompt"
                raise LlmError(f"{self.name} does not fit in the memory", hint=hint) from error
        return [self._until_end(output[len(prompt) :]) for output in outputs]

    def _check_room(self, prompt: int, answer: int) -> None:
        if self.context is not None and prompt + answer > self.context:
            problem = f"{prompt} tokens of messages and {answer} of the answer do not fit in {self.context}"
            raise LlmError(f"{self.name}: {problem}", hint="shorten the messages or the answer")

    def _until_end(self, tokens: list[int]) -> list[int]:
        """Return the tokens up to the end, without the padding of rows that are shorter than others."""
        padding = {self._tokenizer.pad_token_id} - {*self._ends}
        end = next((i for i, token in enumerate(tokens) if token in self._ends), len(tokens))
        kept = tokens[: end + 1]
        while kept and kept[-1] in padding:
            kept.pop()
        return kept

    def _text(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _new_processor(self, task: SqlTask, max_tokens: int) -> Any:
        from ...grammar.huggingface import SqlLogitsProcessor  # loads transformers

        before, behind = _FENCE
        return SqlLogitsProcessor(
            self._spellings(),
            task.schema,
            dialect=task.dialect,
            access=task.access,
            aliases=task.aliases,
            max_new_tokens=max_tokens,
            prefix=before,
            fence=behind,
        )

    def _read_spellings(self) -> TokenSpellings:
        """Return the spellings of the model's tokens, one for each logit."""
        width = max(self._model.config.get_text_config().vocab_size, len(self._tokenizer))
        return TokenSpellings.of_tokenizer(self._tokenizer, size=width, eos=self._ends)


def ends_of(loaded: LanguageModel) -> list[int]:
    """Return the tokens that end an output: the tokenizer's, and those that the model was tuned to end a turn with."""
    tuned: Any = loaded.model.generation_config.eos_token_id
    ends = {loaded.tokenizer.eos_token_id, *(tuned if isinstance(tuned, list) else [tuned])}
    return sorted(end for end in ends if end is not None)


def _before_fence(text: str) -> str:
    """Return the text before the first fence, with a line break at its end, so that a fence may follow."""
    program = text[: min((at for opening in _OPENINGS if (at := text.find(opening)) >= 0), default=len(text))]
    return program if not program or program.endswith("\n") else f"{program}\n"


def prompt_ids(tokenizer: Any, messages: Sequence[Message], begun: str = "") -> list[int]:
    """Return the tokens of a chat, ready for the assistant's next message.

    The chat template of the tokenizer is used; without one, messages follow one another with an empty line between
    them.

    Args:
        tokenizer: of transformers.
        begun: the beginning of the assistant's message.

    Raises:
        LlmError: the template refuses the messages.
    """
    if getattr(tokenizer, "chat_template", None):
        text = _templated(tokenizer, messages) + begun
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
    text = "".join(f"{message.content}\n\n" for message in messages) + begun
    return list(tokenizer(text)["input_ids"])


def _templated(tokenizer: Any, messages: Sequence[Message]) -> str:
    """Apply the template; where it knows no system message (Gemma, Mistral), that becomes a part of the user's."""
    refusal: Exception | None = None
    for chat in (messages, _without_system(messages)):
        try:
            plain = [asdict(message) for message in chat]
            return str(tokenizer.apply_chat_template(plain, tokenize=False, add_generation_prompt=True))
        except Exception as error:  # a template may raise any kind
            refusal = refusal or error
    raise LlmError(f"the model's chat template refuses the messages: {refusal}") from refusal


def _without_system(messages: Sequence[Message]) -> list[Message]:
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    others = [message for message in messages if message.role != "system"]
    if not system or not others or others[0].role != "user":
        return others
    return [Message("user", f"{system}\n\n{others[0].content}"), *others[1:]]
