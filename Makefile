# make lecture: set up, record the first lecture, serve it.   make test: set up, run every test.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
READY := .venv/.ready
# Each process begins with a run of files, and takes over tests of another's when it has none left.
SHARED_OUT := -n auto --maxprocesses 4 --dist worksteal

.PHONY: lecture test check clean

lecture: $(READY)
	$(BIN)/python -m engine lectures/lecture_06.py
	$(BIN)/python -m viewer serve --port $(PORT)

test: $(READY) .venv/.tools
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/python -m pytest $(SHARED_OUT) --ignore=tests/browser --ignore=tests/benchmarks $(PYTEST_ARGS)
	$(BIN)/python -m pytest $(SHARED_OUT) tests/browser $(PYTEST_ARGS)
	$(BIN)/python -m pytest tests/benchmarks $(PYTEST_ARGS)

check: $(READY)
	$(BIN)/python -m kernels check

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[plots,kernels,test]'
	@touch $@

.venv/.tools: $(READY) tests/browser/install.py tests/engine/interpreters.py
	$(BIN)/python tests/browser/install.py
	$(BIN)/python tests/engine/interpreters.py
	@touch $@

clean:
	rm -rf .venv var build *.egg-info
