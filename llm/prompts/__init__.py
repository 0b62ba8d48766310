"""Prompts, as files that a user can copy and change, with a folder for each language."""

from .schema_text import Cells, example_cells, functions_text, schema_text
from .templates import PROMPT_FILES, Prompts, Template, load_prompts, shipped_prompts

__all__ = [
    "PROMPT_FILES",
    "Cells",
    "Prompts",
    "Template",
    "example_cells",
    "functions_text",
    "load_prompts",
    "schema_text",
    "shipped_prompts",
]
