#include "operator/model/archive.h"

#include "base/hash.h"
#include "base/mem.h"
#include "ledger/settled_report.h"
#include "operator/status/records.h"
#include "operator/store/target.h"

#include <stdlib.h>

static struct records_owner owner_of(const struct model_job *job) {
    return (struct records_owner){job->jobs->settings.owner_policy, target_queue(job->target), &job->root_causes};
}

static void write_head(const struct model_job *job, int64_t start_ms, int64_t complete_ms, struct buf *out) {
    const struct records_job named = {job->jobs->settings.cluster_name, job->namespace_, job->name, job->uid,
                                      job->labels};
    records_write_head(&named, job->target->uid, start_ms, complete_ms, out);
}

static void write_before(void *context, const struct ledger_settled_part *before) {
    struct model_job *job = context;
    const struct records_owner owner = owner_of(job);
    write_head(job, before->from_ms, before->to_ms, &job->archive.before);
    records_write_before(before, &owner, &job->archive.before);
    job->archive.start_ms = job->archive.settled_ms = before->to_ms;
    if (job->archive.stored_ms == 0) /* there are no spans of the time before */
        job->archive.stored_ms = before->to_ms;
}

static void write_part(void *context, const struct ledger_settled_part *part) {
    struct model_job *job = context;
    const struct records_owner owner = owner_of(job);
    records_write_part(part, &owner, &job->archive.parts);
    job->archive.settled_ms = part->to_ms;
}

static void start(struct model_job *job) {
    struct job_archive *a = &job->archive;
    job_archive_done(a);
    buf_init(&a->before, RECORDS_MAX_BYTES);
    buf_init(&a->parts, RECORDS_MAX_BYTES);
    buf_init(&a->end, RECORDS_MAX_BYTES);
    ledger_report_settled(job->ledger, &(struct ledger_sink){job, write_before});
    a->is_started = true;
}

void job_archive_listen(struct model_job *job) {
    struct job_archive *a = &job->archive;
    if (!job->jobs->settings.archives)
        return;
    uint64_t target = hash_local(0, slice_of(job->target->uid));
    bool is_same = a->target_hash == target;
    if (!is_same && a->target_hash != 0)
        a->stored_ms = 0;
    if (!a->is_started || !is_same || a->settled_ms != ledger_settled_ms(job->ledger)) {
        a->is_restart = is_same && (a->is_restart || a->is_started);
        a->target_hash = target;
        start(job);
    }
    ledger_set_sink(job->ledger, &(struct ledger_sink){job, write_part});
}

void job_archive_end(struct model_job *job, const struct view *v, const struct ledger_entries *entries,
                     struct slice status) {
    struct job_archive *a = &job->archive;
    const struct records_job named = {job->jobs->settings.cluster_name, job->namespace_, job->name, job->uid,
                                      job->labels};
    if (!a->is_started)
        return;
    buf_clear(&a->end);
    a->end_ms = v->through_ms;
    if (entries->keeps_changes)
        records_write_end(v, entries, &a->end);
    else
        records_write(v, entries, &named, &a->end);
    a->is_restart |= !entries->keeps_changes;
    records_write_status(status, &a->end);
}

/* ---- what waits ---- */

static bool take_parts(struct model_job *job, struct archive_piece *piece) {
    struct job_archive *a = &job->archive;
    if (a->parts.size_bytes == 0)
        return false;
    *piece = (struct archive_piece){.before = a->before.size_bytes > 0 ? buf_take(&a->before) : NULL,
                                    .lines = buf_take(&a->parts),
                                    .target_uid = job->target->uid,
                                    .from_ms = a->start_ms,
                                    .to_ms = a->settled_ms,
                                    .stored_ms = a->stored_ms,
                                    .is_restart = a->is_restart};
    a->start_ms = a->settled_ms;
    a->is_restart = false;
    return true;
}

/* With what precedes it: another final status may replace one that was archived. */
static bool take_end(struct model_job *job, struct archive_piece *piece) {
    struct job_archive *a = &job->archive;
    if (a->end.size_bytes == 0)
        return false;
    bool is_whole = a->is_restart && slice_starts(buf_slice(&a->end), "{\"record\":\"job\"");
    buf_clear(&a->before);
    if (!is_whole)
        ledger_report_settled(job->ledger, &(struct ledger_sink){job, write_before});
    *piece = (struct archive_piece){.before = buf_take(&a->before),
                                    .lines = buf_take(&a->end),
                                    .target_uid = job->target->uid,
                                    .from_ms = a->settled_ms,
                                    .to_ms = a->end_ms,
                                    .stored_ms = a->stored_ms,
                                    .is_final = true,
                                    .is_restart = a->is_restart};
    a->is_restart = false;
    return true;
}

bool model_job_archive_next(struct model_job *job, struct archive_piece *piece) {
    struct job_archive *a = &job->archive;
    if (!a->is_started || job->target == NULL)
        return false;
    if (a->parts.truncated) { /* more than anybody could take at once */
        a->is_restart = true;
        start(job);
    }
    return take_parts(job, piece) || take_end(job, piece);
}

void archive_piece_done(struct archive_piece *piece) {
    free(piece->before);
    free(piece->lines);
    *piece = (struct archive_piece){0};
}

void model_job_archive_stored(struct model_job *job, int64_t until_ms) {
    job->archive.stored_ms = until_ms;
}

void model_job_archive_restart(struct model_job *job) {
    job->archive.is_restart |= job->archive.is_started;
    job->archive.is_started = false;
}
