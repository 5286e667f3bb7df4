/* test-soak: a day of a cluster's life, compressed: the controller, with clocks that run SPEED times as fast, sees
 * thousands of jobs come, train, break, end and be deleted (the story of tests/faults, each with its own names and
 * times), among resets of every connection and compactions. After it, resident memory is within 8 % of what it was
 * after the first 128 jobs (a round of all that happens), no descriptor is left open, no job is known and no log
 * followed; every job that ended had the same numbers; and the ledger's identities held in every status that was ever
 * written.
 *
 * SOAK_HOURS: of the cluster's time (default 0.05), SOAK_SPEED (default 20). SOAK_SHOW=1 prints the controller's log.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include "apiserver/apiserver.h"
#include "faults/extra.h"
#include "faults/numbers.h"
#include "preload/preload.h"
#include "runtime/program.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    ACTS_MAX = 16,
    BATCH = 16,
    TEXT_MAX = 1 << 20,
    STAMP_BYTES = 19,
    GROWTH_PERCENT = 8, /* of 14 MiB; the holes of the heap alone make up to 6, and 80 bytes a job 17 in a day */
    ROUND = 8,          /* batches: each sort of trouble came once */
    MIN_BATCHES = 48,
    IDLE_CONNECTIONS = 200
};
#define STORY "tests/faults/story.acts"
#define POD "tests/faults/pod.yaml"
#define OPEN "wait open watch pods\nwait open watch jobs\nwait open watch workloads\nsleep 0.2s\n"
enum { STORY_WALL_MS = 108000, STORY_AVAILABLE_MS = 66000, STORY_STEPS = 20 };
#define STORY_MS INT64_C(1767225600000) /* 2026-01-01T00:00:00Z */

struct soak {
    struct apiserver *server;
    struct program *controller;
    struct preload_clock *clock;
    char *acts[ACTS_MAX], *pod, *truth;
    size_t act_count;
    int port, done, deleted_early;
    int failed;
};

static void check(struct soak *s, bool is_fine, const char *what) {
    printf("%s %s\n", is_fine ? "ok" : "not ok", what);
    s->failed += !is_fine;
}

/* ---- the story of one job ---- */

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    CLEANUP_BUF struct buf text;
    buf_init(&text, TEXT_MAX);
    char piece[65536];
    size_t n;
    while (file != NULL && (n = fread(piece, 1, sizeof piece, file)) > 0)
        buf_append(&text, piece, n);
    if (file != NULL)
        fclose(file);
    return buf_take(&text);
}

/* Namespace and nodes are there once, before all jobs. */
static void load_story(struct soak *s) {
    CLEANUP_FREE char *story = read_text(STORY);
    for (char *at = story; s->act_count < ACTS_MAX && (at = strstr(at, "\n== ")) != NULL;) {
        at = strchr(at + 1, '\n');
        const char *end = strstr(at, "\n== ");
        s->acts[s->act_count++] = end != NULL ? mem_strndup(at, (size_t)(end - at)) : mem_strdup(at);
    }
    s->pod = read_text(POD);
}

static void append_replaced(struct buf *out, const char *text, size_t size, const char *const *pairs) {
    for (const char *end = text + size; text < end;) {
        const char *const *p = pairs;
        while (*p != NULL && strncmp(text, p[0], strlen(p[0])) != 0)
            p += 2;
        buf_append_text(out, *p != NULL ? p[1] : "");
        if (*p == NULL)
            buf_append_char(out, *text);
        text += *p != NULL ? strlen(p[0]) : 1;
    }
}

/* "apply tests/faults/pod.yaml name=a index=0 ..." with the file in its place. */
static void append_pod(struct soak *s, struct buf *out, const char *line) {
    static const char *const keys[] = {"name", "index", "node", "made", "bound", "started"};
    char values[6][64], names[6][16];
    const char *pairs[13] = {NULL};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        CLEANUP_FREE char *key = mem_format(" %s=", keys[i]);
        const char *at = strstr(line, key) + strlen(key);
        snprintf(values[i], sizeof values[i], "%.*s", (int)strcspn(at, " \n"), at);
        snprintf(names[i], sizeof names[i], "${%s}", keys[i]);
        pairs[2 * i] = names[i];
        pairs[2 * i + 1] = values[i];
    }
    buf_append_text(out, "apply <<END\n");
    append_replaced(out, s->pod, strlen(s->pod), pairs);
    buf_append_text(out, "END\n");
}

