"""Parquet files: one table each, whose types the file tells, read in parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError
from ..packages import needs
from .source import BLOCK, RowBlock, SourceTable, checked_width

__all__ = ["parquet_table"]

_CELLS, _CELLS_OF_A_BYTE = 20_000_000, 16
"""Cells that each file may have, and how many more for each of its bytes: reading a million takes half a second."""


def parquet_table(file: Path) -> SourceTable:
    """Return the table of a Parquet file.

    Raises:
        InputError: it cannot be read, or has no rows; what reads it is not installed.
    """
    with needs("pyarrow", "parquet", file=file):
        import pyarrow
        from pyarrow.parquet import ParquetFile

    def blocks() -> Iterator[RowBlock]:
        done = 0
        try:
            with ParquetFile(file) as opened:
                for batch in opened.iter_batches(BLOCK, use_threads=False):
                    done += batch.num_rows
                    columns = [column.to_pylist() for column in batch.columns]
                    yield RowBlock(list(zip(*columns, strict=True)), done / opened.metadata.num_rows)
        except MemoryError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:  # the last of times that Python has not
            raise InputError(f"not read as Parquet: {error}", file=file, hint="write it anew") from error

    try:
        with ParquetFile(file) as opened:
            headings, rows = tuple(opened.schema_arrow.names), opened.metadata.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"not read as Parquet: {error}", file=file, hint="write it anew") from error
    if not rows or not headings:
        raise InputError("columns and no rows", file=file, hint="give a file with rows")
    checked_width(len(headings), file)
    size = file.stat().st_size
    most = _CELLS + _CELLS_OF_A_BYTE * size
    if rows * len(headings) > most:
        problem = f"{rows:,} rows of {len(headings)} columns are more cells than the {most:,}"
        hint = "save it as CSV if it is meant to hold so much"
        raise InputError(f"{problem} that a file of {size:,} bytes may have", file=file, hint=hint)
    return SourceTable(file.stem, file, headings, blocks, size, typed=True)
