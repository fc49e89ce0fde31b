# make demo    a real program under `unjit run`, in a fresh .venv
# make test    lint, types and tests, as CI runs them
# make coverage  the same tests with the branches that they take, and a floor; tracing makes the decompiler 4 times slower
# make matrix  tests of each feature over pairs of torch and Python, or PAIR=2.15-3.13 for one, or WHOLE=1 for the whole
#              suite; writes docs/support.md; MATRIX_PYTHONS=FOLDER:… says where other Pythons are
# make docs    the documentation as a site, in build/site
# make vendored  the libraries of the report's page again, from the versions that are pinned; needs npm
# make sweep   verdicts on all code of the standard library, its tests and site-packages; PYTHON=… for another Python's
# make fuzz    generated code, decompiled and run beside the original, for SECONDS=600 from SEED=0
# make decompiler  the decompiler's own tests; PYTHON=… for another Python's, which needs pytest alone
# make slow    the tests that compile many models, which CI leaves out
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= auto
SECONDS ?= 600
SEED ?= 0
# The decompiler needs no packages: any supported Python may run it, the one with torch unless another is named.
SWEPT := PYTHONPATH=src $(if $(filter file,$(origin PYTHON)),$(BIN)/python,$(PYTHON))

.PHONY: demo test coverage docs slow smoke lint bench decompiler sweep fuzz matrix vendored clean
.DELETE_ON_ERROR:

demo: .venv/with-torch
	@sh examples/demo.sh $(BIN)

test: lint
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

coverage: .venv/with-dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow" --cov --cov-report=term

docs: .venv/with-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "the site: build/site/index.html"

slow: .venv/with-dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m slow

smoke: .venv/with-dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m smoke

lint: .venv/with-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check src
	$(BIN)/mypy

bench: .venv/with-dev
	$(BIN)/python bench/run_overhead.py
	$(BIN)/python bench/capture_overhead.py

decompiler:
	$(SWEPT) -m pytest -q -m "not slow" tests/bytecode tests/decompiler tests/verifier

sweep:
	$(SWEPT) bench/sweep.py

fuzz:
	$(SWEPT) bench/fuzz.py --seconds $(SECONDS) --seed $(SEED)

vendored:
	src/unjit/report/vendored/layout/bundle.sh

matrix: .venv/with-dev
	$(BIN)/python matrix/run.py $(if $(WHOLE),--whole) $(PAIR)

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/with-torch: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[tested]'
	@touch $@

.venv/with-dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs]'
	@touch $@

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .coverage htmlcov
