# goodput-controller: one Makefile for everything. `make help` lists the targets.
#
# Layers, from the bottom up. Each is a static library that may include only what stands left of it
# (`make check` holds it to that), and its unit tests link only it and what is below.
LAYERS := base archive rootcause ledger formulas fleet steplog library io kube gcp aws objectstore sources recorder operator export cli
PROGRAMS := goodput-controller kubectl-goodput
VERSION := 0.1.0

# V: a variant of the build, each in a folder of its own below .build/.
V ?= release
ifeq ($(origin CC),default)
CC := gcc
endif
OUT := .build/$(V)

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wvla -Wformat=2
COMMON := -std=c17 -D_GNU_SOURCE -DGOODPUT_VERSION='"$(VERSION)"' -g $(WARNINGS) -I controller -MMD -MP
ifneq ($(filter $(V),clang fuzz),)
CC := clang
endif
# What this compiler supports of a list of flags, each by itself or (together) all of them. FORTIFY_SOURCE=3 needs gcc 12 or
# clang 9; below them 3 means 2. clang up to 15 sets variables to zero only with a second flag.
supported = $(foreach f,$(1),$(call together,$(f)))
together = $(shell $(CC) -Werror $(1) -x c -c -o /dev/null /dev/null 2>/dev/null && echo $(1))
ZERO := -ftrivial-auto-var-init=zero
HARDENING := $(call supported,-fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard) \
	$(or $(call together,$(ZERO)),$(call together,$(ZERO) -enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang))
CFLAGS_release := -O2 $(HARDENING) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fPIE
LDFLAGS_release := -pie -Wl,-z,relro,-z,now
CFLAGS_asan := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS_asan := -fsanitize=address,undefined
CFLAGS_clang := $(CFLAGS_release) -Werror -Wno-missing-field-initializers # a short row of a table ends in zeros
LDFLAGS_clang := $(LDFLAGS_release)
CFLAGS_debug := -O0
CFLAGS_coverage := -O0 --coverage -fprofile-update=atomic
LDFLAGS_coverage := --coverage
CFLAGS_tsan := -O1 -fsanitize=thread -fno-omit-frame-pointer
LDFLAGS_tsan := -fsanitize=thread
CFLAGS_fuzz := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
LDFLAGS_fuzz := -fsanitize=address,undefined
# The plugin as people download it needs no library of the machine. The sanitizers need them. STATIC= for a distribution
# that has no static libraries.
STATIC ?= -static-pie
STATIC_release := $(STATIC)
STATIC_clang := $(STATIC)
ALL_CFLAGS = $(COMMON) $(CFLAGS_$(V)) $(CFLAGS)
ALL_LDFLAGS = $(LDFLAGS_$(V)) $(LDFLAGS)

LIBS_io := -lcurl -lwebsockets -lssl -lcrypto
LIBS_kube := -lyaml -ljansson
LIBS_plugin := $(LIBS_kube) -lpcre2-8 -lz -lm
LIBS := $(LIBS_io) $(LIBS_plugin)

sources = $(sort $(wildcard controller/$(1)/*.c controller/$(1)/*/*.c))
objects = $(patsubst %.c,$(OUT)/obj/%.o,$(1))
LIB_FILES := $(foreach l,$(LAYERS),$(OUT)/lib$(l).a)
# A layer's library and those below it, in link order (top first).
reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
upto = $(if $(filter $(1),$(firstword $(2))),$(1),$(firstword $(2)) $(call upto,$(1),$(wordlist 2,$(words $(2)),$(2))))
link_order = $(foreach l,$(call reverse,$(call upto,$(1),$(LAYERS))),$(OUT)/lib$(l).a)

.PHONY: all help release test check sim parity recorder-test bench-ledger demo cluster-test kinds-test skew-test chaos bench-operator packaging-test kubectl-test image-test node-smoke node-test fuzz fuzz-programs nightly clean format deps missing tests programs
.DEFAULT_GOAL := all

all: programs ## the two programs, in .build/bin

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 18

