# SPDX-License-Identifier: MIT
# `make run` and `make test` do all the set-up they need, each time, in no time when it is done.

ENGINE ?= docker
ARGS ?=
PYTEST = .venv/bin/python -m pytest $(if $(filter-out docker,$(ENGINE)),--rig-engine=$(ENGINE))

# With its bytecode kept, which some environments forbid, rig and its tests start in half the time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help

.PHONY: docs help run test test-full lint images image clean lock venv setup

help:
	@echo 'make run        compare the built-in cores on all default targets'
	@echo 'make test       unit tests, then the tests under emulation'
	@echo 'make test-full  the long tests too'
	@echo 'make lint       style, types, order of imports'
	@echo 'make docs       the documentation as pages'
	@echo 'make images     the toolchain images, nothing else; RELEASE=bookworm, or'
	@echo '                RELEASE=sid STALE=1 for those of another Debian release'
	@echo 'make image      all of rig in one image: docker run --rm rig'
	@echo 'make clean      remove what rig left in the engine and here'
	@echo 'make lock       refresh requirements-dev.lock'
	@echo
	@echo 'ENGINE=host     use compilers and QEMU of this machine, no containers'
	@echo 'ARGS=...        for the command below it:'
	@echo '                make run ARGS="unrolled rolled --on i386"'
	@echo '                make test ARGS="-k oracle -x"'

venv:
	@.ci/bootstrap venv

setup: venv
	@.ci/bootstrap $(ENGINE)

run: setup
	@.venv/bin/rig compare --engine $(ENGINE) $(ARGS)

# Some tests use this machine's own compilers and QEMU, as a user without containers does.
test: setup
	@.ci/bootstrap tests
	@$(PYTEST) $(ARGS)

test-full: export RIG_FULL = 1
test-full: test

lint: venv
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.ci/lint_jobs
	.venv/bin/python docs/generate.py --check

# Pages in dist/site, from docs/ and from the code; broken links are errors.
docs: venv
	.venv/bin/python docs/generate.py
	.venv/bin/python -m pip install -q --disable-pip-version-check 'mkdocs-material>=9.5,<10'
	.venv/bin/mkdocs build --quiet

# Another release: make images RELEASE=bookworm; STALE=1 accepts an index past its date, as
# sid's may be. Then: rig check CORE --toolchain sid/gcc-15 --stale-index
STALE_INDEX = $(if $(STALE),--stale-index)
images: setup
ifdef RELEASE
	@.venv/bin/python .ci/base_image $(RELEASE) $(STALE_INDEX)
	@.venv/bin/rig images --toolchain $(RELEASE)/gcc $(STALE_INDEX) $(ARGS)
else
	@.venv/bin/rig images $(ARGS)
endif

# Behind a proxy with a certificate of its own: ARGS='--build-arg EXTRA_CA="$$(cat ca.pem)"'
image:
	docker build -t rig $(ARGS) .

clean:
	@if [ -x .venv/bin/rig ]; then .venv/bin/rig clean $(ARGS); fi
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

# The newest versions that pyproject.toml allows, as a fresh environment resolves them.
lock:
	rm -rf .venv-lock
	python3 -m venv .venv-lock
	.venv-lock/bin/pip install -q 'pip>=25.1'
	.venv-lock/bin/pip install -q -e '.[charts]' --group dev
	{ echo '# Made by `make lock`.'; .venv-lock/bin/pip freeze --exclude-editable; } \
		>requirements-dev.lock
	rm -rf .venv-lock
