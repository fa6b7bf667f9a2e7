# heed's build: the wasm modules, the C tests in several variants, and the commands of the README.
#
#   build/<variant>/        objects and libheed.a: native (gcc), asan (clang, ASan + UBSan), wasm (Emscripten),
#                           relaxed (like asan, only the kernels, with an emulated relaxed dot product),
#                           arm (another gcc, for 64-bit Arm), coverage (gcc), fuzz (clang with libFuzzer),
#                           wasm-relaxed, wasm-pairs and wasm-debug (modules of their own)
#   build/<variant>/tests/  one program per tests/c/test_*.c
#   js/heed.wasm            the published module, linked from the same objects as the wasm tests
#   js/heed-relaxed.wasm    the same source with relaxed SIMD: same results, faster where its dot product is fast
#   js/heed-pairs.wasm      heed-relaxed.wasm with other int8 products, for hosts whose dot product is slow
#   js/heed-train.wasm      training: the same objects, with other exports
#   build/heed-debug.wasm   the same source with assertions and names
#
# .ci/setup installs missing compilers, and does nothing if none is missing.

EMCC    ?= emcc
HOST_CC ?= gcc
ASAN_CC ?= clang
PYTHON  ?= /usr/bin/python3
NODE    ?= node
# `make WERROR=` builds with compilers that have other warnings than ours.
WERROR  ?= -Werror
# `make V=1` shows complete commands.
V ?=
BUILD ?= build
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)')

SOURCES := $(filter-out src/kernels/native/%,$(wildcard src/*.c src/*/*.c))
TESTS   := $(patsubst tests/c/%.c,%,$(wildcard tests/c/test_*.c))

WARNINGS := -Wall -Wextra -Wshadow -Wpedantic -Wstrict-prototypes -Wmissing-prototypes
CFLAGS   := -std=c11 $(WARNINGS) -Isrc -fno-math-errno -MMD -MP
# Native builds find <wasm_simd128.h> in kernels/native. Contracting a*b+c would change the last bit.
HOST     := -Isrc/kernels/native -ffp-contract=off $(if $(filter x86_64,$(shell uname -m)),-msse4.1)

native_CC     := $(HOST_CC)
native_CFLAGS := $(CFLAGS) $(WERROR) $(HOST) -O2 -g
native_LIBS   := -lm
asan_CC       := $(ASAN_CC)
asan_CFLAGS   := $(CFLAGS) $(WERROR) $(HOST) -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
                 -fno-sanitize-recover=all
asan_LIBS     := -fsanitize=address,undefined -lm
# -O1, because -O0 takes minutes with the vectors of kernels/native. -DNDEBUG, because asserts are not branches.
coverage_CC     := gcc
coverage_CFLAGS := $(CFLAGS) $(WERROR) $(HOST) -O1 -g -DNDEBUG --coverage
coverage_LIBS   := --coverage -lm
relaxed_CC     := $(asan_CC)
relaxed_CFLAGS := $(asan_CFLAGS) -DHEED_RELAXED
relaxed_LIBS   := $(asan_LIBS)
# Like native, for another processor, run in an emulator. Linked statically, because its libraries are elsewhere.
ARM_CC  ?= aarch64-linux-gnu-gcc
ARM_RUN ?= qemu-aarch64
arm_CC     := $(ARM_CC)
arm_CFLAGS := $(CFLAGS) $(WERROR) -Isrc/kernels/native -ffp-contract=off -O2 -g
arm_LIBS   := -static -lm
wasm_CC       := $(EMCC)
# base/heap.c is the malloc of wasm.  clang would make calloc of malloc and memset, which is the C library's.
wasm_CFLAGS   := $(CFLAGS) -O3 -msimd128 -DNDEBUG -fno-builtin-malloc
# The relaxed module: Debian's Emscripten 3.1.6 does not know relaxed SIMD, so a newer clang compiles for Emscripten's
# sysroot.  emcc also passes -disable-lsr; without it, kernels are up to 1.7 times slower.
RELAXED_CLANG ?= $(firstword $(foreach v,22 21 20 19 18 17 16,$(shell command -v clang-$(v) 2>/dev/null)))
SYSROOT        = $(shell em-config CACHE)/sysroot
wasm-relaxed_CC     = $(RELAXED_CLANG)
wasm-relaxed_CFLAGS = $(wasm_CFLAGS) --target=wasm32-unknown-emscripten --sysroot=$(SYSROOT) -D__EMSCRIPTEN__ \
                      -mrelaxed-simd -DHEED_RELAXED -mllvm -disable-lsr -mllvm -combiner-global-alias-analysis=false
