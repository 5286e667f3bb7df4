/* The archives of jobs so long that most of their time settles, whose trainers go back, also behind what is settled,
 * and whose controllers are killed. tests/recompute computes the statuses from those that RECORDS_DIR keeps. */
#include "archive_keep.h"
#include "fake.h"
#include "folder.h"
#include "harness.h"
#include "operator/model/archive.h"
#include "operator/model/evaluate.h"
#include "random.h"
#include "recordings.h"

#include "base/buf.h"
#include "base/mem.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_S 10
#define LOOK_STEPS 97

struct line {
    double at;
    char *text;
};

struct life {
    struct model *model;
    const char *root;
    char cluster[32];
    uint64_t rng;
    struct fake_pod pod;
    struct line *lines;
    size_t count, capacity;
    size_t written; /* lines that the written status has */
    char *status;   /* written last; NULL */
    double at;
    int step, kills;
};

static void give(struct life *l, size_t from) {
    for (size_t i = from; i < l->count; i++)
        fake_log_line(l->model, "try1", l->lines[i].at, l->lines[i].text);
}

static void add(struct life *l, const char *field, double at) {
    MEM_GROW(l->lines, l->count, l->capacity);
    l->lines[l->count++] =
        (struct line){at, mem_format("{\"job_name\": \"js\", %s\": %.3f}", field, (double)fake_ms(at) / 1000)};
    give(l, l->count - 1);
}

static struct model_job *job_of(const struct life *l) {
    return model_job_find(l->model, "ns", "js");
}

static void begin(struct life *l) {
    CLEANUP_FREE char *left = replay_left(l->status);
    l->model =
        model_new(&(struct model_options){.keeps_checkpoints = true, .archives = true, .cluster_name = l->cluster});
    l->pod = fake_observe_trainer(l->model, "\"goodput.dev/price-per-chip-hour\":\"1.20\"", left);
}

/* Another controller, which has the written status and reads the log from where that was. */
static void kill_it(struct life *l) {
    model_free(l->model);
    begin(l);
    give(l, l->written);
    l->kills++;
}

/* A controller may be killed before its spans are on the volume, after that, or after the status was written. */
static void look(struct life *l, bool may_die) {
    enum { BEFORE, STAGED, WRITTEN };
    int64_t fate = may_die && random_below(&l->rng, 12) == 0 ? random_below(&l->rng, 3) : -1;
    replay_watermarks(l->model, fake_ms(l->at));
    char *status = replay_status(l->model, "ns", "js", fake_ms(l->at), NULL);
    if (fate != BEFORE)
        REQUIRE(archive_keep(job_of(l), l->root, l->cluster) >= 0);
    if (fate == BEFORE || fate == STAGED) {
        free(status);
        kill_it(l);
        return;
    }
    free(l->status);
    l->status = status;
    l->written = l->count;
    if (may_die && random_below(&l->rng, 5) == 0)
        REQUIRE(archive_keep_complete(job_of(l), l->root, l->cluster) >= 0);
    if (fate == WRITTEN)
        kill_it(l);
}

static void train(struct life *l, int64_t steps) {
    for (int64_t i = 0; i < steps; i++, l->at += STEP_S) {
        CLEANUP_FREE char *field = mem_format("\"step_count\": %d, \"step_start_time", l->step++);
        add(l, field, l->at);
        if (i % LOOK_STEPS == 0)
            look(l, true);
    }
}

static void restart(struct life *l, int64_t back) {
    l->at += 7;
    add(l, "\"job_start_time", l->at);
    add(l, "\"tpu_init_start_time", l->at + 1);
    add(l, "\"tpu_init_end_time", l->at + 4);
    l->at += 30;
    l->step -= (int)(back < l->step ? back : l->step);
}

static void end(struct life *l) {
    CLEANUP_FREE char *ended =
        mem_format("\"conditions\":[%s]", fake_condition("Completed", "True", "AllJobsCompleted", (int)l->at + 2));
    l->pod.phase = "Succeeded";
    l->pod.finished = (int)l->at;
    fake_observe_pod(l->model, &l->pod, OBSERVED_PRESENT, l->at + 1);
    fake_observe_jobset(l->model, 1, "", ended, l->at + 3);
    model_job_log_end(job_of(l), "uid-try1", 0, NULL);
    for (int i = 0; i < 3; i++) { /* a status that is final may be written more than once */
        l->at += 70;
        look(l, false);
    }
    CHECK(model_job_is_final(job_of(l)));
    CHECK_TEXT(status_text(l->status, "phase"), "Completed");
    REQUIRE(archive_keep_complete(job_of(l), l->root, l->cluster) >= 0);
}

/* ---- what is in the archive ---- */

struct found {
    int64_t ms, at_ms;
    size_t objects, parts, spans, starts, ends;
};

static void check_part(struct found *f, const struct archive_part *part, struct slice text) {
    struct slice line;
    if (f->parts++ > 0 && part->from_ms != f->at_ms)
        harness_fail(__FILE__, __LINE__, "part %zu leaves a gap of %" PRId64 " ms", f->parts, part->from_ms - f->at_ms);
    f->at_ms = part->to_ms;
    f->ends += part->is_final;
    while (slice_take_line(&text, &line)) {
        CLEANUP_FREE char *copy = mem_format("%.*s", SLICE_ARG(line));
        bool is_span = slice_starts(line, "{\"record\":\"span\"");
        f->spans += is_span;
        f->starts += slice_starts(line, "{\"record\":\"job\"");
        if ((is_span || slice_starts(line, "{\"record\":\"settled\"")) && strstr(copy, "\"milliseconds\":") != NULL)
            f->ms += status_int(copy, "milliseconds");
    }
}

