"""What lets go of something at the end of a `with` block."""

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """A context manager that closes itself."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
