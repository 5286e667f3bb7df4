#include "styles.h"

#include "judge.h"
#include "write.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STYLES 512
#define OFF_PERMILLE 20 /* of the wall time; beyond the first lines, before which an interval's steps are not known */
#define FILE_BYTES (1 << 20)

bool style_evaluates(const struct style *s) {
    for (int i = 0; i < s->count; i++)
        if (s->lines[i].kind == STYLE_EVALUATION)
            return true;
    return false;
}

bool style_draws_bar(const struct style *s) {
    for (int i = 0; i < s->count; i++)
        if (s->lines[i].kind == STYLE_BAR)
            return true;
    return false;
}

bool style_logs_each_step(const struct style *s) {
    return s->is_each_step;
}

#define EPOCH_LINES 20 /* at least */

int64_t style_save_steps(const struct style *s) {
    return s->saves_by_epoch ? EPOCH_LINES / 2 : 0;
}

/* ---- a line's text ---- */

struct moment {
    const struct job *job;
    int64_t step, ms, at_ms, since_ms;
    int rank;
};

static int64_t epoch_steps(const struct job *job) {
    if (job->style->saves_by_epoch)
        return style_save_steps(job->style);
    return EPOCH_LINES * job->log_every + (job->log_every == 1 ? 13 : 0);
}

static void expand_number(struct buf *out, const char *name, const struct moment *m) {
    int64_t batches = epoch_steps(m->job), last = m->step > 0 ? m->step - 1 : 0;
    double progress = (double)m->step / (double)m->job->steps, s = (double)m->ms / 1000;
    const struct {
        const char *name;
        int64_t value;
    } whole[] = {{"step", m->step},
                 {"step0", last},
                 {"total", m->job->steps},
                 {"epoch", last / batches + 1},
                 {"epoch0", last / batches},
                 {"epochs", (m->job->steps + batches - 1) / batches},
                 {"batch", last % batches + 1},
                 {"batch0", last % batches},
                 {"batches", batches},
                 {"samples", (last % batches + 1) * 64},
                 {"epochsamples", batches * 64},
                 {"tokens", m->step * 2048},
                 {"rank", m->rank},
                 {"elapsed", (m->at_ms - m->since_ms) / 1000},
                 {"unixms", m->at_ms}};
    for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
        if (strcmp(whole[i].name, name) == 0) {
            buf_format(out, "%lld", (long long)whole[i].value);
            return;
        }
    if (strcmp(name, "loss") == 0)
        buf_format(out, "%.4f", 10.9 - 7 * progress);
    else if (strcmp(name, "lr") == 0)
        buf_format(out, "%.2e", 6e-4 * (1 - progress));
    else if (strcmp(name, "fraction") == 0)
        buf_format(out, "%.4g", (double)m->step / (double)batches);
    else if (strcmp(name, "ms") == 0)
        buf_format(out, "%.2f", s * 1000);
    else if (strcmp(name, "s") == 0)
        buf_format(out, "%.3f", s);
    else if (strcmp(name, "rate") == 0)
        buf_format(out, "%.2f", s > 0 ? 64 / s : 0);
    else if (strcmp(name, "percent") == 0)
        buf_format(out, "%3.0f", 100 * progress);
    else if (strcmp(name, "thousands") == 0 && m->step >= 1000)
        buf_format(out, "%lld,%03lld", (long long)m->step / 1000, (long long)m->step % 1000);
    else if (strcmp(name, "thousands") == 0)
        buf_format(out, "%lld", (long long)m->step);
    else
        buf_format(out, "{%s}", name); /* a brace of the line itself */
}