wasm-debug_CC     := $(EMCC)
wasm-debug_CFLAGS := $(CFLAGS) -O1 -fno-inline -msimd128 -fno-builtin-malloc -DHEED_DEBUG -fsanitize=undefined \
                     -fsanitize-undefined-trap-on-error
wasm-debug_LINK   := -O1 --profiling-funcs
WASM_LINK     := -O3 -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=131072 -sFILESYSTEM=0
# Test programs have big arrays on the stack, and start with enough memory: WASI of Node 20 sometimes crashes when
# memory grows during a call.
wasm_LIBS     := $(subst TOTAL_STACK=131072,TOTAL_STACK=1048576,$(WASM_LINK)) -sINITIAL_MEMORY=268435456

# Download size matters too: only code that takes much time is built for speed.  The rows of vector.c take little, and
# few rows of a matrix saturate.
SMALL := $(filter-out src/kernels/% src/train/%,$(SOURCES)) src/kernels/vector.c src/kernels/saturating.c

# Emscripten also reads settings from the environment; ignore those of other builds.
unexport EMCC_CFLAGS EM_CACHE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: help run setup clean constants format web docs serve extension screenshots score oracle bench \
        bench-kernels sbom reproducible coverage \
        native asan arm wasm debug wasm-tests types package model-packages train-programs fuzz-build arm-build \
        test test-rest test-all test-long test-bare test-js test-c test-native test-asan test-wasm \
        test-arm long mutate mutations \
        need-wasm need-native need-asan need-relaxed need-wasm-relaxed need-wasm-debug need-arm need-coverage \
        need-npm need-chromium need-browsers need-bundlers

help:
	@echo 'make run        translate a few English sentences into German with the shipped model'
	@echo 'make web        put the page together in build/site; `make serve` serves it on port 8080'
	@echo 'make docs       the page with its documentation: guides, a reference, examples that run; `make serve` has it'
	@echo 'make extension  the extension that translates pages, in build/extension'
	@echo 'make test       five minutes: C natively and as wasm, the fast JavaScript tests, Chromium, brief fuzzing'
	@echo 'make test-all   that, and all else that CI runs: sanitizers, Arm, browsers, bundlers, long runs in brief'
	@echo 'make test-long  what takes hours, and CI does not run: tests/parts.js lists it'
	@echo 'make test-bare  make run and make test on a bare Debian, in a chroot (needs root, debootstrap, the network)'
	@echo 'make test-c     the C tests only         make test-js   the JavaScript tests and types only'
	@echo 'make wasm       build js/heed*.wasm      make native    build the C tests with $(HOST_CC)'
	@echo 'make debug      build/heed-debug.wasm, for the option `wasm`: assertions trap, errors name C functions'
	@echo 'make constants  js/base/constants.js, of the headers     make asan  the C tests with $(ASAN_CC), ASan and UBSan'
	@echo 'make fuzz-short fuzz the C core, a minute a target    make fuzz: an hour each (tests/fuzz/fuzz.mk)'
	@echo 'make mutate     load mutated model directories, RUNS=1000000 of each kind; KINDS=checkpoints alone'
	@echo 'make long       translate, load and abort for an hour, and see that memory stays what it was'
	@echo 'make coverage   lines and branches that the C tests reach       make mutations  changes that no test notices'
	@echo 'make bench      measure speed            make score     how well the models translate (needs ../shared/data)'
	@echo 'make oracle     regenerate and compare golden data (needs Python with torch and sentencepiece)'
	@echo 'make model      train the model: DATA=../shared/data (needs spm_train and python3; faster with libdnnl-dev)'
	@echo 'make reproducible: build the modules elsewhere and compare      make sbom: a bill of materials, build/sbom.json'
	@echo 'make format     clang-format the C       make setup     install the compilers that are missing'
	@echo 'make clean      remove what was built'

# ------------------------------------------------------------------------------ compilers

setup:
	@.ci/setup wasm wasm-relaxed native asan npm parallel browsers bundlers arm
need-wasm need-wasm-relaxed need-native need-asan need-npm need-chromium need-browsers need-bundlers need-arm: need-%:
	@.ci/setup $*
need-relaxed: need-asan
need-wasm-debug: need-wasm
need-coverage: need-native

# ------------------------------------------------------------------------------ C, by variant

