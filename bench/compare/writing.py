"""A small model at work: one prompt, several ways to mask what it writes, greedy."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from grid_guide import Grid, grammar_file

from querent.data.errors import ConstraintError
from querent.data.schema.schema import Schema
from querent.grammar.huggingface import SqlLogitsProcessor
from querent.llm.backends.smollm2 import read_model, read_tokenizer

__all__ = ["WAYS", "Writer", "sql_in"]

WAYS = ("unconstrained", "grid", "querent")
Processor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass
class Output:
    """What one way has written so far.

    Attributes:
        mask: a logits processor; None where the model is free.
        failed: why there is no answer.
        masking: seconds that masks took.
        preparing: seconds that the schema took.
    """

    way: str
    mask: Processor | None = None
    tokens: list[int] = field(default_factory=list[int])
    ended: bool = False
    failed: str = ""
    masking: float = 0.0
    preparing: float = 0.0


class Writer:
    """The model and what may mask it.

    Args:
        ways: those that will be asked for.
        most: tokens of an output.
        grid_grammar: the file of GRID's grammar, if it is asked for.
        threads: of the model.
    """

    def __init__(self, ways: Sequence[str], most: int, grid_grammar: Path | None, threads: int) -> None:
        torch.set_num_threads(threads)
        self._most = most
        self._tokenizer = read_tokenizer()
        self._grid = Grid(self._tokenizer, grammar_file(grid_grammar)) if "grid" in ways else None
        self._model: Any = None

    def length(self, asked: str) -> int:
        """Return the tokens of a prompt."""
        return self._prompt(asked).shape[1]

    def _prompt(self, asked: str) -> torch.Tensor:
        said = [{"role": "user", "content": asked}]
        given = {"add_generation_prompt": True, "return_tensors": "pt", "return_dict": True}
        return self._tokenizer.apply_chat_template(said, **given)["input_ids"]

    @torch.no_grad()
    def write(self, asked: str, schema: Schema, ways: Sequence[str]) -> list[dict[str, Any]]:
        """Return what each way writes: its text, its SQL, and what it took."""
        self._model = self._model or read_model()
        prompt = self._prompt(asked)
        outputs = [self._begun(way, schema) for way in ways]
        read = self._model(prompt, use_cache=True, logits_to_keep=1)
        scores, cache = read.logits[:, -1].repeat(len(ways), 1), read.past_key_values
        cache.batch_repeat_interleave(len(ways))  # rows side by side: one reading of the weights serves all
        for _ in range(self._most):
            tokens = [self._next(output, prompt, scores[n : n + 1]) for n, output in enumerate(outputs)]
            if all(output.ended or output.failed for output in outputs):
                break
            step = self._model(torch.tensor(tokens)[:, None], past_key_values=cache, use_cache=True)
            scores = step.logits[:, -1]
        return [self._told(output) for output in outputs]

    def _begun(self, way: str, schema: Schema) -> Output:
        output, began = Output(way), time.perf_counter()
        try:
            output.mask = self._processor(way, schema)
        except ConstraintError as error:
            output.failed = str(error)
        output.preparing = time.perf_counter() - began
        return output

    def _next(self, output: Output, prompt: torch.Tensor, scores: torch.Tensor) -> int:
        """Choose an output's next token; one that has ended gets any, which is not looked at."""
        end = self._tokenizer.eos_token_id
        if output.ended or output.failed:
            return end
        began = time.perf_counter()
        if output.mask is not None:
            try:
                scores = output.mask(
                    torch.cat([prompt, torch.tensor([output.tokens], dtype=torch.long)], 1), scores.clone()
                )
            except (ConstraintError, AssertionError, RuntimeError) as error:  # a mask that fails has no answer
                output.failed = f"{type(error).__name__}: {error}"
                return end
        output.masking += time.perf_counter() - began
        token = int(scores.argmax())
        output.ended = token == end
        if not output.ended:
            output.tokens.append(token)
        return token

    def _told(self, output: Output) -> dict[str, Any]:
        text = self._tokenizer.decode(output.tokens, skip_special_tokens=True)
        told = {"way": output.way, "text": text, "sql": sql_in(text) if output.mask is None else text.strip()}
        told |= {"ended": output.ended, "failed": output.failed, "tokens": len(output.tokens)}
        return told | {"mask seconds": round(output.masking, 4), "schema seconds": round(output.preparing, 4)}

    def _processor(self, way: str, schema: Schema) -> Processor | None:
        if way == "querent":
            return SqlLogitsProcessor(self._tokenizer, schema, dialect="sqlite", max_new_tokens=self._most)
        if way == "grid" and self._grid is not None:
            return self._grid.processor(self._grid.guide(schema, self._most))
        return None


def sql_in(text: str) -> str:
    """Return the SQL of what a model said: within a fence if there is one, from SELECT on, one statement."""
    fenced = re.search(r"```\w*\n?(.*?)(?:```|$)", text, re.DOTALL)
    body = fenced[1] if fenced else text
    begun = re.search(r"\b(?:select|with)\b.*", body, re.DOTALL | re.IGNORECASE)
    return re.split(r";|\n\s*\n", begun[0] if begun else body)[0].strip()
