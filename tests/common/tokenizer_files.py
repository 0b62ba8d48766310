"""The pieces of E5 as a tokenizer of transformers, which tests hold against the encoder's own and against masks."""

import os
from pathlib import Path
from typing import Any, cast

import tokenizers

from querent.encoders.pieces import BEGIN, END, SENTENCEPIECE, SPECIAL, UNKNOWN

_SPACE = "▁"


def pieces_of(model: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """Return the pieces of a model with their scores, and its normal form as the library compiles it."""
    import sentencepiece.sentencepiece_model_pb2 as protocol

    read: Any = protocol.ModelProto()
    read.ParseFromString(model)
    return [(one.piece, one.score) for one in read.pieces], read.normalizer_spec.precompiled_charsmap


def for_transformers(folder: Path) -> Path:
    """Return the folder of an encoder that is cut for by sentencepiece, with a ``tokenizer.json`` that cuts alike."""
    file = folder / "tokenizer.json"
    if not file.exists():
        aside = file.with_suffix(f".{os.getpid()}")
        _alike((folder / SENTENCEPIECE).read_bytes()).save(str(aside))
        aside.replace(file)
    return folder


def _alike(model: bytes) -> tokenizers.Tokenizer:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import Unigram

    pieces, normal_form = pieces_of(model)
    ids = {piece: i for i, (piece, _) in enumerate(pieces)}
    inner = Tokenizer(Unigram(pieces, unk_id=ids[UNKNOWN], byte_fallback=False))
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    inner.normalizer = cast(Any, normalizers.Sequence([normalizers.Precompiled(normal_form), spaces]))
    spaced = pre_tokenizers.Metaspace(_SPACE, "always")
    inner.pre_tokenizer = cast(Any, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaced]))
    single, pair = f"{BEGIN} $A {END}", f"{BEGIN} $A {END} {END} $B {END}"
    ends = [(mark, ids[mark]) for mark in (BEGIN, END)]
    inner.post_processor = cast(Any, processors.TemplateProcessing(single=single, pair=pair, special_tokens=ends))
    inner.decoder = cast(Any, decoders.Metaspace(_SPACE, "always"))
    inner.add_special_tokens([AddedToken(mark, normalized=False, special=True) for mark in SPECIAL.values()])
    return inner