RELEASE_URL ?=
release: ## what a release hands out, in .build/release-files: the plugin for amd64 and arm64, krew's manifest, the image, chart, manifests, SBOMs, SHA256SUMS; RELEASE_URL: where users will find them (Debian on amd64)
	@test -n "$(RELEASE_URL)" || { echo "make release: krew's manifest names the URL of the folder where users will find the files: RELEASE_URL=https://HOST/PATH is missing" >&2; exit 2; }
	@tests/check/packages.sh --install build cross
	@deploy/release.sh .build/release-files $(RELEASE_URL)

# ---- packages -------------------------------------------------------------------------------------------------------
missing:
	@tests/check/packages.sh build

.PHONY: fresh-test
fresh-test: ## the README's two commands on a fresh machine: SUITE=bookworm, trixie or noble, in a separate root file system (root; needs apt's mirrors)
	@tests/check/packages.sh --install image
	@tests/check/fresh.sh "$(SUITE)"

deps: ## install the Debian/Ubuntu packages that the build and the tests need
	@tests/check/packages.sh --install build test

# ---- building -------------------------------------------------------------------------------------------------------
programs: missing $(addprefix $(OUT)/bin/,$(PROGRAMS))
ifeq ($(V),release)
	@mkdir -p .build/bin && for p in $(PROGRAMS); do ln -sf ../release/bin/$$p .build/bin/$$p; done
endif

$(OUT)/obj/%.o: %.c
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(if $(filter tests/%,$<),-I tests/harness -I tests) -c -o $@ $<

