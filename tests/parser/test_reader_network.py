"""The network that answers: which words it writes, and how it is saved and loaded."""

import functools
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reader_cases import GERMAN, context, encode, network, question, two_inputs, value, write_encoder, writes
from safetensors.numpy import load_file, save_file

from querent.classifiers.named_features import Calibration
from querent.data.errors import RunError
from querent.data.hashed_folder import check_hashes, write_hashes
from querent.encoders import load_encoder
from querent.ner.language.question import QuestionText
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning.graphs import answering
from querent.parser.learning.network import TrainableNetwork
from querent.parser.network.network import Network, NetworkConfig, States
from querent.parser.network.saved import load_network, save_network
from querent.parser.reader.inputs import Input, make_input
from querent.parser.reader.items import ITEM_KINDS
from querent.parser.reader.output_vocabulary import BEGIN, END, ROLES, Role, fixed_words

FIXED = len(fixed_words())
TOLERANCE = 1e-4


@functools.cache
def drawn() -> Network:
    """Return a network with random weights, made once."""
    return network()


def written(made: Network, states: States, places: Sequence[int]) -> np.ndarray:
    """Return the scores after each word of one query, (words, row)."""
    past, rows = made.start(), list[np.ndarray]()
    for place in places:
        row, past = made.write(np.array([place]), np.array([0]), states, past)
        rows.append(row)
    return np.concatenate(rows)


def some_places(one: Input, items: int | None = None, *, length: int = 7, seed: int = 0) -> list[int]:
    """Return words that a query on an input may have, drawn at random, where ``items`` places are kept for items."""
    draw, found = np.random.default_rng(seed), [BEGIN]
    for _ in range(length - 1):
        node = int(draw.integers(len(one.kept) + len(one.question.values)))
        place = node if node < len(one.kept) else (items or len(one.kept)) + node - len(one.kept)
        found.append(int(draw.choice([draw.integers(3, FIXED), FIXED + place * ROLES + draw.integers(ROLES)])))
    return found


def finite_like(one: np.ndarray, other: np.ndarray) -> None:
    assert np.array_equal(np.isneginf(one), np.isneginf(other))
    seen = ~np.isneginf(one)
    assert np.abs(one[seen] - other[seen]).max() < TOLERANCE


def test_scores_are_closed_exactly_for_what_a_node_cannot_be_written_as() -> None:
    text = "albums 'Post' since 1990 by Björk in May 1993 of Can"
    asked = question(
        text,
        value(text, "Post", kind="quoted", how="exact"),
        value(text, "1990", kind="number", how="literal"),
        value(text, "Björk"),
        value(text, "May 1993", kind="time", how="literal"),
        value(text, "Can", how="part"),
        value(text, "Björk in May", kind="text", how="literal"),
    )
    one = make_input(asked, context("music").items)
    made = network(seed=1)
    seen = {END, 5, 9, FIXED - 1}
    writes(made, seen)
    scores = written(made, encode(made, one), some_places(one))
    kinds = [item.kind for item in one.items.items] + [ITEM_KINDS[node.kind] for node in asked.values]
    open_ = {FIXED + i * ROLES + role for i, kind in enumerate(kinds) for role in ROLES_OF[kind]}
    assert scores.shape[-1] == FIXED + len(kinds) * ROLES
    for row in scores:
        assert set(np.flatnonzero(np.isfinite(row)).tolist()) == seen | open_


TEXT = (Role.TEXT, Role.CONTAINS, Role.STARTS, Role.ENDS)
COLUMN = (Role.COLUMN, Role.COLUMN_AGAIN, Role.COLUMN_THIRD)
ROLES_OF = {
    "table": (Role.TABLE, Role.STAR, Role.TABLE_AGAIN, Role.TABLE_THIRD),
    **dict.fromkeys(("text", "number", "time", "boolean", "other"), COLUMN),
    **dict.fromkeys(("cell", "cell, nearly", "time said", "quoted", "text said"), TEXT),
    "number said": (*TEXT, Role.NUMBER),
}