# $(call variant,NAME,SUFFIX OF A PROGRAM,SOURCES)
define variant
$(BUILD)/$(1)/%.o: src/%.c Makefile | need-$(1)
	@mkdir -p $$(@D)
	$$(call say,$(1)  $$<)
	$$(Q)$$($(1)_CC) $$($(1)_CFLAGS) $(if $(filter wasm wasm-relaxed,$(1)),$$(if $$(filter $$(SMALL),$$<),-Oz)) \
	    -c $$< -o $$@
$(BUILD)/$(1)/libheed.a: $(3:src/%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	@$(if $(filter wasm%,$(1)),emar,ar) rcs $$@ $$^
$(BUILD)/$(1)/tests/%.o: tests/c/%.c Makefile | need-$(1)
	@mkdir -p $$(@D)
	$$(call say,$(1)  $$<)
	$$(Q)$$($(1)_CC) $$($(1)_CFLAGS) -UNDEBUG -Itests/c -c $$< -o $$@
$(BUILD)/$(1)/tests/%$(2): $(BUILD)/$(1)/tests/%.o $(BUILD)/$(1)/libheed.a
	$$(Q)$$($(1)_CC) $$< $(BUILD)/$(1)/libheed.a $$($(1)_LIBS) -o $$@
-include $(3:src/%.c=$(BUILD)/$(1)/%.d) $(TESTS:%=$(BUILD)/$(1)/tests/%.d)
endef
$(eval $(call variant,native,,$(SOURCES)))
$(eval $(call variant,asan,,$(SOURCES)))
$(eval $(call variant,relaxed,,$(filter src/kernels/%,$(SOURCES))))
$(eval $(call variant,arm,,$(SOURCES)))
$(eval $(call variant,coverage,,$(SOURCES)))
$(eval $(call variant,wasm,.wasm,$(SOURCES)))
# Their modules do not train.
$(eval $(call variant,wasm-relaxed,.wasm,$(filter-out src/train/%,$(SOURCES))))
$(eval $(call variant,wasm-debug,.wasm,$(filter-out src/train/%,$(SOURCES))))

NATIVE_TESTS := $(TESTS:%=$(BUILD)/native/tests/%)
ASAN_TESTS   := $(TESTS:%=$(BUILD)/asan/tests/%)
MODULES      := js/heed.wasm js/heed-relaxed.wasm js/heed-pairs.wasm js/heed-train.wasm
WASM_TESTS   := $(TESTS:%=$(BUILD)/wasm/tests/%.wasm)
ARM_TESTS    := $(TESTS:%=$(BUILD)/arm/tests/%)

native: $(BUILD)/native/libheed.a $(NATIVE_TESTS)
asan: $(BUILD)/asan/libheed.a $(ASAN_TESTS) $(BUILD)/relaxed/tests/test_kernels
arm: $(ARM_TESTS)
wasm: $(MODULES) js/base/constants.js
debug: $(BUILD)/heed-debug.wasm
wasm-tests: $(WASM_TESTS)

# Modules. $(call link_emcc,VARIANT,EXPORTS,FILE,MORE): MORE is another option of the linker.
link_emcc = $(EMCC) $(BUILD)/$(1)/libheed.a $(WASM_LINK) $($(1)_LINK) --no-entry -sEXPORTED_FUNCTIONS=@$(2) \
    $(4:%=-Wl,%) -o $(3)

# emcc 3.1.6 cannot link the new instructions either (its binaryen fails on them), so wasm-ld links with Emscripten's
# libraries.  Their order matters: libstandalonewasm before libc, else memcpy of more than 512 bytes calls a stub that
# traps.  Without --compress-relocations each address of a function or of data takes five bytes.
WASM_LDS = wasm-ld-14 $(subst clang,wasm-ld,$(notdir $(RELAXED_CLANG))) wasm-ld
WASM_LD ?= $(firstword $(shell command -v $(WASM_LDS) 2>/dev/null))
WASM_LIB = $(SYSROOT)/lib/wasm32-emscripten
link_wasm-ld = $(WASM_LD) $(WASM_LIB)/crt1_reactor.o $(BUILD)/$(1)/libheed.a -L$(WASM_LIB) \
    -lstandalonewasm-memgrow -lstubs -lnoexit -lc -lcompiler_rt --allow-undefined --no-entry \
    --entry=_initialize --export-if-defined=_initialize $$(sed 's/^_/--export=/' $(2)) \
    -z stack-size=131072 --stack-first --max-memory=4294967296 --strip-all --compress-relocations --gc-sections $(4) \
    -o $(3)

# The module of pairs differs from that of relaxed SIMD in one object, which the linker takes before the library's own.
PAIRS := $(BUILD)/wasm-pairs/kernels/gemm_i8.o
link_pairs = $(call link_wasm-ld,$(1),$(2),$(3),$(4) $(PAIRS))
$(PAIRS): src/kernels/gemm_i8.c Makefile | need-wasm-relaxed
	@mkdir -p $(@D)
	$(call say,wasm-pairs  $<)
	$(Q)$(wasm-relaxed_CC) $(wasm-relaxed_CFLAGS) -DHEED_PAIRS -c $< -o $@
-include $(PAIRS:.o=.d)
js/heed-pairs.wasm: $(PAIRS)

# $(call module,FILE,VARIANT,EXPORTS,LINKER): a module and how it is linked, link_NAME of FILE and MORE.
define module
link_$(notdir $(1)) = $$(call link_$(4),$(2),$(3),$$(1),$$(2))
$(1): $(BUILD)/$(2)/libheed.a $(3)
	$$(call say,wasm  $$@)
	$$(Q)$$(call link_$(notdir $(1)),$$@)
endef
$(eval $(call module,js/heed.wasm,wasm,src/exports.txt,emcc))
$(eval $(call module,js/heed-relaxed.wasm,wasm-relaxed,src/exports.txt,wasm-ld))
$(eval $(call module,js/heed-pairs.wasm,wasm-relaxed,src/exports.txt,pairs))
# It trains and does nothing else: js/heed.wasm translates.
$(eval $(call module,js/heed-train.wasm,wasm,src/train/exports.txt,emcc))
# For `wasm:`, to look for a fault: assertions and undefined behaviour trap, and the stack has the names of functions.
$(eval $(call module,$(BUILD)/heed-debug.wasm,wasm-debug,src/exports.txt,emcc))

# Numbers that C and JavaScript share. The file is kept with the sources, as scripts run without a build.
constants: js/base/constants.js
js/base/constants.js: js/make-constants.mjs $(wildcard src/*.h src/*/*.h)
	$(call say,js  $@)
	$(Q)$(NODE) $<

# The files of the package: minified scripts, the modules, and heed/inline.
PACKAGE := build/js/inline.js
package: $(PACKAGE) types model-packages
$(PACKAGE): js/make-package.mjs $(MODULES) $(wildcard js/*.js js/*/*.js) | need-npm
	$(call say,js  $(@D))
	$(Q)$(NODE) js/make-package.mjs

# A package of each model that is shipped.
MODEL_PACKAGES := build/models/heed-model-de-en-es-fr.tgz
model-packages: $(MODEL_PACKAGES)
build/models/heed-model-%.tgz: js/make-model-package.mjs package.json models/%/heed.json
	$(call say,model  $@)
	$(Q)$(NODE) $< models/$*

include src/train/train.mk
include tests/fuzz/fuzz.mk

# ------------------------------------------------------------------------------ tests

# A failed wasm program traps, with exit code 1. Status 139 is a crash of Node itself, which happens with V8 11.3
# once in some hundred runs.  It is reported, and the program runs again.
run-wasm = { $(NODE) tests/run-wasi.mjs $(1) || { [ $$? = 139 ] && echo 'Node crashed: again' && \
    $(NODE) tests/run-wasi.mjs $(1); }; }

# $(call run-tests,HOW,COMMAND,PROGRAMS): runs each C program, $$t, or the given ones, even after a failure. run.js
# counts the lines at its end.
define run-tests
failed=0; for t in $(or $(3),$(TESTS)); do \
    if $(2); then echo "$$t, $(1): passed"; else echo "$$t, $(1): FAILED"; failed=1; fi; \
done; exit $$failed
endef
test-native: $(NATIVE_TESTS)
	@$(call run-tests,native,$(BUILD)/native/tests/$$t)
test-wasm: $(WASM_TESTS)
	@$(call run-tests,wasm,$(call run-wasm,$(BUILD)/wasm/tests/$$t.wasm))
# The argument: elements of each tensor whose gradient test_train compares one by one, of which sanitizers need few. Then
# the kernels again, with an emulated relaxed dot product.
test-asan: $(ASAN_TESTS) $(BUILD)/relaxed/tests/test_kernels
	@$(call run-tests,address and undefined,$(BUILD)/asan/tests/$$t 2)
	@$(BUILD)/relaxed/tests/test_kernels && echo 'test_kernels, relaxed dot: passed'
# For another processor, in an emulator; reports if it is missing. Each of ARM_LONG takes longer there than most others
# together, so only `make test-long` runs them; test_heap is of the malloc that only wasm has.
ARM_LONG   := test_bytes test_heap test_search test_shortlist test_train
ARM_WANTED ?= $(filter-out $(ARM_LONG),$(TESTS))
has-arm = { command -v $(ARM_CC) && command -v $(firstword $(ARM_RUN)); } > /dev/null
arm-build: | need-arm
	@! $(has-arm) || $(MAKE) --no-print-directory arm
test-arm: arm-build
	@$(has-arm) || { echo 'C programs, Arm: SKIPPED: $(ARM_CC) or $(ARM_RUN) is missing'; exit 0; }; \
	$(call run-tests,Arm,$(ARM_RUN) $(BUILD)/arm/tests/$$t,$(ARM_WANTED))
test-c: test-native test-asan test-wasm

# Declarations for the package, and a check of the page's scripts.
types: $(BUILD)/types.checked
$(BUILD)/types.checked: js/prune-types.mjs $(wildcard tsconfig*.json js/*.js js/*/*.js web/*.js web/*.d.ts \
    web/*/*.js) | need-npm
	$(call say,types  js web)
	@rm -rf $(BUILD)/types
	$(Q)$(NODE) node_modules/typescript/bin/tsc -p tsconfig.json
	$(Q)$(NODE) js/prune-types.mjs
	$(Q)$(NODE) node_modules/typescript/bin/tsc -p tsconfig.web.json
	@touch $@

# tests/parts.js lists the parts; tests/run.js installs what they need, builds and runs them, JOBS at a time.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
jobs = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(JOBS))
run-parts = HOST_CC='$(HOST_CC)' $(NODE) tests/run.js --jobs $(jobs)
test:
	@$(run-parts) fast
