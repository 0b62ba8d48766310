"""Many prompts at once: batches of one model in this process, for what is sampled in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from .causal_model import LanguageModel
from .local import ends_of

__all__ = ["BatchWriter"]


class BatchWriter:
    """Writes answers in batches; on a GPU in bfloat16, whatever the weights are in.

    Args:
        loaded: the model; its weights are read now.
        batch: prompts at a time.
        max_tokens: of an answer.
    """

    def __init__(self, loaded: LanguageModel, *, batch: int = 32, max_tokens: int = 128) -> None:
        self.batch, self.max_tokens = batch, max_tokens
        self.tokenizer, self._model = loaded.tokenizer, _for_writing(loaded.model)
        self._ends = ends_of(loaded)

    def write(
        self, prompts: Sequence[list[int]], *, n: int = 1, temperature: float = 0.0, seed: int = 0
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the number of each prompt and its ``n`` answers, batch by batch, the longest prompts first.

        Args:
            prompts: tokens of each.
            temperature: 0 takes the likeliest token.
            seed: of what is drawn; the answers hang on it and on the prompts.
        """
        ordered = sorted(range(len(prompts)), key=lambda number: -len(prompts[number]))  # little padding
        for start in range(0, len(ordered), self.batch):
            some = ordered[start : start + self.batch]
            rows = self._rows([prompts[number] for number in some], n, temperature, seed)
            for place, number in enumerate(some):
                yield number, tuple(map(self._text, rows[n * place : n * place + n]))

    def _rows(self, prompts: Sequence[list[int]], n: int, temperature: float, seed: int) -> list[list[int]]:
        import torch  # heavy

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


def _for_writing(model: Any) -> Any:
    import torch  # heavy

    if model.device.type != "cuda" or model.dtype != torch.float32:
        return model
    return deepcopy(model).to(torch.bfloat16)
