#include "operator/status/root_cause.h"

#include "base/rfc3339.h"

static void write_filled(struct jwrite *w, const char *key, const char *text) {
    if (text[0] != '\0')
        jwrite_member_text(w, key, text);
}

static void write_known(struct jwrite *w, const char *key, int64_t value) {
    if (value >= 0)
        jwrite_member_int(w, key, value);
}

void root_cause_write(struct jwrite *w, const struct job_root_causes *causes, int number) {
    const struct root_cause *c = causes != NULL ? root_cause_of(causes, number) : NULL;
    char text[RFC3339_SIZE];
    if (c == NULL)
        return;
    jwrite_member_object(w, "rootCause");
    jwrite_member_text(w, "class", rootcause_class_name(c->class_));
    write_filled(w, "reason", c->reason);
    jwrite_member_text(w, "owner", rootcause_owner_name(c->owner));
    jwrite_member_text(w, "basis", c->is_observed ? "Observed" : "Derived");
    jwrite_member_bool(w, "symptomOnly", c->is_symptom_only);
    write_filled(w, "replicatedJob", c->replicated_job);
    write_known(w, "jobIndex", c->job_index);
    write_known(w, "completionIndex", c->completion_index);
    write_filled(w, "container", c->container);
    write_filled(w, "node", c->node);
    write_filled(w, "line", c->text);
    if (c->line_ms != TIME_UNKNOWN)
        jwrite_member_text(w, "time", rfc3339_format_ms(text, c->line_ms));
    write_filled(w, "frame", c->frame);
    write_filled(w, "waitsFor", c->waits_for);
    jwrite_member_int(w, "followers", c->followers);
    jwrite_member_int(w, "unread", c->unread);
    jwrite_object_end(w);
}

void root_causes_write_counts(struct jwrite *w, const struct job_root_causes *causes,
                              const struct ledger_result *result) {
    int64_t counts[CLASS_COUNT] = {0}, all = 0;
    for (int c = 0; c < CLASS_COUNT && causes != NULL && result->older.count > 0; c++)
        all += counts[c] = causes->older[c];
    for (int i = 0; i < result->interruption_count && causes != NULL; i++) {
        const struct root_cause *c = root_cause_of(causes, result->interruptions[i].number);
        if (c != NULL)
            all++, counts[c->class_]++;
    }
    if (all == 0)
        return;
    jwrite_member_array(w, "byClass");
    for (int c = 0; c < CLASS_COUNT; c++) {
        if (counts[c] == 0)
            continue;
        jwrite_object(w);
        jwrite_member_text(w, "class", rootcause_class_name((enum rootcause_class)c));
        jwrite_member_int(w, "count", counts[c]);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}
