#include "operator/runtime/sources.h"

#include "base/mem.h"
#include "recorder/store.h"
#include "sources/cloud_logging.h"
#include "sources/cloud_logging_allow.h"
#include "sources/file.h"

#define FILE_THREADS 4 /* a volume that hangs holds one of them for each of its files */
/* How long a line waits, so that the API server's events of its pod come first. */
#define SETTLE_MS INT64_C(2000)
/* A line from further in the future than this is of a clock that is wrong: waiting would not help. */
#define FUTURE_MS INT64_C(10000)
/* A file that was last written before the target was created, by the clock of the volume, is of an earlier one. */
#define CLOCKS_DIFFER_MS INT64_C(60000)

struct runtime_sources {
    struct loop *loop;
    struct runtime_sources_options options;
    struct work_pool *pool; /* each made when it is needed first */
    struct http_client *http;
    struct gcp_tokens *tokens;
    struct cloud_logging *cloud_logging;
    loop_callback *on_change;
    void *context;
};

struct runtime_feed {
    struct runtime_sources *owner;
    struct model_job *job;
    struct log_share *share; /* of its namespace */
    struct log_share own_share;
    struct source *source; /* NULL: it cannot be opened, which was logged */
    uint64_t generation;   /* of the job's log */
};

struct runtime_sources *runtime_sources_new(struct loop *loop, const struct runtime_sources_options *options,
                                            loop_callback *on_change, void *context) {
    struct runtime_sources *s = mem_new(struct runtime_sources);
    s->loop = loop;
    s->options = *options;
    s->on_change = on_change;
    s->context = context;
    return s;
}

void runtime_sources_free(struct runtime_sources *sources) {
    work_pool_free(sources->pool);
    cloud_logging_free(sources->cloud_logging);
    gcp_tokens_free(sources->tokens);
    if (sources->http != NULL)
        http_client_free(sources->http);
    free(sources);
}

/* ---- what a source reports ---- */

static bool on_line(void *context, int64_t stamp_ms, struct slice line) {
    struct runtime_feed *feed = context;
    const struct loop *loop = feed->owner->loop;
    int64_t work = model_job_log_work(feed->job), ahead_ms = stamp_ms - wall_ms(loop_wall(feed->owner->loop));
    if (ahead_ms > -SETTLE_MS && ahead_ms < FUTURE_MS)
        return false;
    if (log_share_is_used(feed->share, &feed->own_share, loop))
        return false;
    bool is_taken = model_job_source_line(feed->job, stamp_ms, line);
    log_share_charge(feed->share, &feed->own_share, loop, model_job_log_work(feed->job) - work);
    if (is_taken)
        feed->owner->on_change(feed->owner->context);
    return is_taken;
}

static void on_cursor(void *context, struct slice cursor) {
    struct runtime_feed *feed = context;
    model_job_source_cursor(feed->job, cursor);
}

static void on_read(void *context, int64_t through_ms) {
    struct runtime_feed *feed = context;
    model_job_source_read(feed->job, through_ms);
    feed->owner->on_change(feed->owner->context);
}

static void on_trouble(void *context, const char *text) {
    struct runtime_feed *feed = context;
    model_job_source_trouble(feed->job, text);
    feed->owner->on_change(feed->owner->context);
}

static bool is_over(void *context, int64_t written_ms) {
    struct runtime_feed *feed = context;
    return model_job_source_is_over(feed->job, written_ms, wall_ms(loop_wall(feed->owner->loop)));
}

/* ---- opening ---- */

static struct source *open_file(struct runtime_feed *feed, const struct model_source *from) {
    struct runtime_sources *s = feed->owner;
    const struct source_handler handler = {on_line, on_cursor, on_read, on_trouble, feed, is_over};
    const char *bad = source_file_path_error(from->path);
    if (s->options.log_root == NULL) {
        model_job_source_trouble(feed->job, "files are not read: the controller runs without --log-root");
        return NULL;
    }
    if (bad != NULL) {
        CLEANUP_FREE char *text = mem_format("spec.stepLog.file.path %s", bad);
        model_job_source_trouble(feed->job, text);
        return NULL;
    }
    if (s->pool == NULL)
        s->pool = work_pool_new(s->loop, FILE_THREADS);
    struct source_file_options options = {.root = s->options.log_root,
                                          .folder = model_job_namespace(feed->job),
                                          .path = from->path,
                                          .cursor = from->cursor,
                                          .since_ms = from->created_ms - CLOCKS_DIFFER_MS};
    return source_file_new(s->loop, s->pool, &options, &handler);
}