test-rest:
	@$(run-parts) rest
test-all:
	@$(run-parts) fast rest
# One after another; `make test-long LONG=mutate` runs those whose names contain it.
LONG ?=
test-long:
	@$(run-parts) $(LONG:%=--only %) long
# BARE: other targets to run there.
BARE ?= run test
test-bare:
	@.ci/bare $(BARE)
test-js: wasm package train-programs | need-browsers need-bundlers
	@$(run-parts) --only .test.js fast rest

# Builds the modules again in another directory, and compares their bytes.
reproducible: wasm
	@elsewhere=$$(mktemp -d "$${TMPDIR:-/tmp}/heed-built-elsewhere-XXXXXX") && trap 'rm -rf "$$elsewhere"' EXIT && \
	mkdir -p "$$elsewhere/a/js" "$$elsewhere/a/tests" && \
	cp -R Makefile .ci src "$$elsewhere/a" && cp -R tests/fuzz "$$elsewhere/a/tests" && \
	$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) -C "$$elsewhere/a" BUILD=out wasm && \
	failed=0; for m in $(MODULES); do \
	    if cmp "$$m" "$$elsewhere/a/$$m"; then echo "reproducible: $$m: $$(sha256sum < "$$m" | cut -d ' ' -f 1)"; \
	    else failed=1; fi; \
	done; exit $$failed