# The page, the tables of signatures and of node signals, and the shipped formats are put into the programs as they are.
$(OUT)/obj/controller/steplog/shipped.o: $(wildcard helm/goodput-controller/files/formats/*.yaml)
$(OUT)/obj/controller/export/assets.o: $(wildcard controller/export/page/*)
$(OUT)/obj/controller/rootcause/signatures.o: controller/rootcause/signatures.tsv
$(OUT)/obj/controller/rootcause/node_signals.o: controller/rootcause/node_signals.tsv

define layer_rules
$(OUT)/lib$(1).a: $$(call objects,$$(call sources,$(1)))
	@mkdir -p $$(dir $$@)
	@rm -f $$@
	$$(AR) qcs $$@ $$^
endef
$(foreach l,$(LAYERS),$(eval $(call layer_rules,$(l))))

$(OUT)/bin/goodput-controller: $(OUT)/obj/controller/goodput-controller.o $(call link_order,export)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# The plugin holds no network: kubectl reads the cluster for it. Of operator and export it takes what writes a status and
# the page. No header of curl, libwebsockets or OpenSSL is read for it, and no call is made that macOS does not have.
PLUGIN_SOURCES := $(foreach l,$(filter-out io kube gcp aws objectstore sources recorder operator export,$(LAYERS)),$(call sources,$(l))) \
	$(filter-out controller/operator/runtime/%,$(call sources,operator)) $(addprefix controller/export/,assets.c comparison.c document.c fleet.c fleet_brief.c fleet_read.c)
$(OUT)/libplugin.a: $(call objects,$(PLUGIN_SOURCES))
	@mkdir -p $(dir $@)
	@rm -f $@
	$(AR) qcs $@ $^

$(OUT)/bin/kubectl-goodput: $(OUT)/obj/controller/kubectl-goodput.o $(OUT)/libplugin.a
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(filter-out $(if $(STATIC_$(V)),-pie),$(ALL_LDFLAGS)) $(STATIC_$(V)) -o $@ $^ $(LIBS_plugin)

.PHONY: plugin
plugin: ## kubectl-goodput alone, in .build/bin: one static file; installs what its build needs
	@tests/check/packages.sh --install plugin
	@$(MAKE) -s -j$$(nproc) .build/release/bin/kubectl-goodput
	@mkdir -p .build/bin && ln -sf ../release/bin/kubectl-goodput .build/bin/kubectl-goodput

# ---- tests: a program per layer -------------------------------------------------------------------------------------
RANDOM := $(call objects,tests/harness/random.c)
HARNESS := $(call objects,tests/harness/harness.c tests/harness/reach.c tests/harness/folder.c) $(RANDOM)
# The JSON of Kubernetes objects, for tests and benchmarks of the model.
FAKE_OBJECTS := $(call objects,tests/harness/fake_objects.c)
ARCHIVE_KEEP := $(call objects,tests/harness/archive_keep.c)
# What derives every number of a status from the others in it: wherever a test sees one.
STATUS_CHECK := $(call objects,tests/harness/status_check.c tests/harness/status_check_chips.c \
	tests/harness/status_check_definitions.c tests/harness/status_check_evidence.c \
	tests/harness/status_check_owners.c \
	tests/harness/status_check_forecast.c)
STATUS_MUTATE := $(call objects,tests/harness/status_mutate.c)
# Tests start the embedded API server as a process; apiserver.c is the handle on it.
APISERVER := $(call objects,tests/apiserver/apiserver.c)
TEST_LAYERS := $(filter-out ,$(foreach l,$(LAYERS) runtime,$(if $(wildcard tests/$(l)/*.c),$(l))))
TEST_PROGRAMS := $(foreach l,$(TEST_LAYERS),$(OUT)/tests/test-$(l))
# kube's and the runtime's tests talk to the embedded API server; these see statuses.
needs_apiserver = $(if $(filter $(1),kube runtime),$(APISERVER)) $(if $(filter $(1),operator cli runtime),$(STATUS_CHECK)) $(if $(filter $(1),operator cli),$(STATUS_MUTATE)) $(if $(filter $(1),operator runtime),$(FAKE_OBJECTS)) $(if $(filter $(1),operator),$(ARCHIVE_KEEP))
test_top = $(if $(filter runtime,$(1)),cli,$(1))

# Servers and clocks of the harness that several layers' tests use.
RAWSERVER := tests/harness/rawserver.c
STEER := tests/harness/steer.c
WAKEUPS := tests/harness/wakeups.c
REVIEWS := tests/harness/reviews.c
SHARED_io := $(RAWSERVER) $(STEER) $(WAKEUPS)
SHARED_kube := $(RAWSERVER) $(STEER) $(WAKEUPS) $(REVIEWS)
SHARED_runtime := tests/preload/preload.c $(RAWSERVER)
SHARED_sources := $(RAWSERVER)
SHARED_recorder := $(RAWSERVER) $(STEER) $(REVIEWS)
SHARED_export := $(RAWSERVER) $(STEER) $(REVIEWS)

define test_rules
$(OUT)/tests/test-$(1): $$(call objects,$$(wildcard tests/$(1)/*.c) $$(SHARED_$(1))) $(HARNESS) $$(call needs_apiserver,$(1)) $$(call link_order,$$(call test_top,$(1)))
	@mkdir -p $$(dir $$@)
	$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(call link_order,$$(call test_top,$(1))) -lcunit $$(LIBS)
endef
$(foreach l,$(TEST_LAYERS),$(eval $(call test_rules,$(l))))

# The scenarios of faults have a separate runner: the programs themselves against the embedded API server.
# Some begin with another clock, or with I/O that fails: libraries for LD_PRELOAD, and the handle on them.
PRELOAD := $(call objects,tests/preload/preload.c)
$(OUT)/preload/%.so: tests/preload/%.c tests/preload/clock.h
	@mkdir -p $(dir $@)
	$(CC) -std=c17 -D_GNU_SOURCE -O1 -fno-omit-frame-pointer -g $(WARNINGS) -shared -fPIC -o $@ $<

$(OUT)/tests/test-runtime: | $(OUT)/preload/clock.so

$(OUT)/tests/test-faults: $(call objects,$(wildcard tests/faults/*.c) tests/runtime/program.c) $(PRELOAD) $(APISERVER) $(OUT)/libbase.a | $(OUT)/preload/clock.so
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -ljansson

# A day of jobs, compressed by a fast clock.
$(OUT)/bin/test-soak: $(call objects,tests/soak/main.c tests/faults/extra.c tests/faults/numbers.c tests/runtime/program.c) $(PRELOAD) $(APISERVER) $(OUT)/libbase.a | $(OUT)/preload/clock.so
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter-out %.so,$^) -ljansson

SOAK_HOURS ?= 24
.PHONY: soak
soak: programs tests ## SOAK_HOURS of a cluster's life SOAK_SPEED (60) times as fast: memory, descriptors, identities
	@SOAK_HOURS=$(SOAK_HOURS) $(OUT)/bin/test-soak

# kubectl-goodput's commands, one after the other in one process: what tests/outputs/outputs.py drives.
$(OUT)/bin/test-outputs: $(call objects,tests/outputs/worker.c) $(call link_order,cli)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(call link_order,cli) $(LIBS)

.PHONY: outputs
outputs: $(OUT)/bin/test-outputs $(OUT)/bin/truth $(OUT)/bin/test-status ## every subcommand x every output x every log and status, also stretched by 60 and 3,600 (V=asan)
	@python3 -B tests/outputs/outputs.py $^

# The benchmarks are built too, so that one that stops compiling is noticed.
BENCHES := $(addprefix $(OUT)/bin/bench-,append compare fleet jobs metrics rootcause steplog)
tests: missing $(BENCHES) $(TEST_PROGRAMS) $(OUT)/tests/test-faults $(OUT)/preload/fail.so $(OUT)/bin/test-outputs $(OUT)/bin/truth $(OUT)/bin/advice-proof $(OUT)/bin/test-soak $(OUT)/bin/test-sim $(OUT)/bin/test-status $(if $(wildcard tests/apiserver/main.c),$(OUT)/bin/test-apiserver)
ifeq ($(V),release)
	@mkdir -p .build/bin && ln -sf ../release/bin/test-apiserver .build/bin/test-apiserver
endif

$(OUT)/bin/test-apiserver: $(call objects,$(wildcard tests/apiserver/*.c)) $(STATUS_CHECK) $(OUT)/libbase.a
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(OUT)/libbase.a $(LIBS)

# The same check for statuses that a script collected: one a line on standard input.
$(OUT)/bin/test-status: $(call objects,tests/harness/status_check_main.c) $(STATUS_CHECK)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -ljansson -lm

# Random lives with known truth, against the model.
$(OUT)/bin/test-sim: $(call objects,$(wildcard tests/sim/*.c)) $(STATUS_CHECK) $(FAKE_OBJECTS) $(ARCHIVE_KEEP) $(RANDOM) $(call link_order,operator)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(call link_order,operator) $(LIBS)

# Simulated jobs whose ledger is known, in every format.
TRUTH_JOBS ?= 10000
$(OUT)/bin/truth: $(call objects,$(wildcard tests/truth/*.c)) $(RANDOM) $(call link_order,steplog)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lpcre2-8 -lyaml -lm

TEAR_JOBS ?= 1000
SPREAD_JOBS ?= $(TRUTH_JOBS)
STYLE_SPREAD_JOBS ?= 10
.PHONY: truth
truth: $(OUT)/bin/truth ## the ledger of TRUTH_JOBS random jobs in every log format against their truth, tables of errors, also with steps of varying length; and what one torn line costs
	@$(OUT)/bin/truth $(TRUTH_JOBS)
	@$(OUT)/bin/truth --spread $(SPREAD_JOBS)
	@$(OUT)/bin/truth --spread --format Generic --styles tests/data/styles/trainers.txt $(STYLE_SPREAD_JOBS)
	@$(OUT)/bin/truth --tear $(TEAR_JOBS)

STYLE_JOBS ?= 50
.PHONY: styles
styles: $(OUT)/bin/truth ## STYLE_JOBS random jobs in each style of log that no format names, and of programs that do not train
	@$(OUT)/bin/truth --styles tests/data/styles/trainers.txt --styles tests/data/styles/programs.txt $(STYLE_JOBS)

STRANGER_JOBS ?= 20
.PHONY: strangers
strangers: $(OUT)/bin/kubectl-goodput ## STRANGER_JOBS random jobs in each of 185 trainers' logs, most of them written by somebody who had not seen the parser, and 224 programs that do not train; STRANGERS="--one-file": the attempts of a job in one file; --days-apart: so, days apart
	@python3 -B tests/strangers/strangers.py $< $(STRANGER_JOBS) $(STRANGERS)

.PHONY: npd-test
npd-test: $(OUT)/bin/goodput-controller $(OUT)/bin/test-apiserver ## node-problem-detector from its Go module finds Xids in the log of a kernel; the controller lists them as evidence (Go)
	@tests/cluster/build.sh node-problem-detector
	@python3 -B tests/npd/npd.py .build/cluster/bin/node-problem-detector $(OUT)/bin

.PHONY: deaths
deaths: $(OUT)/bin/kubectl-goodput ## kills real jobs of PyTorch and JAX in 41 ways and asks `why` what they died of; DEATHS="torch-abort ..." (root; 10 GB)
	@tests/deaths/setup.sh
	@python3 -B tests/deaths/deaths.py $< $(DEATHS)

.PHONY: deaths-nvrx
deaths-nvrx: ## a table of what the rules of nvidia-resiliency-ext say of the logs that `make deaths` kept
	@python3 -B tests/deaths/nvrx.py

# ---- fuzzing --------------------------------------------------------------------------------------------------------
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_TARGETS := $(filter-out $(FUZZ_LEFT_OUT),$(FUZZ_TARGETS))
FUZZ_SECONDS ?= 10
FUZZ_JOBS ?= 1

# Built as a variant: what a target does not call, its program does not hold.
FUZZ_HELP := $(STATUS_CHECK) $(call objects,tests/harness/reach.c tests/fuzz/seeds.c)
$(OUT)/fuzz_%: $(OUT)/obj/tests/fuzz/fuzz_%.o $(FUZZ_HELP) $(call link_order,cli)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_HELP) $(call link_order,cli) $(LIBS)

fuzz-programs: $(addprefix $(OUT)/,$(FUZZ_TARGETS))

fuzz: ## fuzz every parser, FUZZ_SECONDS each, FUZZ_JOBS at once; a finding of one stops no other
	@$(MAKE) -s V=fuzz fuzz-programs
	@printf '%s\n' $(FUZZ_TARGETS) | xargs -P $(FUZZ_JOBS) -I{} tests/check/fuzz.sh $(FUZZ_SECONDS) {}

.PHONY: fuzz-short
fuzz-short: ## 500 inputs of each fuzz target besides its seeds, the same on every machine; ends with "N passed, N failed"
	@FUZZ_SEED=1 FUZZ_RUNS=500 $(MAKE) -s fuzz FUZZ_SECONDS=30 FUZZ_JOBS=$$(nproc) 2>&1 | tee .build/fuzz-short.log
	@passed=$$(grep -c '^fuzz [a-z0-9_]*: [0-9]* inputs' .build/fuzz-short.log); failed=$$(($(words $(FUZZ_TARGETS)) - passed)); \
		echo "$$passed passed, $$failed failed"; [ $$failed = 0 ]

.PHONY: fuzz-formats
fuzz-formats: ## fuzz each step-log format by itself, FUZZ_SECONDS each, two at once
	@$(MAKE) -s V=fuzz .build/fuzz/fuzz_steplog
	@printf '%s\n' Recorder MaxText Megatron NeMo TorchTitan DeepSpeed HuggingFace Keras Lightning Regex Generic | \
		xargs -P 2 -I{} env FUZZ_STEPLOG_FORMAT={} tests/check/fuzz.sh $(FUZZ_SECONDS) fuzz_steplog

# ---- checking -------------------------------------------------------------------------------------------------------
check: ## layers, sizes, banned functions, layout
	@tests/check/check.sh

.PHONY: format format-check
format: ## lay out C and JavaScript with the pinned formatters
	@tests/check/format.sh --fix
format-check: ## whether the pinned formatters would lay out anything otherwise
	@tests/check/format.sh

.PHONY: prose
prose: ## Vale and codespell over documents, comments, messages, CRDs and names; PROSE="controller/io" for all findings there (needs Go)
	@tests/check/prose/prose.sh $(PROSE)

.PHONY: api-check
api-check: ## the CRDs: every field bounded, equal to what controller-gen makes of Go types, kube-api-linter (needs Go)
	@tests/check/packages.sh --install cluster
	@tests/check/api/api-check.sh

test: ## everything that needs no cluster; installs what it needs; ends with "N passed, N failed"
	@tests/check/packages.sh --install build test
	@tests/check/test.sh

.PHONY: coverage
coverage: ## lines and branches that the unit tests reach, by layer, and the least covered functions
	@tests/check/packages.sh --install build test coverage
	@tests/check/coverage.sh

.PHONY: tsan
tsan: missing ## the tests of what uses threads, under ThreadSanitizer
	@tests/check/tsan.sh

LIVES ?= 10000
sim: missing ## LIVES random lives of training jobs with known truth, against the model: the table of errors
	@$(MAKE) -s $(OUT)/bin/test-sim
	@$(OUT)/bin/test-sim $(LIVES)

# Jobs with known troubles, the advice that they get, and what following it brings.
$(OUT)/bin/advice-proof: $(call objects,$(wildcard tests/advice/*.c)) $(RANDOM) $(call link_order,formulas)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lm

ADVICE_JOBS ?= 2000
.PHONY: advice-proof
advice-proof: $(OUT)/bin/advice-proof ## every rule of status.advice on ADVICE_JOBS simulated jobs: what it predicts, and what following it brings
	@$(OUT)/bin/advice-proof $(ADVICE_JOBS)

demo: ## a training job's life in about a minute, with nothing else installed
	@tests/check/packages.sh --install build
	@tests/demo/build.sh
	@mkdir -p .build/bin && ln -sf ../release/bin/test-apiserver .build/bin/test-apiserver
	@tests/demo/demo.sh

.PHONY: picture reference
picture: ## play the demo and draw the README's picture again: deploy/docs/images/report.svg (needs chromium)
	@tests/check/packages.sh --install build export
	@$(MAKE) -s -j2 programs .build/release/bin/test-apiserver
	@mkdir -p .build/bin && ln -sf ../release/bin/test-apiserver .build/bin/test-apiserver
	@tests/demo/picture.py deploy/docs/images/report.svg

reference: programs ## write deploy/docs/reference again from the CRDs, the flags and the tables of the code
	@tests/check/reference.py --write $(OUT)/bin

cluster-test: ## the same on a real control plane, built from Go modules
	@tests/check/packages.sh --install build cluster
	@$(MAKE) -s -j2 programs $(OUT)/bin/test-status
	@tests/cluster/cluster-test.sh

kinds-test: ## the same for the kinds that more operators bring: PyTorchJob, LeaderWorkerSet, RayJob
	@tests/check/packages.sh --install build cluster
	@$(MAKE) -s -j2 programs $(OUT)/bin/test-status
	@STRIKES=0 tests/cluster/cluster-test.sh --stories pytorchjob,leaderworkerset,rayjob

skew-test: ## the same stories on other versions of Kubernetes, JobSet and Kueue, and the matrix: SKEW="oldest middle newest"
	@tests/check/packages.sh --install build cluster
	@$(MAKE) -s -j2 programs $(OUT)/bin/test-status
	@tests/cluster/skew.sh $(SKEW)

CHAOS ?= 200
chaos: ## CHAOS strikes (kill -9, pause, restart) against the controller and its control plane; seconds lost
	@tests/check/packages.sh --install build cluster
	@$(MAKE) -s -j2 programs $(OUT)/bin/test-status
	@CHAOS=$(CHAOS) tests/cluster/cluster-test.sh --chaos

LOGS ?= 2000
bench-operator: ## the controller compared with a client-go informer: 12,736 pods in one JobSet, 1,000 JobGoodputs (needs Go)
	@tests/check/packages.sh --install build cluster
	@$(MAKE) -s -j2 programs tests
	@tests/cluster/build.sh informer
	@python3 tests/bench/bench_operator.py --informer .build/cluster/bin/informer $(BENCH)

.PHONY: protobuf-frames
protobuf-frames: ## encode the recordings and tests/data/protobuf/full.jsonl in protobuf by Kubernetes' own types (needs Go)
	@tests/cluster/build.sh protobuf-frames
	@for file in tests/data/protobuf/full.jsonl $(filter-out %/gates.jsonl.gz,$(wildcard tests/data/recordings/*.jsonl.gz)); do name=$${file##*/}; \
		.build/cluster/bin/protobuf-frames $$file tests/data/protobuf/$${name%%.*}.frames.gz; done

