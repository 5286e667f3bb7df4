#include "rootcause/exits.h"

#include "base/mem.h"

/* signal(7). A kill says nothing of who killed: exhausted memory has a record of the kernel. */
static const struct exit_meaning meanings[] = {
    {4, CLASS_CRASH_SIGNAL, ROLE_WEAK, "SIGILL"}, {6, CLASS_CRASH_SIGNAL, ROLE_LAST, "SIGABRT"},
    {7, CLASS_CRASH_SIGNAL, ROLE_WEAK, "SIGBUS"}, {8, CLASS_CRASH_SIGNAL, ROLE_WEAK, "SIGFPE"},
    {9, CLASS_UNKNOWN, ROLE_WRAPPER, "SIGKILL"},  {11, CLASS_CRASH_SIGNAL, ROLE_WEAK, "SIGSEGV"},
    {15, CLASS_PREEMPTION, ROLE_LAST, "SIGTERM"},
};

const struct exit_meaning *exit_meaning_of(int64_t code) {
    int64_t number = code < 0 ? -code : code - 128;
    for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
        if (meanings[i].signal == number)
            return &meanings[i];
    return NULL;
}

static bool has_digit(struct slice text) {
    for (size_t i = 0; i < text.size_bytes; i++)
        if (text.data[i] >= '0' && text.data[i] <= '9')
            return true;
    return false;
}

bool exit_code_in(struct slice line, int64_t *code) {
    static const char *const words[] = {"exitcode",    "exit code", "exited with code", "return code",
                                        "exit status", "EXIT CODE", "Exit Code",        "ExitCode"};
    if (!has_digit(line))
        return false;
    const char *signal = slice_find(line, " code -"); /* Paddle: of a process that a signal ended */
    if (signal != NULL) {
        struct slice rest = slice_range(signal + strlen(" code "), line.data + line.size_bytes);
        if (slice_take_int(&rest, code))
            return true;
    }
    const char *died = slice_find(line, "died from signal "); /* MPICH, PALS */
    if (died != NULL) {
        struct slice rest = slice_range(died + strlen("died from signal "), line.data + line.size_bytes);
        if (slice_take_int(&rest, code)) {
            *code = -*code;
            return true;
        }
    }
    if (!slice_contains(line, "xit") && !slice_contains(line, words[3]) && !slice_contains(line, words[5]))
        return false; /* most lines: three searches, not one for each word */
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const char *at = slice_find(line, words[i]), *end = line.data + line.size_bytes;
        if (at == NULL)
            continue;
        at += strlen(words[i]);
        while (at < end && (*at == ' ' || *at == ':' || *at == '='))
            at++;
        struct slice rest = slice_range(at, end);
        if (slice_take_int(&rest, code) && *code != 0)
            return true;
    }
    return false;
}