static void expand(struct buf *out, struct log *log, const char *text, const struct moment *m) {
    char local[32];
    int ms;
    for (const char *p = text; *p != '\0'; p++) {
        size_t n = *p == '{' ? strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0") : 0;
        char name[16] = "";
        if (*p != '{' || n == 0 || n >= sizeof name || p[n + 1] != '}') {
            if (*p == '\\' && (p[1] == 't' || p[1] == 'e'))
                buf_append(out, *++p == 't' ? "\t" : "\x1b", 1);
            else
                buf_append(out, p, 1);
            continue;
        }
        memcpy(name, p + 1, n);
        if (strcmp(name, "time") == 0)
            buf_append_text(out, log_local_time(log, m->at_ms, local, &ms));
        else
            expand_number(out, name, m);
        p += n + 1;
    }
}

static void put(struct log *log, const struct style_line *l, const struct moment *m) {
    struct buf text;
    buf_init(&text, 4096);
    expand(&text, log, l->text, m);
    log_line(log, m->at_ms, "%s", buf_text(&text));
    buf_done(&text);
}

static void put_all(struct log *log, int kind, struct moment m) {
    const struct style *s = log->job->style;
    for (int rank = 0; rank < s->ranks; rank++)
        for (int i = 0; i < s->count; i++)
            if ((int)s->lines[i].kind == kind) {
                m.rank = rank;
                put(log, &s->lines[i], &m);
            }
}

/* ---- a log ---- */

static void put_bar(struct log *log, struct bar *bar, struct moment m) {
    const struct style *s = log->job->style;
    for (int i = 0; i < s->count; i++) {
        if (s->lines[i].kind != STYLE_BAR)
            continue;
        struct buf head;
        buf_init(&head, 1024);
        expand(&head, log, s->lines[i].text, &m);
        const char *text = buf_text(&head);
        char *tail = head.data != NULL ? strchr(head.data, '~') : NULL; /* description~postfix */
        if (tail != NULL)
            *tail++ = '\0';
        int64_t batches = epoch_steps(m.job), done = (m.step - 1) % batches + 1;
        bool is_epoch = s->is_bar_of_epoch;
        bar_draw_progress(bar, text, is_epoch ? done : m.step, is_epoch ? batches : m.job->steps, m.since_ms, m.at_ms,
                          tail != NULL ? tail : "");
        if (is_epoch && done == batches)
            bar_flush(bar, m.at_ms);
        buf_done(&head);
    }
}

static bool prints_saves(const struct style *s) {
    bool prints = false;
    for (int i = 0; i < s->count; i++)
        prints |= s->lines[i].kind == STYLE_SAVE;
    return prints;
}

void write_style(struct log *log) {
    const struct job *job = log->job;
    struct bar bar = {.log = log};
    struct moment m = {.job = job, .since_ms = log->attempt->start_ms};
    buf_init(&bar.text, 1 << 20);
    for (int i = 0; i < log->attempt->event_count; i++) {
        const struct event *e = &log->attempt->events[i];
        m.at_ms = e->at_ms;
        m.ms = e->ms;
        m.step = e->step;
        bool is_first = m.step % epoch_steps(job) == 1;
        switch (e->kind) {
        case EVENT_INIT:
            put_all(log, STYLE_START, m);
            break;
        case EVENT_RESTORED:
            put_all(log, STYLE_RESTORE, m);
            break;
        case EVENT_TRAIN:
            m.since_ms = e->at_ms;
            put_all(log, STYLE_EPOCH, m);
            break;
        case EVENT_STEP_END:
            if (is_first && m.step > 1) {
                put_all(log, STYLE_EPOCH, m);
                m.since_ms = job->style->is_bar_of_epoch ? e->at_ms - e->ms : m.since_ms;
            }
            if (e->step % job->log_every == 0)
                put_all(log, STYLE_STEP, m);
            put_bar(log, &bar, m);
            if (m.step % epoch_steps(job) == 0)
                put_all(log, STYLE_EPOCH_END, m);
            break;
        case EVENT_EVALUATED:
            bar_flush(&bar, m.at_ms);
            put_all(log, STYLE_EVALUATION, m);
            break;
        case EVENT_SAVE:
            if (prints_saves(job->style))
                bar_flush(&bar, m.at_ms);
            put_all(log, STYLE_SAVE, m);
            break;
        case EVENT_END:
            bar_flush(&bar, m.at_ms);
            break;
        default:
            break;
        }
    }
    int64_t end_ms = log->attempt->end_ms - 1;
    bar_flush(&bar, end_ms);
    buf_done(&bar.text);
}