parity: programs ## the Python library's own answers against analyze --definition library, on LOGS random logs
	@tests/parity/setup.sh
	@.build/parity/venv/bin/python tests/parity/parity.py $(LOGS)

# What two new entries cost the ledger by itself.
$(OUT)/bin/bench-append: $(call objects,tests/bench/append.c) $(call link_order,steplog)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lpcre2-8 -lyaml -lm

.PHONY: bench-compare
$(OUT)/bin/bench-compare: $(call objects,tests/bench/compare.c tests/formulas/pairs.c) $(RANDOM) $(call link_order,formulas)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lm

bench-compare: $(OUT)/bin/bench-compare ## how often `kubectl goodput compare` is wrong, on GOODPUT_JOBS (1,000) pairs of jobs, compared with the promise
	@$<

.PHONY: bench-fleet
$(OUT)/bin/bench-fleet: $(call objects,tests/bench/fleet.c tests/fleet/lives.c) $(call link_order,fleet)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lm

bench-fleet: $(OUT)/bin/bench-fleet ## one roll-up of a fleet of 10,000 jobs, compared with the promise
	@$<

.PHONY: bench-metrics
$(OUT)/bin/bench-metrics: $(call objects,tests/bench/metrics.c) $(call link_order,export)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

bench-metrics: $(OUT)/bin/bench-metrics ## one scrape of /metrics with 10,000 jobs, compared with the promise
	@$<

