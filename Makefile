# `make` lists what there is. Each target prepares what it needs.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup run test soak interop gen check-gen format lint types layers proto bench build check clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/.run: .ci/requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "postroom needs Python 3.11 or newer; name one with make PYTHON=…")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing postroom into .venv (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r .ci/requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.setup: .venv/.run .ci/requirements-dev.txt
	@echo "installing the developer's tools into .venv (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r .ci/requirements-dev.txt
	@touch $@

setup: .venv/.setup ## Make .venv with everything that a developer needs

run: .venv/.run ## Start the server on 127.0.0.1, gRPC 50051 and HTTP 8787
	@exec $(BIN)/postroom serve

# One seed, so that every process collects the same tests in the same order.
test: .venv/.setup ## Run all tests; starts PostgreSQL when it is installed
	@PYTHONHASHSEED=0 $(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadfile

soak: .venv/.setup ## Run the long forms of the fault tests
	@POSTROOM_SOAK=1 POSTROOM_SOAK_ROUNDS=100 $(BIN)/pytest tests/acceptance tests/properties

interop: .venv/.setup ## Run what others wrote against a server; needs Go, Node and Java
	@$(BIN)/python -m tests.interop.mcp
	@$(BIN)/python -m tests.interop.run

gen: .venv/.setup ## Write gen/ from proto/
	@.ci/generate gen

check-gen: .venv/.setup ## Fail when gen/ is not what proto/ says
	@fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
	.ci/generate "$$fresh"; diff -r -x __pycache__ "$$fresh" gen

format: .venv/.setup ## Format the code
	@$(BIN)/ruff check --quiet --fix server tests bench; $(BIN)/ruff format --quiet server tests bench

lint: .venv/.setup ## Check style and formatting
	@$(BIN)/ruff check --quiet server tests bench
	@$(BIN)/ruff format --check --quiet server tests bench

types: .venv/.setup ## Check types
	@$(BIN)/mypy

layers: .venv/.setup ## Check that imports run one way
	@$(BIN)/lint-imports --no-cache

proto: .venv/.setup ## Lint the protos and look for breaking changes
	@.ci/proto

bench: .venv/.setup ## Measure, as ratios within one run
	@$(BIN)/python -m bench

build: .venv/.setup ## Build the wheel and the source archive into dist/
	@$(BIN)/python -m hatchling build

check: lint types layers check-gen proto test ## Everything that CI checks

clean: ## Remove what was made here
	@rm -rf .venv dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
