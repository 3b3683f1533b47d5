# `make` or `make help` lists what can be made.
PYTHON ?= python3
PIP := .bootstrap/pip-26.3-py3-none-any.whl/pip
STAMP := .venv/.complete

# Bytecode of tests and library is kept, also where an environment says otherwise: many processes read it.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup repro release test slow check deps docs clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-7s %s\n", $$1, $$2}' Makefile

setup: $(STAMP) ## install exactly what requirements.lock names into .venv

repro: $(STAMP) ## regenerate the dataset and the report: dvc repro with one Prefect server
	@.venv/bin/python pipelines/flows/repro.py

release: $(STAMP) ## check and tag a version, and say what to push: make release VERSION=1.0.0
	@.venv/bin/scrubin tag "$(VERSION)"

test: $(STAMP) ## run the tests, but for the slow ones
	@.venv/bin/python -m pytest -n auto --dist worksteal -m "not slow"

slow: $(STAMP) ## run the slow tests: whole pipelines, every block of the documents, long draws
	@.venv/bin/python -m pytest -n auto --dist loadfile -m slow

check: $(STAMP) ## lint, format, types and which wing imports what
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-cache --no-logo

deps: $(STAMP) ## write into dvc.yaml which code each stage depends on, after imports have changed
	@.venv/bin/python -m scrubin.base.store.dvc_code

docs: $(STAMP) ## build the documents into .cache/docs, offline; a warning is an error
	@# After a warning everything is made anew: a page that stays as it is would not warn again.
	@.venv/bin/python -m sphinx --quiet --fail-on-warning --jobs auto docs .cache/docs || { rm -rf .cache/docs; exit 1; }
	@echo "open .cache/docs/index.html"

clean: ## remove the environment and all caches; data, keys and reports stay
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis docs/api

# The stamp comes last: a killed set-up starts again. Debian's Python comes without pip, so ours
# is in the checkout; uv then installs in seconds, and where it cannot (a mirror that only pip is
# configured for), pip installs the same versions by the same hashes.
$(STAMP): requirements.lock pyproject.toml .bootstrap/uv.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else "Python 3.11, 3.12 or 3.13 is needed, this is %d.%d: name one with make PYTHON=..." % v)'
	@rm -rf .venv
	@$(PYTHON) -m venv --without-pip .venv
	@echo "installing the locked packages into .venv"
	@.venv/bin/python $(PIP) --disable-pip-version-check install --quiet --no-deps --require-hashes -r .bootstrap/uv.txt
	@.venv/bin/uv pip sync --quiet --require-hashes --compile-bytecode requirements.lock \
	  || .venv/bin/python $(PIP) --disable-pip-version-check install --quiet --no-deps --require-hashes -r requirements.lock
	@.venv/bin/uv pip install --quiet --no-deps --no-build-isolation --editable . \
	  || .venv/bin/python $(PIP) --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