/* What the endpoint stored (recorder/endpoint.h) is a folder of files. */
static struct source *open_push(struct runtime_feed *feed, const struct model_source *from) {
    struct runtime_sources *s = feed->owner;
    const struct source_handler handler = {on_line, on_cursor, on_read, on_trouble, feed, is_over};
    char folder[STORE_NAME_SIZE];
    if (s->options.ingest_store == NULL) {
        model_job_source_trouble(feed->job, "nothing can be pushed: the controller runs without --ingest-store");
        return NULL;
    }
    if (!store_folder(folder, slice_of(from->job_name))) {
        model_job_source_trouble(feed->job, "spec.stepLog.push.jobName is too long");
        return NULL;
    }
    CLEANUP_FREE char *absent = mem_format("nothing was sent to the controller yet for job \"%s\" of namespace %s",
                                           from->job_name, model_job_namespace(feed->job));
    if (s->pool == NULL)
        s->pool = work_pool_new(s->loop, FILE_THREADS);
    struct source_file_options options = {.root = s->options.ingest_store,
                                          .folder = model_job_namespace(feed->job),
                                          .path = folder,
                                          .absent = absent,
                                          .cursor = from->cursor,
                                          .since_ms = from->created_ms - CLOCKS_DIFFER_MS};
    return source_file_new(s->loop, s->pool, &options, &handler);
}

static struct source *open_cloud_logging(struct runtime_feed *feed, const struct model_source *from) {
    struct runtime_sources *s = feed->owner;
    const struct source_handler handler = {on_line, on_cursor, on_read, on_trouble, feed, is_over};
    CLEANUP_ERROR struct error *err = NULL;
    const char *namespace_ = model_job_namespace(feed->job);
    if (!cloud_logging_allows(s->options.cloud_logging_allow, namespace_, from->project, from->logger)) {
        CLEANUP_FREE char *text = mem_format(
            "namespace %s may not read logger %s of project %s: ask who installed the controller for a rule in "
            "cloudLogging.allow (--cloud-logging-allow)",
            namespace_, from->logger, from->project);
        model_job_source_trouble(feed->job, text);
        return NULL;
    }
    if (s->cloud_logging == NULL) {
        s->http = http_client_new(s->loop);
        s->tokens = gcp_tokens_new(s->loop, s->http, s->options.google_credentials);
        s->cloud_logging = cloud_logging_new(s->loop, s->http, s->tokens, s->options.cloud_logging_endpoint);
    }
    struct source_cloud_logging_options options = {.project = from->project,
                                                   .logger = from->logger,
                                                   .job_name = from->job_name,
                                                   .cursor = from->cursor,
                                                   .since_ms = from->created_ms};
    struct source *source = source_cloud_logging_new(s->cloud_logging, &options, &handler, &err);
    if (source == NULL)
        model_job_source_trouble(feed->job, error_text(err));
    return source;
}

void runtime_sources_observe(struct runtime_sources *sources, struct model_job *job, struct log_share *share,
                             struct runtime_feed **feed) {
    struct model_source from;
    if (*feed != NULL && (*feed)->generation != model_job_log_generation(job))
        runtime_sources_drop(feed);
    if (*feed != NULL || !model_job_source(job, &from))
        return;
    *feed = mem_new(struct runtime_feed);
    (*feed)->owner = sources;
    (*feed)->job = job;
    (*feed)->share = share;
    (*feed)->generation = model_job_log_generation(job);
    if (from.kind == MODEL_SOURCE_FILE)
        (*feed)->source = open_file(*feed, &from);
    else if (from.kind == MODEL_SOURCE_PUSH)
        (*feed)->source = open_push(*feed, &from);
    else if (from.kind == MODEL_SOURCE_CLOUD_LOGGING)
        (*feed)->source = open_cloud_logging(*feed, &from);
}

void runtime_sources_drop(struct runtime_feed **feed) {
    if (*feed == NULL)
        return;
    source_free((*feed)->source);
    free(*feed);
    *feed = NULL;
}
