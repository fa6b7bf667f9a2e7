/*
 * debug.c - in build/heed-debug.wasm a failed assertion traps.  The error then has the names of the C functions in its
 * stack.  libc's own version prints, for which the module would need imports.  Empty in all other builds.
 */
#include "base/status.h"

#ifdef HEED_DEBUG
_Noreturn void __assert_fail(const char *condition, const char *file, int line, const char *function);
_Noreturn void __assert_fail(const char *condition, const char *file, int line, const char *function) {
    (void)condition, (void)file, (void)line, (void)function;
    __builtin_trap();
}
#endif
