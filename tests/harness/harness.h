/* harness: CUnit without registration lists. A test file is
 *
 *     #include "harness.h"
 *     TEST(parses_a_leap_second) { CHECK_INT(seconds, 59); }
 *
 * and belongs to the layer whose folder it is in; each layer is one program, run from the repository's root. Each
 * program ends with the line "N passed, N failed" (tests, not assertions). An argument runs only the tests whose
 * "file:name" contains it. */
#ifndef HARNESS_H
#define HARNESS_H

#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void harness_add(const char *file, const char *name, void (*test)(void));
/* Reports a failed comparison with both values; used by the macros. */
void harness_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Reads a whole file (heap, NUL-terminated); fails the test and returns NULL if it cannot. */
char *harness_read_file(const char *path, size_t *size_bytes);
/* Runs a fuzz target on each file of its corpus, tests/data/fuzz/<name>/, at least min_files of them. They must reach
 * what the target names (reach.h). */
void harness_replay(const char *name, size_t min_files, int (*target)(const uint8_t *data, size_t size));

#define TEST(name)                                                                                                     \
    static void name(void);                                                                                            \
    __attribute__((constructor)) static void register_##name(void) {                                                   \
        harness_add(__FILE__, #name, name);                                                                            \
    }                                                                                                                  \
    static void name(void)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            harness_fail(__FILE__, __LINE__, "%s", #condition);                                                        \
    } while (0)
#define CHECK_INT(actual, expected)                                                                                    \
    do {                                                                                                               \
        int64_t a_ = (int64_t)(actual), e_ = (int64_t)(expected);                                                      \
        if (a_ != e_)                                                                                                  \
            harness_fail(__FILE__, __LINE__, "%s is %" PRId64 ", expected %" PRId64, #actual, a_, e_);                 \
    } while (0)
#define CHECK_TEXT(actual, expected)                                                                                   \
    do {                                                                                                               \
        const char *a_ = (actual), *e_ = (expected);                                                                   \
        if (a_ == NULL || strcmp(a_, e_) != 0)                                                                         \
            harness_fail(__FILE__, __LINE__, "%s is \"%s\", expected \"%s\"", #actual, a_ ? a_ : "(null)", e_);        \
    } while (0)
/* Stops the test when it fails. */
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            harness_fail(__FILE__, __LINE__, "%s", #condition);                                                        \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

#endif