static void read_archive(const struct life *l, struct found *f) {
    glob_t paths;
    CLEANUP_BUF struct buf text;
    CLEANUP_FREE char *pattern = mem_format("%s/cluster=%s/date=*/namespace=ns/js_*.jsonl.gz", l->root, l->cluster);
    buf_init(&text, ARCHIVE_MAX_BYTES);
    REQUIRE(glob(pattern, 0, NULL, &paths) == 0); /* in order of date and sequence */
    for (size_t i = 0; i < paths.gl_pathc; i++, f->objects++) {
        size_t size;
        CLEANUP_FREE char *bytes = harness_read_file(paths.gl_pathv[i], &size);
        REQUIRE(bytes != NULL);
        struct slice in = {bytes, size};
        struct archive_part part;
        while (archive_member_take(&in, &text, &part))
            check_part(f, &part, buf_slice(&text));
        CHECK_INT(in.size_bytes, 0);
    }
    globfree(&paths);
}

static void check_archive(const struct life *l) {
    struct found f = {0};
    read_archive(l, &f);
    CHECK_INT(f.ms, status_int(l->status, "time.wallMilliseconds"));
    CHECK_INT(f.starts, 1); /* nothing was lost */
    CHECK_INT(f.ends, 1);
    CHECK(f.parts > 2);
    CHECK(f.spans > 20);
}

static void live(struct life *l) {
    begin(l);
    l->at = 995;
    add(l, "\"job_start_time", l->at);
    l->at += 20;
    for (int64_t runs = 6 + random_below(&l->rng, 8); runs > 0; runs--) {
        train(l, 100 + random_below(&l->rng, 1200));
        restart(l, random_below(&l->rng, 3) == 0 ? random_below(&l->rng, 2500) : random_below(&l->rng, 60));
    }
    train(l, 300);
    end(l);
}

static void life_free(struct life *l) {
    model_free(l->model);
    for (size_t i = 0; i < l->count; i++)
        free(l->lines[i].text);
    free(l->lines);
    free(l->status);
}

/* Its log, for tests/recompute/interval.py. */
static void keep_log(const struct life *l) {
    CLEANUP_FREE char *path = mem_format("%s/%s.log", l->root, l->cluster);
    FILE *f = fopen(path, "w");
    REQUIRE(f != NULL);
    for (size_t i = 0; i < l->count; i++)
        fprintf(f, "%s\n", l->lines[i].text);
    REQUIRE(fclose(f) == 0);
}

TEST(an_archive_has_all_of_a_long_job_whose_controllers_are_killed) {
    const char *kept = getenv("RECORDS_DIR");
    char folder[FOLDER_PATH];
    int kills = 0;
    folder_make(folder);
    for (uint64_t seed = random_setting("GOODPUT_SEED", 1), left = random_setting("GOODPUT_JOBS", 6); left > 0;
         left--) {
        struct life l = {.root = kept != NULL ? kept : folder, .rng = seed};
        snprintf(l.cluster, sizeof l.cluster, "seed-%" PRIu64, seed);
        live(&l);
        check_archive(&l);
        keep_log(&l);
        kills += l.kills;
        life_free(&l);
        seed++;
    }
    CHECK(kills > 0 || getenv("GOODPUT_JOBS") != NULL);
    folder_remove(folder);
}

/* ---- and nothing else ---- */

static struct model *recorded(const struct recording *rec, bool archives, int64_t created_ms) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true, .archives = archives});
    for (int i = 0; i < recording_job_count(rec); i++)
        replay_jobgoodput(m, rec->namespace_, rec->jobs[i].name, rec->logs ? "PodLog" : "None", "", created_ms);
    return m;
}

static void feed(struct model *m, const struct recording *rec, const struct replay *events, const struct replay *logs,
                 size_t event) {
    replay_feed(m, &events->events[event]);
    replay_watermarks_of(m, events, events->events[event].at_ms);
    if (rec->logs != NULL)
        recording_read_logs(m, rec, logs, events->events[event].at_ms);
}

/* But for their checkpoints: with an archive they have until when it is stored. */
TEST(statuses_are_the_same_with_and_without_an_archive) {
    size_t compared = 0;
    for (int k = 0; k < RECORDING_COUNT; k++) {
        const struct recording *rec = &recordings[k];
        struct replay events, logs = {0};
        REQUIRE(replay_load(&events, rec->path, "workloads"));
        REQUIRE(rec->logs == NULL || replay_open_logs(&logs, rec->logs));
        events.is_watched[RESOURCE_NODE] &= !rec->lacks_nodes;
        struct model *with = recorded(rec, true, events.events[0].at_ms),
                     *without = recorded(rec, false, events.events[0].at_ms);
        for (size_t e = 0; e < events.count; e++) {
            int64_t at_ms = events.events[e].at_ms;
            feed(with, rec, &events, &logs, e);
            feed(without, rec, &events, &logs, e);
            for (int i = 0; i < recording_job_count(rec) && (e % 16 == 0 || e + 1 == events.count); i++, compared++) {
                CLEANUP_FREE char *a = replay_status(with, rec->namespace_, rec->jobs[i].name, at_ms, NULL);
                CLEANUP_FREE char *b = replay_status(without, rec->namespace_, rec->jobs[i].name, at_ms, NULL);
                fake_cut_checkpoint(a);
                fake_cut_checkpoint(b);
                CHECK_TEXT(a, b);
            }
        }
        model_free(with);
        model_free(without);
        replay_done(&events);
        replay_done(&logs);
    }
    CHECK(compared > 100);
}