# What the model takes for 10,000 JobGoodputs.
$(OUT)/bin/bench-jobs: $(call objects,tests/bench/jobs.c) $(FAKE_OBJECTS) $(call link_order,operator)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: bench-jobs
bench-jobs: $(OUT)/bin/bench-jobs ## memory and CPU time of the model for 10,000 JobGoodputs
	@$<

.PHONY: bench-recreation
bench-recreation: ## how long JobSet leaves the pods that failed, in the recordings of real clusters
	@python3 -B tests/bench/recreation.py

$(OUT)/bin/bench-rootcause: $(call objects,tests/bench/rootcause.c) $(call link_order,steplog)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lpcre2-8 -lyaml -lm

.PHONY: bench-rootcause
bench-rootcause: $(OUT)/bin/bench-rootcause ## CPU time to find the root cause in a tail of 64 KiB, compared with the promise
	@$<

$(OUT)/bin/bench-steplog: $(call objects,tests/bench/steplog.c) $(call link_order,steplog)
	@mkdir -p $(dir $@)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lpcre2-8 -lyaml -lm

.PHONY: bench-steplog
bench-steplog: $(OUT)/bin/bench-steplog ## CPU time to read a MB of log of each format, and of programs that do not train, compared with the promise
	@$<

.PHONY: stores-test
stores-test: programs tests ## the archive's uploads against MinIO and fake-gcs-server, built from their Go modules: busy, slow and lying stores, kills; STORES="faults killed" for some parts (Go)
	@tests/stores/run.sh $(STORES)

