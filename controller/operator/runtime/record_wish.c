#include "operator/runtime/record_wish.h"

#include <string.h>

struct words { /* what the kinds write alike */
    char annotated[16], labeled[16], deleted[32], log_format[sizeof(((struct record_wish *)0)->log_format)];
    char run[sizeof(((struct record_wish *)0)->run)];
};

static bool read_words(struct slice object, struct words *words) {
    static const struct jmember annotations[] = {JMEMBER(struct words, annotated, RECORDS_ENABLED),
                                                 JMEMBER(struct words, log_format, RECORDS_FORMAT_ANNOTATION)};
    static const struct jmember labels[] = {JMEMBER(struct words, labeled, RECORDS_ENABLED),
                                            JMEMBER(struct words, run, RECORDS_RUN_LABEL)};
    static const struct jmember metadata[] = {JMEMBER_OBJECT("annotations", annotations),
                                              JMEMBER_OBJECT("labels", labels),
                                              JMEMBER(struct words, deleted, "deletionTimestamp")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("metadata", metadata)};
    return jmembers_parse(object, JMEMBERS(rows), words);
}

static bool says(const struct words *words, const char *what) {
    return strcmp(words->annotated, what) == 0 || (words->annotated[0] == '\0' && strcmp(words->labeled, what) == 0);
}

static bool has_condition(const struct object_conditions *all, const char *type) {
    const struct object_condition *c = object_condition_find(all, type);
    return c != NULL && slice_is(c->status, "True");
}

/* The JobSet of a TrainJob is what is measured of it: TrainJobs are not watched. */
static bool is_part(const struct object_meta *meta) {
    enum target_kind owner;
    return kind_find(meta->owner_kind, &owner) && owner != TARGET_TRAINJOB;
}

/* What is wrong with an object as a whole read_words() finds. */
static void read_job(struct slice object, struct record_wish *wish) {
    struct object_job job;
    object_job_parse(object, &job);
    wish->is_part = is_part(&job.meta);
    wish->is_training = job.job.chips > 0 || job.job.claims.size_bytes > strlen("[]");
    wish->is_finished = has_condition(&job.conditions, "Complete") || has_condition(&job.conditions, "Failed");
}

static void read_run(enum target_kind kind, struct slice object, struct record_wish *wish) {
    struct object_jobset run;
    kind_row(kind)->parse(object, &run);
    bool has_chips = false;
    for (int i = 0; i < run.job_count; i++)
        has_chips = has_chips || run.jobs[i].chips > 0 || run.jobs[i].has_node_chips ||
                    run.jobs[i].claims.size_bytes > strlen("[]");
    bool mostly_serves = kind == TARGET_LEADERWORKERSET || kind == TARGET_PODGROUP; /* that of a StatefulSet, say */
    bool is_no_group =
        kind == TARGET_PODGROUP && !slice_is(run.meta.is_group, "true"); /* a Workload of something else */
    wish->is_part = is_part(&run.meta) || is_no_group;
    wish->is_training = kind == TARGET_JOBSET || (has_chips && !mostly_serves);
    wish->is_finished =
        run.has_ended || has_condition(&run.conditions, "Completed") || has_condition(&run.conditions, "Failed");
}

bool record_wish_read(enum target_kind kind, struct slice object, struct record_wish *wish) {
    struct words words = {0};
    *wish = (struct record_wish){0};
    if (kind == TARGET_RAYCLUSTER || kind == TARGET_TRAINJOB)
        return false;
    if (!read_words(object, &words))
        return false;
    if (kind == TARGET_JOB)
        read_job(object, wish);
    else
        read_run(kind, object, wish);
    wish->is_enabled = says(&words, "true");
    wish->is_disabled = says(&words, "false");
    wish->is_finished = wish->is_finished || words.deleted[0] != '\0';
    memcpy(wish->log_format, words.log_format, sizeof wish->log_format);
    memcpy(wish->run, words.run, sizeof wish->run);
    return true;
}

struct required_label {
    struct slice key, value;
    bool is_there;
};

static void read_labels(struct jscan *j, void *to) {
    struct required_label *label = to;
    struct slice key;
    char value[64]; /* a label has at most 63 bytes */
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        bool is_text = jscan_string(j, value, sizeof value);
        label->is_there |= is_text && slice_equal(key, label->key) && slice_is(label->value, value);
    }
}

bool record_wish_has_labels(struct slice object, const char *labels) {
    static const struct jmember metadata[] = {JMEMBER_SELF("labels", read_labels)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("metadata", metadata)};
    struct slice rest = slice_of(labels), label;
    bool has_all = true;
    while (has_all && slice_take_item(&rest, ',', &label)) {
        struct required_label required = {.value = label};
        has_all = slice_take_until(&required.value, '=', &required.key) &&
                  jmembers_parse(object, JMEMBERS(rows), &required) && required.is_there;
    }
    return has_all;
}

/* A job that is over gets none: its pods and their logs are deleted, or will be. */
bool record_wish_is_granted(const struct record_wish *wish, enum records_mode mode) {
    if (mode == RECORDS_OFF || wish->is_finished || wish->is_disabled || wish->is_part)
        return false;
    return wish->is_enabled || (mode == RECORDS_ALL && wish->is_training);
}
