#include "recordings.h"

#include "base/jscan.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "harness.h"

#include <stdlib.h>

#define AT(name) "tests/data/recordings/" name ".jsonl.gz"

const struct recording recordings[RECORDING_COUNT] = {
    {.name = "story",
     .path = AT("story"),
     .namespace_ = "train",
     .jobs = {{"train-a", 61000, 26000, 4, 0}, {"train-b", 17000, 12000, 1, 0}, {"train-c", 15000, 4000, 0, 0}}},
    /* n1 renewed its lease last at 02:33:18; its pod was marked at :44. */
    {.name = "real-nodes",
     .path = AT("real-nodes"),
     .namespace_ = "train",
     .jobs = {{"train-a", 283000, 54000, 8, 0, 26000},
              {"train-b", 87000, 87000, 0, 0},
              {"train-c", 16000, 11000, 1, 0}}},
    {.name = "real-nodes-logs",
     .path = AT("real-nodes"),
     .logs = "tests/data/recordings/real-nodes.podlogs.tgz",
     .namespace_ = "train",
     .jobs = {{"train-a", 283000, -1, -1, 54000, 26000},
              {"train-b", 87000, 87000, 0, 0},
              {"train-c", 16000, -1, 1, 11000}}},
    /* 05:09:36 to 05:10:50; bound [:37, :46) [:55, 10:21) [:42, :50), not Ready from 10:21 on. */
    {.name = "suspend",
     .path = AT("suspend"),
     .namespace_ = "hand",
     .jobs = {{"by-hand", 74000, 43000, 2, 0}},
     .lacks_nodes = true},
    /* 13:20:18 to :38; the gates of the last pod go at :29. */
    {.name = "g3", .path = AT("g3"), .namespace_ = "a-gated3", .jobs = {{"g3", 20000, 9000, 0}}},
    /* The second JobSet of the name: 13:17:29 to :39, bound at :30. */
    {.name = "x-a-again", .path = AT("x-a-again"), .namespace_ = "a-again", .jobs = {{"again", 10000, 9000, 0, 0}}},
    /* 13:24:43 to 13:25:32; bound at 24:46, DisruptionTarget at 24:57, bound again at 25:18. */
    {.name = "x-b-drain", .path = AT("x-b-drain"), .namespace_ = "b-drain", .jobs = {{"drain", 49000, 25000, 1, 0}}},
    /* 13:24:42 to 13:25:17; bound at 24:43, a pod deleted at 24:54, bound again at 25:00. */
    {.name = "x-b-poddel",
     .path = AT("x-b-poddel"),
     .namespace_ = "b-poddel",
     .jobs = {{"poddel", 35000, 28000, 1, 0}}},
    /* 13:24:45 to 13:25:17; bound at 24:47, a container failed at 24:57, bound again at 25:01. */
    {.name = "x-b-rjob", .path = AT("x-b-rjob"), .namespace_ = "b-rjob", .jobs = {{"rjob", 32000, 26000, 1, 0}}},
    /* 13:34:23 to 13:35:25; bound [:25, :34) [35:00, :05) [:14, :25). The API server was away between. */
    {.name = "x-e-recreate",
     .path = AT("x-e-recreate"),
     .namespace_ = "e-recreate",
     .jobs = {{"recreate", 62000, 25000, 2, 0}}},
};

int recording_job_count(const struct recording *rec) {
    int count = 0;
    while (count < RECORDED_JOBS && rec->jobs[count].name != NULL)
        count++;
    return count;
}

struct model *recording_model(const struct recording *rec, char *const *statuses, int64_t created_ms) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true, .cluster_name = "recorded"});
    for (int i = 0; i < recording_job_count(rec); i++) {
        CLEANUP_FREE char *more = replay_left(statuses ? statuses[i] : NULL);
        replay_jobgoodput(m, rec->namespace_, rec->jobs[i].name, rec->logs ? "PodLog" : "None", more, created_ms);
    }
    return m;
}

size_t *recording_next_of_object(const struct replay *r) {
    size_t *next = mem_alloc((r->count + 1) * sizeof *next);
    struct map newest;
    map_init(&newest, NULL);
    for (size_t i = r->count; i-- > 0;) {
        const struct replay_event *e = &r->events[i];
        char key[300];
        snprintf(key, sizeof key, "%d %.*s", e->stream, (int)e->uid.size_bytes, e->uid.data);
        size_t *later = map_get(&newest, slice_of(key));
        next[i] = later ? (size_t)(later - next) : SIZE_MAX;
        map_put(&newest, slice_of(key), &next[i]);
    }
    map_done(&newest);
    return next;
}

void recording_read_logs(struct model *m, const struct recording *rec, const struct replay *logs, int64_t through_ms) {
    for (int i = 0; i < recording_job_count(rec) && rec->logs; i++) {
        struct model_job *job = model_job_find(m, rec->namespace_, rec->jobs[i].name);
        for (int k = 0; k < model_job_log_count(job); k++) {
            struct model_log log;
            model_job_log_get(job, k, &log);
            if (log.pod_exists)
                replay_log_through(job, logs, k, through_ms);
        }
    }
}