RECOMPUTE_LIVES ?= 1000
.PHONY: recompute-test
recompute-test: programs ## the numbers of RECOMPUTE_LIVES simulated and all recorded statuses, computed again by SQL (DuckDB) from ledgers alone
	@$(MAKE) -s -j2 .build/release/bin/test-sim .build/release/bin/truth .build/release/bin/test-apiserver .build/release/tests/test-operator .build/release/tests/test-runtime
	@tests/parity/setup.sh duckdb==2.0.1 duckdb-cli==1.5.6
	@.build/parity/venv/bin/python tests/recompute/recompute.py $(RECOMPUTE_LIVES)

SQL_LIVES ?= 200
.PHONY: sql-test
sql-test: programs ## the views of deploy/sql over an archive of SQL_LIVES simulated lives, in DuckDB and ClickHouse, against statuses, the command, a FleetGoodput and the page
	@$(MAKE) -s -j2 .build/release/bin/test-sim .build/release/bin/test-apiserver .build/release/tests/test-operator
	@tests/parity/setup.sh duckdb==2.0.1 duckdb-cli==1.5.6 chdb==4.4.0 chdb-core==26.9.0 sqlglot==30.30.0
	@.build/parity/venv/bin/python tests/sql/views.py $(SQL_LIVES)

BENCH ?=
bench-ledger: programs ## analyze and the ledger compared with the Python library and a plain scan, on the same files in the same run
	@$(MAKE) -s $(OUT)/bin/bench-append
	@tests/parity/setup.sh
	@.build/parity/venv/bin/python tests/parity/bench.py $(BENCH)

