# make demo   the main job on built-in synthetic data
# make test   every check: format, lint, types, layers, tests
# make bench  the benchmarks; see benchmarks/README.md
# Each sets itself up: a virtual environment in .venv, pinned dependencies, the compiled extension.

PYTHON ?= python3
BIN := .venv/bin
# Tests often wait for servers and browsers, so one more of them runs than there are cores.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 1) + 1)
CORE := CMakeLists.txt pyproject.toml $(wildcard src/shoal/kernels/*.cpp src/shoal/kernels/*.hpp)

define need_compiler
command -v $${CXX:-g++} >/dev/null 2>&1 || command -v c++ >/dev/null 2>&1 || { \
  echo "shoal: no C++ compiler found; install one (on Debian and Ubuntu: apt-get install g++)" >&2; exit 1; }
endef

.PHONY: demo test bench clean
.DELETE_ON_ERROR:

demo: .venv/built
	$(BIN)/shoal demo --force

test: .venv/built
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(WORKERS)

bench: .venv/built
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build

.venv/built: .venv/packages $(CORE)
	@$(need_compiler)
	$(BIN)/pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

.venv/packages: requirements.txt
	@$(need_compiler)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "shoal: Python 3.11 or newer is needed; install it, or name it: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "shoal: Python's venv module is missing (on Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --requirement requirements.txt
	@touch $@