/* ---- the files ---- */

static bool add_setting(struct style *s, struct slice key, struct slice text) {
    static const char *const kinds[] = {"start", "restore", "step", "epoch", "epoch-end", "evaluation", "save", "bar"};
    for (int i = 0; i < (int)ARRAY_SIZE(kinds) && s->count < STYLE_LINES; i++)
        if (slice_is(key, kinds[i])) {
            s->lines[s->count].kind = (__typeof__(s->lines[0].kind))i;
            s->lines[s->count++].text = slice_dup(text);
            return true;
        }
    if (!slice_is(key, "is"))
        return false;
    s->is_each_step |= slice_contains(text, "each-step");
    s->is_refused |= slice_contains(text, "never");
    s->saves_by_epoch |= slice_contains(text, "saved-by-epoch");
    s->is_bar_of_epoch |= slice_contains(text, "bar-of-epoch");
    if (slice_contains(text, "ranks"))
        s->ranks = 4;
    return true;
}

/* "= NAME  SOURCE", then lines "KIND TEXT"; "#" begins a comment. */
static int parse_styles(struct slice text, struct style *styles, int count) {
    struct slice line, key;
    while (slice_take_line(&text, &line)) {
        if (line.size_bytes == 0 || line.data[0] == '#')
            continue;
        if (slice_take_prefix(&line, "! ") && count < MAX_STYLES && slice_take_until(&line, '\t', &key)) {
            styles[count] =
                (struct style){.name = slice_dup(key), .ranks = 1, .is_each_step = true, .is_refused = true};
            add_setting(&styles[count++], SLICE("step"), line);
        } else if (slice_take_prefix(&line, "= ") && count < MAX_STYLES) {
            if (!slice_take_until(&line, '\t', &key))
                key = line;
            styles[count++] = (struct style){.name = slice_dup(key), .ranks = 1};
        } else if (count == 0 || !slice_take_until(&line, ' ', &key) || !add_setting(&styles[count - 1], key, line)) {
            fprintf(stderr, "not a style's line: %.*s\n", SLICE_ARG(line));
            exit(2);
        }
    }
    return count;
}

static int read_styles(const char *path, struct style *styles, int count) {
    char *data = malloc(FILE_BYTES);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        perror(path);
        exit(2);
    }
    size_t n = fread(data, 1, FILE_BYTES, f);
    fclose(f);
    count = parse_styles((struct slice){data, n}, styles, count);
    free(data);
    return count;
}

/* ---- the judgment ---- */

static int64_t truth_ms(const struct job *job) {
    int64_t sum_ms = 0;
    for (int i = 0; i < job->span_count; i++) {
        const struct span *s = &job->spans[i];
        if ((s->kind == KIND_STEP || s->kind == KIND_SLOW) && !s->is_lost && !s->is_cut)
            sum_ms += s->to_ms - s->from_ms;
    }
    return sum_ms;
}

enum verdict { VERDICT_READ, VERDICT_AS_RANGE, VERDICT_REFUSED, VERDICT_WRONG, VERDICT_COUNT };
#define MAX_RANGES 10 /* in a hundred jobs */