recorder-test: programs ## Google's unmodified clients (recorder, calculator, monitor), TensorBoard and OpenTelemetry against this controller
	@$(MAKE) -s .build/release/bin/test-apiserver
	@tests/parity/setup.sh tensorboard==2.21.0 absl-py==2.5.1 opentelemetry-proto==1.45.2
	@tests/recorder/run.sh

export-test: ## metrics, alerts and the page, read by promtool and a headless browser
	@tests/check/packages.sh --install build export
	@$(MAKE) -s -j2 programs .build/release/bin/test-apiserver
	@tests/export/run.sh

.PHONY: abuse-test
abuse-test: ## a hostile namespace next to a victim: event to status, probes, Lease and memory; ABUSE="sockets lists" for some attacks
	@tests/check/packages.sh --install build cluster
	@$(MAKE) -s -j2 programs .build/release/bin/test-apiserver
	@TEST_APISERVER=.build/release/bin/test-apiserver python3 -B tests/abuse/abuse.py $(ABUSE)

PREFIX ?= /usr/local
.PHONY: install
install: programs ## both programs, the man page and the completions, below DESTDIR and PREFIX (/usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 0755 $(addprefix $(OUT)/bin/,$(PROGRAMS)) deploy/kubectl/kubectl_complete-goodput $(DESTDIR)$(PREFIX)/bin/
	install -m 0644 deploy/kubectl/kubectl-goodput.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 0644 deploy/kubectl/completion.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/kubectl-goodput
	install -D -m 0644 deploy/kubectl/completion.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_kubectl-goodput
	install -D -m 0644 deploy/kubectl/completion.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/kubectl-goodput.fish