def test_hypotheses_may_be_chosen_repeated_and_left() -> None:
    one = two_inputs()[0]
    states = encode(drawn(), one)
    queries = np.array([some_places(one, length=5, seed=seed) for seed in range(2)])
    rows = np.array([1, 0, 1])
    _, past = drawn().write(queries[:, 0], np.zeros(2, np.int64), states, drawn().start())
    _, past = drawn().write(queries[:, 1], np.arange(2), states, past)
    before = [one.copy() for one in past]
    after, _ = drawn().write(queries[rows, 2], rows, states, past)
    for row, of in enumerate(rows):
        finite_like(after[row], written(drawn(), states, queries[of, :3])[-1])
    assert all(map(np.array_equal, past, before))  # what it came from is as it was


# --- a network as a folder: there and back, and what is wrong with one


FITTED = Calibration({"tables": 1.0}, 0.5)


@pytest.fixture(scope="module")
def encoder_name(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def made(encoder_name: str) -> Network:
    made = network(seed=4, name=encoder_name)
    writes(made, [END, 5, 40, 41])
    return made


@pytest.fixture
def folder(made: Network, tmp_path: Path) -> Path:
    save_network(made, tmp_path / "net", languages=["zh", "en"], card="# A card\n", calibration=FITTED)
    return tmp_path / "net"


def test_there_and_back(made: Network, folder: Path, encoder_name: str) -> None:
    loaded = load_network(folder)
    assert (loaded.network.frozen, loaded.languages, loaded.calibration) == (1, ("zh", "en"), FITTED)
    assert (loaded.network.encoder.name, loaded.network.encoder.hidden) == (encoder_name, 32)
    assert loaded.network.config == made.config
    assert np.flatnonzero(loaded.network.seen).tolist() == [END, 5, 40, 41]
    assert set(loaded.network.weights) == set(made.weights)
    for name, array in made.weights.items():
        kept = loaded.network.weights[name]
        assert (kept.dtype, kept.shape) == (array.dtype, array.shape)
        largest = np.abs(array).max(-1, keepdims=True) if array.ndim > 1 else np.abs(array).astype(np.float32)
        assert (np.abs(kept.astype(np.float32) - array) <= largest * (0.51 / 127 if array.ndim > 1 else 1e-3)).all()


# --- what is wrong


def edit(file: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a JSON file, and the hashes with it, as nobody does by accident."""
    about = json.loads(file.read_text("utf-8"))
    change(about)
    file.write_text(json.dumps(about), "utf-8")
    write_hashes(file.parent)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_changed_file_is_named(folder: Path, name: str) -> None:
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(data)
    with pytest.raises(RunError, match="not the one that was saved") as caught:
        load_network(folder)
    assert (caught.value.file, bool(caught.value.hint)) == (folder / name, True)


def test_no_folder_and_another_folder(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"no such folder.*trained parser"):
        load_network(tmp_path / "gone")
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(RunError, match="missing"):
        load_network(tmp_path)


def test_a_word_that_this_version_does_not_know_is_told(folder: Path) -> None:
    edit(folder / "numbering.json", lambda told: told["words"][7].append("gone"))
    with pytest.raises(RunError, match=r"another version of Querent.*gone.*train again with this version") as caught:
        load_network(folder)
    assert caught.value.file == folder / "numbering.json"


def test_weights_outlive_a_new_word_and_another_order(made: Network, folder: Path) -> None:
    arrays = load_file(folder / "model.safetensors")
    told = json.loads((folder / "numbering.json").read_text("utf-8"))
    lost, last = told["words"].pop(50), told["kinds"].pop()
    told["roles"].reverse()
    for name in ("fixed.weight", "fixed_key.weight", "fixed_used.weight"):
        arrays |= {part: np.delete(arrays[part], 50, 0) for part in (name, f"{name} scale")}
    arrays |= {part: np.delete(arrays[part], 50, 0) for part in ("fixed_key.bias", "fixed_used.bias", "seen")}
    arrays |= {part: arrays[part][:-1] for part in ("kind.weight", "kind.weight scale")}
    for part in ("role.weight", "role.weight scale", "role_key.weight", "role_key.weight scale", "role_key.bias"):
        arrays[part] = arrays[part][::-1].copy()
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / "model.safetensors")
    before = made.weights
    edit(folder / "numbering.json", lambda old: old.update(told))
    found = load_network(folder).network.weights
    assert (lost, last) == (list(fixed_words()[50]), ITEM_KINDS[-1])
    assert not found["fixed.weight"][50].any()
    assert not found["seen"][50]
    assert not found["kind.weight"][-1].any()
    for name, rest in (
        ("fixed.weight", np.delete(np.arange(len(fixed_words())), 50)),
        ("role.weight", np.arange(ROLES)),
    ):
        assert np.abs(found[name][rest] - before[name][rest]).max() < 0.01


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about.pop("network"),
        lambda about: about.pop("frozen"),
        lambda about: about.pop("languages"),
        lambda about: about.update(frozen="many"),
        lambda about: about["network"].update(depth=3),
        lambda about: about["network"].update(layers=10**9),
        lambda about: about["network"].update(decoder_layers=10**9),
        lambda about: about["network"].update(width=10**12),
        lambda about: about["network"].update(heads=7),
        lambda about: about["network"].update(layers="4"),
    ],
)
def test_a_configuration_of_something_else(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    edit(folder / "config.json", change)
    with pytest.raises(RunError, match="not a saved network") as caught:
        load_network(folder)
    assert (caught.value.file, bool(caught.value.hint)) == (folder / "config.json", True)


def test_every_file_but_the_card_has_a_hash(folder: Path) -> None:
    named = json.loads((folder / "hashes.json").read_text("utf-8"))
    assert set(named) == {"config.json", "model.safetensors", "numbering.json", "reader.onnx", "writer.onnx"}
    shutil.copytree(folder, folder.parent / "copy")
    check_hashes(folder.parent / "copy")
    weights = load_file(folder / "model.safetensors")
    kinds = {np.dtype(kind) for kind in (np.int8, np.float16, np.float32, np.bool_)}
    assert {value.dtype for value in weights.values()} == kinds
    assert {name.endswith(" scale") for name, value in weights.items() if value.dtype == np.float32} == {True}
    assert not any(name.startswith("able") for name in weights)  # what follows from the code is not kept


def test_a_network_on_e5_is_saved_without_the_layers_that_do_not_learn(tmp_path: Path) -> None:
    encoder = load_encoder("e5")
    config = NetworkConfig(width=32, layers=1, decoder_layers=1, heads=2)
    made = answering(TrainableNetwork(config, encoder.model, 11), encoder, 11)
    save_network(made, tmp_path / "net", languages=["en"], card="")
    upper = [name for name in load_file(tmp_path / "net" / "model.safetensors") if name.startswith("upper.")]
    assert {name.split(".")[2] for name in upper} == {"0"}  # one of twelve
    loaded = load_network(tmp_path / "net")
    read = [SchemaParser(one).read(context("music"), QuestionText(GERMAN)) for one in (made, loaded.network)]
    assert loaded.network.encoder.name == "e5"
    assert np.abs(read[0].states.memory[0] - read[1].states.memory[0]).max() < 0.1
    assert read[0].question.pieces == read[1].question.pieces


def test_weights_of_another_shape_are_refused(folder: Path) -> None:
    arrays = load_file(folder / "model.safetensors")
    save_file(arrays | {"key.bias": arrays["key.bias"][:-1]}, folder / "model.safetensors")
    write_hashes(folder)
    with pytest.raises(RunError, match="the weights do not fit"):
        load_network(folder)
