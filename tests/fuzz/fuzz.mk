# The fuzz targets: libFuzzer over the C core, under AddressSanitizer and UBSan; and readers of files in JavaScript,
# tests/fuzz/formats.js. Included by the Makefile, whose variables it uses.
#
#   make fuzz                       every target, FUZZ_SECONDS each (an hour), on build/fuzz/corpus
#   make fuzz-short                 the same for FUZZ_SHORT_SECONDS each (a minute)
#   make fuzz-short FUZZ=spm        one target
#   make fuzz-totals                how many inputs all runs of this machine tried, by target
#   make fuzz-corpus                the fewest inputs found so far that reach as much, into tests/fuzz/corpus
#
# Each run begins with what tests/fuzz/seeds.js writes and what runs before it found. An input that breaks something is
# left in build/fuzz/found; build/fuzz/targets/TARGET FILE, or node tests/fuzz/formats.js TARGET FILE, runs it again.

FUZZ_SECONDS       ?= 3600
FUZZ_SHORT_SECONDS ?= 60
FUZZ_JOBS          ?= $(JOBS)
FUZZ ?= spm pieces text decode weights shortlist ngrams translate bin lex vocabulary
# Those in JavaScript.
FUZZ_JS := bin lex vocabulary
FUZZ_C   = $(filter-out $(FUZZ_JS),$(FUZZ))

# The longest inputs: a file of some pieces, some tensors, a hundred calls, a paragraph; and as many bytes of each seed.
FUZZ_BYTES ?= spm) bytes=8192;; weights) bytes=2048;; translate) bytes=512;; *) bytes=1024;;

fuzz_CC     := $(ASAN_CC)
# Comparisons are not traced: most are those of the sanitizers, and tracing them halves the speed.
fuzz_CFLAGS := $(subst -O1,-O2,$(asan_CFLAGS)) -DWORK_BYTES=32 -fsanitize=fuzzer-no-link \
               -fno-sanitize-coverage=trace-cmp
fuzz_LIBS   := $(asan_LIBS) -fsanitize=fuzzer
$(eval $(call variant,fuzz,,$(filter-out src/train/%,$(SOURCES))))

$(BUILD)/fuzz/targets/%: tests/fuzz/%.c $(BUILD)/fuzz/libheed.a
	@mkdir -p $(@D)
	$(call say,fuzz  $<)
	$(Q)$(fuzz_CC) $(fuzz_CFLAGS) -MF $@.d $< $(BUILD)/fuzz/libheed.a $(fuzz_LIBS) -o $@
