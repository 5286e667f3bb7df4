#include "cli/analyze/rank.h"

#include "base/rfc3339.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LOOK_AT_LINES = 1000, SUFFIX = 6 };

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static bool take_name(struct slice *s, struct slice *name) {
    size_t n = 0;
    while (n < s->size_bytes && is_name(s->data[n]))
        n++;
    *name = (struct slice){s->data, n};
    *s = slice_skip(*s, n);
    return n > 0;
}

/* Without the characters that Kubernetes draws at random for each pod of a Job: its next attempt is the same rank. */
static struct slice without_suffix(struct slice pod) {
    const char *end = pod.data + pod.size_bytes;
    if (pod.size_bytes <= SUFFIX || end[-SUFFIX] != '-')
        return pod;
    for (const char *p = end - SUFFIX + 1; p < end; p++)
        if (memchr("bcdfghjklmnpqrstvwxz2456789", *p, 27) == NULL)
            return pod;
    return slice_range(pod.data, end - SUFFIX);
}

static void set_name(char *name, struct slice pod, struct slice container) {
    struct slice stem = without_suffix(pod);
    snprintf(name, ANALYZE_RANK_BYTES, "%.*s%s%.*s", SLICE_ARG(stem), container.size_bytes ? "/" : "",
             SLICE_ARG(container));
}

/* The text behind one of the names, as JSON has it ("pod":"x"), fluent-bit's stdout ("pod"=>"x"), logcli (pod="x"). */
static bool find_value(struct slice line, const char *const *names, struct slice *value) {
    for (; *names != NULL; names++) {
        const char *at = slice_find(line, *names);
        if (at == NULL)
            continue;
        struct slice rest = slice_range(at + strlen(*names), line.data + line.size_bytes);
        bool is_there = slice_take_prefix(&rest, "=>") || slice_take_char(&rest, ':') || slice_take_char(&rest, '=');
        slice_take_char(&rest, ' ');
        if (is_there && slice_take_char(&rest, '"') && take_name(&rest, value) && slice_starts(rest, "\""))
            return true;
    }
    return false;
}

static bool is_logcli(struct slice line) {
    int64_t ns;
    return rfc3339_take(&line, &ns, NULL) && slice_take_prefix(&line, " {") && line.size_bytes > 0 &&
           (isalpha((unsigned char)line.data[0]) || line.data[0] == '_');
}

static bool take_json(struct analyze_ranks *ranks, struct slice line, struct analyze_rank *ret) {
    static const char *const pods[] = {"\"pod_name\"", "\"pod\"", "\"k8s_pod_name\"", NULL};
    static const char *const pod_labels[] = {"pod", "pod_name", "k8s_pod_name", NULL};
    static const char *const container_labels[] = {"container", "container_name", "k8s_container_name", NULL};
    static const char *const containers[] = {"\"container_name\"", "\"container\"", "\"k8s_container_name\"", NULL};
    struct slice pod, container = {0};
    bool is_value = slice_starts(line, "[\""), is_labels = is_logcli(line);
    bool is_collected = slice_contains(line, "\"kubernetes\":{") || slice_contains(line, "\"kubernetes\"=>{");
    if (!is_value && !slice_starts(line, "{") && !is_collected && !is_labels)
        return false;
    if (is_value) {
        memcpy(ret->name, ranks->stream, sizeof ret->name);
        return ret->name[0] != '\0';
    }
    if (!find_value(line, is_labels ? pod_labels : pods, &pod))
        return false;
    find_value(line, is_labels ? container_labels : containers, &container);
    set_name(ret->name, pod, container);
    memcpy(ranks->stream, ret->name, sizeof ret->name);
    return true;
}

static bool take_kubectl(struct slice *line, struct analyze_rank *ret) {
    struct slice rest = *line, pod, container;
    if (!slice_take_prefix(&rest, "[pod/") || !take_name(&rest, &pod) || !slice_take_char(&rest, '/') ||
        !take_name(&rest, &container) || !slice_take_prefix(&rest, "] "))
        return false;
    set_name(ret->name, pod, container);
    *line = rest;
    return true;
}

static bool take_stern(struct slice *line, struct analyze_rank *ret) {
    struct slice rest = *line, pod, container;
    if (!take_name(&rest, &pod) || memchr(pod.data, '-', pod.size_bytes) == NULL || !slice_take_char(&rest, ' ') ||
        !take_name(&rest, &container) || !slice_take_char(&rest, ' '))
        return false;
    set_name(ret->name, pod, container);
    *line = rest;
    return true;
}

