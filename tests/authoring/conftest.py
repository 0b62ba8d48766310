"""A domain that several files of these tests start from."""

from pathlib import Path

import pytest
from lakes import write_lakes


@pytest.fixture
def lakes(tmp_path: Path) -> Path:
    return write_lakes(tmp_path)
