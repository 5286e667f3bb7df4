/* What writers and readers send to the endpoint: entries:write, pushed lines, filters. What is taken is whole lines
 * that can be read back, and of the writer's own project; a filter that is understood decides the same twice. */
#include "reach.h"
#include "recorder/entries_write.h"
#include "recorder/store_list.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(const struct entries_lines *l, bool are_entries) {
    int count = 0;
    for (int i = 0; i < l->job_count; i++) {
        struct slice rest = buf_slice(&l->jobs[i].lines), line;
        char folder[STORE_NAME_SIZE];
        struct filter_entry e;
        assert(rest.size_bytes == 0 || rest.data[rest.size_bytes - 1] == '\n');
        while (slice_take_until(&rest, '\n', &line)) {
            count++;
            assert(!are_entries || store_read_line(line, &e));
            assert(!are_entries || slice_starts(e.fields[FILTER_LOG_NAME], "projects/ns/logs/"));
        }
        if (store_folder(folder, slice_of(l->jobs[i].job)))
            assert(folder[0] != '.' && strchr(folder, '/') == NULL && folder[0] != '\0');
    }
    assert(count == l->taken || count == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice in = {(const char *)data, size};
    uint64_t next_id = 0;
    const struct entries_received received = {INT64_C(1700000000000000000), &next_id, "ns"};
    struct entries_lines lines;
    struct filter *filter = malloc(sizeof *filter);
    struct filter_entry entry = {.at_ns = received.at_ns,
                                 .fields = {SLICE("projects/ns/logs/l"), SLICE("INFO"), SLICE("1"), SLICE("j")}};
    entries_write_read(&lines, in, &received, NULL);
    if (lines.taken > 0)
        REACHED("entries that are taken");
    check_lines(&lines, true);
    entries_lines_done(&lines);
    entries_push_read(&lines, in, "j", &received, NULL);
    if (lines.taken > 0)
        REACHED("pushed lines that are taken");
    check_lines(&lines, false);
    entries_lines_done(&lines);
    if (filter_parse(filter, in, NULL) == 0) {
        bool is_so = filter_matches(filter, &entry);
        struct slice job = filter_job(filter);
        if (is_so)
            REACHED("a filter that matches");
        assert(is_so == filter_matches(filter, &entry));
        assert(!is_so || job.size_bytes == 0 || slice_is(job, "j"));
    }
    if (store_read_line(in, &entry))
        REACHED("a stored line");
    free(filter);
    return 0;
}