-include $(wildcard $(BUILD)/fuzz/targets/*.d)

space := $(subst ,, )
# $(call fuzz,SECONDS): FUZZ_JOBS targets at a time, all of them even if one fails; libFuzzer's own words only then.
# What each run executed is added to build/fuzz/executions.tsv: target, seconds, executions.
# For speed there is no counting of rare branches, a short memory of freed blocks, and call stacks of three: an input
# that is found is run again by hand.
define fuzz
@rm -rf $(BUILD)/fuzz/seeds
@$(NODE) tests/fuzz/seeds.js $(BUILD)/fuzz/seeds
@mkdir -p $(BUILD)/fuzz/found; \
echo $(FUZZ) | xargs -r -P $(FUZZ_JOBS) -n 1 sh -c ' \
    t=$$0; log=$(BUILD)/fuzz/found/$$t.log; mkdir -p $(BUILD)/fuzz/corpus/$$t; ok=0; \
    case $$t in $(subst $(space),|,$(FUZZ_JS))) \
        $(NODE) tests/fuzz/formats.js $$t --seconds $(1) --found $(BUILD)/fuzz/found --corpus $(BUILD)/fuzz/corpus/$$t \
            --corpus $(BUILD)/fuzz/seeds/$$t --totals $(BUILD)/fuzz/executions.tsv; exit;; \
    esac; \
    case $$t in $(FUZZ_BYTES) esac; \
    ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=3$${ASAN_OPTIONS:+:$$ASAN_OPTIONS} \
    $(BUILD)/fuzz/targets/$$t -max_total_time=$(1) -max_len=$$bytes -entropic=0 -timeout=30 -rss_limit_mb=1024 \
        -verbosity=0 -print_final_stats=1 -artifact_prefix=$(BUILD)/fuzz/found/$$t- \
        $(BUILD)/fuzz/corpus/$$t $(BUILD)/fuzz/seeds/$$t > $$log 2>&1 && ok=1; \
    runs=$$(sed -n "s/^stat::number_of_executed_units: *//p" $$log); \
    printf "%s\t%s\t%s\n" $$t $(1) $${runs:-0} >> $(BUILD)/fuzz/executions.tsv; \
    if [ $$ok = 1 ]; then echo "fuzz $$t: passed: $(1) s, $$runs inputs, nothing found"; \
    else grep -v "# Uses" $$log; echo "fuzz $$t: FAILED: see $(BUILD)/fuzz/found/$$t-*"; exit 1; fi'
endef

.PHONY: fuzz fuzz-short fuzz-build fuzz-test fuzz-totals fuzz-corpus need-fuzz
need-fuzz:
	@.ci/setup fuzz
fuzz: $(FUZZ_C:%=$(BUILD)/fuzz/targets/%)
	$(call fuzz,$(FUZZ_SECONDS))
fuzz-short: $(FUZZ_C:%=$(BUILD)/fuzz/targets/%)
	$(call fuzz,$(FUZZ_SHORT_SECONDS))

# For tests: where there is no libFuzzer it says so.
fuzz-build: | need-asan
	@! .ci/setup fuzz || $(MAKE) --no-print-directory need-fuzz $(FUZZ_C:%=$(BUILD)/fuzz/targets/%)
fuzz-test: | need-asan
	@if .ci/setup fuzz; then $(MAKE) --no-print-directory fuzz-short; \
	else echo 'fuzz: SKIPPED: $(FUZZ_C): $(ASAN_CC) has no libFuzzer here'; \
	    $(MAKE) --no-print-directory fuzz-short FUZZ='$(filter $(FUZZ_JS),$(FUZZ))'; fi

# What all runs together executed, by target.
fuzz-totals:
	@awk -F '\t' '{ seconds[$$1] += $$2; runs[$$1] += $$3 } \
	    END { for (t in runs) printf "%s\t%d s\t%d executions\n", t, seconds[t], runs[t] }' \
	    $(BUILD)/fuzz/executions.tsv | sort

# Inputs beyond two kilobytes stay out of it: others reach nearly all that they do, at a tenth of the size.
fuzz-corpus: $(FUZZ_C:%=$(BUILD)/fuzz/targets/%)
	@rm -rf $(BUILD)/fuzz/seeds $(BUILD)/fuzz/merged
	@$(NODE) tests/fuzz/seeds.js $(BUILD)/fuzz/seeds
	@mkdir -p tests/fuzz/corpus
	@for t in $(filter $(FUZZ_JS),$(FUZZ)); do \
	    $(NODE) tests/fuzz/formats.js $$t --merge $(BUILD)/fuzz/merged/$$t --corpus $(BUILD)/fuzz/corpus/$$t \
	        --corpus $(BUILD)/fuzz/seeds/$$t && \
	    $(NODE) tests/fuzz/seeds.js --pack $(BUILD)/fuzz/merged/$$t $$t && ls -l tests/fuzz/corpus/$$t.gz || exit 1; \
	done
	@for t in $(FUZZ_C); do \
	    mkdir -p $(BUILD)/fuzz/merged/$$t $(BUILD)/fuzz/corpus/$$t; \
	    $(BUILD)/fuzz/targets/$$t -merge=1 -max_len=2048 -verbosity=0 $(BUILD)/fuzz/merged/$$t \
	        $(BUILD)/fuzz/corpus/$$t $(BUILD)/fuzz/seeds/$$t > $(BUILD)/fuzz/merged/$$t.log 2>&1 && \
	    $(NODE) tests/fuzz/seeds.js --pack $(BUILD)/fuzz/merged/$$t $$t && ls -l tests/fuzz/corpus/$$t.gz || exit 1; \
	done
