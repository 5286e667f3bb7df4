#include "cli/analyze/parser.h"

#include "base/clock.h"
#include "base/rfc3339.h"

#include <errno.h>

#define LOOK_AT_LINES 64

struct steplog *analyze_parser(const struct analyze *a, void (*on_one)(void *context, const struct record *r),
                               void *context, struct error **err) {
    const struct userformat *user = a->user != NULL ? a->user : a->shipped;
    struct steplog *parser = user != NULL                 ? steplog_new_user(user, on_one, context, err)
                             : a->format == STEPLOG_REGEX ? steplog_new_regex(&a->patterns, on_one, context, err)
                                                          : steplog_new(a->format, NULL, on_one, context);
    if (parser != NULL)
        steplog_use_line_clocks(parser, wall_ms(clock_wall()));
    else if (a->format != STEPLOG_REGEX)
        error_set(err, EINVAL, "--format %s: cannot be read", steplog_format_name(a->format));
    return parser;
}

bool analyze_is_stamped(struct slice lines) {
    struct slice line;
    int64_t ns;
    int stamped = 0, others = 0;
    while (stamped + others < LOOK_AT_LINES && slice_take_line(&lines, &line)) {
        if (line.size_bytes == 0)
            continue;
        bool is_stamped =
            rfc3339_take(&line, &ns, NULL) && (slice_take_char(&line, ' ') || slice_take_char(&line, '\t'));
        stamped += is_stamped; /* gcloud's value() has tabs */
        others += !is_stamped;
    }
    return stamped > others;
}
