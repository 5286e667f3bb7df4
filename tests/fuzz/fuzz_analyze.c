/* `kubectl-goodput analyze` from end to end: the first line is the arguments, separated by spaces, the rest is the log.
 * Each input is printed as JSON, whose status must hold (status_check.h), and as the arguments say: table, YAML, HTML.
 */
#include "base/mem.h"
#include "base/slice.h"
#include "cli/analyze/options.h"
#include "cli/cli.h"
#include "reach.h"
#include "status_check.h"

#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARGUMENTS_MAX = 24, OUTPUT_MAX_BYTES = 8 << 20 };

/* No other file of this machine is read or written, and no service is asked. */
static bool is_harmless(const char *argument) {
    static const char *const others[] = {"--cloud", "--google", "--format-file", "--html", "-o", "--output", "-f"};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (strncmp(argument, others[i], strlen(others[i])) == 0)
            return false;
    return strpbrk(argument, "*?[/.") == NULL || argument[0] == '-';
}

static int split(char *line, char **argv) {
    int argc = 0;
    for (char *word = line; word != NULL && argc < ARGUMENTS_MAX;) {
        char *end = strchr(word, ' ');
        if (end != NULL)
            *end++ = '\0';
        if (word[0] == '-' ? is_harmless(word) : argc > 0 && argv[argc - 1][0] == '-' && is_harmless(word))
            argv[argc++] = word;
        word = end;
    }
    return argc;
}

/* Runs the command with standard output in a separate file; the text is the caller's. */
static char *run(char **given, int count, const char *output, const char *log, int *code) {
    char *argv[ARGUMENTS_MAX + 8] = {(char[]){"kubectl-goodput"}, (char[]){"analyze"}, (char *)log};
    int argc = 3, out = memfd_create("stdout", MFD_CLOEXEC), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int kept_out = dup(STDOUT_FILENO), kept_err = dup(STDERR_FILENO);
    assert(out >= 0 && null >= 0 && kept_out >= 0 && kept_err >= 0);
    for (int i = 0; i < count; i++)
        argv[argc++] = given[i];
    argv[argc++] = output[0] == 'h' ? (char[]){"--html"} : (char[]){"-o"};
    argv[argc++] = output[0] == 'h' ? (char[]){"-"} : (char *)output;
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    *code = cli_main(argc, argv);
    fflush(stdout);
    dup2(kept_out, STDOUT_FILENO);
    dup2(kept_err, STDERR_FILENO);
    off_t size = lseek(out, 0, SEEK_END);
    size = size > OUTPUT_MAX_BYTES ? OUTPUT_MAX_BYTES : size;
    char *text = mem_alloc((size_t)size + 1);
    assert(pread(out, text, (size_t)size, 0) == size);
    text[size] = '\0';
    close(kept_out), close(kept_err), close(out), close(null);
    return text;
}

static void check_json(const char *text) {
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    char why[STATUS_WHY];
    assert(root != NULL);
    if (!status_check(root, why)) {
        fprintf(stderr, "%s\n%s\n", why, text);
        abort();
    }
    const json_t *time = json_object_get(root, "time");
    if (json_integer_value(json_object_get(time, "productiveMilliseconds")) > 0)
        REACHED("a ledger with productive time");
    if (json_array_size(json_object_get(root, "advice")) > 0)
        REACHED("a status with advice");
    if (json_object_get(root, "forecast") != NULL)
        REACHED("a status with a forecast");
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const outputs[] = {"table", "yaml", "html", "jsonl"};
    struct slice rest = {(const char *)data, size}, line;
    char *argv[ARGUMENTS_MAX], path[64];
    int code;
    if (!slice_take_until(&rest, '\n', &line) || line.size_bytes > 1000)
        return 0;
    char *arguments CLEANUP_FREE = slice_dup(line);
    int argc = split(arguments, argv);
    int log = memfd_create("log", MFD_CLOEXEC);
    assert(log >= 0 && write(log, rest.data, rest.size_bytes) == (ssize_t)rest.size_bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", log);
    char *json CLEANUP_FREE = run(argv, argc, "json", path, &code);
    assert(code >= 0 && code <= 2);
    bool is_ledger = code == 0 && strstr(arguments, "library") == NULL && json[0] == '{' && strstr(json, "\"time\"");
    for (int i = 0; i < argc; i++)
        is_ledger = is_ledger && strcmp(argv[i], "library") != 0 && strcmp(argv[i], "both") != 0;
    if (is_ledger)
        check_json(json);
    else if (code == 0)
        REACHED("the library's definition");
    else if (code == 2)
        REACHED("arguments that are refused");
    const char *output = outputs[size % ARRAY_SIZE(outputs)];
    char *text CLEANUP_FREE = run(argv, argc, output, path, &code);
    assert(code >= 0 && code <= 2);
    if (code == 0 && output[0] == 'h' && strstr(text, "</html>") != NULL)
        REACHED("a page with a picture");
    close(log);
    return 0;
}
