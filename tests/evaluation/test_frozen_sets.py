"""The frozen benchmarks of bench/data are those of their card."""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "bench" / "data"


def test_the_card_names_the_files_by_their_hashes():
    card = (FILES / "README.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"^\| `(.+?\.tar\.xz)` .*`([0-9a-f]{64})` \|$", card, re.MULTILINE))
    assert {file.name for file in FILES.iterdir()} == {*named, "README.md"}
    for name, digest in named.items():
        assert hashlib.sha256((FILES / name).read_bytes()).hexdigest() == digest
        assert (FILES / name).stat().st_size < 2_500_000
