# Everything a contributor does, each by one word. Needs Python 3.11 or newer, git and make.
#
#   make demo     run the example offline, from a clean clone
#   make test     every test, sweeps at points drawn by a seed; with CI=true a skip is a failure
#   make soak     every test at every point of its sweep, long races, every test on every Python and
#                 with the oldest dependencies, the sandbox's on other kernels, and the mutants
#   make mutants  disable each guard in turn and see that a test notices; ONLY=writes.py for some
#   make lint     ruff: rules and format
#   make types    mypy --strict
#   make pages    generated pages, the catalog of behaviors
#   make docs     these, and links, the tutorial, what the how-to pages show
#   make pythons  unpack other releases of Python below .pythons, for the tests
#   make packages fetch a few packages from the registries below .packages, for tests that build with them
#   make agents   install Codex, Claude Code and opencode below .agents, for the tests that run them
#   make acceptance-logbook-only    the logbook as its users have it, without the search
#   make acceptance-unified-min     the shortest way from a history to resolved evidence, and the search
#   make bench    measure against the peers; BENCH_ARGS='--only attacks' for one subject
#                 BENCH_REPO=DIR BENCH_REPO2=DIR: the histories that searches are measured on
#   make format   let ruff rewrite the files
#   make clean    remove what these targets made

PYTHON ?= python3
PYTEST_ARGS ?=
LENGTH ?= 1
# The tests start custody some thousand times: not each of them shall compile it anew.
unexport PYTHONDONTWRITEBYTECODE
ONLY ?=
PYTHONS := 3.13 3.14
KERNELS := 6.1 6.12
# What differs by kernel: levels, ways out, overlays, and limits, which control groups hold there for root. A file
# stays with one worker, which attacks once.
KERNEL_TESTS ?= $(addprefix tests/sandbox/test_,apply.py confined.py confinement.py escapes.py gated.py \
	landlock.py left_open.py namespaces.py overlay.py) tests/supervise/test_probe.py \
	tests/workspace/overlay/test_layer.py tests/hostile/test_limits.py
# Another interpreter has an environment of its own: make test PYTHON=/usr/bin/python3.13
VENV := .venv$(if $(filter-out python3,$(PYTHON)),-$(subst /,-,$(PYTHON:/%=%)))
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
BENCH_VENV := .venv-bench
BENCH_PIP := $(BENCH_VENV)/bin/python -m pip --disable-pip-version-check --quiet
BENCH_ARGS ?=
CODEX := 0.166.0
CLAUDE_CODE := 2.1.197
OPENCODE := 1.18.33
SANDBOX_RUNTIME := 0.0.83
REPOMIX := 1.18.1
NODE := 22.23.3

.DEFAULT_GOAL := help
.PHONY: help demo test soak acceptance-logbook-only acceptance-unified-min mutants lint types pages docs reference bench format clean system agents packages peers pythons test-pythons test-lowest test-kernels $(PYTHONS:%=test-%) patches

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/.custody
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/demo.sh

test: $(VENV)/.tools system agents packages $(VENV)/wheels
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_ARGS)

# Both say how it was made: SEEKDB_ENABLE=0 leaves the search out, and its tests report SKIPPED.
acceptance-logbook-only: $(VENV)/.tools system
	SEEKDB_ENABLE=0 $(BIN)/python -m pytest -n auto tests/acceptance/test_logbook_only.py tests/logbook \
		tests/cli/logbook $(PYTEST_ARGS)

acceptance-unified-min: $(VENV)/.tools system
	$(BIN)/python -m pytest -n auto tests/acceptance tests/seek $(PYTEST_ARGS)

# LENGTH=5 makes what has no end, races and kills at moments of chance, five times as long.
soak: $(VENV)/.tools system agents packages $(VENV)/wheels
	CUSTODY_SOAK=$(LENGTH) $(BIN)/python -m pytest -n auto --dist worksteal --timeout 7200 $(PYTEST_ARGS)
	$(MAKE) test-pythons
	$(MAKE) test-lowest
	$(MAKE) test-kernels

# Writes docs/explanation/mutants.md, the rows of what was tried. Takes about half an hour on two cores.
mutants: $(VENV)/.tools system
	$(BIN)/python scripts/mutants.py --only "$(ONLY)"

# Every test on every other Python, one after the other; make test-3.14 tries one of them.
test-pythons: pythons
	for version in $(PYTHONS); do $(MAKE) test-$$version || exit; done

$(PYTHONS:%=test-%): test-%:
	@PYTHON="$(PYTHON)" scripts/pythons.sh .pythons $*
	@if [ -d .pythons/$* ]; then $(MAKE) test PYTHON=.pythons/$*/bin/python$*; fi

# Every test with the oldest releases of what custody needs that pyproject.toml allows.
test-lowest:
	@mkdir -p build
	$(PYTHON) scripts/lower_bounds.py > build/lower_bounds.txt
	PIP_CONSTRAINT=$(CURDIR)/build/lower_bounds.txt $(MAKE) test VENV=.venv-lowest

