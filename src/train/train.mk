# The build of training: the wasm module that learns, the native trainer, and models made from a corpus. Included by the
# Makefile, whose variables it uses.

# All that js/heed.wasm exports as well, so that one module can train a model and try it.
js/heed-train.wasm: $(BUILD)/wasm/libheed.a src/exports.txt src/train/exports.txt
	$(call say,wasm  $@)
	@cat src/exports.txt src/train/exports.txt > $(BUILD)/wasm/train-exports.txt
	$(Q)$(EMCC) $(BUILD)/wasm/libheed.a $(WASM_LINK) --no-entry -sEXPORTED_FUNCTIONS=@$(BUILD)/wasm/train-exports.txt \
	    $(WASM_EXTRA) -o $@
wasm: js/heed-train.wasm
test-js: js/heed-train.wasm
