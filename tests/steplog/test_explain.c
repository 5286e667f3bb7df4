/* What a parser says of a log in which it read no step. */
#include "harness.h"

#include "steplog/explain.h"

static void ignore(void *context, const struct record *r) {
    (void)context;
    (void)r;
}

static const char *why(const struct steplog_explanation *e, const char *format) {
    for (int i = 0; i < e->tried_count; i++)
        if (strcmp(e->tried[i].format, format) == 0)
            return e->tried[i].why;
    return NULL;
}

TEST(every_format_tried_says_why_not) {
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, ignore, NULL);
    struct steplog_explanation e;
    steplog_feed(s,
                 SLICE("2026-11-21T02:00:00Z hello\n2026-11-21T02:00:01Z Epoch 1/5\n"
                       "2026-11-21T02:00:09Z completed step: many, seconds: 1\n"),
                 true);
    steplog_explain(s, &e);
    CHECK_INT(e.lines, 3);
    CHECK_INT(e.last_stamp_ms - e.first_stamp_ms, 9000);
    CHECK_TEXT(why(&e, "MaxText"), "no line has \"completed step: N, seconds: S\"");
    CHECK_TEXT(why(&e, "Keras"), "other lines of it were read (1), none has \"Epoch E/M, and N/M - 1s - 2ms/step\"");
    for (int f = STEPLOG_RECORDER; f < STEPLOG_REGEX; f++)
        CHECK(why(&e, steplog_format_name((enum steplog_format)f)) != NULL);
    CHECK_TEXT(steplog_recognized_name(s), "");
    steplog_feed(s, SLICE("2026-11-21T02:00:10Z completed step: 9, seconds: 1.0, loss: 2\n"), true);
    CHECK_TEXT(steplog_recognized_name(s), "MaxText");
    steplog_free(s);
}

/* The recorder's entries are read next to any other. */
TEST(only_the_format_asked_for_is_explained) {
    struct steplog *s = steplog_new(STEPLOG_NEMO, NULL, ignore, NULL);
    struct steplog_explanation e;
    steplog_feed(s, SLICE("hello\n"), false);
    steplog_explain(s, &e);
    CHECK_INT(e.tried_count, 2);
    CHECK_TEXT(e.tried[0].format, "Recorder");
    CHECK_TEXT(e.tried[1].format, "NeMo");
    CHECK_INT(e.first_stamp_ms, TIME_UNKNOWN);
    steplog_free(s);
}
