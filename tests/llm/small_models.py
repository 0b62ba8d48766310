"""Models with random weights that write in no time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

LINES = ["SELECT title FROM book WHERE pages > 300", "```sql\nSELECT 1\n```", "how many books are there?"]
CHAT = "{% for m in messages %}<s>{{ m['role'] }}\n{{ m['content'] }}</s>\n{% endfor %}<s>assistant\n"
IDS = {"vocab_size": 448, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def save_small(folder: Path, *, template: str | None = CHAT, context: int = 256, seed: int = 9) -> Path:
    """Write a Llama of one layer; its 448 logits are more than its tokenizer has tokens."""
    tokenizer(template).save_pretrained(folder)
    llama(context, seed).save_pretrained(folder)
    return folder


def tokenizer(template: str | None, lines: Sequence[str] = LINES) -> PreTrainedTokenizerFast:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<pad>", "<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([*lines] * 3, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", bos_token="<s>", eos_token="</s>", chat_template=template
    )


def llama(context: int, seed: int) -> Any:
    torch.manual_seed(seed)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    return restless(LlamaForCausalLM(LlamaConfig(**IDS, **sizes, max_position_embeddings=context)))


def restless(made: Any) -> Any:
    """Return a model with other weights: as they are made, random models say the same token again and again."""
    with torch.no_grad():
        for weights in made.parameters():
            weights.normal_(0, 0.3)
    return made
