/* The table: every row is found by the text that it names, and by no earlier row. */
#include "harness.h"

#include "base/buf.h"
#include "rootcause/signatures.h"

/* "Got completion from peer * with status=#" as a process would print it. */
static void print_row(struct buf *out, struct slice pattern, const char *start) {
    buf_clear(out);
    buf_append_text(out, start);
    for (size_t i = 0; i < pattern.size_bytes; i++)
        if (pattern.data[i] == '*')
            buf_append_text(out, "(x) ");
        else if (pattern.data[i] == '#')
            buf_append_text(out, "17");
        else if (pattern.data[i] == '?')
            buf_append_char(out, '=');
        else
            buf_append_char(out, pattern.data[i]);
}

static const struct signature *find(const struct matcher *m, const struct signature *row, struct buf *line) {
    static const char *const starts[PLACE_COUNT] = {
        [IN_VALUE] = "ValueError: ", [IN_MESSAGE] = "RuntimeError: ", [IN_PATH] = "FileNotFoundError: "};
    print_row(line, row->pattern, starts[row->place] != NULL ? starts[row->place] : "");
    if (row->place >= IN_EXCEPTION && row->place <= IN_PATH)
        return matcher_exception(m, buf_slice(line));
    if (row->place == IN_MODULE)
        return matcher_module(m, buf_slice(line));
    return row->place == IN_LINE ? matcher_find(m, buf_slice(line), NULL)
                                 : matcher_within(m, row->place, buf_slice(line));
}

TEST(every_row_is_found_by_its_text) {
    size_t count;
    struct matcher *m = matcher_new();
    const struct signature *rows = matcher_rows(m, &count);
    CLEANUP_BUF struct buf line;
    buf_init(&line, 4096);
    CHECK(count > 400);
    for (size_t i = 0; i < count; i++) {
        const struct signature *found = find(m, &rows[i], &line);
        if (found == NULL || found->class_ != rows[i].class_ || found->role != rows[i].role ||
            found->owner != rows[i].owner)
            harness_fail(__FILE__, __LINE__, "row %zu, \"%s\": another row fits, \"%.*s\"", i + 1, buf_text(&line),
                         found ? (int)found->pattern.size_bytes : 0, found ? found->pattern.data : "");
    }
    matcher_free(m);
}

TEST(rows_name_a_reason_and_a_source) {
    size_t count;
    struct matcher *m = matcher_new();
    const struct signature *rows = matcher_rows(m, &count);
    for (size_t i = 0; i < count; i++) {
        CHECK(rows[i].source.size_bytes > 0);
        CHECK(rows[i].reason.size_bytes > 0 && rows[i].reason.data[0] >= 'A' && rows[i].reason.data[0] <= 'Z');
        bool is_cause = rows[i].role <= ROLE_WEAK,
             is_symptom_class = rows[i].class_ == CLASS_COLLECTIVE_TIMEOUT || rows[i].class_ == CLASS_PEER_LOST;
        CHECK(!(is_cause && is_symptom_class));
        CHECK((rows[i].class_ == CLASS_UNKNOWN) == (rows[i].role >= ROLE_WRAPPER));
    }
    matcher_free(m);
}

TEST(a_pattern_fits_by_its_gaps_and_digits) {
    struct matcher *m = matcher_new();
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off the bus.", "FallenOffTheBus"},
        {"NVRM: Xid (PCI:0000:9b:00): 48, pid=1", "Xid48"},
        {"NVRM: Xid (PCI:0000:9b:00): 13, pid=1", "Xid13"},
        {"NVRM: Xid (PCI:0000:9b:00): 480, pid=1", "Xid"},
        {"x Detected 12 oom_kill events in StepId=1.0", "OOMKilled"},
        {"Detected x oom", NULL},
        {"synStatus=4 [text]", "DeviceOutOfMemory"},
        {"synStatus 4 [text]", "DeviceOutOfMemory"},
        {"synStatus==4 [text]", NULL},
        {"Watchdog caught collective o", NULL},
        {"", NULL},
        {"abc", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct signature *found = matcher_find(m, slice_of(cases[i].line), NULL);
        char reason[64] = "";
        if (found != NULL)
            slice_copy(reason, sizeof reason, found->reason);
        CHECK_TEXT(reason, cases[i].reason ? cases[i].reason : "");
    }
    matcher_free(m);
}

TEST(classes_have_names_and_owners) {
    CHECK_TEXT(rootcause_class_name(CLASS_GPU_HARDWARE), "GPUHardware");
    CHECK_TEXT(rootcause_class_name(CLASS_UNKNOWN), "Unknown");
    CHECK_TEXT(rootcause_owner_name(rootcause_class_owner(CLASS_GPU_HARDWARE)), "Provider");
    CHECK_TEXT(rootcause_owner_name(rootcause_class_owner(CLASS_COLLECTIVE_TIMEOUT)), "Unknown");
    CHECK_INT(CLASS_COUNT, 24);
}