/* All stamps of 2026-01-01 moved to where the job's own life begins. */
static void append_shifted(struct buf *out, const char *text, int64_t begin_ms) {
    for (const char *at; (at = strstr(text, "2026-01-01T")) != NULL; text = at + STAMP_BYTES) {
        char stamp[RFC3339_SIZE];
        int64_t ms = STORY_MS;
        CLEANUP_FREE char *whole = mem_format("%.*sZ", STAMP_BYTES, at);
        rfc3339_parse_ms(slice_of(whole), &ms);
        rfc3339_format_s(stamp, begin_ms + ms - STORY_MS);
        buf_append(out, text, (size_t)(at - text));
        buf_append(out, stamp, STAMP_BYTES);
    }
    buf_append_text(out, text);
}

static void append_act(struct soak *s, struct buf *out, size_t act, int job, int64_t begin_ms) {
    char name[16], job_uid[16], workload_uid[24];
    snprintf(name, sizeof name, "t%06d", job);
    snprintf(job_uid, sizeof job_uid, "job-%06d", job);
    snprintf(workload_uid, sizeof workload_uid, "workload-%06d", job);
    const char *const pairs[] = {"train", name, "job-1", job_uid, "workload-1", workload_uid, NULL};
    CLEANUP_BUF struct buf whole, named;
    buf_init(&whole, TEXT_MAX);
    buf_init(&named, TEXT_MAX);
    const char *text = s->acts[act];
    if (act == 0) { /* from the JobGoodput on: namespace and nodes are there */
        buf_append_text(&whole, "apply <<END\n");
        text = strstr(text, "apiVersion: goodput.dev");
    }
    for (const char *line = text; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        CLEANUP_FREE char *one = mem_strndup(line, n);
        if (strncmp(one, "apply " POD, sizeof "apply " POD - 1) == 0)
            append_pod(s, &whole, one);
        else
            buf_format(&whole, "%s\n", one);
        line += n + (line[n] == '\n');
    }
    append_replaced(&named, buf_text(&whole), whole.size_bytes, pairs);
    append_shifted(out, buf_text(&named), begin_ms);
}

/* ---- the cluster's life ---- */

static int64_t now_ms(const struct soak *s) {
    return preload_now_us(s->clock) / 1000;
}

static void append_deletion(struct buf *out, int job) {
    buf_format(out,
               "delete jobgoodputs research/t%06d\ndelete jobs research/t%06d\ndelete workloads research/job-t%06d\n",
               job, job, job);
}

static void append_pods_deletion(struct buf *out, int job, size_t acts) {
    static const char *const pods[] = {"0-a", "1-a", "0-b", "1-b"};
    size_t made = acts > 6 ? 4 : acts > 2 ? 2 : 0;
    for (size_t i = 0; i < made; i++)
        buf_format(out, "delete pods research/t%06d-%s\n", job, pods[i]);
}

/* What may differ between two lives of the same story: names and times. */
static char *plain(const char *numbers, int job) {
    char name[16];
    snprintf(name, sizeof name, "t%06d", job);
    CLEANUP_BUF struct buf out;
    buf_init(&out, TEXT_MAX);
    for (const char *at = numbers; *at != '\0'; at++) {
        if (at[0] == '2' && at[1] == '0' && at[4] == '-' && at[7] == '-' && at[10] == 'T') {
            buf_append_text(&out, "TIME");
            at += strcspn(at, "\"") - 1;
        } else if (strncmp(at, name, 7) == 0 || strncmp(at, name + 1, 6) == 0) {
            buf_append_text(&out, "NAME");
            at += strncmp(at, name, 7) == 0 ? 6 : 5;
        } else
            buf_append_char(&out, *at);
    }
    return buf_take(&out);
}

static long number_after(const char *text, const char *words) {
    const char *at = text != NULL ? strstr(text, words) : NULL;
    return at != NULL ? strtol(at + strlen(words), NULL, 10) : -1;
}

/* A compaction cut the watch of the pods: the time of which nothing is known is in no other bucket, and the truth
 * within the bounds. */
static bool is_within_bounds(const char *is) {
    const char *bucket = strstr(is, "\"Unobserved\"");
    long unobserved = number_after(bucket, "\"milliseconds\": "),
         available = number_after(is, "\"availableMilliseconds\": ");
    return unobserved > 0 && available >= 0 && available <= STORY_AVAILABLE_MS &&
           STORY_AVAILABLE_MS <= available + unobserved &&
           number_after(is, "\"wallMilliseconds\": ") == STORY_WALL_MS &&
           number_after(is, "\"retained\": ") == STORY_STEPS && number_after(is, "\"total\": ") == 1;
}

static bool is_story(const char *is) {
    return number_after(is, "\"wallMilliseconds\": ") == STORY_WALL_MS && number_after(is, "\"repeated\": ") == 4 &&
           number_after(is, "\"availableMilliseconds\": ") == STORY_AVAILABLE_MS &&
           number_after(is, "\"retained\": ") == STORY_STEPS && strstr(is, "\"Unobserved\"") == NULL;
}

