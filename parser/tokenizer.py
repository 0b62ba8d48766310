"""Tokenizers of questions: a sentencepiece model trained on the domain, or that of a pretrained encoder."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, cast

import sentencepiece
from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from ..data.errors import InputError
from .encoder import source

__all__ = ["load_tokenizer", "scripts", "train_tokenizer", "type_name", "type_token"]

_SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}


def train_tokenizer(
    texts: Iterable[str], *, types: Sequence[str], size: int = 2000, longest: int = 1024
) -> PreTrainedTokenizerFast:
    """Train a sentencepiece unigram model and return it as a fast tokenizer, which knows offsets.

    Args:
        texts: training questions.
        types: names of the value types; each becomes one special token (see `type_token`).
        size: most pieces; fewer where the texts do not hold so many.
        longest: most tokens of a question.

    Raises:
        InputError: there is no text to learn from, or it has more characters than there may be pieces.
    """
    lines = [line for text in texts if (line := _normal(text))]
    if not lines:
        raise InputError("no questions to train a tokenizer on", field="examples")
    characters = len(set("".join(lines)) | {" "})
    if size <= characters:
        problem = f"{size} word pieces are too few for the {characters} characters of the questions"
        raise InputError(problem, field="model.word_pieces", hint=f"take more than {characters}")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        model_type="unigram",
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",
        split_digits=True,
        bos_id=-1,
        eos_id=-1,
        num_threads=1,
        minloglevel=2,
    )
    learnt: Any = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    first = [(token, 0.0) for token in _SPECIAL.values()]
    pieces = [(learnt.id_to_piece(i), learnt.get_score(i)) for i in range(learnt.get_piece_size())]
    vocabulary = first + [(piece, score) for piece, score in pieces if piece != "<unk>"]
    return _fast(vocabulary, types=types, longest=longest)


def _normal(text: str) -> str:
    """Do what the tokenizer's normalizer does, so that it is trained on what it will see."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def _fast(vocabulary: list[tuple[str, float]], *, types: Sequence[str], longest: int) -> PreTrainedTokenizerFast:
    ids = {piece: i for i, (piece, _) in enumerate(vocabulary)}
    inner = Tokenizer(Unigram(vocabulary, unk_id=ids[_SPECIAL["unk_token"]], byte_fallback=False))
    inner.normalizer = cast(Any, normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]))
    inner.pre_tokenizer = cast(
        Any, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    )
    ends = [(token, ids[token]) for token in (_SPECIAL["cls_token"], _SPECIAL["sep_token"])]
    inner.post_processor = cast(Any, processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends))
    names = [AddedToken(type_token(name), normalized=False, special=True) for name in types]
    inner.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in _SPECIAL.values()] + names)
    return PreTrainedTokenizerFast(tokenizer_object=inner, model_max_length=longest, **_SPECIAL)


def load_tokenizer(encoder: str) -> PreTrainedTokenizerFast:
    """Load the tokenizer of a pretrained encoder (see `encoder.source`), or of a saved folder.

    Raises:
        InputError: there is none, or it cannot tell offsets.
    """
    name = source(encoder)
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot load a tokenizer from {name!r}: {str(error).splitlines()[0]}", field="encoder"
        ) from error
    if not tokenizer.is_fast:
        hint = "take an encoder with a tokenizer.json"
        raise InputError(f"the tokenizer of {name!r} does not tell offsets", field="encoder", hint=hint)
    return tokenizer


def type_token(name: str) -> str:
    """Return the special token of a value type."""
    return f"<{name}>"


def type_name(tokenizer: PreTrainedTokenizerFast, name: str) -> str:
    """Return how a question says «a value of this type»: the type's own token, or its name in plain words."""
    token = type_token(name)
    return token if token in tokenizer.get_added_vocab() else name.replace("_", " ")


def scripts(text: str) -> set[str]:
    """Return the writing systems of the letters in ``text``, by the first word of their Unicode names."""
    return {unicodedata.name(char, "?").split()[0] for char in text if char.isalpha()}
