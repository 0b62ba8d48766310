"""Loads an encoder by its name: E5 from its package, or any folder or hub name of a model like BERT."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..data.errors import InputError
from ..data.hashed_folder import read_json
from ..data.packages import needs
from .bert import Bert
from .convert import e5_folder
from .pieces import SENTENCEPIECE, Cut, PieceTokenizer, SentencePieces, TokenizerFile

_E5 = "e5"
PROMPTS = "config_sentence_transformers.json"
"""The file with the prefix of questions, as sentence-transformers writes it."""

_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


@dataclass(frozen=True)
class Encoder:
    """An encoder with its tokenizer: it turns a text into states.

    Attributes:
        name: as `load_encoder` takes it.
        model: its layers.
        tokenizer: cuts texts into pieces.
        max_length: most tokens of a text, special ones included.
        prefix: the text before each question in the training of the weights; may be empty.
    """

    name: str
    model: Bert
    tokenizer: PieceTokenizer
    max_length: int
    prefix: str = ""

    @property
    def hidden(self) -> int:
        """Return the width of a state."""
        return self.model.hidden

    def cut(self, text: str, most: int) -> Cut:
        """Return the first ``most`` pieces of a text."""
        return self.tokenizer.cut(text, min(most, self.max_length))


def load_encoder(name: str) -> Encoder:
    """Load an encoder; E5 once a process.

    Args:
        name: ``e5`` (Chinese and English), or a folder or hub name.

    Raises:
        InputError: there is no such model, it or its tokenizer is not installed, or it is not built like BERT.
    """
    return _e5() if name == _E5 else _read(name)


@cache
def _e5() -> Encoder:
    return _read(_E5)


def _read(name: str) -> Encoder:
    folder = encoder_folder(name)
    try:
        model, tokenizer = Bert.from_pretrained(folder), _tokenizer(folder)
    except InputError:
        raise
    except Exception as error:  # the library of tokenizers raises no finer one
        raise _refused(name, error) from error
    return Encoder(name, model, tokenizer, min(model.positions, _longest(folder)), _prefix_of(name))


def _prefix_of(name: str) -> str:
    """Return the prefix of questions of an encoder; it may be empty."""
    file = Path(name) / PROMPTS
    if not file.is_file():
        return "query: " if name == _E5 else ""
    about = read_json(file)
    return about.get("prompts", {}).get(about.get("default_prompt_name")) or ""


def encoder_folder(name: str) -> Path:
    """Return the folder of an encoder as transformers reads it; names are those of `load_encoder`.

    Raises:
        InputError: there is no such model, or it is not installed.
    """
    if name == _E5:
        return e5_folder()
    return Path(name) if Path(name).is_dir() else _downloaded(name)


def _tokenizer(folder: Path) -> PieceTokenizer:
    """Return the tokenizer of the encoder in a folder."""
    model = folder / SENTENCEPIECE
    own = (folder / "tokenizer.json").exists() and not model.exists()
    return TokenizerFile.from_file(folder / "tokenizer.json") if own else SentencePieces.from_file(model)


def _downloaded(name: str) -> Path:
    """Return the folder of a model of the hub, fetched once."""
    with needs("huggingface-hub", "train", field="encoder"):
        from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=list(_FILES)))
    except (OSError, ValueError) as error:
        raise _refused(name, error) from error


def _longest(folder: Path) -> int:
    """Return the greatest number of tokens of a text by the tokenizer's settings; without a limit a huge number."""
    file = folder / "tokenizer_config.json"
    return int(read_json(file).get("model_max_length", 1e9)) if file.exists() else 10**9


def _refused(name: str, error: Exception) -> InputError:
    message = (str(error) or type(error).__name__).splitlines()[0]
    hint = f"remove {e5_folder()}" if name == _E5 else "take e5, or a folder or hub name of a transformers model"
    return InputError(f"cannot load {name!r}: {message}", field="encoder", hint=hint)
