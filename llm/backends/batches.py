"""Many prompts at once: batches of one model in this process, for what is sampled in training and measured after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

from ...data.schema.schema import Schema
from .causal_model import LanguageModel
from .local import FENCE, ends_of, spellings_of

__all__ = ["BatchWriter"]


class BatchWriter:
    """Writes answers in batches; on a GPU in bfloat16, whatever the weights are in.

    Args:
        loaded: the model; its weights are read now.
        batch: prompts at a time.
        max_tokens: of an answer.
        dialect: of masked queries.
    """

    def __init__(
        self, loaded: LanguageModel, *, batch: int = 32, max_tokens: int = 128, dialect: str = "sqlite"
    ) -> None:
        self.batch, self.max_tokens, self.context = batch, max_tokens, loaded.context
        self.tokenizer, self._model, self._dialect = loaded.tokenizer, _for_writing(loaded.model), dialect
        self._ends = ends_of(loaded)
        self._processor = lru_cache(maxsize=1)(self._new_processor)  # questions come database by database
        self._spellings = lru_cache(maxsize=1)(lambda: spellings_of(self.tokenizer, self._model, self._ends))

    def write(
        self,
        prompts: Sequence[list[int]],
        *,
        n: int = 1,
        temperature: float = 0.0,
        seed: int = 0,
        schemas: Sequence[Schema] | None = None,
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the number of each prompt and its ``n`` answers, batch by batch, the longest prompts first.

        Args:
            prompts: tokens of each.
            temperature: 0 takes the likeliest token.
            seed: of what is drawn; the answers hang on it and on the prompts.
            schemas: of each prompt, that masks hold its query to; None leaves the model free. Prompts of one schema go
                together.

        Raises:
            ConstraintError: no query of a schema has so few tokens.
        """
        groups: dict[Schema | None, list[int]] = {}
        for number in range(len(prompts)):
            groups.setdefault(schemas[number] if schemas else None, []).append(number)
        for schema, numbers in groups.items():
            ordered = sorted(numbers, key=lambda number: -len(prompts[number]))  # little padding
            masks = [] if schema is None else [self._processor(schema)]
            for start in range(0, len(ordered), self.batch):
                some = ordered[start : start + self.batch]
                rows = self._rows([prompts[number] for number in some], n, temperature, seed, masks)
                for place, number in enumerate(some):
                    yield number, tuple(map(self._text, rows[n * place : n * place + n]))

    def _rows(
        self, prompts: Sequence[list[int]], n: int, temperature: float, seed: int, masks: list[Any]
    ) -> list[list[int]]:
        import torch  # heavy
        from transformers import LogitsProcessorList

        for mask in masks:
            mask.restart()
        width, pad = max(map(len, prompts)), self.tokenizer.pad_token_id
        ids = torch.tensor([[pad] * (width - len(one)) + one for one in prompts], device=self._model.device)
        seen = torch.tensor([[0] * (width - len(one)) + [1] * len(one) for one in prompts], device=self._model.device)
        settings: dict[str, Any] = {"do_sample": temperature > 0, "num_return_sequences": n}
        if temperature > 0:
            settings["temperature"] = temperature
        else:
            settings |= dict.fromkeys(("temperature", "top_k", "top_p"))  # the maker's, of which transformers warns
        with torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(seed + sum(map(sum, prompts)) % 2**31)  # a killed run goes on with any batch
            rows = self._model.generate(
                input_ids=ids,
                attention_mask=seen,
                logits_processor=LogitsProcessorList(masks),
                max_new_tokens=self.max_tokens,
                pad_token_id=pad,
                eos_token_id=self._ends,
                **settings,
            )
        return rows[:, width:].tolist()

    def _text(self, tokens: list[int]) -> str:
        end = next((place for place, token in enumerate(tokens) if token in self._ends), len(tokens))
        text = self.tokenizer.decode(tokens[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return str(text)

    def _new_processor(self, schema: Schema) -> Any:
        from ...grammar.huggingface import SqlLogitsProcessor  # loads transformers

        before, behind = FENCE
        told: dict[str, Any] = {"dialect": self._dialect, "prefix": before, "fence": behind}
        return SqlLogitsProcessor(self._spellings(), schema, max_new_tokens=self.max_tokens, **told)


def _for_writing(model: Any) -> Any:
    import torch  # heavy

    if model.device.type != "cuda" or model.dtype != torch.float32:
        return model
    return deepcopy(model).to(torch.bfloat16)
