/* What processes printed that fail.py made fail, each with its verdict. */
#include "harness.h"

#include "rootcause/verdict.h"

#include <stdlib.h>

struct expected {
    const char *name;
    enum rootcause_class class_;
    const char *reason, *frame;
    bool is_symptom;
};

static const struct expected processes[] = {
    {"chained", CLASS_USER_EXCEPTION, "KeyError", "fail.py:15 in chained", false},
    {"in_handler", CLASS_DATA_ERROR, "Corrupt", "fail.py:23 in in_handler", false},
    {"thread", CLASS_USER_EXCEPTION, "ZeroDivisionError", "fail.py:30 in <lambda>", false},
    {"segfault", CLASS_CRASH_SIGNAL, "SIGSEGV", "fail.py:40 in segfault", false},
    {"abort", CLASS_CRASH_SIGNAL, "SIGABRT", "", false},
    {"hang", CLASS_HANG_WATCHDOG, "FaulthandlerTimeout", "", true},
    {"memory", CLASS_HOST_OOM, "MemoryError", "fail.py:59 in memory", false},
    {"disk_full", CLASS_STORAGE_ERROR, "NoSpace", "fail.py:64 in disk_full", false},
    {"missing_shard", CLASS_DATA_ERROR, "NotFound", "fail.py:68 in missing_shard", false},
    {"missing_checkpoint", CLASS_CHECKPOINT_ERROR, "NotFound", "fail.py:72 in missing_checkpoint", false},
    {"broken_json", CLASS_DATA_ERROR, "Corrupt", "fail.py:77 in broken_json", false},
    {"broken_gzip", CLASS_DATA_ERROR, "Corrupt", "fail.py:83 in broken_gzip", false},
    {"broken_pickle", CLASS_CHECKPOINT_ERROR, "Corrupt", "fail.py:88 in broken_pickle", false},
    {"not_utf8", CLASS_DATA_ERROR, "Corrupt", "fail.py:92 in not_utf8", false},
    {"refused", CLASS_NETWORK, "ConnectionRefused", "fail.py:100 in refused", false},
    {"reset", CLASS_PEER_LOST, "ConnectionReset", "fail.py:113 in reset", true},
    {"in_use", CLASS_STARTUP_RENDEZVOUS, "AddressInUse", "fail.py:121 in in_use", false},
    {"no_name", CLASS_NETWORK, "Names", "fail.py:126 in no_name", false},
    {"wrong_flag", CLASS_CONFIG_ERROR, "BadArgument", "", false},
    {"no_module", CLASS_USER_EXCEPTION, "ModuleNotFoundError", "fail.py:137 in no_module", false},
    {"interrupted", CLASS_PREEMPTION, "KeyboardInterrupt", "fail.py:142 in interrupted", false},
    {"killed", CLASS_UNKNOWN, "", "", false},
    {"pool", CLASS_PEER_LOST, "PoolBroken", "fail.py:155 in pool", true},
    {"remote", CLASS_USER_EXCEPTION, "ZeroDivisionError", "fail.py:159 in divide", false},
    {"group", CLASS_USER_EXCEPTION, "ValueError", "fail.py:169 in group", false},
    {"ignored", CLASS_USER_EXCEPTION, "KeyError", "fail.py:177 in ignored", false},
    {"logged", CLASS_USER_EXCEPTION, "IndexError", "fail.py:183 in logged", false},
    {"survived", CLASS_USER_EXCEPTION, "KeyError", "fail.py:189 in survived", false},
    {"stamped", CLASS_USER_EXCEPTION, "KeyError", "fail.py:15 in chained", false},
    {"config_key", CLASS_CONFIG_ERROR, "UnknownKey", "fail.py:212 in config_key", false},
    {"config_value", CLASS_CONFIG_ERROR, "ValueError", "fail.py:224 in __post_init__", false},
    {"config_world", CLASS_CONFIG_ERROR, "AssertionError", "fail.py:230 in config_world", false},
    {"config_setting", CLASS_CONFIG_ERROR, "BadSetting", "fail.py:234 in config_setting", false},
    {"no_rank", CLASS_CONFIG_ERROR, "MissingVariable", "fail.py:239 in no_rank", false},
    {"broken_toml", CLASS_CONFIG_ERROR, "BadConfig", "fail.py:244 in broken_toml", false},
    {"terminated", CLASS_PREEMPTION, "SIGTERM", "", false},
    {"retried", CLASS_USER_EXCEPTION, "IndexError", "fail.py:260 in retried", false},
    {"short_message", CLASS_USER_EXCEPTION, "ValueError", "fail.py:266 in short_message", false},
    {"through_config", CLASS_USER_EXCEPTION, "KeyError", "fail.py:15 in chained", false},
};

static void feed(struct rootcause_log *log, struct slice text, const char *progress) {
    struct slice line;
    int64_t number = 0;
    while (slice_take_line(&text, &line)) {
        if (progress != NULL && slice_contains(line, progress))
            rootcause_log_progress(log);
        rootcause_log_line(log, line, ++number);
    }
    rootcause_log_end(log);
}

static void judge(struct rootcause_verdict *v, const char *name, const char *progress) {
    char path[256];
    size_t size;
    snprintf(path, sizeof path, "tests/data/rootcause/%s.log", name);
    char *text = harness_read_file(path, &size);
    struct matcher *m = matcher_new();
    struct rootcause_log *log = rootcause_log_new(m, strcmp(name, "stamped") == 0);
    if (text != NULL)
        feed(log, (struct slice){text, size}, progress);
    rootcause_verdict(v, m, &log, 1, VERDICT_NO_EXIT_CODE);
    rootcause_log_free(log);
    matcher_free(m);
    free(text);
}

TEST(processes_that_failed) {
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        const struct expected *e = &processes[i];
        struct rootcause_verdict v;
        judge(&v, e->name, NULL);
        if (v.finding.class_ != e->class_ || strcmp(v.finding.reason, e->reason) != 0 ||
            v.is_symptom_only != e->is_symptom)
            harness_fail(__FILE__, __LINE__, "%s: %s (%s)%s: %s", e->name, rootcause_class_name(v.finding.class_),
                         v.finding.reason, v.is_symptom_only ? ", a symptom" : "", v.finding.text);
        if (strcmp(v.finding.frame, e->frame) != 0)
            harness_fail(__FILE__, __LINE__, "%s: the frame is \"%s\", expected \"%s\"", e->name, v.finding.frame,
                         e->frame);
    }
}

/* The KeyError before the steps was handled; the ValueError after them was not. */
TEST(progress_follows_what_was_survived) {
    struct rootcause_verdict v;
    judge(&v, "survived", "completed step");
    CHECK_TEXT(v.finding.reason, "ValueError");
}

/* Output that the process held back comes after its traceback. */
TEST(a_cause_counts_if_nothing_follows_the_progress) {
    struct rootcause_verdict v;
    judge(&v, "survived", "batch of 7 rows");
    CHECK_TEXT(v.finding.reason, "ValueError");
    judge(&v, "chained", "RuntimeError: the step failed");
    CHECK_TEXT(v.finding.reason, "KeyError");
}
