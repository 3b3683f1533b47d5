# `make` or `make help` lists what can be made.
PYTHON ?= python3
PIP := .bootstrap/pip-26.3-py3-none-any.whl/pip
STAMP := .venv/.complete
TESTS := .venv/.tests
PAGES := .venv/.pages

# Bytecode of tests and library is kept, also where an environment says otherwise: many processes read it.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup repro release test slow check deps locks docs clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-7s %s\n", $$1, $$2}' Makefile

setup: $(STAMP) ## install exactly what requirements.lock names into .venv: all that the pipeline needs

repro: $(STAMP) ## regenerate the dataset and the report: dvc repro with one Prefect server
	@.venv/bin/python pipelines/flows/repro.py

release: $(STAMP) ## check and tag a version, and say what to push: make release VERSION=1.0.0
	@.venv/bin/scrubin tag "$(VERSION)"

test: $(TESTS) ## run the tests, but for the slow ones
	@.venv/bin/python -m pytest -n auto --dist worksteal -m "not slow"

slow: $(TESTS) ## run the slow tests: whole pipelines, every block of the documents, long draws
	@# Files in the order of tests/conftest.py, the longest first: xdist alone would begin those of one test last, which are the longest.
	@.venv/bin/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -m slow

check: $(TESTS) ## lint, format, types and which wing imports what
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-cache --no-logo

deps: $(STAMP) ## write into dvc.yaml which code each stage depends on, after imports have changed
	@.venv/bin/python -m scrubin.base.store.dvc_code

locks: $(STAMP) ## write the three locks anew after pyproject.toml has changed; what is pinned stays as it is
	@$(COMPILE) pyproject.toml --extra curate --extra cluster --group weights --output-file requirements.lock
	@$(COMPILE) --group test --constraints requirements.lock --output-file tests/requirements.lock
	@$(COMPILE) --group docs --constraints requirements.lock --constraints tests/requirements.lock --output-file docs/requirements.lock

docs: $(PAGES) ## build the documents into .cache/docs, offline; a warning is an error
	@# After a warning everything is made anew: a page that stays as it is would not warn again.
	@.venv/bin/python -m sphinx --quiet --fail-on-warning docs .cache/docs || { rm -rf .cache/docs; exit 1; }
	@echo "open .cache/docs/index.html"

clean: ## remove the environment and all caches; data, keys and reports stay
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis docs/api

# Locks serve Linux, macOS and Windows: packages of one of them carry a marker. No address of a package index belongs into them.
COMPILE := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header

# The stamp comes last: a killed set-up starts again. Debian's Python comes without pip, so ours
# is in the checkout; uv then installs in seconds, and where it cannot (a mirror that only pip is
# configured for), pip installs the same versions by the same hashes. What is imported compiles itself
# the first time: to compile all of it took most of the set-up.
PIP_INSTALL := .venv/bin/python $(PIP) --disable-pip-version-check install --quiet --no-deps --no-compile
UV_INSTALL := .venv/bin/uv pip install --quiet --no-deps

$(STAMP): requirements.lock pyproject.toml .bootstrap/uv.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else "Python 3.11, 3.12 or 3.13 is needed, this is %d.%d: name one with make PYTHON=..." % v)'
	@echo "installing the locked packages into .venv: usually less than a minute"
	@rm -rf .venv
	@$(PYTHON) -m venv --without-pip .venv
	@date +%s > .venv/.begun
	@$(PIP_INSTALL) --require-hashes -r .bootstrap/uv.txt
	@.venv/bin/uv pip sync --quiet --require-hashes requirements.lock || $(PIP_INSTALL) --require-hashes -r requirements.lock
	@$(UV_INSTALL) --no-build-isolation --editable . || $(PIP_INSTALL) --no-build-isolation --editable .
	@echo "installed in $$(( $$(date +%s) - $$(cat .venv/.begun) )) s"
	@rm .venv/.begun
	@touch $@

# What only tests and checks need, and what only the documents need, which look at tests: the same versions of what all of them need.
$(TESTS): tests/requirements.lock $(STAMP)
	@echo "installing what tests and checks need"
	@$(UV_INSTALL) --require-hashes -r $< || $(PIP_INSTALL) --require-hashes -r $<
	@touch $@

$(PAGES): docs/requirements.lock $(TESTS)
	@echo "installing what the documents need"
	@$(UV_INSTALL) --require-hashes -r $< || $(PIP_INSTALL) --require-hashes -r $<
	@touch $@
