/* What the checks of a status have in common: reading numbers out of JSON, and saying which one is wrong. Private to
 * status_check. */
#ifndef TESTS_HARNESS_STATUS_CHECK_INTERNAL_H
#define TESTS_HARNESS_STATUS_CHECK_INTERNAL_H

#include "status_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABSENT INT64_MIN

struct check {
    const json_t *status, *spec; /* spec: NULL if it is not known */
    char *why;
    int64_t wall, available, productive; /* productive: ABSENT without steps */
    int64_t unattributed, unobserved, suspended;
    int64_t total;    /* interruptions */
    bool lists_all;   /* the executions: none is left out */
    bool is_log;      /* of analyze, which claims nothing about machines */
    bool is_interval; /* a part of the time: executions reach beyond it */
};

/* status_check_chips.c */
bool check_chips(struct check *c);
bool check_cost(struct check *c);
bool check_program(struct check *c);

/* status_check_definitions.c */
bool check_definitions(struct check *c);

/* status_check_owners.c */
bool check_owners(struct check *c);

/* status_check_evidence.c */
bool check_node_evidence(struct check *c, const json_t *execution);
bool check_root_cause(struct check *c, const json_t *execution);
bool check_classes(struct check *c);

/* status_check_forecast.c */
bool check_forecast(struct check *c);
bool check_advice(struct check *c);

/* ---- reading ---- */

static inline const json_t *at(const json_t *value, const char *path) {
    char key[64];
    for (size_t n; value != NULL && *path != '\0'; path += n + (path[n] == '.')) {
        n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        value = json_object_get(value, key);
    }
    return value;
}

static inline int64_t number(const json_t *value, const char *path) {
    const json_t *found = at(value, path);
    return json_is_integer(found) ? (int64_t)json_integer_value(found) : ABSENT;
}

static inline int64_t number_or_0(const json_t *value, const char *path) {
    int64_t n = number(value, path);
    return n == ABSENT ? 0 : n;
}

static inline const char *text(const json_t *value, const char *path) {
    const char *s = json_string_value(at(value, path));
    return s != NULL ? s : "";
}

static inline bool is_text(const json_t *value, const char *path, const char *expected) {
    return strcmp(text(value, path), expected) == 0;
}

/* "2026-01-01T00:01:00.250Z" in Unix milliseconds; ABSENT. */
static inline int64_t time_ms(const json_t *value, const char *path) {
    int y, mo, d, h, mi;
    double s;
    if (sscanf(text(value, path), "%d-%d-%dT%d:%d:%lfZ", &y, &mo, &d, &h, &mi, &s) != 6)
        return ABSENT;
    int64_t year = y - (mo <= 2), era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t day = (153 * (mo + (mo > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719468;
    return ((days * 24 + h) * 60 + mi) * 60000 + llround(s * 1e3);
}

/* "12.345" with that many digits after the point, as an integer; ABSENT. */
static inline int64_t decimal(const json_t *value, const char *path, int digits) {
    const char *s = text(value, path);
    return *s != '\0' ? llround(strtod(s, NULL) * pow(10, digits)) : ABSENT;
}

/* ---- comparing ---- */

__attribute__((format(printf, 2, 3))) static inline bool fail(struct check *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(c->why, STATUS_WHY, format, args);
    va_end(args);
    return false;
}

static inline bool equal(struct check *c, const char *what, int64_t is, int64_t expected) {
    if (is == expected)
        return true;
    if (is == ABSENT || expected == ABSENT)
        return fail(c, "%s is %s", what,
                    is == ABSENT ? "absent although it can be derived" : "there with nothing behind it");
    return fail(c, "%s is %" PRId64 ", the others make it %" PRId64, what, is, expected);
}

/* Parts per million, rounded half up; ABSENT of nothing. */
static inline int64_t ppm(int64_t part, int64_t whole) {
    if (whole <= 0 || part == ABSENT)
        return ABSENT;
    return (int64_t)(((__int128)part * 2000000 + whole) / ((__int128)whole * 2));
}

static inline bool is_percent(struct check *c, const char *what, const json_t *value, const char *path,
                              int64_t expected) {
    char should[40] = "";
    int64_t hundredths = (expected + 50) / 100;
    if (expected != ABSENT)
        snprintf(should, sizeof should, "%" PRId64 ".%02d%%", hundredths / 100, (int)(hundredths % 100));
    return is_text(value, path, should)
               ? true
               : fail(c, "%s is \"%s\", the others make it \"%s\"", what, text(value, path), should);
}

#endif