/* Waits for the job's final numbers; they are those of every other, but for time that was not watched. */
static bool judge(struct soak *s, int job) {
    CLEANUP_FREE char *ask = mem_format("get jobgoodputs research/t%06d", job);
    CLEANUP_FREE char *is = NULL;
    int64_t end_us = clock_mono().us + INT64_C(60000000);
    do {
        CLEANUP_FREE char *object = apiserver_ask(s->server, ask);
        CLEANUP_FREE char *numbers = numbers_of(object);
        free(is);
        is = numbers != NULL ? plain(numbers, job) : NULL;
        if (is != NULL && s->truth == NULL && is_story(is))
            s->truth = mem_strdup(is);
        if (is != NULL && ((s->truth != NULL && strcmp(is, s->truth) == 0) || is_within_bounds(is)))
            return true;
        usleep(20000);
    } while (clock_mono().us < end_us);
    CLEANUP_FREE char *object = apiserver_ask(s->server, ask);
    printf("job %d ended with other numbers:\n%s\nand not\n%s\n%s\n", job, is != NULL ? is : "none",
           s->truth != NULL ? s->truth : "those of the story", object != NULL ? object : "it is not there");
    return false;
}

static bool send(struct soak *s, struct buf *text) {
    bool is_sent = text->size_bytes == 0 || apiserver_do(s->server, buf_text(text)) == 0;
    buf_clear(text);
    return is_sent;
}

/* BATCH jobs from their creation to their deletion; every fourth is deleted in the midst of its life. */
static bool live(struct soak *s, int batch) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, (size_t)BATCH * TEXT_MAX);
    int64_t begin_ms = now_ms(s) / 1000 * 1000 - 600000;
    size_t lives[BATCH];
    for (int i = 0; i < BATCH; i++)
        lives[i] = i % 4 == 3 ? 1 + (size_t)(batch + i / 4) % (s->act_count - 1) : s->act_count;
    for (size_t act = 0; act < s->act_count; act++) {
        for (int i = 0; i < BATCH; i++) {
            int job = batch * BATCH + i;
            if (act < lives[i])
                append_act(s, &text, act, job, begin_ms + i * 1000);
            if (act + 1 == lives[i] && lives[i] < s->act_count) {
                append_deletion(&text, job);
                append_pods_deletion(&text, job, lives[i]);
                s->deleted_early++;
            }
        }
        if (batch % ROUND == 5 && act == 4)
            buf_append_text(&text, "all reset\n" OPEN);
        if (batch % ROUND == 7 && act == 6)
            buf_append_text(&text, "expire\nerror 410 pods\nerror 410 jobs\n" OPEN);
        if (!send(s, &text))
            return false;
    }
    for (int i = 0; i < BATCH; i++) {
        if (lives[i] < s->act_count)
            continue;
        if (!judge(s, batch * BATCH + i))
            return false;
        append_deletion(&text, batch * BATCH + i);
        append_pods_deletion(&text, batch * BATCH + i, lives[i]);
        s->done++;
    }
    return send(s, &text);
}

/* ---- what it costs ---- */

struct descriptors {
    int connections, others;
};

