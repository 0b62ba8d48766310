"""Model folders whose files are tied together by hashes, so that no part is taken for another training's."""

import hashlib
import json
from pathlib import Path
from typing import Any

from .errors import RunError
from .texts import UnreadableError, json_of

_HASHES = "hashes.json"
AGAIN = "train again, or copy the whole folder anew"


def check_hashes(folder: Path) -> None:
    """Compare every file of a model folder with its hash.

    Raises:
        RunError: names the file that is missing or disagrees.
    """
    if not folder.is_dir():
        raise RunError("no such folder", file=folder, hint="give the folder of a trained parser")
    expected: Any = read_json(folder / _HASHES)
    if not isinstance(expected, dict):
        raise RunError("not a list of hashes", file=folder / _HASHES, hint=AGAIN)
    for name, digest in expected.items():
        file = folder / name
        if not file.is_file():
            raise RunError("the file is missing", file=file, hint=AGAIN)
        if _hash(file) != digest:
            problem = "the file is not the one that was saved with the weights"
            raise RunError(problem, file=file, hint=AGAIN)


def write_hashes(folder: Path) -> None:
    """Write the hash of every file but the model card, which people may edit."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    named = {file.relative_to(folder).as_posix(): file for file in files}
    write_json(folder / _HASHES, {n: _hash(file) for n, file in named.items() if n not in (_HASHES, "README.md")})


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_json(file: Path, data: Any) -> None:
    """Write JSON that people can read."""
    file.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")


def read_json(file: Path) -> Any:
    """Read JSON.

    Raises:
        RunError: the file is missing or no JSON.
    """
    try:
        return json_of(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RunError("the file is missing", file=file, hint="give the folder of a trained parser") from error
    except UnreadableError as error:
        raise RunError(error.problem, file=file, line=error.line, hint=AGAIN) from error
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"not JSON: {error}", file=file, hint=AGAIN) from error