# A bill of materials: the package, the parts of the C runtime in each module, and the build tools.
# Each module is linked again, to the same bytes, by a linker that lists its inputs.
sbom: $(MODULES:js/%=$(BUILD)/sbom/%.txt) | need-npm
	$(Q)EMCC='$(EMCC)' RELAXED_CLANG='$(RELAXED_CLANG)' WASM_LD='$(WASM_LD)' \
	    $(NODE) .ci/sbom.js $(BUILD)/sbom > $(BUILD)/sbom.json
	@echo 'sbom: $(BUILD)/sbom.json'
$(BUILD)/sbom/%.txt: js/%
	@mkdir -p $(@D)
	$(Q)$(call link_$*,$(BUILD)/sbom/$*,--trace) > $@
	$(Q)cmp $< $(BUILD)/sbom/$*

# Lines and branches of src/ that the C tests reach, and those that they do not. Counts of a build add up over runs, so
# each starts from zero.
COVERAGE_TESTS := $(TESTS:%=$(BUILD)/coverage/tests/%)
coverage: $(COVERAGE_TESTS)
	@find $(BUILD)/coverage -name '*.gcda' -delete
	@failed=0; for t in $(COVERAGE_TESTS); do $$t || failed=1; done; exit $$failed
	@$(NODE) tests/coverage.js $(BUILD)/coverage --all

