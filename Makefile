# make demo   the main job on built-in synthetic data
# make test   every check: format, lint, types, layers, tests, those of the kernels in C++ too
# make fast   the tests of the parts, in two minutes: no whole releases, no programs, few examples
# make lint   format, lint, types, layers
# make site   the documentation as a site in build/site
# make bench  the benchmarks, their figures on all pages, and what became worse; see benchmarks/README.md
# Each sets itself up: a virtual environment in .venv, pinned dependencies, the compiled extension.
# The demo installs what it needs; the tests and the benchmarks bring the rest.

PYTHON ?= python3
BIN := .venv/bin
CORES := $(shell nproc 2>/dev/null || echo 1)
# Tests often wait for servers, browsers and Spark, so two more of them run than there are cores.
WORKERS ?= $(shell expr $(CORES) + 2)
CORE := CMakeLists.txt pyproject.toml $(wildcard src/shoal/kernels/*.cpp src/shoal/kernels/*/*.cpp src/shoal/kernels/*/*.hpp)

# Packages are fetched while the core is compiled.
MAKEFLAGS += --jobs=2

define need_compiler
command -v $${CXX:-g++} >/dev/null 2>&1 || command -v c++ >/dev/null 2>&1 || { \
  echo "shoal: no C++ compiler found; install one (on Debian and Ubuntu: apt-get install g++)" >&2; exit 1; }
endef

# Modules are compiled once and not by every process that starts, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test fast lint site style checks tests cpp-tests bench clean
.DELETE_ON_ERROR:

demo: .venv/packages .venv/built
	$(BIN)/shoal demo --force

test: tests checks cpp-tests

lint: checks

# What takes long: it starts programs, speaks to browsers, servers and engines, kills processes, releases and judges
# whole tables, or searches them by every algorithm. Of the searches, those of cuts and of negotiations are left.
LONG = answering assess browser cli docs documents engines packaging proposal release web test_benchmarks.py \
  $(patsubst tests/%,%,$(wildcard tests/search/test_*.py))

fast: .venv/test-packages .venv/built
	SHOAL_EXAMPLES=4 $(BIN)/pytest -n $(CORES) $(addprefix --ignore=tests/,$(LONG))

site: .venv/test-packages .venv/built
	$(BIN)/mkdocs build --quiet --strict

style: .venv/test-packages .venv/built
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/yamllint --strict .github .yamllint mkdocs.yml examples
	$(BIN)/clang-format --dry-run --Werror $(filter %.cpp %.hpp,$(CORE)) $(wildcard tests/kernels/cpp/*pp)

# Types and layers keep one core busy for a minute, so the tests begin meanwhile.
checks: style
	$(BIN)/mypy
	$(BIN)/lint-imports

tests: style
	$(BIN)/pytest -n $(WORKERS)

# The tests need no Python; the extension is configured beside them, and not built.
cpp-tests: style
	$(BIN)/cmake -G Ninja -S . -B build/cpp-tests -DSHOAL_TESTS=ON -DSHOAL_WERROR=ON -DPython_EXECUTABLE="$(abspath $(BIN)/python)" \
	  -Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN)/ninja)" >/dev/null
	$(BIN)/cmake --build build/cpp-tests --target kernel_tests
	$(BIN)/ctest --test-dir build/cpp-tests --output-on-failure

bench: .venv/test-packages .venv/built
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build

.venv/built: .venv/build-packages $(CORE)
	$(BIN)/pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

.venv/packages: requirements.txt .venv/made
	$(BIN)/pip install --quiet --no-compile --requirement $<
	@touch $@

.venv/test-packages: requirements-test.txt .venv/packages
	$(BIN)/pip install --quiet --no-compile --requirement $<
	@touch $@

.venv/build-packages: requirements-build.txt .venv/made
	$(BIN)/pip install --quiet --no-compile --requirement $<
	@touch $@

.venv/made:
	@$(need_compiler)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "shoal: Python 3.11 or newer is needed; install it, or name it: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "shoal: Python's venv module is missing (on Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@