static struct descriptors descriptors(const struct soak *s) {
    char path[64], what[64];
    struct descriptors count = {0};
    snprintf(path, sizeof path, "/proc/%d/fd", program_pid(s->controller));
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        ssize_t n = readlinkat(dirfd(folder), entry->d_name, what, sizeof what - 1);
        bool is_socket = n > 7 && memcmp(what, "socket:", 7) == 0;
        count.connections += is_socket;
        count.others += n > 0 && !is_socket;
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* Waits until it knows of no job and does nothing. */
static bool settle(struct soak *s) {
    int64_t end_us = clock_mono().us + INT64_C(30000000);
    while (extra_metric(s->port, "goodput_controller_jobgoodputs") != 0 ||
           extra_metric(s->port, "goodput_controller_log_follows") != 0) {
        if (clock_mono().us > end_us)
            return false;
        usleep(50000);
    }
    usleep(500000);
    return true;
}

static bool begin(struct soak *s, int64_t speed) {
    const char *const flags[] = {"--crd", "crds/goodput.dev_jobgoodputs.yaml", "--bookmark-interval", "0.5", NULL};
    s->server = apiserver_start(flags);
    s->clock = preload_clock(speed);
    if (s->server == NULL || s->clock == NULL)
        return false;
    s->port = extra_free_port();
    CLEANUP_FREE char *metrics = mem_format("--metrics-bind-address=127.0.0.1:%d", s->port);
    const char *const arguments[] = {"--kubeconfig",
                                     apiserver_kubeconfig(s->server),
                                     "--health-bind-address=0",
                                     "--leader-elect=false",
                                     metrics,
                                     NULL};
    preload_begin();
    s->controller = program_start("goodput-controller", arguments);
    preload_end();
    load_story(s);
    CLEANUP_BUF struct buf text, once;
    buf_init(&text, TEXT_MAX);
    buf_init(&once, TEXT_MAX);
    const char *end = strstr(s->acts[0], "---\napiVersion: goodput.dev");
    buf_append(&once, s->acts[0], (size_t)(end - s->acts[0]));
    buf_append_text(&once, "END\nwait open watch pods\n");
    append_shifted(&text, buf_text(&once), now_ms(s) / 1000 * 1000 - 86400000);
    return s->controller != NULL && send(s, &text);
}

static void end(struct soak *s) {
    if ((getenv("SOAK_SHOW") != NULL || s->failed > 0) && s->controller != NULL)
        fprintf(stderr, "%s\n", program_output(s->controller));
    if (s->controller != NULL) {
        program_terminate(s->controller);
        check(s, program_wait(s->controller, 20000) == 0, "the controller ended well");
        program_free(s->controller);
    }
    if (s->server != NULL)
        apiserver_stop(s->server);
    preload_done(s->clock);
    for (size_t i = 0; i < s->act_count; i++)
        free(s->acts[i]);
    free(s->pod);
    free(s->truth);
}

static void judge_costs(struct soak *s, int64_t rss_kib, struct descriptors before) {
    char text[200];
    check(s, settle(s), "no job is known and no log followed when all are deleted");
    int64_t after_kib = program_rss_kib(s->controller);
    snprintf(text, sizeof text, "resident %lld KiB before, %lld KiB after (at most %lld meanwhile)", (long long)rss_kib,
             (long long)after_kib, (long long)program_peak_kib(s->controller));
#ifdef __SANITIZE_ADDRESS__
    printf("# %s: a sanitizer keeps what is freed\n", text);
#else
    check(s, after_kib * 100 <= rss_kib * (100 + GROWTH_PERCENT), text);
#endif
    /* This server speaks HTTP/1.1, a connection a log: curl keeps up to four times as many as there were transfers. */
    struct descriptors after = descriptors(s);
    snprintf(text, sizeof text, "%d descriptors before, %d after, and %d connections, %d after (%d may be idle)",
             before.others, after.others, before.connections, after.connections, IDLE_CONNECTIONS);
    check(s, after.others <= before.others && after.connections <= IDLE_CONNECTIONS, text);
    long written = apiserver_asknumber(s->server, "check-ledgers");
    snprintf(text, sizeof text, "the ledger's identities held in each of %ld statuses that were written", written);
    check(s, written > 0, text);
}

int main(void) {
    struct soak s = {0};
    const char *hours = getenv("SOAK_HOURS"), *speed = getenv("SOAK_SPEED");
    int64_t fast = speed != NULL ? strtol(speed, NULL, 10) : 60;
    double limit_h = hours != NULL ? strtod(hours, NULL) : 0.05;
    int64_t rss_kib = 0;
    int batch = 0;
    struct descriptors fds = {0};
    char text[200];
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool is_fine = begin(&s, fast);
    int64_t started_ms = is_fine ? now_ms(&s) : 0;
    if (is_fine && settle(&s))
        printf("# %lld KiB resident before the first job\n", (long long)program_rss_kib(s.controller));
    /* Its start is after the first round. Before the first job it has not yet touched 0.6 MiB of its own code, holds
     * none of the idle connections (some 35, 28 KiB each), and its heap has no holes yet (1 MiB: the most that a round
     * needs at once, less what stays); from the first batch to the eighth the holes make 3 to 6 %. */
    while (is_fine && (batch < MIN_BATCHES || (double)(now_ms(&s) - started_ms) / 3.6e6 < limit_h)) {
        is_fine = live(&s, batch++);
        program_output(s.controller); /* taken away: a full pipe would stop it */
        if (batch % 100 == 0 || getenv("SOAK_SHOW") != NULL)
            printf("# batch %d: %.1f hours, %lld KiB resident, %d connections\n", batch,
                   (double)(now_ms(&s) - started_ms) / 3.6e6, (long long)program_rss_kib(s.controller),
                   descriptors(&s).connections);
        if (is_fine && batch == 1)
            printf("# %lld KiB resident after the first %d jobs\n", (long long)program_rss_kib(s.controller), BATCH);
        if (is_fine && batch == ROUND) {
            is_fine = settle(&s);
            rss_kib = program_rss_kib(s.controller);
            fds = descriptors(&s);
        }
    }
    snprintf(text, sizeof text,
             "%.1f hours of %d jobs, %d of them deleted in the midst; all that ended had the same numbers",
             (double)(now_ms(&s) - started_ms) / 3.6e6, s.done + s.deleted_early, s.deleted_early);
    check(&s, is_fine, text);
    if (is_fine)
        judge_costs(&s, rss_kib, fds);
    end(&s);
    printf("%d passed, %d failed\n", 6 - s.failed, s.failed);
    return s.failed != 0;
}
