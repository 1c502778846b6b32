# Needs python3 (3.11 or newer) and make; everything else goes into .venv.  PYTHON=... chooses another interpreter.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
# -qq leaves only errors; a failing install still says why
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

# workers share the cores: linear algebra with threads of its own in each of them is several times slower
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# code of two processors, which round otherwise: where motions are not smooth, or singular, a last digit decides what happens next, and must not decide
# what is true.  All of the rest depends on it smoothly; `make soak` runs that with both of them too
SECOND := DALEMBERT_CPU=$(if $(filter x86_64 amd64 AMD64,$(shell uname -m)),x86-64,generic)
ROUGH := tests/contact tests/friction tests/events tests/trust/test_bounded.py tests/trust/test_passes.py tests/reference

.PHONY: help run test soak lint docs bench clean
.DELETE_ON_ERROR:

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-8s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/user.stamp $(VENV)/viewer.stamp ## simulate the built-in slider-crank; table here, results and pictures in out/
	@$(BIN)/python -m dalembert.demo

test: lint $(VENV)/viewer.stamp ## format, lint and type checks, then all tests: a tenth of the random ones, the sources by machine code, motions that are not smooth with code of a second processor too
	@$(BIN)/python -m dalembert.warmup
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --ignore=tests/uncompiled
	DALEMBERT_NATIVE=1 $(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) tests/sources
	$(SECOND) $(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) $(ROUGH)
	DALEMBERT_COMPILE=0 $(BIN)/python -m pytest -n $(WORKERS) tests/uncompiled

soak: export DALEMBERT_SOAK = 1
# ten times the cases, ten times the limit of one test
soak: export PYTEST_ADDOPTS = -o faulthandler_timeout=3000
soak: ROUGH = --ignore=tests/uncompiled
soak: test ## the same with all random models, files and mechanisms, and all tests with code of a second processor; before a release

lint: $(VENV)/dev.stamp ## format, lint and type checks only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(VENV)/docs.stamp ## the pages with the gallery, into docs/_build/html; warnings are errors
	$(ONE_THREAD) $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(VENV)/bench.stamp ## benchmarks against other packages; writes benchmarks/RESULTS.md
	@$(BIN)/python -m benchmarks.run

clean: ## remove .venv, results and caches
	rm -rf $(VENV) out build dist src/dalembert/viewer/static/built .pytest_cache .mypy_cache .ruff_cache .hypothesis docs/_build docs/gallery docs/api
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One environment for all; a stamp per extra, older than pyproject.toml means install again.
$(VENV)/python.stamp:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("dalembert needs Python 3.11 or newer; %s is %d.%d. Try make PYTHON=python3.12" % (sys.executable, v[0], v[1]))'
	@echo "Creating the virtual environment $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/user.stamp $(VENV)/dev.stamp $(VENV)/docs.stamp: $(VENV)/%.stamp: pyproject.toml | $(VENV)/python.stamp
	@echo "Installing dalembert[$*] and what it needs into $(VENV) (once, a minute or so)"
	@$(PIP) -e '.[$*]'
	@touch $@

# The installation makes the bundle of three.js; this makes it again after a change, and says so if it could not be made.
$(VENV)/viewer.stamp: $(wildcard viewer/*) | $(VENV)/python.stamp
	@$(BIN)/python viewer/build.py
	@touch $@

# A peer without a build for this platform is no reason not to measure the others.
$(VENV)/bench.stamp: pyproject.toml | $(VENV)/python.stamp
	@echo "Installing dalembert and the packages it is compared with into $(VENV) (once, a minute or so)"
	@$(PIP) -e .
	@for peer in $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bench"])'); do \
		$(PIP) "$$peer" || echo "$$peer could not be installed; the benchmarks run without it"; \
	done
	@touch $@
