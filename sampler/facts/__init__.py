"""What is known of tables and columns before anything is drawn: nouns, kinds, joins, what people do to them."""

from __future__ import annotations
