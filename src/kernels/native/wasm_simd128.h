/*
 * wasm_simd128.h - the wasm SIMD intrinsics on other machines, through SIMDe; used by native builds (tests,
 * sanitizers), which have this directory on their include path.  A wasm compiler brings its own header.
 *
 * SIMDe is found as a system header (Debian: libsimde-dev).  Compile with -ffp-contract=off: a fused multiply-add
 * would round differently from wasm.
 */
#ifndef HEED_KERNELS_NATIVE_WASM_SIMD128_H
#define HEED_KERNELS_NATIVE_WASM_SIMD128_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>

#endif /* HEED_KERNELS_NATIVE_WASM_SIMD128_H */
