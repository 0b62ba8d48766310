"""`SqlLogitsProcessor` inside transformers' `generate`, on small models with random weights."""

import random
from functools import lru_cache
from typing import Any

import pytest
import torch
from draws import in_turn
from grammar_cases import make_schema
from token_cases import CITIES, SCHEMAS, SINGERS, TOKENIZERS, database, runs, unigram
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

from querent.data.errors import ConstraintError
from querent.data.schema.schema import Schema
from querent.grammar.huggingface import SqlLogitsProcessor

PROMPTS = ["SELECT", "how many singers are older than 20? Answer: ", "list the names of all singers"]
TOKENS = 40
FEW = {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}


MODELS = {
    "t5": ("unigram", T5Config, T5ForConditionalGeneration, {
        "d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2}),
    "bart": ("byte-level", BartConfig, BartForConditionalGeneration, {
        "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "forced_eos_token_id": None}),
    "gpt2": ("byte-level", GPT2Config, GPT2LMHeadModel, {"n_embd": 32, "n_layer": 2, "n_head": 2}),
    "llama": ("unigram", LlamaConfig, LlamaForCausalLM, FEW),
    "qwen2": ("byte-level", Qwen2Config, Qwen2ForCausalLM, {**FEW, "num_key_value_heads": 1}),
    "qwen3": ("byte-level", Qwen3Config, Qwen3ForCausalLM, {**FEW, "num_key_value_heads": 1, "head_dim": 16}),
}  # fmt: skip
"""Each with the kind of its tokenizer."""
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {},
    "sampling": {"do_sample": True, "temperature": 1.5},
    "beam": {"num_beams": 4, "num_return_sequences": 3},
    "several samples": {"do_sample": True, "num_return_sequences": 2, "top_k": 5, "top_p": 0.5},
}


@lru_cache
def model_of(name: str) -> PreTrainedModel:
    kind, config, model, options = MODELS[name]
    tokenizer = TOKENIZERS[kind]()
    torch.manual_seed(7)
    ids = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    ids |= {"pad_token_id": tokenizer.pad_token_id, "decoder_start_token_id": tokenizer.pad_token_id}
    made = model(config(vocab_size=-(-len(tokenizer) // 64) * 64, **options, **ids)).eval()
    with torch.no_grad():
        for weights in made.parameters():
            weights.normal_(0, 0.3)  # as they are made, random models say the same token again and again
    return made


def processor_of(name: str, *schemas: Schema, **options: Any) -> SqlLogitsProcessor:
    wide = options.pop("max_new_tokens", TOKENS)
    return SqlLogitsProcessor(TOKENIZERS[MODELS[name][0]](), schemas=schemas, max_new_tokens=wide, **options)


@lru_cache
def shared_processor(kind: str) -> SqlLogitsProcessor:
    """Return a processor that all models with one tokenizer use in turn: it has not far to go where others went."""
    return SqlLogitsProcessor(TOKENIZERS[kind](), SINGERS, max_new_tokens=TOKENS)


def generate(name: str, processor: SqlLogitsProcessor, prompts: list[str], **options: Any) -> list[list[int]]:
    """Return the tokens behind each prompt, without padding."""
    model, tokenizer = model_of(name), TOKENIZERS[MODELS[name][0]]()
    inputs = tokenizer(prompts, return_tensors="pt", padding=True, return_token_type_ids=False)
    torch.manual_seed(options.pop("seed", 0))
    options = {"max_new_tokens": TOKENS, "do_sample": False, **options}
    out = model.generate(**inputs, logits_processor=[processor], **options)
    start = 1 if model.config.is_encoder_decoder else inputs["input_ids"].shape[1]
    assert out.shape[1] - start <= options["max_new_tokens"]
    rows = [row[start:] for row in out.tolist()]
    eos = tokenizer.eos_token_id
    assert all(eos in row for row in rows)
    return [row[: row.index(eos)] for row in rows]


def text_of(name: str, row: list[int]) -> str:
    return TOKENIZERS[MODELS[name][0]]().decode(row, skip_special_tokens=True, clean_up_tokenization_spaces=False)


@lru_cache
def engine_of(schema: Schema) -> Any:
    return database(schema, random.Random(0))


def assert_runs(schema: Schema, *texts: str) -> None:
    for text in texts:
        assert not runs(engine_of(schema), text)


@pytest.mark.parametrize(("name", "way"), in_turn([(name, way) for way in WAYS] for name in MODELS))
def test_what_models_write_runs(name: str, way: str) -> None:
    rows = generate(name, shared_processor(MODELS[name][0]), PROMPTS, **WAYS[way])
    assert len(rows) == len(PROMPTS) * WAYS[way].get("num_return_sequences", 1)
    texts = [text_of(name, row) for row in rows]
    assert_runs(SINGERS, *texts)
    assert len(set(texts)) > 1 or "do_sample" not in WAYS[way]


@pytest.mark.parametrize(("name", "way"), [("t5", "sampling"), ("qwen2", "beam")])
def test_several_schemas_in_one_batch(name: str, way: str) -> None:
    schemas = [SINGERS, CITIES, SCHEMAS["odd"]]
    each = WAYS[way].get("num_return_sequences", 1)
    rows = generate(name, processor_of(name, *schemas), PROMPTS, **WAYS[way])
    assert len(rows) == 3 * each
    for number, row in enumerate(rows):
        assert_runs(schemas[number // each], text_of(name, row))


@pytest.mark.parametrize("name", ["bart", "llama"])
def test_one_processor_serves_one_call_after_the_other(name: str) -> None:
    processor = processor_of(name, SINGERS)
    first = generate(name, processor, PROMPTS, do_sample=True, seed=1)
    second = generate(name, processor, PROMPTS[1:], do_sample=True, seed=2)
    assert_runs(SINGERS, *(text_of(name, row) for rows in (first, second) for row in rows))
    assert generate(name, processor, PROMPTS, do_sample=True, seed=1) == first
    assert first[1:] != second
    # prompts are padded on the left, which changes nothing
    assert [generate(name, processor, [prompt])[0] for prompt in PROMPTS] == generate(name, processor, PROMPTS)


@pytest.mark.parametrize("name", ["qwen3", "t5"])
def test_a_begun_output_is_taken_up(name: str) -> None:
    whole = generate(name, shared_processor(MODELS[name][0]), PROMPTS[1:2])[0]
    model, tokenizer = model_of(name), TOKENIZERS[MODELS[name][0]]()
    inputs = tokenizer(PROMPTS[1:2], return_tensors="pt", return_token_type_ids=False)
    for kept in (1, len(whole) // 2, len(whole) - 1):
        begun = torch.tensor([whole[:kept]])
        if model.config.is_encoder_decoder:
            start = torch.tensor([[model.config.decoder_start_token_id]])
            length, ids = 1, {"decoder_input_ids": torch.cat([start, begun], 1)}
        else:
            length, ids = inputs["input_ids"].shape[1], {"input_ids": torch.cat([inputs["input_ids"], begun], 1)}
            ids["attention_mask"] = torch.ones_like(ids["input_ids"])
        processor = processor_of(name, SINGERS, prompt_length=length)
        out = model.generate(
            **{**inputs, **ids}, logits_processor=[processor], max_new_tokens=TOKENS - kept, do_sample=False
        )
        row = out[0].tolist()[length:]
        assert row[: row.index(tokenizer.eos_token_id)] == whole


@pytest.mark.parametrize("way", ["greedy", "beam"])
def test_a_fence_stands_around_the_query(way: str) -> None:
    more = {"max_new_tokens": TOKENS + 4}  # what the fence takes
    processor = processor_of("qwen2", SINGERS, prefix="```sql\n", fence="\n```", **more)
    for row in generate("qwen2", processor, PROMPTS, **WAYS[way], **more):
        text = text_of("qwen2", row)
        assert text.startswith("```sql\n")
        assert text.endswith("\n```")
        assert_runs(SINGERS, text.removeprefix("```sql\n").removesuffix("\n```"))


def test_a_name_that_cannot_be_spelled_is_told_at_the_start() -> None:
    tokenizer = unigram(ascii_only=True)
    for name in ("城市", "名称"):
        with pytest.raises(ConstraintError, match=name):
            SqlLogitsProcessor(tokenizer, CITIES if name == "城市" else make_schema(singer="id 名称"))
    SqlLogitsProcessor(tokenizer, SINGERS)


def test_what_does_not_fit_together_is_told() -> None:
    with pytest.raises(ConstraintError, match="a schema is wanted"):
        SqlLogitsProcessor(unigram())
    with pytest.raises(ConstraintError, match="a schema is wanted"):
        SqlLogitsProcessor(unigram(), SINGERS, schemas=[SINGERS])
    with pytest.raises(ConstraintError, match="3 rows for 2 schemas"):
        generate("gpt2", processor_of("gpt2", SINGERS, CITIES), PROMPTS)
    with pytest.raises(ConstraintError, match="logits of 640 tokens for a tokenizer of 900"):
        generate("gpt2", processor_of("gpt2", SINGERS, vocab_size=900), PROMPTS)
    with pytest.raises(ConstraintError, match="within 5 tokens"):
        processor_of("gpt2", SINGERS, max_new_tokens=5)


def test_what_is_joined_is_linked_by_keys_unless_any_join_is_wanted() -> None:
    """A comma makes a product, which may take hours."""
    product = "SELECT * FROM singer, concert"
    for joins, able in (("keys", False), ("any", True)):
        told = {} if joins == "keys" else {"joins": joins}
        (constraint,) = SqlLogitsProcessor(TOKENIZERS["unigram"](), SINGERS, **told).constraints
        assert constraint.words.admits(product) == able
