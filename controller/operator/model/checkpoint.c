#include "operator/model/checkpoint.h"
#include "ledger/checkpoint.h"

#include "base/base64.h"
#include "base/mem.h"
#include "operator/job/followed_words.h"
#include "operator/job/logs.h"
#include "operator/job/target.h"
#include "operator/model/checkpoint_store.h"
#include "operator/model/checkpoint_words.h"
#include "operator/model/forget.h"
#include "operator/model/settle.h"
#include "operator/store/forget.h"
#include "operator/store/observe_target.h"
#include "steplog/steplog_state.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

#define VERSION 41 /* the only one that is read: nothing was released before */
#define HEAD_BYTES 9
#define CURSOR_BYTES 4096           /* of a source: SOURCE_CURSOR_BYTES */
#define MAX_BYTES ((size_t)8 << 20) /* unpacked */
#define MANY_PODS 4000              /* more would not fit, by their UIDs alone */

/* ---- the job ---- */

static void visit_text(struct visitor *v, char **text, size_t size_bytes) {
    char value[JOB_TROUBLE_BYTES] = "";
    assert(size_bytes <= sizeof value);
    if (*text != NULL)
        slice_copy(value, size_bytes, slice_of(*text));
    codec_chars(v->codec, value, size_bytes);
    if (codec_is_reading(v->codec))
        job_set_text(text, size_bytes, value);
}

static void visit_interruption_notices(struct visitor *v, struct model_job *job) {
    struct job_interruption_notice items[JOB_MAX_INTERRUPTION_NOTICES] = {{0}};
    bool is_any = false;
    if (job->notices.interruptions != NULL)
        memcpy(items, job->notices.interruptions, sizeof items);
    for (int i = 0; i < JOB_MAX_INTERRUPTION_NOTICES; i++) {
        CODEC_INT(v->codec, &items[i].number, 0, INT32_MAX);
        codec_u64(v->codec, &items[i].hash);
        is_any |= items[i].number > 0;
    }
    if (codec_is_reading(v->codec) && is_any)
        memcpy(job_interruption_notices(job), items, sizeof items);
}

static void visit_published(struct visitor *v, struct model_job *job) {
    codec_time(v->codec, &job->observation.through_ms);
    codec_i64(v->codec, &job->publication.step_count);
    codec_bool(v->codec, &job->notices.has_first_step);
    visit_interruption_notices(v, job);
    for (int i = 0; i < JOB_CONDITIONS; i++) {
        codec_chars(v->codec, job->publication.conditions[i].status, sizeof job->publication.conditions[i].status);
        codec_time(v->codec, &job->publication.conditions[i].at_ms);
    }
    visit_text(v, &job->observation.trouble, JOB_TROUBLE_BYTES);
}

/* ---- the log ---- */

/* Separates the trainer's runs in one container. */
static void visit_runs(struct visitor *v, struct log_process *p) {
    CODEC_INT(v->codec, &p->run, 0, INT32_MAX);
    codec_time(v->codec, &p->run_from_ms);
    codec_i64(v->codec, &p->last_step);
    codec_bool(v->codec, &p->trainer.has_steps);
    codec_bool(v->codec, &p->trainer.is_elastic);
    codec_time(v->codec, &p->trainer.last_ms);
    CODEC_INT(v->codec, &p->earlier, 0, JOB_MAX_EARLIER_RUNS);
    v->codec->failed |= p->earlier > p->run;
    if (codec_is_reading(v->codec) && p->earlier > 0)
        p->runs = mem_alloc((size_t)(p->runs_capacity = p->earlier) * sizeof *p->runs);
    for (int i = 0; i < p->earlier; i++) {
        struct log_run *x = &p->runs[i];
        codec_time(v->codec, &x->from_ms);
        codec_time(v->codec, &x->ended_ms);
        codec_i64(v->codec, &x->last_step);
        codec_i64(v->codec, &x->line);
    }
}

