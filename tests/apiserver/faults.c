#include "faults.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

void faults_done(struct faults *f) {
    free(f->rules);
}

void faults_clear(struct faults *f) {
    f->count = 0;
}

static const struct {
    const char *word;
    enum fault_kind kind;
} kinds[] = {
    {"status", FAULT_STATUS},     {"expired", FAULT_EXPIRED}, {"410", FAULT_EXPIRED},
    {"error", FAULT_ERROR},       {"reset", FAULT_RESET},     {"cut", FAULT_CUT},
    {"truncate", FAULT_TRUNCATE}, {"close", FAULT_CLOSE},     {"malformed", FAULT_MALFORMED},
    {"silent", FAULT_SILENT},     {"drip", FAULT_DRIP},       {"goaway-hard", FAULT_GOAWAY_HARD},
    {"goaway", FAULT_GOAWAY},     {"delay", FAULT_DELAY},     {"hold", FAULT_HOLD},
};

static int parse_action(struct rule *r, const char *text, char why[static 200]) {
    char word[32] = "", rest[200] = "";
    if (sscanf(text, "%31s %199[^\n]", word, rest) < 1) {
        snprintf(why, 200, "a fault is expected after ':'");
        return -1;
    }
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(word, kinds[i].word) == 0)
            r->fault.kind = kinds[i].kind;
    r->fault.amount = -1;
    switch (r->fault.kind) {
    case FAULT_NONE:
        snprintf(why, 200, "unknown fault \"%.100s\"", word);
        return -1;
    case FAULT_STATUS:
        if (sscanf(rest, "%d retry-after %lf", &r->fault.code, &r->fault.amount) < 1 || r->fault.code < 200) {
            snprintf(why, 200, "a code is expected: status 429 [retry-after 2]");
            return -1;
        }
        return 0;
    case FAULT_ERROR:
        r->fault.code = 500;
        sscanf(rest, "%d", &r->fault.code);
        return 0;
    case FAULT_DRIP:
    case FAULT_DELAY:
        if (sscanf(rest, "%lf bytes/s for %ld", &r->fault.amount, &r->fault.bytes) < 1) {
            snprintf(why, 200, "a number is expected: drip 10 bytes/s [for 100 bytes], delay 1.5s");
            return -1;
        }
        return 0;
    default:
        return 0;
    }
}

int faults_add(struct faults *f, const char *text, char why[static 200]) {
    struct rule r = {.times = 1};
    const char *colon = strstr(text, " : ");
    char head[400];
    if (colon == NULL) {
        snprintf(why, 200, "on VERB RESOURCE[/NAME] [skip N] [xN|always] [after N events|bytes] : FAULT");
        return -1;
    }
    snprintf(head, sizeof head, "%.*s", (int)(colon - text), text);
    char *save = NULL, *word = strtok_r(head, " ", &save);
    snprintf(r.verb, sizeof r.verb, "%.23s", word != NULL ? word : "any");
    word = strtok_r(NULL, " ", &save);
    snprintf(r.resource, sizeof r.resource, "%.127s", word != NULL ? word : "*");
    char *slash = r.resource[0] == '/' ? NULL : strchr(r.resource, '/');
    if (slash != NULL && strcmp(slash, "/status") != 0) {
        snprintf(r.name, sizeof r.name, "%.127s", slash + 1);
        *slash = '\0';
    }
    while ((word = strtok_r(NULL, " ", &save)) != NULL) {
        char *number;
        if (strcmp(word, "always") == 0)
            r.times = -1;
        else if (word[0] == 'x' && word[1] >= '0' && word[1] <= '9')
            r.times = strtol(word + 1, NULL, 10);
        else if (strcmp(word, "skip") == 0 && (number = strtok_r(NULL, " ", &save)) != NULL)
            r.skip = strtol(number, NULL, 10);
        else if (strcmp(word, "after") == 0 && (number = strtok_r(NULL, " ", &save)) != NULL)
            r.fault.after = strtol(number, NULL, 10);
        else if (strncmp(word, "byte", 4) == 0)
            r.fault.is_in_bytes = true;
        else if (strncmp(word, "event", 5) != 0 && strncmp(word, "line", 4) != 0) {
            snprintf(why, 200, "\"%.100s\" is not understood", word);
            return -1;
        }
    }
    if (parse_action(&r, colon + 3, why) < 0)
        return -1;
    MEM_GROW(f->rules, f->count, f->capacity);
    f->rules[f->count++] = r;
    return 0;
}

static bool is_match(const struct rule *r, const char *verb, const char *resource, const char *path, const char *name) {
    if (strcmp(r->verb, "any") != 0 && strcmp(r->verb, "*") != 0 && strcmp(r->verb, verb) != 0)
        return false;
    if (r->resource[0] == '/')
        return strncmp(path, r->resource, strlen(r->resource)) == 0;
    if (strcmp(r->resource, "*") != 0 && strcmp(r->resource, resource) != 0)
        return false;
    return r->name[0] == '\0' || strcmp(r->name, name) == 0;
}

bool faults_match(struct faults *f, const char *verb, const char *resource, const char *path, const char *name,
                  struct fault *fault) {
    for (size_t i = 0; i < f->count; i++) {
        struct rule *r = &f->rules[i];
        if (!is_match(r, verb, resource, path, name) || r->times == 0)
            continue;
        if (r->skip > 0) {
            r->skip--;
            continue;
        }
        if (r->times > 0)
            r->times--;
        *fault = r->fault;
        return true;
    }
    return false;
}

size_t faults_left(const struct faults *f) {
    size_t n = 0;
    for (size_t i = 0; i < f->count; i++)
        n += f->rules[i].times > 0;
    return n;
}
