"""What Querent uses of transformers, for basedpyright, which else reads two thousand files of its models.

A name that is missing here is reported where it is imported.
"""

from os import PathLike
from typing import Any

from torch import FloatTensor, LongTensor

class LogitsProcessor:
    def __call__(self, input_ids: LongTensor, scores: FloatTensor) -> FloatTensor: ...

class LogitsProcessorList(list[LogitsProcessor]): ...

class TrainerCallback:
    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any: ...

class PrinterCallback(TrainerCallback): ...

class AutoModelForCausalLM:
    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: str | PathLike[str], **kwargs: Any) -> Any: ...

class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: str | PathLike[str], **kwargs: Any) -> Any: ...
