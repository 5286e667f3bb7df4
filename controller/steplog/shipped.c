#include "steplog/shipped.h"

#include "base/embed.h"
#include "base/literals.h"
#include "base/mem.h"
#include "base/yamldoc.h"
#include "steplog/emit.h"
#include "steplog/formats.h"
#include "steplog/pattern_set.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define X(id, name) EMBED(shipped_##id, "helm/goodput-controller/files/formats/" name ".yaml");
SHIPPED_FORMATS(X)
#undef X

static const struct {
    const char *name, *data;
    const uint64_t *size;
} files[] = {
#define X(id, name) {name, shipped_##id, &shipped_##id##_size},
    SHIPPED_FORMATS(X)
#undef X
};

/* ---- the formats ---- */

static struct shipped formats[SHIPPED_COUNT];
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;

/* How many bytes of the pattern the item takes: a plain character, an escape, a class or a group. */
static size_t item_bytes(const char *p) {
    size_t size = 1;
    int depth = 0;
    if (*p == '\\')
        return p[1] != '\0' ? 2 : 1;
    if (*p == '[') {
        size += p[size] == '^';
        size += p[size] == ']';
        while (p[size] != '\0' && p[size] != ']')
            size += p[size] == '\\' && p[size + 1] != '\0' ? 2 : 1;
        return p[size] == ']' ? size + 1 : size;
    }
    if (*p != '(')
        return 1;
    for (size = 0; p[size] != '\0'; size += p[size] == '[' || p[size] == '\\' ? item_bytes(p + size) : 1) {
        depth += (p[size] == '(') - (p[size] == ')');
        if (depth == 0)
            return size + 1;
    }
    return size;
}

/* The character that the item is; 0: it is none. */
static char plain_of(const char *p) {
    if (*p == '\\')
        return p[1] != '\0' && strchr(".|()[]{}?*+^$\\/-", p[1]) != NULL ? p[1] : '\0';
    return strchr(".|()[]{}?*+^$", *p) == NULL ? *p : '\0';
}

void shipped_literal(const char *pattern, char ret[static USERFORMAT_NAME_SIZE]) {
    char run[USERFORMAT_NAME_SIZE];
    size_t used = 0, best = 0, size;
    ret[0] = '\0';
    for (const char *p = pattern;; p += size) {
        size = *p != '\0' ? item_bytes(p) : 0;
        char c = *p != '\0' ? plain_of(p) : '\0';
        bool is_repeated = *p != '\0' && p[size] != '\0' && strchr("?*{", p[size]) != NULL;
        if (*p == '|' || strncmp(p, "(?i", 3) == 0) {
            ret[0] = '\0';
            return;
        }
        if (c != '\0' && !is_repeated && used < sizeof run - 1) {
            run[used++] = c;
            continue;
        }
        if (used > best) {
            best = used;
            memcpy(ret, run, used);
            ret[used] = '\0';
        }
        used = 0;
        if (*p == '\0')
            return;
    }
}

/* The files are part of the program: one that cannot be read is its fault (tests/steplog/test_shipped.c). */
static void load(int number) {
    struct shipped *f = &formats[number];
    struct yamldoc doc;
    CLEANUP_BUF struct buf json;
    yaml_node_t *metadata = NULL, *notes = NULL, *spec = NULL;
    buf_init(&json, 1 << 20);
    int r = yamldoc_read(&doc, "shipped format", files[number].name, shipped_yaml(number), NULL);
    r = r < 0 ? r : yamldoc_map(&doc, yamldoc_root(&doc), "metadata", &metadata, NULL);
    r = r < 0 ? r : yamldoc_text(&doc, metadata, "name", &f->name, NULL);
    r = r < 0 ? r : yamldoc_map(&doc, metadata, "annotations", &notes, NULL);
    r = r < 0 ? r : yamldoc_text(&doc, notes, "kubernetes.io/description", &f->trainer, NULL);
    r = r < 0 ? r : yamldoc_map(&doc, yamldoc_root(&doc), "spec", &spec, NULL);
    r = r < 0 ? r : yamldoc_json(&doc, spec, &json);
    yamldoc_done(&doc);
    f->format = r < 0 ? NULL : userformat_parse(buf_slice(&json), NULL);
    assert(f->format != NULL && f->name != NULL && f->trainer != NULL);
    for (int i = 0; i < f->format->count; i++)
        shipped_literal(f->format->patterns[i].pattern, f->literals[i]);
}

/* The literals of all patterns, and whose they are. */
static struct literals *literals;
static struct { int format, pattern; } owners[SHIPPED_COUNT * USERFORMAT_PATTERNS];
static const char *words[ARRAY_SIZE(owners) + 1];

static void load_all(void) {
    struct slice texts[ARRAY_SIZE(owners)];
    size_t count = 0;
    for (int i = 0; i < SHIPPED_COUNT; i++) {
        load(i);
        for (int k = 0; k < formats[i].format->count; k++) {
            owners[count].format = i;
            owners[count].pattern = k;
            words[count] = formats[i].literals[k];
            texts[count++] = slice_of(formats[i].literals[k]);
        }
    }
    literals = literals_new(texts, count);
}

const struct shipped *shipped_get(int number) {
    pthread_once(&is_loaded, load_all);
    return &formats[number];
}

const struct shipped *shipped_find(struct slice name) {
    for (int i = 0; i < SHIPPED_COUNT; i++)
        if (slice_is(name, shipped_get(i)->name))
            return shipped_get(i);
    return NULL;
}