void recording_end_logs(struct model *m, const struct recording *rec, const struct replay *logs, int index) {
    struct model_job *job = model_job_find(m, rec->namespace_, rec->jobs[index].name);
    for (int k = 0; k < model_job_log_count(job); k++) {
        struct model_log log;
        model_job_log_get(job, k, &log);
        if (log.first_unread > log.restart_count)
            continue;
        if (log.pod_exists)
            replay_log_through(job, logs, k, INT64_MAX);
        model_job_log_end(job, log.pod_uid, log.restart_count, log.pod_exists ? NULL : "its pod was deleted");
    }
}

/* ---- slot changes ---- */

struct pod_times {
    int64_t bound_ms, lost_ms;
};

static int64_t stamp_ms(const char *json, const char *path) {
    int64_t ms;
    return rfc3339_parse_ms(slice_of(status_text(json, path)), &ms) ? ms : 0;
}

static void lose(struct pod_times *pod, int64_t at_ms) {
    if (at_ms > 0 && (pod->lost_ms == 0 || at_ms < pod->lost_ms))
        pod->lost_ms = at_ms;
}

/* The statuses of its containers without those of its init containers, whose end loses no slot; empty if there are
 * none. */
static struct slice container_statuses(struct slice object) {
    struct slice found = {0}, key;
    struct jscan j;
    jscan_init(&j, object);
    bool is_object = jscan_object(&j);
    while (is_object && jscan_key(&j, &key)) {
        if (!slice_is(key, "status")) {
            jscan_skip(&j);
            continue;
        }
        bool is_status = jscan_object(&j);
        while (is_status && jscan_key(&j, &key)) {
            if (slice_is(key, "containerStatuses"))
                jscan_raw(&j, &found);
            else
                jscan_skip(&j);
        }
    }
    return found;
}

static void read_pod(struct pod_times *pod, const struct replay_event *e) {
    CLEANUP_FREE char *json = mem_strndup(e->object.data, e->object.size_bytes);
    if (strcmp(status_text(json, "status.conditions[type=PodScheduled].status"), "True") == 0)
        pod->bound_ms = stamp_ms(json, "status.conditions[type=PodScheduled].lastTransitionTime");
    lose(pod, stamp_ms(json, "status.conditions[type=DisruptionTarget].lastTransitionTime"));
    int64_t deletion_ms = stamp_ms(json, "metadata.deletionTimestamp");
    int64_t grace_s = status_int(json, "metadata.deletionGracePeriodSeconds");
    lose(pod, deletion_ms > 0 ? deletion_ms - 1000 * (grace_s > 0 ? grace_s : 0) : 0);
    CLEANUP_FREE char *statuses = slice_dup(container_statuses(e->object));
    for (const char *at = statuses; (at = strstr(at, "\"finishedAt\":\"")) != NULL;) {
        struct slice stamp;
        int64_t ms;
        at += strlen("\"finishedAt\":\"");
        stamp = (struct slice){at, strcspn(at, "\"")};
        lose(pod, rfc3339_parse_ms(stamp, &ms) ? ms : 0);
    }
    if (e->what == OBSERVED_DELETED)
        lose(pod, e->at_ms);
}

static bool is_of_job(const struct replay_event *e, const char *job) {
    char label[120];
    snprintf(label, sizeof label, "\"jobset.sigs.k8s.io/jobset-name\":\"%s\"", job);
    return e->resource == RESOURCE_POD && memmem(e->object.data, e->object.size_bytes, label, strlen(label)) != NULL;
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Of a list of times, in order, the first of each group that follows another by at most a second. */
static void add_groups(int64_t *changes, size_t *count, int64_t *times, size_t n) {
    qsort(times, n, sizeof *times, compare);
    for (size_t i = 0; i < n; i++)
        if (times[i] > 0 && (i == 0 || times[i] - times[i - 1] > 1000))
            changes[(*count)++] = times[i];
}

int64_t *recording_slot_changes(const struct replay *r, const char *job, size_t *ret_count) {
    struct map pods;
    map_init(&pods, free);
    for (size_t i = 0; i < r->count; i++) {
        if (!is_of_job(&r->events[i], job))
            continue;
        struct pod_times *pod = map_get(&pods, r->events[i].uid);
        if (pod == NULL)
            map_put(&pods, r->events[i].uid, pod = mem_new(struct pod_times));
        read_pod(pod, &r->events[i]);
    }
    int64_t *changes = mem_alloc((2 * pods.count + 1) * sizeof *changes);
    CLEANUP_FREE int64_t *times = mem_alloc((pods.count + 1) * sizeof *times);
    *ret_count = 0;
    for (int is_loss = 0; is_loss < 2; is_loss++) {
        for (size_t i = 0; i < pods.count; i++) {
            const struct pod_times *pod = pods.entries[i].value;
            times[i] = is_loss ? pod->lost_ms : pod->bound_ms;
        }
        add_groups(changes, ret_count, times, pods.count);
    }
    map_done(&pods);
    return changes;
}