static void visit_process(struct visitor *v, struct log_process *p) {
    bool has_parser = p->parser != NULL;
    codec_bool(v->codec, &p->has_ended);
    visit_text(v, &p->lost, JOB_LOST_BYTES);
    codec_time(v->codec, &p->first_line_ms);
    codec_time(v->codec, &p->last_line_ms);
    codec_time(v->codec, &p->last_stamp_ns);
    visit_runs(v, p);
    followed_words_visit(p, v->codec);
    codec_bool(v->codec, &has_parser);
    if (has_parser && p->parser == NULL)
        v->codec->failed = true;
    else if (has_parser)
        steplog_visit(p->parser, v->codec);
}

static void write_processes(struct visitor *v, struct model_job *job) {
    codec_count(v->codec, (size_t)job->log.process_count, INT32_MAX);
    for (int i = 0; i < job->log.process_count; i++) {
        struct log_process *p = job->log.processes[i];
        char uid[80] = "";
        slice_copy(uid, sizeof uid, slice_of(p->pod ? pod_uid(p->pod) : NULL));
        codec_chars(v->codec, uid, sizeof uid);
        CODEC_INT(v->codec, &p->restart_count, 0, INT32_MAX);
        visit_process(v, p);
    }
}

static void read_processes(struct visitor *v, struct model_job *job) {
    size_t count = codec_count(v->codec, 0, 10000);
    for (size_t i = 0; i < count && !v->codec->failed; i++) {
        char uid[80] = "";
        int restart_count = 0;
        codec_chars(v->codec, uid, sizeof uid);
        CODEC_INT(v->codec, &restart_count, 0, INT32_MAX);
        struct pod *pod = map_get(&v->store->pods, slice_of(uid));
        bool has_no_pod = uid[0] == '\0' && job_has_source(job);
        if (!has_no_pod && (pod == NULL || pod->target != job->target)) {
            v->codec->failed = true;
            return;
        }
        visit_process(v, job_log_process(job, pod, restart_count));
    }
    job_add_processes(job); /* those of a later run have another place in the ledger */
}

/* Where a source other than a pod's log resumes: just behind what the ledger has of it. */
static void visit_source(struct visitor *v, struct model_job *job) {
    if (!job_has_source(job))
        return;
    codec_text(v->codec, &job->log.cursor, CURSOR_BYTES);
    codec_i64(v->codec, &job->log.early_lines);
}

/* What a successor finds missing where the volume was lost with the pod. */
static void visit_archive(struct visitor *v, struct model_job *job) {
    int64_t stored_ms = job->jobs->settings.archives ? job->archive.stored_ms : 0;
    codec_time(v->codec, &stored_ms);
    job->archive.stored_ms = stored_ms;
}

static void write_ledger(struct visitor *v, struct model_job *job) {
    CLEANUP_BUF struct buf bytes;
    buf_init(&bytes, MAX_BYTES);
    v->codec->failed |= ledger_save(job->ledger, LEDGER_SAVE_WITHOUT_OBJECTS, &bytes) < 0;
    codec_count(v->codec, bytes.size_bytes, MAX_BYTES);
    v->codec->failed |= buf_append_slice(v->codec->out, buf_slice(&bytes)) < 0;
}

/* Before the processes: they find their places in it. */
static int read_ledger(struct visitor *v, struct model_job *job, struct error **err) {
    struct slice *in = &v->codec->in;
    size_t size = codec_count(v->codec, 0, MAX_BYTES);
    struct ledger *l = ledger_load((struct slice){in->data, size}, &job->spec.options, err);
    if (l == NULL)
        return -EBADMSG;
    *in = slice_skip(*in, size);
    ledger_free(job->ledger);
    job->ledger = l;
    return 0;
}

/* ---- the whole, unpacked ---- */

struct head {
    int64_t written_ms;
    uint64_t log_hash; /* of the spec */
    enum target_kind kind;
    enum checkpoint_extent extent;
    char uid[80], namespace_[254], name[254];
};

static void visit_head(struct codec *c, struct head *h) {
    codec_time(c, &h->written_ms);
    codec_u64(c, &h->log_hash);
    CODEC_INT(c, &h->kind, TARGET_JOBSET, TARGET_KIND_COUNT - 1);
    CODEC_INT(c, &h->extent, EXTENT_ALL, EXTENT_BARE);
    codec_chars(c, h->uid, sizeof h->uid);
    codec_chars(c, h->namespace_, sizeof h->namespace_);
    codec_chars(c, h->name, sizeof h->name);
}