static enum verdict judge_style(struct job *job, bool prints) {
    struct judgment j;
    job->prints = prints;
    judge(job, &j);
    int64_t truth = truth_ms(job), found = j.counted_ms[BUCKET_PRODUCTIVE], off = llabs((long long)(found - truth));
    if (prints) {
        printf(
            "%s seed %llu: every %lld, ideal %lld, attempts %d, wall %lld truth %lld found %lld off %lld (%.2f %%)\n",
            job->style->name, (unsigned long long)job->seed, (long long)job->log_every, (long long)job->ideal_ms,
            job->attempt_count, (long long)j.wall_ms, (long long)truth, (long long)found, (long long)(found - truth),
            100.0 * (double)(found - truth) / (double)j.wall_ms);
        for (int b = 0; b < BUCKET_COUNT; b++)
            if (j.counted_ms[b] > 0)
                printf("  %-20s %lld\n", bucket_name((enum bucket)b), (long long)j.counted_ms[b]);
    }
    if (found == 0)
        return VERDICT_REFUSED;
    int64_t may_be_off = job->attempt_count * job->log_every * job->ideal_ms + j.wall_ms * OFF_PERMILLE / 1000;
    if (off <= may_be_off)
        return VERDICT_READ;
    bool is_within = found < truth && truth <= found + j.counted_ms[BUCKET_UNATTRIBUTED] + may_be_off;
    return is_within ? VERDICT_AS_RANGE : VERDICT_WRONG;
}

static void free_style(struct style *s) {
    for (int i = 0; i < s->count; i++)
        free(s->lines[i].text);
    free(s->name);
}

int styles_read(const char *const *files, int file_count, struct style **ret) {
    int count = 0;
    *ret = calloc(MAX_STYLES, sizeof **ret);
    for (int i = 0; i < file_count; i++)
        count = read_styles(files[i], *ret, count);
    return count;
}

void styles_free(struct style *styles, int count) {
    for (int i = 0; i < count; i++)
        free_style(&styles[i]);
    free(styles);
}

static bool run_style(const struct style *s, uint64_t seed, int64_t jobs, bool prints) {
    int64_t counts[VERDICT_COUNT] = {0};
    uint64_t first_wrong = 0;
    for (int64_t i = 0; i < jobs; i++) {
        struct job job;
        sim_run_style(&job, seed + (uint64_t)i, s);
        if (prints && jobs == 1) {
            struct buf text;
            buf_init(&text, 64 << 20);
            for (int a = 0; a < job.attempt_count; a++)
                write_log(&job, &job.attempts[a], &text);
            printf("%s", buf_text(&text));
            buf_done(&text);
            sim_done(&job);
            sim_run_style(&job, seed, s);
        }
        enum verdict v = judge_style(&job, prints);
        if (v == VERDICT_WRONG && counts[v] == 0)
            first_wrong = job.seed;
        counts[v]++;
        sim_done(&job);
    }
    int64_t read = counts[VERDICT_READ] + counts[VERDICT_AS_RANGE];
    bool is_good = s->is_refused ? counts[VERDICT_REFUSED] == jobs
                                 : read == jobs && counts[VERDICT_AS_RANGE] * 100 <= jobs * MAX_RANGES;
    printf("%-34s %4lld read, %4lld as a range, %4lld refused, %4lld wrong%s", s->name, (long long)read,
           (long long)counts[VERDICT_AS_RANGE], (long long)counts[VERDICT_REFUSED], (long long)counts[VERDICT_WRONG],
           is_good ? "" : "  FAILED");
    if (counts[VERDICT_WRONG] > 0)
        printf(", seed %llu", (unsigned long long)first_wrong);
    printf("\n");
    return is_good;
}

bool styles_run(const char *const *files, int file_count, const char *only, uint64_t seed, int64_t jobs, bool prints) {
    struct style *styles;
    int count = styles_read(files, file_count, &styles), passed = 0, failed = 0;
    for (int i = 0; i < count; i++) {
        if (only == NULL || strcmp(only, styles[i].name) == 0) {
            bool is_good = run_style(&styles[i], seed, jobs, prints);
            passed += is_good;
            failed += !is_good;
        }
    }
    styles_free(styles, count);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0;
}
