"""A network as a folder: half-precision weights, sizes and card, tied together by hashes; no pickle.

config.json        sizes, encoder, language, and what the words and relations are
model.safetensors  what was trained; the encoder's lower layers come from its own package
README.md          the model card
domain.json, values.sqlite   of a network that was trained on one domain, see `Profile`
hashes.json        SHA-256 of every other file
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import save_file

from ...classifiers.calibration import Calibration
from ...data.errors import RunError
from ...data.hashed_folder import AGAIN, check_hashes, read_json, write_hashes, write_json
from ...encoders import load_encoder
from ...encoders.weights import read_weights
from ..reader.items import ITEM_KINDS
from ..reader.output_vocabulary import ROLES, fixed_words
from ..reader.profile import Profile
from ..reader.relations import RELATIONS
from ..runs.folder import replace_folder
from .network import Network, NetworkConfig
from .shapes import check_shapes, shapes

__all__ = ["Loaded", "load_network", "save_network"]


@dataclass(frozen=True)
class Loaded:
    """A network, and what is known of it.

    Attributes:
        network: with its encoder.
        language: of the questions it was trained on.
        calibration: how sure its answers are, None where that was not fitted.
        profile: of the domain that it was trained on, None where it was not one.
    """

    network: Network
    language: str
    calibration: Calibration | None = None
    profile: Profile | None = None


def save_network(
    network: Network,
    folder: Path,
    *,
    language: str,
    card: str,
    calibration: Calibration | None = None,
    profile: Profile | None = None,
) -> None:
    """Write a network into ``folder``, replacing what is there only once everything is written."""

    def fill(draft: Path) -> None:
        weights = {name: _halved(value) for name, value in network.weights.arrays.items()}
        save_file(weights, draft / "model.safetensors", metadata={"format": "pt"})
        about: dict[str, Any] = {
            "network": network.config.to_json(),
            "frozen": network.frozen,
            "language": language,
            "words": words_digest(),
        }
        about["calibration"] = None if calibration is None else calibration.to_json()
        write_json(draft / "config.json", about)
        (draft / "README.md").write_text(card, encoding="utf-8")
        if profile is not None:
            profile.save(draft)
        write_hashes(draft)

    replace_folder(folder, fill)


def load_network(folder: Path) -> Loaded:
    """Read what `save_network` wrote, and the encoder that it needs.

    Raises:
        RunError: a file is missing, is not what was written, or is of another version.
        InputError: the encoder is not installed.
    """
    check_hashes(folder)
    about: dict[str, Any] = read_json(folder / "config.json")
    try:
        config, frozen, language = NetworkConfig(**about["network"]), int(about["frozen"]), str(about["language"])
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"not a saved network: {error}", file=folder / "config.json", hint=AGAIN) from error
    if about.get("words") != words_digest():
        problem = "the weights are of another version of Querent: its words or relations are others"
        raise RunError(problem, file=folder / "config.json", field="words", hint="train again with this version")
    try:
        told = about.get("calibration")
        calibration = None if told is None else Calibration.from_json(told)
    except ValueError as error:
        problem = f"the confidence is of another version of Querent: {error}"
        raise RunError(problem, file=folder / "config.json", field="calibration", hint="train again with it") from error
    encoder, file = load_encoder(config.encoder), folder / "model.safetensors"
    if not 0 <= frozen <= encoder.model.layers:
        problem = f"{frozen} layers of an encoder of {encoder.model.layers} stay as they are"
        raise RunError(problem, file=folder / "config.json", field="frozen", hint=AGAIN)
    try:
        weights = read_weights(file)
        check_shapes(weights, shapes(encoder.model, frozen, **config.sizes()))
    except (SafetensorError, ValueError, OSError) as error:
        raise RunError(f"the weights do not fit: {str(error).splitlines()[0]}", file=file, hint=AGAIN) from error
    return Loaded(Network(config, weights, encoder, frozen), language, calibration, Profile.load(folder))


def words_digest() -> str:
    """Return a hash of what the numbers in the weights stand for."""
    return hashlib.sha256(repr((fixed_words(), ROLES, RELATIONS, ITEM_KINDS)).encode()).hexdigest()


def _halved(value: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(value.astype(np.float16) if value.dtype.kind == "f" else value)
