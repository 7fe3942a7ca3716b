# The habits of this project, each a command. `make run` and `make test` do all the set-up by themselves.
# Works with GNU make 3.81 (macOS) and later.

SHELL := bash
VENV := .venv
PY := $(VENV)/bin/python
RUNTIME := $(VENV)/runtime.stamp
DEV := $(VENV)/dev.stamp

# The first Python that is new enough; `make run PYTHON=/path/to/python3` chooses another.
PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo "$$p" && break; done)

# pip's own lines, shortened to one line a package. Set-up talks on stderr: `make run < file > out` stays clean.
PIP_INSTALL = set -o pipefail; $(PY) -m pip install --disable-pip-version-check --progress-bar off -c constraints.txt

# Byte code is made once, here: a start without it takes twice as long, and not every environment lets Python write it later.
BYTECODE := $(wildcard *.py) agents checks cli graphs integrations memory nodes reports rules schema utils

# A virtual environment whose Python is gone (moved, upgraded away) is made anew.
ifeq ($(wildcard $(PY)),)
.PHONY: $(RUNTIME) $(DEV)
endif

.PHONY: run test check format lint types docs-check fix golden docs bench clean help

run: $(RUNTIME)
	@$(PY) main.py $(ARGS)

test: $(DEV)
	$(PY) -m pytest -n 2 --dist worksteal $(ARGS)

check: format lint types docs-check test

format: $(DEV)
	$(PY) -m ruff format --check .

lint: $(DEV)
	$(PY) -m ruff check .

types: $(DEV)
	$(PY) -m mypy

docs-check: $(DEV)
	$(PY) -m docs.build --check

fix: $(DEV)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

golden: $(DEV)
	$(PY) -m pytest --golden $(ARGS)

docs: $(DEV)
	$(PY) -m docs.build

bench: $(DEV)
	$(PY) -m benchmarks.startup $(ARGS)
	$(PY) -m benchmarks.soak $(ARGS)
	$(PY) -m benchmarks.kill $(ARGS)
	$(PY) -m benchmarks.kill_upkeep $(ARGS)
	$(PY) -m benchmarks.damage $(ARGS)
	$(PY) -m benchmarks.share $(ARGS)
	$(PY) -m benchmarks.poison $(ARGS)
	$(PY) -m benchmarks.scale --rows $(if $(findstring --quick,$(ARGS)),1000,10000)
	$(PY) -m benchmarks.cost

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:
	@echo "make run [ARGS='--json']   set everything up, then start CodeMind"
	@echo "make test                  set everything up, then run the tests"
	@echo "make check                 format check, ruff, mypy --strict, stale-docs check, tests: what CI runs"
	@echo "make fix | golden | docs   autofix | rewrite snapshots | refresh generated docs"
	@echo "make bench                 the tables of docs/benchmarks.md"
	@echo "make clean                 remove .venv and what tools left behind"

# The stamps are written last: an install that was interrupted is done again from the start.
$(RUNTIME): requirements.txt constraints.txt
	@if [ -z "$(PYTHON)" ]; then \
		echo "CodeMind needs Python 3.11 or newer and found none. Install it, or name it: make run PYTHON=/path/to/python3.11" >&2; exit 1; \
	fi
	@if [ ! -x $(PY) ] || [ -e $(VENV)/installing ]; then rm -rf $(VENV); fi
	@if [ ! -d $(VENV) ]; then \
		echo "Making a virtual environment in $(VENV) with $(PYTHON)." >&2; \
		"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
			|| { echo "CodeMind needs Python 3.11 or newer; $(PYTHON) is older. Name another: make run PYTHON=/path/to/python3.11" >&2; exit 1; }; \
		"$(PYTHON)" -m venv $(VENV) >&2 \
			|| { rm -rf $(VENV); echo "The virtual environment could not be made (on Debian: apt-get install python3-venv)." >&2; exit 1; }; \
	fi
	@touch $(VENV)/installing
	@echo "Installing the dependencies, about 700 MB on disk, once: a few minutes ..." >&2
	@$(PIP_INSTALL) -r requirements.txt | awk '/^Collecting/ { print "  fetching " $$2; fflush() } /^Installing/ { print "  unpacking ..."; fflush() }' >&2 \
		|| { echo "The install did not finish; see above. Run the same command again." >&2; exit 1; }
	@$(PY) -m compileall -q $(BYTECODE) >/dev/null || true
	@rm -f $(VENV)/installing
	@touch $@
	@echo "Set up. From now on this step takes no time." >&2

$(DEV): $(RUNTIME) requirements-dev.txt
	@echo "Installing what the tests need (pytest, mypy, ...): under a minute ..." >&2
	@$(PIP_INSTALL) -r requirements-dev.txt | awk '/^Collecting/ { print "  fetching " $$2; fflush() }' >&2 \
		|| { echo "The install did not finish; see above. Run the same command again." >&2; exit 1; }
	@touch $@
