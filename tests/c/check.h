/*
 * check.h - the assertions of the C test programs; included by every tests/c/test_*.c.
 *
 *     int main(void) {
 *         CHECK(1 + 1 == 2);
 *         return check_summary("arithmetic");
 *     }
 *
 * A failed check prints where and what, and the program goes on; the exit code of check_summary() says
 * whether all passed.  A program without any check fails: it has tested nothing.
 */
#ifndef HEED_TESTS_CHECK_H
#define HEED_TESTS_CHECK_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static long check_passed, check_failed;

/* Counts `ok`; prints the place and the expression when it is 0.  Returns ok. */
static inline int check_that(int ok, const char *expression, const char *file, int line) {
    if (ok) check_passed++;
    else check_failed++;
    if (!ok) printf("%s:%d: failed: %s\n", file, line, expression);
    return ok;
}

/* As check_that for two integers, which are printed when they differ. */
static inline int check_int(long long got, long long want, const char *expression, const char *file, int line) {
    int ok = check_that(got == want, expression, file, line);
    if (!ok) printf("    got %lld, want %lld\n", got, want);
    return ok;
}

/*
 * got [n] against want [n]: passes if  sum (got - want)^2 / sum want^2 <= max_nmse.
 * Equal infinities are no difference; a NaN or an infinity on one side only fails whatever the tolerance.
 * Where want is all zero the sum of squares itself is compared, so max_nmse 0 asks for equality.
 */
static inline int check_near(const char *name, const float *got, const float *want, size_t n, double max_nmse,
                             const char *file, int line) {
    double error = 0.0, power = 0.0, worst = -1.0;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        double d = got[i] == want[i] ? 0.0 : fabs((double)got[i] - (double)want[i]);
        if (isnan(d)) d = INFINITY;
        if (isfinite(want[i])) power += (double)want[i] * want[i];
        error += d * d;
        if (d > worst) {
            worst = d;
            at = i;
        }
    }
    double nmse = power > 0.0 ? error / power : error;
    int ok = nmse <= max_nmse;
    if (ok) check_passed++;
    else check_failed++;
    if (!ok)
        printf("%s:%d: failed: %s: nmse %.3g > %.3g; worst at %zu of %zu: got %.9g, want %.9g\n", file, line, name,
               nmse, max_nmse, at, n, (double)got[at], (double)want[at]);
    return ok;
}

/* The closing line.  Returns main()'s exit code. */
static inline int check_summary(const char *program) {
    printf("%s: %ld passed, %ld failed\n", program, check_passed, check_failed);
    return check_failed != 0 || check_passed == 0;
}

#define CHECK(condition)                         check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(got, want)                     check_int((got), (want), #got " == " #want, __FILE__, __LINE__)
#define CHECK_NEAR(name, got, want, n, max_nmse) check_near((name), (got), (want), (n), (max_nmse), __FILE__, __LINE__)

#endif /* HEED_TESTS_CHECK_H */
