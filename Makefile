# Shorthands for what README.md and CONTRIBUTING.md say; nothing here is needed to use Querent.
.PHONY: install test lint types wheel demo clean

install: .venv/bin/querent

.venv/bin/querent: pyproject.toml constraints.txt
	python3 -m venv .venv
	.venv/bin/pip install -q -c constraints.txt -e '.[dev]'

test: install
	.venv/bin/pytest -n 2 --dist loadfile

lint: install
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: install
	.venv/bin/basedpyright

wheel: install
	bash .ci/wheel

demo: install
	.venv/bin/querent demo

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
