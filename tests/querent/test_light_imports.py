"""Answering takes numpy: what is heavy is loaded by those alone who ask for it, and said to be missing where it is."""

import json
import subprocess
import sys

HEAVY = (
    *("torch", "sklearn", "scipy", "pandas", "transformers", "sentence_transformers", "tokenizers"),
    "huggingface_hub",
)
UNUSED = ("lark", "omegaconf", "yaml", "google.protobuf", "querent.sampler")
"""Loaded in a tenth of a second and more, and of no use to a question."""

ANSWERING = f"""
import json, sys
import querent
from querent.commands.cli import main

loaded = lambda besides=(): [name for name in ({HEAVY} + besides) if name in sys.modules]
with querent.connect("shop") as database:
    assert database.ask("how many customers are there?").rows
found = {{"connect and ask": loaded({UNUSED})}}
try:
    main(["ask", "shop", "how many customers are there?"])
except SystemExit as error:
    found["ask"] = [*loaded(), *([error.code] if error.code else [])]
print(json.dumps(found), file=sys.stderr)
"""

MISSING = f"""
import json, sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {(*HEAVY, "openai", "sqlalchemy", "mcp", "fastapi", "uvicorn")}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import querent

def said(what):
    try:
        what()
    except querent.QuerentError as error:
        return str(error)

found = {{
    "train": said(lambda: querent.train),
    "tools": said(lambda: querent.ToolServer),
    "database": said(lambda: querent.connect("postgresql+psycopg://localhost/none")),
    "schema": said(lambda: querent.open_schema("mysql+pymysql://localhost/none")),
    "server": said(lambda: querent.load_backend("http://localhost:1/v1#model")),
    "local": said(lambda: querent.load_backend("a/folder")),
    "serve": said(lambda: querent.serve(querent.ServingSettings({{"shop": "shop"}}))),
}}
print(json.dumps(found), file=sys.stderr)
"""


def told(program: str) -> dict[str, object]:
    """Return what a fresh interpreter says last on standard error."""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stderr.splitlines()[-1])


def test_answering_loads_nothing_heavy():
    assert told(ANSWERING) == {"connect and ask": [], "ask": []}


def test_what_needs_more_says_what_is_missing_in_one_line():
    assert told(MISSING) == {
        "train": "train needs torch, which is not installed (pip install '.[train]' in the clone)",
        "tools": "ToolServer needs mcp, which is not installed (pip install '.[mcp]' in the clone)",
        "database": "field 'database': SQLAlchemy is not installed (pip install '.[engines]' in the clone)",
        "schema": "field 'database': SQLAlchemy is not installed (pip install '.[engines]' in the clone)",
        "server": "field 'llm': openai is not installed (pip install '.[llm]' in the clone)",
        "local": "field 'llm': transformers is not installed (pip install '.[llm]' in the clone)",
        "serve": "FastAPI with uvicorn is not installed (pip install '.[serve]' in the clone)",
    }