static bool take_launcher(struct slice *line, int64_t *number) {
    struct slice rest = *line;
    int64_t job;
    if (!slice_take_char(&rest, '['))
        return false;
    if (slice_take_uint(&rest, &job)) {
        if (!slice_take_char(&rest, ',') || !slice_take_uint(&rest, number) || !slice_take_prefix(&rest, "]<std") ||
            !(slice_take_prefix(&rest, "out>:") || slice_take_prefix(&rest, "err>:")))
            return false;
    } else {
        size_t n = 0;
        while (n < rest.size_bytes && (isalpha((unsigned char)rest.data[n]) || rest.data[n] == '_'))
            n++;
        bool is_rank = n == 4 && strncasecmp(rest.data, "rank", n) == 0;
        rest = slice_skip(rest, n);
        if (is_rank)
            slice_take_char(&rest, ' ');
        if (n == 0 || !slice_take_uint(&rest, number) ||
            !(slice_take_prefix(&rest, "]:") || (is_rank && slice_take_prefix(&rest, "] "))))
            return false;
    }
    *line = rest;
    return true;
}

static bool take_srun(struct slice *line, int64_t *number) {
    struct slice rest = *line;
    while (slice_take_char(&rest, ' ')) { /* as wide as the largest number */
    }
    if (!slice_take_uint(&rest, number) || !slice_take_prefix(&rest, ": "))
        return false;
    *line = rest;
    return true;
}

/* A stamp and what a container runtime writes behind it. */
static struct slice take_stamp(struct slice *line) {
    const char *start = line->data;
    struct slice rest = *line;
    int64_t ns;
    if (!rfc3339_take(&rest, &ns, NULL) || !(slice_take_char(&rest, ' ') || slice_take_char(&rest, '\t')))
        return (struct slice){start, 0};
    if (slice_take_prefix(&rest, "stdout ") || slice_take_prefix(&rest, "stderr "))
        slice_take_prefix(&rest, "F ");
    *line = rest;
    return slice_range(start, rest.data);
}

/* The kinds whose prefix the line has, as bits; those not in `kinds` are not looked for. */
static unsigned take_kinds(struct analyze_ranks *ranks, unsigned kinds, struct slice line, struct analyze_rank *ret) {
    unsigned found = 0;
    int64_t number;
    ret->name[0] = '\0';
    ret->stamp = (struct slice){line.data, 0};
    ret->text = line;
    if ((kinds >> RANK_JSON & 1) != 0 && take_json(ranks, line, ret))
        return 1u << RANK_JSON;
    if ((kinds >> RANK_KUBECTL & 1) != 0 && take_kubectl(&line, ret))
        found |= 1u << RANK_KUBECTL;
    else if ((kinds >> RANK_STERN & 1) != 0 && take_stern(&line, ret))
        found |= 1u << RANK_STERN;
    ret->stamp = take_stamp(&line);
    unsigned before = found;
    if ((kinds >> RANK_LAUNCHER & 1) != 0 && take_launcher(&line, &number))
        found |= 1u << RANK_LAUNCHER;
    else if ((kinds >> RANK_SRUN & 1) != 0 && take_srun(&line, &number))
        found |= 1u << RANK_SRUN;
    size_t n = strlen(ret->name);
    if (found != before)
        snprintf(ret->name + n, sizeof ret->name - n, "%srank %lld", n > 0 ? " " : "", (long long)number);
    ret->text = line;
    return found;
}

void analyze_ranks_look(struct analyze_ranks *ranks, struct slice lines) {
    struct slice line;
    struct analyze_rank rank;
    int count = 0, with[RANK_KINDS] = {0};
    while (count < LOOK_AT_LINES && slice_take_line(&lines, &line)) {
        if (line.size_bytes == 0)
            continue;
        unsigned found = take_kinds(ranks, ~0u, line, &rank);
        for (int i = 0; i < RANK_KINDS; i++)
            with[i] += (int)(found >> i & 1);
        count++;
    }
    for (int i = 0; i < RANK_KINDS; i++)
        ranks->is_read[i] = 2 * with[i] > count;
    ranks->stream[0] = '\0';
}

static unsigned kinds_read(const struct analyze_ranks *ranks) {
    unsigned kinds = 0;
    for (int i = 0; i < RANK_KINDS; i++)
        kinds |= ranks->is_read[i] ? 1u << i : 0;
    return kinds;
}

bool analyze_ranks_any(const struct analyze_ranks *ranks) {
    return kinds_read(ranks) != 0;
}

bool analyze_rank_take(struct analyze_ranks *ranks, struct slice line, struct analyze_rank *ret) {
    return take_kinds(ranks, kinds_read(ranks), line, ret) != 0;
}