static void write_numbers(struct visitor *v, struct target *numbers) {
    struct target *t = v->job->target;
    v->numbers = numbers;
    if (v->extent == EXTENT_ALL)
        *numbers = (struct target){.past.items = t->past.items, .past.count = t->past.count};
    else if (v->extent < EXTENT_BARE)
        job_settle_pods(v->job, v->written_ms, numbers);
}

static bool write_raw(struct model_job *job, int64_t written_ms, enum checkpoint_extent extent, struct buf *raw) {
    struct target *t = job->target, numbers = {0};
    struct codec codec = codec_writing(raw);
    struct visitor v = {&codec, job->store, job, extent, written_ms, NULL};
    write_numbers(&v, &numbers);
    struct head h = {.written_ms = written_ms, .log_hash = job->spec.log_hash, .kind = t->kind, .extent = extent};
    slice_copy(h.uid, sizeof h.uid, slice_of(t->uid));
    slice_copy(h.namespace_, sizeof h.namespace_, slice_of(t->namespace_));
    slice_copy(h.name, sizeof h.name, slice_of(t->name));
    visit_head(&codec, &h);
    visit_target(&v, t);
    visit_incidents(&v, t, job->jobs);
    visit_published(&v, job);
    visit_archive(&v, job);
    write_ledger(&v, job);
    write_processes(&v, job);
    save_errors_visit(&job->log.save_errors, &codec);
    visit_source(&v, job);
    if (extent != EXTENT_ALL)
        job_settled_done(&numbers);
    return !codec.failed;
}

static int damaged(struct error **err) {
    return error_set(err, EBADMSG, "it is damaged");
}

static int read_job(struct visitor *v, struct model_job *job, bool is_same_log, struct error **err) {
    visit_published(v, job);
    visit_archive(v, job);
    if (!is_same_log) /* it is read from its start */
        return v->codec->failed ? damaged(err) : 0;
    if (read_ledger(v, job, err) < 0)
        return -EBADMSG;
    read_processes(v, job);
    save_errors_visit(&job->log.save_errors, v->codec);
    visit_source(v, job);
    return codec_is_done(v->codec) ? 0 : damaged(err);
}

static int read_raw(struct model_job *job, struct slice raw, struct error **err) {
    struct store *store = job->store;
    struct codec codec = codec_reading(raw);
    struct visitor v = {.codec = &codec, .store = store};
    struct head h = {0};
    visit_head(&codec, &h);
    v.written_ms = h.written_ms;
    v.extent = h.extent;
    if (codec.failed || h.uid[0] == '\0' || strcmp(h.namespace_, job->namespace_) != 0)
        return damaged(err);
    if (store_find_target(store, h.kind, slice_of(h.namespace_), slice_of(h.uid)) != NULL)
        return error_set(err, EEXIST, "its target was seen before it");
    struct target *t = store_target(store, h.kind, slice_of(h.uid), slice_of(h.namespace_), slice_of(h.name));
    visit_target(&v, t);
    visit_incidents(&v, t, job->jobs);
    int r = codec.failed || !t->is_seen ? damaged(err) : 0;
    if (r == 0) {
        t->is_restored = true;
        store_target_named(store, t);
        jobs_take_touched(job->jobs);
        if (job->target == t) /* else another JobGoodput measures it, or another target has the name */
            r = read_job(&v, job, h.log_hash == job->spec.log_hash, err);
    }
    if (r == 0 && h.extent >= EXTENT_NUMBERS)
        job_set_text(&job->observation.trouble, JOB_TROUBLE_BYTES,
                     h.extent == EXTENT_NUMBERS
                         ? "the job's history did not fit into status.checkpoint: of pods from before another "
                           "controller took over only sums are known"
                         : "the job's history did not fit into status.checkpoint: what its pods do not prove of the "
                           "time before another controller took over is Unobserved");
    if (r < 0) {
        if (job->target == t) { /* what was filled in goes */
            job_set_target(job, NULL);
            for (int i = 0; i < JOB_CONDITIONS; i++)
                job->publication.conditions[i] = (__typeof__(job->publication.conditions[i])){.at_ms = TIME_UNKNOWN};
        }
        store_forget(store, t);
    }
    return r;
}

