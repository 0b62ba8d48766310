"""Saves and loads a network as a folder, whose files are tied together by hashes; none is a pickle.

config.json        sizes, encoder, languages
numbering.json     the names of the rows of its tables
model.safetensors  the trained weights, matrices in 8 bits; the encoder's frozen layers come from its own package
reader.onnx, writer.onnx   the graphs that compute with these weights
README.md          the model card
domain.json, values.sqlite   the `Profile` of a network that was trained on one domain
hashes.json        SHA-256 of every other file
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import save_file

from ...classifiers.named_features import Calibration
from ...data.errors import RunError
from ...data.hashed_folder import AGAIN, check_hashes, read_json, write_hashes, write_json
from ...data.whole_files import replace_folder
from ...encoders import load_encoder
from ...encoders.weights import StoredWeights, quantized, selected
from ..base import SHIPPED, parser_folder
from ..reader.profile import Profile
from .network import READER, WRITER, Network, NetworkConfig, numbering, renumbered


@dataclass(frozen=True)
class Loaded:
    """A loaded network with its metadata.

    Attributes:
        network: the network with its encoder.
        languages: the languages of its training questions.
        calibration: the calibration of its confidence, None if that was not fitted.
        profile: the profile of the domain that it was trained on, None if there was not a single one.
    """

    network: Network
    languages: tuple[str, ...]
    calibration: Calibration | None = None
    profile: Profile | None = None


def save_network(
    network: Network,
    folder: Path,
    *,
    languages: Sequence[str],
    card: str,
    calibration: Calibration | None = None,
    profile: Profile | None = None,
) -> None:
    """Write a network into a folder, which is replaced as a whole at the end."""

    def fill(draft: Path) -> None:
        save_file(quantized(selected(network.weights)), draft / "model.safetensors", metadata={"format": "pt"})
        for name, graph in network.graphs.items():
            (draft / name).write_bytes(graph)
        write_json(draft / "numbering.json", numbering())
        about: dict[str, Any] = {
            "network": asdict(network.config),
            "frozen": network.frozen,
            "languages": list(languages),
        }
        about["calibration"] = None if calibration is None else calibration.to_json()
        write_json(draft / "config.json", about)
        (draft / "README.md").write_text(card, encoding="utf-8")
        if profile is not None:
            profile.save(draft)
        write_hashes(draft)

    replace_folder(folder, fill)


def network_of(parser: str | Path | Loaded | None) -> Loaded:
    """Return the network of a run or folder, the shipped one if None; a loaded network is returned as is.

    Raises:
        RunError, InputError: the errors of `parser_folder` and `load_network`.
    """
    return parser if isinstance(parser, Loaded) else load_network(parser_folder(SHIPPED if parser is None else parser))


def load_network(folder: Path) -> Loaded:
    """Load the network that `save_network` wrote, with its encoder.

    Raises:
        RunError: a file is missing, has changed, or is of another version.
        InputError: the encoder is not installed.
    """
    check_hashes(folder)
    about: dict[str, Any] = read_json(folder / "config.json")
    with _refusing("not a saved network", folder / "config.json"):
        config, frozen = NetworkConfig(**about["network"]), int(about["frozen"])
        languages, fitted = tuple(map(str, about["languages"])), about.get("calibration")
        calibration = None if fitted is None else Calibration.from_json(fitted)
    encoder = load_encoder(config.encoder)
    if not 0 <= frozen <= encoder.model.layers:
        problem = f"{frozen} layers of an encoder of {encoder.model.layers} stay as they are"
        raise RunError(problem, file=folder / "config.json", field="frozen", hint=AGAIN)
    rows = read_json(folder / "numbering.json")
    known = rows == numbering()
    with _refusing("the weights cannot be read", folder / "model.safetensors"):
        weights = StoredWeights(folder / "model.safetensors")
    with _refusing("the weights are of another version of Querent", folder / "numbering.json"):
        network = Network(config, weights if known else renumbered(selected(weights), rows), encoder, frozen, {})
    if known and (folder / READER).is_file():
        network.graphs = {name: (folder / name).read_bytes() for name in (READER, WRITER)}
        with _refusing("the weights do not fit", folder / "model.safetensors"):
            network.open()
    return Loaded(network, languages, calibration, Profile.load(folder))


@contextmanager
def _refusing(problem: str, file: Path) -> Generator[None]:
    """Turn the errors of reading a file into a `RunError`."""
    try:
        yield
    except (KeyError, TypeError, ValueError, OSError, SafetensorError) as error:
        raise RunError(f"{problem}: {error}", file=file, hint="train again with this version") from error
