#include "harness.h"
#include "reach.h"

#include <CUnit/Basic.h>
#include <CUnit/TestRun.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

struct test {
    const char *file, *name;
    void (*run)(void);
};

static struct test tests[2048];
static size_t test_count;

static _Noreturn void out_of_memory(void) {
    fputs("harness: out of memory\n", stderr);
    _exit(2);
}

void harness_add(const char *file, const char *name, void (*run)(void)) {
    if (test_count == sizeof tests / sizeof tests[0]) {
        fprintf(stderr, "harness: more than %zu tests in one program\n", test_count);
        abort();
    }
    tests[test_count++] = (struct test){file, name, run};
}

void harness_fail(const char *file, int line, const char *format, ...) {
    char *text; /* as long as it is: two results that differ are printed whole */
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        out_of_memory();
    va_end(args);
    CU_assertImplementation(CU_FALSE, (unsigned)line, text, file, "", CU_FALSE);
    free(text);
}

char *harness_read_file(const char *path, size_t *size_bytes) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        harness_fail(path, 0, "cannot open (tests run from the repository's root)");
        return NULL;
    }
    size_t size = 0, capacity = 1 << 16;
    char *data = malloc(capacity);
    size_t n;
    while (data != NULL && (n = fread(data + size, 1, capacity - size - 1, f)) > 0) {
        size += n;
        if (size == capacity - 1)
            data = realloc(data, capacity *= 2);
    }
    fclose(f);
    if (data == NULL)
        out_of_memory();
    data[size] = '\0';
    if (size_bytes != NULL)
        *size_bytes = size;
    return data;
}

void harness_replay(const char *name, size_t min_files, int (*target)(const uint8_t *data, size_t size)) {
    char pattern[256];
    glob_t found;
    snprintf(pattern, sizeof pattern, "tests/data/fuzz/%s/*", name);
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < count; i++) {
        size_t size;
        char *data = harness_read_file(found.gl_pathv[i], &size);
        uint8_t *exact = malloc(size != 0 ? size : 1); /* so that a read beyond is seen */
        if (data != NULL && exact != NULL) {
            memcpy(exact, data, size);
            if (target(exact, size) != 0)
                harness_fail(found.gl_pathv[i], 0, "the target did not return 0");
        }
        free(exact);
        free(data);
    }
    globfree(&found);
    if (count < min_files)
        harness_fail(pattern, 0, "%zu files, expected %zu at least", count, min_files);
    char why[2000];
    if (!reach_check(name, why, sizeof why))
        harness_fail(pattern, 0, "%s", why);
}

static int by_file(const void *a, const void *b) {
    const struct test *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order != 0 ? order : (x < y ? -1 : x > y);
}

int main(int argc, char **argv) {
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    qsort(tests, test_count, sizeof tests[0], by_file);
    CU_pSuite suite = NULL;
    const char *suite_file = NULL;
    for (size_t i = 0; i < test_count; i++) {
        char full[512];
        snprintf(full, sizeof full, "%s:%s", tests[i].file, tests[i].name);
        if (argc > 1 && strstr(full, argv[1]) == NULL)
            continue;
        if (suite_file == NULL || strcmp(suite_file, tests[i].file) != 0) {
            suite_file = tests[i].file;
            suite = CU_add_suite(suite_file, NULL, NULL);
        }
        if (suite == NULL || CU_add_test(suite, tests[i].name, tests[i].run) == NULL)
            return 2;
    }
    CU_basic_set_mode(CU_BRM_NORMAL);
    if (CU_basic_run_tests() != CUE_SUCCESS)
        return 2;
    unsigned run = CU_get_number_of_tests_run(), failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    printf("%u passed, %u failed\n", run - failed, failed);
    return failed != 0 || run == 0;
}