packaging-test: ## the chart, the CRD, the RBAC and the manifests, on a real API server
	@tests/check/packages.sh --install build export
	@$(MAKE) -s -j2 programs
	@tests/packaging/run.sh

.PHONY: release-test
release-test: programs ## builds the release twice, in two folders, and compares; its programs run, also that for arm64 (an emulator)
	@tests/check/packages.sh --install build cross
	@tests/packaging/release.sh

.PHONY: krew-test
krew-test: programs ## the plugin's release in the real krew, built from its module (needs Go)
	@tests/packaging/krew.sh

kubectl-test: ## an unmodified kubectl, built from its module, against the embedded API server
	@tests/cluster/build.sh kubectl
	@$(MAKE) -s programs tests
	@tests/apiserver/kubectl-check.sh .build/cluster/bin/kubectl

IMAGE ?= goodput-controller:$(VERSION)
.PHONY: image
image: ## the controller's image IMAGE, by docker, podman or buildah (PLATFORM=linux/arm64 for another machine's)
	@deploy/image.sh $(IMAGE) $(PLATFORM)

image-test: ## builds the image with buildah and looks into it (root)
	@tests/check/packages.sh --install image
	@tests/packaging/image.sh

node-smoke: ## a real cluster of two nodes on this machine: image, chart, a training job with two failures (root)
	@tests/nodes/node-test.sh smoke

.PHONY: node-deaths
node-deaths: ## real jobs of PyTorch and JAX die on such nodes, and the controller says of what; DEATHS="torch-nan jax" (root; 30 GB)
	@DEATHS="$(DEATHS)" tests/nodes/node-test.sh deaths

.PHONY: node-vm
node-vm: ## node-smoke on cgroup v2, in a virtual machine with Debian's kernel: slow without KVM (root; amd64)
	@tests/nodes/vm.sh smoke

node-test: ## the same with every act: failures of trainers, pods, nodes and of the controller itself; real jobs of PyTorch and JAX that die (root)
	@tests/nodes/node-test.sh --interrupt smoke short-tokens trainers pods names jax deaths renewed steady last-words drain partition node-deleted $(NODE_MORE) guides

nightly: ## everything that takes long: valgrind, the second compiler, analyzers, long searches and fuzzing, benchmarks
	@tests/check/packages.sh --install build test nightly
	@tests/check/nightly.sh

clean: ## removes what was built, except the cluster's binaries
	rm -rf .build/release .build/dist .build/release-files .build/asan .build/clang .build/debug .build/coverage .build/tsan .build/fuzz .build/bin

-include $(shell find $(OUT)/obj -name '*.d' 2>/dev/null)