# Changes one token of src/ in 50 copies of the tree. Tests must notice at least 9 of 10 changes.
MUTATIONS ?=
mutations: native asan js/heed.wasm
	$(NODE) tests/mutations/run.js $(MUTATIONS)

# 100,000 translations, 1,000 loads, 1,000 aborts, 2,000 calls at once: an hour on a busy machine.
long: wasm
	$(NODE) tests/long/index.js

# ------------------------------------------------------------------------------ use

run: js/heed.wasm
	@$(NODE) web/examples/translate.js

# The page as a folder that any static server serves.
web: $(MODULES) | need-npm
	$(NODE) web/build.js
# And its documentation, in build/site/docs.
docs: web package
	$(NODE) web/guides/build.js
# The extension for Chromium and Firefox, as a folder to load, with the shipped model.
extension: package
	$(NODE) web/examples/extension/build.js
PORT ?= 8080
serve: docs
	$(NODE) node_modules/sirv-cli/bin.js build/site --port $(PORT)
# The pictures of the README; compressed with pngquant, if installed.
screenshots: $(MODULES) | need-npm need-browsers
	$(NODE) tests/browser/screenshots.js

# Damaged model directories, RUNS of seed SEED of each kind; `make test-all` loads 23,000.
RUNS ?= 1000000
SEED ?= 1
KINDS ?= directories checkpoints families firefox
mutate: js/heed.wasm
	set -e; for kind in $(KINDS); do \
	  $(NODE) tests/mutate/run.js --kind $$kind --runs $(RUNS) --seed $(SEED); done

BENCHES := $(patsubst %,$(BUILD)/%/bench/kernels.wasm,wasm wasm-relaxed wasm-pairs)
bench: $(MODULES) $(BENCHES)
	$(NODE) tests/bench/index.js --results $(BUILD)/bench/engines.json
	$(NODE) tests/bench/calls.js
	$(NODE) tests/bench/firefox.js --results $(BUILD)/bench/firefox.json

# GOP/s of every kernel and shape, beside the limit of the machine, as wasm under Node.
bench-kernels: $(BENCHES)
	@$(NODE) tests/bench/kernels.js $^
$(BUILD)/wasm/bench/%.wasm: tests/bench/%.c $(BUILD)/wasm/libheed.a
	@mkdir -p $(@D)
	$(Q)$(EMCC) $(wasm_CFLAGS) -MF $(@:.wasm=.d) $< $(BUILD)/wasm/libheed.a $(wasm_LIBS) -o $@
$(BUILD)/wasm-pairs/bench/kernels.wasm: bench_CFLAGS := -DHEED_PAIRS
$(BUILD)/wasm-pairs/bench/kernels.wasm: $(PAIRS)
$(BUILD)/wasm-%/bench/kernels.wasm: tests/bench/kernels.c $(BUILD)/wasm-relaxed/libheed.a
	@mkdir -p $(@D)
	$(Q)$(wasm-relaxed_CC) $(wasm-relaxed_CFLAGS) $(bench_CFLAGS) -MF $(@:.wasm=.d) -c $< -o $(@:.wasm=.o)
	$(Q)$(WASM_LD) $(WASM_LIB)/crt1.o $(@:.wasm=.o) $(filter $(PAIRS),$^) $(BUILD)/wasm-relaxed/libheed.a -L$(WASM_LIB) \
	    -lstandalonewasm-memgrow -lstubs -lc -lcompiler_rt --allow-undefined \
	    -z stack-size=1048576 --stack-first --max-memory=4294967296 --strip-all --gc-sections \
	    --export-if-defined=memory -o $@

score: js/heed.wasm
	@if [ ! -d ../shared/data ]; then \
	  echo 'make score: skipped: ../shared/data (the dev corpora) is missing' >&2; exit 1; fi
	@failed=0; for scorer in 'dev.js --data ../shared/data' phrases.js 'copy.js --keep off' 'copy.js --keep on'; do \
	  echo "tests/score/$$scorer"; $(NODE) tests/score/$$scorer || failed=1; done; exit $$failed

# Compares the golden data with SentencePiece, and creates it again with PyTorch: no byte may change.
oracle:
	$(PYTHON) tests/golden/text_oracle.py
	$(PYTHON) tests/golden/models.py
	$(PYTHON) tests/golden/train.py
	git diff --exit-code --stat -- tests/golden

format:
	clang-format -i $(wildcard src/*.[ch] src/*/*.[ch] tests/c/*.[ch] tests/fuzz/*.[ch] tests/bench/*.c)

clean:
	rm -rf build $(MODULES)
