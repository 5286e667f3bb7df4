/* status.otherDefinitions: scheduling as other tools define it, then the job's reliability by the names of papers. */
#include "operator/status/definitions.h"

#include "formulas/definitions.h"

static void write_ratio(struct jwrite *w, const char *name, int64_t numerator_ms, int64_t denominator_ms) {
    int64_t ppm = ledger_ppm(numerator_ms, denominator_ms);
    jwrite_object(w);
    jwrite_member_text(w, "name", name);
    if (ppm != RECORD_NONE)
        jwrite_member_percent(w, "value", ppm);
    jwrite_member_int(w, "numeratorMilliseconds", numerator_ms);
    jwrite_member_int(w, "denominatorMilliseconds", denominator_ms);
    jwrite_object_end(w);
}

static void write_mean(struct jwrite *w, const struct definition *d) {
    jwrite_object(w);
    jwrite_member_text(w, "name", d->name);
    jwrite_member_int(w, "meanSeconds", d->numerator_ms / d->denominator / 1000);
    jwrite_member_int(w, "numeratorMilliseconds", d->numerator_ms);
    jwrite_member_int(w, "denominatorCount", d->denominator);
    jwrite_object_end(w);
}

void view_write_definitions(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    struct definition named[DEFINITIONS_MAX];
    int count = definitions_list(r, v->counted, named);
    jwrite_member_array(w, "otherDefinitions");
    write_ratio(w, "AllPodsReady", v->ready_ms, r->wall_ms);
    if (v->admitted_ms != RECORD_NONE)
        write_ratio(w, "RunningOverTotal", v->admitted_ms, r->wall_ms);
    write_ratio(w, "ExcludingSuspended", r->available_ms, r->wall_ms - v->suspended_ms);
    for (int i = 0; i < count; i++)
        if (named[i].is_mean)
            write_mean(w, &named[i]);
        else
            write_ratio(w, named[i].name, named[i].numerator_ms, named[i].denominator);
    jwrite_array_end(w);
}
