# Everything runs inside .venv, made on first use. Needed beforehand: Python >= 3.11, make and, for speed, a C compiler.
#
#   make demo    sets up, then runs the self-stabilising bicycle
#   make test    sets up, then lints, type-checks and tests
#
# With CI set in the environment the versions of constraints.txt are installed, otherwise the newest that pyproject.toml allows.
# PYTHON=... chooses the interpreter the environment is made with, JOBS=... the number of test processes.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# Stamps: each is redone when pyproject.toml changes. The demo needs the first only.
RUNTIME := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench
DOCS := $(VENV)/.installed-docs
FRAMEWORKS := $(VENV)/.installed-frameworks

PINS := $(if $(CI),-c constraints.txt)

# install(extras): uv, which takes half the time and is fetched where it is missing; pip where uv cannot be had or does not succeed.
define install
	uv=$$(command -v uv || true); \
	if [ -z "$$uv" ] && $(BIN)/python -m pip install --quiet --disable-pip-version-check uv; then uv=$(BIN)/uv; fi; \
	if [ -n "$$uv" ] && "$$uv" pip install --quiet --compile-bytecode --python $(BIN)/python $(PINS) -e '.$(1)'; then :; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINS) -e '.$(1)'; fi
endef

.PHONY: help setup demo test test-all lint types validation bench docs pins clean distclean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(DEV)  ## make the environment in .venv (once; again when pyproject.toml changes)

demo: $(RUNTIME)  ## the self-stabilising bicycle: a table, a plot and the run file
	$(BIN)/python -m locomotor demo

# worksteal: neighbouring tests stay in one process and share what they compute (a scenario is run once), and none waits at the end.
# The quick tests compile some thousand small kernels and run each for a moment: code that is ready sooner serves them better than
# code that runs faster. `test-all` compiles as users do.
test: lint types  ## lint, types and the quick tests
	LOCOMOTOR_OPTIMISE=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --timeout 300 -m "not slow"

test-all: lint types $(FRAMEWORKS)  ## lint, types and every test
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --timeout 1200

lint: $(DEV)  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .

types: $(DEV)  ## mypy
	$(BIN)/mypy

validation: $(RUNTIME)  ## write docs/validation.md and the list of `locomotor list` from the scenarios
	$(BIN)/python -m locomotor.scenarios
	$(BIN)/python -m locomotor.commands.index

bench: $(BENCH)  ## timings as ratios against peers (gate nothing)
	$(BIN)/python benchmarks/run.py

docs: $(DOCS)  ## the documentation site, in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

pins: $(DEV)  ## write constraints.txt from what is installed in .venv
	$(BIN)/python .ci/pins.py > constraints.txt

clean:  ## remove caches and outputs, keep the environment
	rm -rf build dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean  ## remove the environment too
	rm -rf $(VENV)

# ---------------------------------------------------------------------------------------------------------------------
# Environment
# ---------------------------------------------------------------------------------------------------------------------

# An interpreter counts when it runs and is new enough: a shim of that name may exist and still refuse to start.
$(BIN)/python:
	@python=''; \
	for candidate in $(PYTHON) python3.11 python3 python python3.14 python3.13 python3.12; do \
	    if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	        python="$$candidate"; break; \
	    fi; \
	done; \
	if [ -n "$$python" ] && "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	    echo "making $(VENV) with $$($$python --version)"; \
	    "$$python" -m venv $(VENV); \
	elif command -v uv >/dev/null; then \
	    uv venv --seed --python '>=3.11' $(VENV); \
	elif [ -n "$$python" ]; then \
	    echo "$$python cannot make virtual environments: install its venv module (Debian: apt install python3-venv)" >&2; exit 1; \
	else \
	    echo 'no Python >= 3.11 found (tried python3.11, python3, python): install one, or run make PYTHON=/path/to/python' >&2; exit 1; \
	fi

$(RUNTIME): pyproject.toml $(if $(CI),constraints.txt) | $(BIN)/python
	@echo 'installing locomotor'
	@$(call install,)
	@touch $@

$(DEV): $(RUNTIME)
	@echo 'installing the development tools'
	@$(call install,[dev])
	@touch $@

$(BENCH): $(RUNTIME)
	@echo 'installing the peers of the benchmarks'
	@$(call install,[bench])
	@touch $@

$(FRAMEWORKS): $(DEV)
	@echo 'installing PyTorch and JAX'
	@$(call install,[frameworks])
	@touch $@

$(DOCS): $(RUNTIME)
	@echo 'installing the tools of the documentation'
	@$(call install,[docs])
	@touch $@
