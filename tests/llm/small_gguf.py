"""The small model as a quantised GGUF file."""

import json
from pathlib import Path

from gguf import GGMLQuantizationType, GGUFWriter, quants
from small_models import CHAT, llama, tokenizer

PARTS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
NAMES = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
    **{f"model.layers.0.{theirs}.weight": f"blk.0.{ours}.weight" for theirs, ours in PARTS.items()},
}


def save_gguf(file: Path) -> Path:
    """Write the model with its matrices in eight bits."""
    writer = GGUFWriter(str(file), "llama")
    model = llama(256, 9)
    add_sizes(writer, model.config)
    add_tokens(writer, model.config.vocab_size)
    for name, weights in model.state_dict().items():
        numbers, kind = weights.numpy(), GGMLQuantizationType.Q8_0
        if numbers.ndim == 2:
            writer.add_tensor(NAMES[name], quants.quantize(numbers, kind), raw_dtype=kind)
        else:
            writer.add_tensor(NAMES[name], numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def add_sizes(writer: GGUFWriter, config) -> None:
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_vocab_size(config.vocab_size)


def add_tokens(writer: GGUFWriter, size: int) -> None:
    pieces = json.loads(tokenizer(CHAT).backend_tokenizer.to_str())["model"]
    tokens = sorted(pieces["vocab"], key=pieces["vocab"].get)
    tokens += [f"<unused{number}>" for number in range(size - len(tokens) - 1)]
    tokens.append("<|endoftext|>")  # which transformers adds to a tokenizer of this kind where it is missing
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([3] * 3 + [1] * (size - 3))  # control, normal
    writer.add_token_merges([" ".join(merge) for merge in pieces["merges"]])
    writer.add_pad_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(CHAT)