struct slice shipped_yaml(int number) {
    return (struct slice){files[number].data, (size_t)*files[number].size};
}

/* ---- a line ---- */

struct state {
    int format;                                  /* that gave steps; -1: none yet */
    struct pattern_set *patterns[SHIPPED_COUNT]; /* compiled when a line first holds a literal of theirs */
};

/* A bit for each pattern whose literal the line holds. */
struct held {
    uint32_t patterns[SHIPPED_COUNT];
};

static void find_held(struct held *held, const struct state *state, struct slice text) {
    *held = (struct held){{0}};
    if (state->format >= 0) { /* few literals: each by itself */
        const struct shipped *f = &formats[state->format];
        for (int i = 0; i < f->format->count; i++)
            held->patterns[state->format] |= (uint32_t)slice_contains(text, f->literals[i]) << i;
        return;
    }
    for (struct literals_hit hit = {0}; literals_next(literals, text, &hit);)
        held->patterns[owners[hit.number].format] |= UINT32_C(1) << owners[hit.number].pattern;
}

static bool is_of_steps(enum record_kind kind) {
    return kind == RECORD_STEP_END || kind == RECORD_STEP_START || kind == RECORD_PHASE;
}

/* Which patterns may count: all of the format that gave steps. While none did, saves may be anybody's; restores and
 * evaluations come before the first step, and mean the same whoever prints that line. Where a counter gives the steps
 * (generic.c), all but steps. */
static bool may_count(const struct steplog *s, const struct state *state, enum record_kind kind) {
    bool is_save = kind == RECORD_SAVE_START || kind == RECORD_SAVE_DURABLE;
    return state->format >= 0 ||
           (s->counts.recognized == STEPLOG_GENERIC ? !is_of_steps(kind) : !is_save && kind != RECORD_PHASE);
}

static bool may_match(const struct steplog *s, const struct held *held, int number) {
    const struct userformat *format = shipped_get(number)->format;
    for (int i = 0; i < format->count && held->patterns[number] != 0; i++)
        if ((held->patterns[number] >> i & 1) && may_count(s, s->state, format->patterns[i].kind))
            return true;
    return false;
}

static void keep_only(struct state *state, int format) {
    for (int i = 0; i < SHIPPED_COUNT; i++)
        if (i != format) {
            pattern_set_free(state->patterns[i]);
            state->patterns[i] = NULL;
        }
    state->format = format;
}

/* Without steps and their phases where a counter gives them. */
static uint32_t counting(const struct steplog *s, int number, uint32_t patterns) {
    const struct userformat *format = shipped_get(number)->format;
    for (int i = 0; i < format->count && s->counts.recognized == STEPLOG_GENERIC; i++)
        if (is_of_steps(format->patterns[i].kind))
            patterns &= ~(UINT32_C(1) << i);
    return patterns;
}

static enum line_result read_with(struct steplog *s, struct state *state, int i, struct slice text, uint32_t held) {
    int64_t steps = s->counts.steps;
    if (state->patterns[i] == NULL)
        state->patterns[i] = pattern_set_new(shipped_get(i)->format, "pattern ", NULL);
    enum line_result result = pattern_set_line(s, state->patterns[i], text, counting(s, i, held));
    if (s->counts.steps > steps && state->format < 0)
        keep_only(state, i);
    return result == LINE_TAKEN ? LINE_TAKEN : LINE_NOT_MINE;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct state *state = s->state;
    bool is_known = state->format >= 0;
    bool is_open = is_known || s->counts.recognized == STEPLOG_AUTO || s->counts.recognized == STEPLOG_GENERIC;
    struct held held;
    if (!is_open)
        return LINE_NOT_MINE;
    pthread_once(&is_loaded, load_all);
    find_held(&held, state, text);
    for (int i = is_known ? state->format : 0; i < (is_known ? state->format + 1 : SHIPPED_COUNT); i++)
        if (may_match(s, &held, i)) {
            enum line_result result = read_with(s, state, i, text, held.patterns[i]);
            if (result != LINE_NOT_MINE)
                return result;
        }
    return LINE_NOT_MINE;
}

/* ---- what is remembered ---- */

static void init_state(void *state) {
    ((struct state *)state)->format = -1;
}

static void free_state(void *state) {
    keep_only(state, -1);
}

/* By name: another version may ship others. */
static void visit_state(void *value, struct codec *c) {
    struct state *state = value;
    char name[USERFORMAT_NAME_SIZE] = "";
    if (state->format >= 0)
        snprintf(name, sizeof name, "%s", shipped_get(state->format)->name);
    codec_chars(c, name, sizeof name);
    const struct shipped *f = name[0] != '\0' ? shipped_find(slice_of(name)) : NULL;
    c->failed |= name[0] != '\0' && f == NULL;
    keep_only(state, f != NULL ? (int)(f - formats) : -1);
}

static const char *name_of(const void *state) {
    int format = ((const struct state *)state)->format;
    return format >= 0 ? shipped_get(format)->name : NULL;
}

const struct format steplog_shipped = {
    .id = STEPLOG_AUTO,
    .name_of = name_of,
    .looks_for = "a step of a trainer that kubectl goodput formats lists in lower case",
    .words = words,
    .line = read_line,
    .state_bytes = sizeof(struct state),
    .state_init = init_state,
    .state_visit = visit_state,
    .state_free = free_state,
    .is_of_log = true,
};
