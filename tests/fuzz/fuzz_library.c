/* library: any bytes are read or refused; what was read can be asked everything, and a file in two pieces at a line's
 * end gives the same answers as in one. */
#include "library/exclusion.h"
#include "library/reader.h"
#include "reach.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct library_log *log, int64_t at_us, struct library_answer *cumulative) {
    struct library_answer answer;
    struct library_deviation deviation;
    struct library_span spans[] = {{at_us - 90000000, at_us - 60000000}, {at_us - 70000000, at_us - 5000000}};
    library_cumulative(log, at_us, at_us % 2 == 0, cumulative);
    library_interval(log, at_us - 100000000, at_us, true, &answer);
    library_answer_done(&answer);
    library_with_exclusions(log, at_us, spans, 2, NAN, at_us % 2 == 0, &answer, &deviation);
    library_answer_done(&answer);
    library_deviation_done(&deviation);
    library_step_deviation(log, NAN, &deviation);
    library_deviation_done(&deviation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct library_log whole, pieces;
    struct library_answer a, b;
    const char *text = (const char *)data, *cut = memchr(text, '\n', size);
    size_t first = cut ? (size_t)(cut - text) + 1 : size;
    library_log_init(&whole);
    library_log_init(&pieces);
    library_log_read(&whole, (struct slice){text, size});
    library_log_read(&pieces, (struct slice){text, first});
    library_log_read(&pieces, (struct slice){text + first, size - first});
    assert(whole.refused == pieces.refused && whole.refused_line == pieces.refused_line);
    int64_t at_us = library_microseconds(whole.last_s);
    ask(&whole, at_us, &a);
    ask(&pieces, at_us, &b);
    if (a.error[0] == '\0' && a.productive_s > 0)
        REACHED("productive seconds");
    if (a.error[0] != '\0')
        REACHED("an error of the library");
    assert(strcmp(a.error, b.error) == 0 && memcmp(&a.productive_s, &b.productive_s, sizeof a.productive_s) == 0);
    library_answer_done(&a);
    library_answer_done(&b);
    library_log_done(&whole);
    library_log_done(&pieces);
    return 0;
}
