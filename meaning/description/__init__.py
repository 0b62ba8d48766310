"""Description files: what people say of their tables and columns, over what was found in them."""

from __future__ import annotations
