# The build of training: the wasm module that learns, the native trainer, and models made from a corpus. Included by the
# Makefile, whose variables it uses.

# ------------------------------------------------------------------------------ the native trainer

# Compiled for the processor at hand, whole: the core's own vectors are too narrow for hours of training.
TRAIN_CFLAGS := $(CFLAGS) $(WERROR) -D_GNU_SOURCE -Isrc/kernels/native -O3 -march=native -ffp-contract=fast -pthread
TRAIN_MAINS   := %/align_main.c %/lexicon_main.c
TRAIN_SOURCES := $(SOURCES) $(filter-out $(TRAIN_MAINS),$(wildcard src/train/native/*.c))
TRAIN_LIBS := -lm
# -include, since a # in $(shell) would need an escape that GNU Make 4.2 removes and 4.3 passes on.
has_header = $(shell $(HOST_CC) -include $(1) -E -x c /dev/null >/dev/null 2>&1 && echo yes)
ifeq ($(call has_header,dnnl.h),yes)
TRAIN_CFLAGS += -DHEED_ONEDNN
TRAIN_LIBS += -ldnnl
endif
ifeq ($(call has_header,cblas.h),yes)
TRAIN_CFLAGS += -DHEED_OPENBLAS
TRAIN_LIBS += -lopenblas
endif

# Written only when it differs: what was compiled before a library was installed is compiled again.
.PHONY: train-flags
$(BUILD)/train/flags: train-flags
	@mkdir -p $(@D)
	@echo '$(HOST_CC) $(TRAIN_CFLAGS)' | cmp -s - $@ || echo '$(HOST_CC) $(TRAIN_CFLAGS)' > $@
$(BUILD)/train/%.o: src/%.c $(BUILD)/train/flags | need-native
	@mkdir -p $(@D)
	$(call say,train  $<)
	$(Q)$(HOST_CC) $(TRAIN_CFLAGS) -c $< -o $@
$(BUILD)/heed-train: $(TRAIN_SOURCES:src/%.c=$(BUILD)/train/%.o)
	$(Q)$(HOST_CC) $^ -pthread $(TRAIN_LIBS) -o $@
-include $(TRAIN_SOURCES:src/%.c=$(BUILD)/train/%.d)

# Which words translate each other.
ALIGN_SOURCES := $(filter-out %/main.c,$(TRAIN_SOURCES)) src/train/native/align_main.c
$(BUILD)/heed-align: $(ALIGN_SOURCES:src/%.c=$(BUILD)/train/%.o)
	$(Q)$(HOST_CC) $^ -pthread $(TRAIN_LIBS) -o $@
-include $(BUILD)/train/train/native/align_main.d

# Which of them a translation may use.
LEXICON_SOURCES := $(filter-out %/main.c,$(TRAIN_SOURCES)) src/train/native/lexicon_main.c
$(BUILD)/heed-lexicon: $(LEXICON_SOURCES:src/%.c=$(BUILD)/train/%.o)
	$(Q)$(HOST_CC) $^ -pthread $(TRAIN_LIBS) -o $@
-include $(BUILD)/train/train/native/lexicon_main.d

# Tests of it: a task learned from start to end, every matrix product that this build has, and what batches are made of.
TRAIN_OBJECTS := $(filter-out %/main.o,$(TRAIN_SOURCES:src/%.c=$(BUILD)/train/%.o))
$(BUILD)/train-%: tests/train/%.c $(TRAIN_OBJECTS)
	$(Q)$(HOST_CC) $(TRAIN_CFLAGS) -MF $(BUILD)/train/$*.d $^ -pthread $(TRAIN_LIBS) -o $@

# And all of it under sanitizers, with allocations that fail.
FAULTS_OBJECTS := $(patsubst src/%.c,$(BUILD)/asan/%.o,$(filter-out $(TRAIN_MAINS),$(wildcard src/train/native/*.c)))
$(BUILD)/asan/train/native/%.o: asan_CFLAGS += -D_GNU_SOURCE -pthread
$(BUILD)/train-faults: tests/train/faults.c $(FAULTS_OBJECTS) $(BUILD)/asan/libheed.a
	$(Q)$(ASAN_CC) $(asan_CFLAGS) -MF $(BUILD)/asan/train/faults.d $^ -pthread -Wl,--wrap=malloc,--wrap=realloc \
	    $(asan_LIBS) -o $@
-include $(FAULTS_OBJECTS:.o=.d)

# What tests run.
train-programs: $(BUILD)/heed-train $(BUILD)/heed-align $(BUILD)/heed-lexicon $(BUILD)/train-toy $(BUILD)/train-products \
                $(BUILD)/train-drawn $(BUILD)/train-faults

# ------------------------------------------------------------------------------ models

# make model DATA=../shared/data: everything from the corpora to a model directory, in build/models/de-en-es-fr; started
# again it goes on. MODEL: more options of src/train/model/make.js, e.g. MODEL='--minutes 60 --threads 1'.
# MODEL='--start models/de-en-es-fr' begins with the weights and the vocabulary of the shipped model.
DATA ?= ../shared/data
MODEL ?=
.PHONY: model
model: $(BUILD)/heed-train $(BUILD)/heed-align js/heed.wasm
	@command -v spm_train > /dev/null || \
	    { echo 'make model: spm_train is missing: apt-get install sentencepiece' >&2; exit 1; }
	$(NODE) src/train/model/make.js --data $(DATA) $(MODEL)
