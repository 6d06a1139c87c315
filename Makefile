# Every target sets up .venv by itself. `make demo` and `make test` are all a new machine needs.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# uv does not read pip's variable for folders of wheels, so it is handed on.
FIND_LINKS := $(foreach place,$(PIP_FIND_LINKS),--find-links $(place))
RUN ?= $(BIN)/chunksweep

.PHONY: help setup demo test fast check format ui clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /\1\t/' | expand -t 10

setup: $(READY)  ## install everything into .venv

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("chunksweep needs Python 3.11 or newer; set PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --link-mode copy $(FIND_LINKS) --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

demo: $(READY)  ## run the first sweep on the bundled handbook
	$(RUN) run first-look

test: $(READY)  ## all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

fast: $(READY)  ## the tests that need no real model, MLflow or process
	$(BIN)/python -m pytest -q -m 'not slow'

check: $(READY)  ## lint, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(READY)  ## put the code into the house style
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

ui: $(READY)  ## open MLflow on the runs of this folder
	$(RUN) ui

clean:  ## remove .venv and caches, never results
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