/* ---- packing ---- */

static void put_u32(char *at, uint32_t v) {
    for (int i = 0; i < 4; i++)
        at[i] = (char)(v >> (8 * i) & 0xff);
}

static uint32_t get_u32(const char *at) {
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)(unsigned char)at[i] << (8 * i);
    return v;
}

char *checkpoint_pack(struct slice raw) {
    uLong bound = compressBound((uLong)raw.size_bytes);
    CLEANUP_FREE char *packed = mem_alloc(HEAD_BYTES + bound);
    packed[0] = VERSION;
    put_u32(packed + 1, (uint32_t)crc32(0, (const Bytef *)raw.data, (uInt)raw.size_bytes));
    put_u32(packed + 5, (uint32_t)raw.size_bytes);
    if (compress2((Bytef *)packed + HEAD_BYTES, &bound, (const Bytef *)raw.data, (uLong)raw.size_bytes, 6) != Z_OK)
        return NULL;
    size_t size = HEAD_BYTES + bound;
    return (size + 2) / 3 * 4 > CHECKPOINT_MAX_BYTES ? NULL : base64_encode((struct slice){packed, size});
}

/* False where too many pods would stay. */
static bool leave_out_pods(struct model_job *job, int64_t written_ms, enum checkpoint_extent extent) {
    if (extent == EXTENT_ALL && job->target->pods.count > MANY_PODS)
        return false;
    return job_leave_out_pods(job,
                              extent == EXTENT_ALL        ? SETTLE_NONE
                              : extent <= EXTENT_FEW_JOBS ? SETTLE_ORDINARY
                                                          : SETTLE_ALL,
                              written_ms) <= MANY_PODS;
}

static bool write_fitting(struct model_job *job, int64_t written_ms, enum checkpoint_extent last, struct buf *out) {
    CLEANUP_BUF struct buf raw;
    buf_init(&raw, MAX_BYTES);
    for (enum checkpoint_extent extent = EXTENT_ALL; extent <= last; extent++) {
        if (!leave_out_pods(job, written_ms, extent))
            continue;
        buf_clear(&raw);
        raw.truncated = false;
        CLEANUP_FREE char *text = write_raw(job, written_ms, extent, &raw) ? checkpoint_pack(buf_slice(&raw)) : NULL;
        if (text == NULL)
            continue;
        buf_append_text(out, text);
        return true;
    }
    return false;
}

void checkpoint_write(struct model_job *job, int64_t written_ms, struct buf *out) {
    if (job->target == NULL || !job->target->is_seen || job->ledger == NULL)
        return;
    if (write_fitting(job, written_ms, EXTENT_FEW_JOBS, out))
        return;
    if (job_forget_all_pods(job) && write_fitting(job, written_ms, EXTENT_FEW_JOBS, out))
        return;
    if (write_fitting(job, written_ms, EXTENT_BARE, out))
        return;
    ledger_compact(job->ledger, LEDGER_SAVE_BYTES * 5 / 8); /* it has its bound, but did not pack well */
    write_fitting(job, written_ms, EXTENT_BARE, out);
}

int checkpoint_read(struct model_job *job, struct slice text, struct error **err) {
    size_t size = 0;
    CLEANUP_FREE char *packed = text.size_bytes <= CHECKPOINT_MAX_BYTES ? base64_decode(text, &size) : NULL;
    if (packed == NULL || size < HEAD_BYTES)
        return damaged(err);
    if (packed[0] != VERSION)
        return error_set(err, EPROTO, "it is of version %d, and this controller reads version %d", packed[0], VERSION);
    uLong raw_size = get_u32(packed + 5);
    if (raw_size > MAX_BYTES)
        return damaged(err);
    CLEANUP_FREE char *raw = mem_alloc(raw_size + 1);
    uLong got = raw_size;
    if (uncompress((Bytef *)raw, &got, (const Bytef *)packed + HEAD_BYTES, (uLong)(size - HEAD_BYTES)) != Z_OK ||
        got != raw_size || crc32(0, (const Bytef *)raw, (uInt)raw_size) != get_u32(packed + 1))
        return damaged(err);
    return read_raw(job, (struct slice){raw, raw_size}, err);
}