# The sandbox's tests on other kernels, each in a virtual machine that sees the files of this one.
test-kernels: $(VENV)/.tools system packages
	@PATH="$$PATH:/usr/sbin" scripts/system_packages.sh qemu-system-x86_64:qemu-system-x86 \
		busybox:busybox-static cpio:cpio depmod:kmod mke2fs:e2fsprogs xzcat:xz-utils
	for kernel in $(KERNELS); do for user in 0 65534; do PATH="$$PATH:/usr/sbin" AS_USER=$$user \
		scripts/kernels.sh .kernels $$kernel $(BIN)/python -m pytest -n auto --timeout 3600 \
		--dist loadfile -p no:cacheprovider $(KERNEL_TESTS) || exit; done; done

pythons:
	@PYTHON="$(PYTHON)" scripts/pythons.sh .pythons $(PYTHONS)

lint: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.tools
	$(BIN)/mypy

# What takes a moment; `make test` follows the pages as well.
pages: $(VENV)/.tools
	$(BIN)/python scripts/reference.py --check
	$(BIN)/python scripts/conformance.py --check
	$(BIN)/custody gate behavior_catalog_check

docs: pages agents packages $(VENV)/wheels
	$(BIN)/python -m pytest -n auto --dist worksteal tests/docs

# Write again the pages that are made from the code.
reference: $(VENV)/.tools
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/conformance.py

format: $(VENV)/.tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# These serve a few tests only, bubblewrap one measurement; without them those are skipped, with the
# reason.
system:
	@scripts/system_packages.sh strace:strace dot:graphviz bwrap:bubblewrap curl:curl ps:procps \
		chattr:e2fsprogs gcc:gcc gcc:libc6-dev go:golang-go cargo:cargo svnadmin:subversion openssl:openssl \
		yosys:yosys sta:opensta magic:magic netgen-lvs:netgen-lvs srun:slurm-wlm /usr/sbin/munged:munge \
		$(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h:python3-dev

# Tests run the real programs against a model on this machine; without them those are skipped.
agents:
	@if ! command -v npm >/dev/null; then echo 'npm is missing: tests of real agents will be skipped'; \
	elif ! $(MAKE) --no-print-directory .agents/.ready; then \
		echo 'could not install the agents: tests that run them will be skipped' >&2; \
		[ "$$CI" != true ]; fi

.agents/.ready: Makefile
	npm install --prefix .agents --no-fund --no-audit --loglevel=error --fetch-retries=1 \
		@openai/codex@$(CODEX) @anthropic-ai/claude-code@$(CLAUDE_CODE) opencode-ai@$(OPENCODE)
	@touch $@

# Tests build projects with them, without a network; without them they are skipped.
packages: $(VENV)/.pip
	@[ -e .packages/.ready ] && [ .packages/.ready -nt scripts/packages.sh ] || \
		scripts/packages.sh .packages $(BIN)/python

# What custody needs, as a test installs its wheel where there is no network.
$(VENV)/wheels: pyproject.toml | $(VENV)/.pip
	@rm -rf $@
	$(PIP) download --dest $@ --only-binary :all: \
		$$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"])') \
		|| [ "$$CI" != true ]
	@mkdir -p $@ && touch $@

# Each stamp says that its step was done; a second call takes no time.
$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.11 …")'
	@$(PYTHON) -c 'import ensurepip' || scripts/system_packages.sh none:python3-venv
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.custody: pyproject.toml | $(VENV)/.pip
	$(PIP) install --editable ".[vectors]"
	@touch $@

$(VENV)/.tools: $(VENV)/.custody
	$(PIP) install --group test --group lint --editable '.[completion,api,sign,postgres,s3,vectors,code,sentence]'
	@touch $@

$(BENCH_VENV)/.ready: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_PIP) install --requirement benchmarks/requirements.txt --editable ".[vectors]"
	@touch $@

# Two programs that custody is compared with are Node's, one of them of a newer one than Debian's;
# without npm they are told as not run.
peers:
	@scripts/system_packages.sh socat:socat rg:ripgrep
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory .peers/.ready; \
	else echo 'npm is missing: sandbox-runtime and repomix will not be measured'; fi

.peers/.ready: Makefile
	npm install --prefix .peers --no-fund --no-audit --loglevel=error \
		@anthropic-ai/sandbox-runtime@$(SANDBOX_RUNTIME) node@$(NODE) repomix@$(REPOMIX)
	@touch $@

# What searches are measured on where no long history is at hand; without a server of Debian's it is left out.
patches: $(BENCH_VENV)/.ready
	@[ -e .patches/.ready ] || [ -n "$$BENCH_REPO" ] || \
		{ $(BENCH_VENV)/bin/python -m benchmarks.retrieval.debian .patches && touch .patches/.ready; } || \
		echo 'could not fetch the patches of packages: searches are measured without them'

bench: $(BENCH_VENV)/.ready system peers patches
	$(BENCH_VENV)/bin/python -m benchmarks $(BENCH_ARGS)

clean:
	rm -rf .venv .venv-* .agents .packages .patches .peers .pythons .kernels build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests scripts -name __pycache__ -prune -exec rm -rf {} +
